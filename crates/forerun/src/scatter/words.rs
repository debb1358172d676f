//! The lines that a person reads of scatter-gather.

use forerun_model::scatter_gather::Planned;
use forerun_platform::{Bytes, BytesPerSecond, PhaseCost, Plan, ScatterGatherProfile};

use super::Calibrated;
use crate::text::{self, Align, Table};

/// A profile, in a line.
pub(super) fn profile(costs: &ScatterGatherProfile, found: Option<&Calibrated>) -> String {
    // Figures as the model's source has them: c_q for an element and a logarithm, c_m for an
    // element, at the sizes and numbers that runs have.
    let s = costs.tried.map_or(f64::from(1 << 20), |tried| tried.largest.max(1.0));
    let n = s / costs.element_bytes;
    let per_element = |cost: &PhaseCost, ways: f64| cost.seconds(s, ways) / n;
    let rate = |cost: &PhaseCost| {
        let seconds = cost.seconds(s, 1.0);
        if seconds > 0.0 { BytesPerSecond(s / seconds).to_string() } else { "free".into() }
    };
    let off = |cost: &PhaseCost| {
        if cost.error > 0.0 { format!(" ±{}", text::share(cost.error)) } else { String::new() }
    };
    let mut line = format!(
        "b_io {}{} reading, {}{} writing; c_q {}{}; c_m {}{} of 8 blocks, {} of 2 ranks",
        rate(&costs.read),
        off(&costs.read),
        rate(&costs.write),
        off(&costs.write),
        text::seconds(per_element(&costs.process, n) / n.ln().max(1.0)),
        off(&costs.process),
        text::seconds(per_element(&costs.local, 8.0)),
        off(&costs.local),
        text::seconds(per_element(&costs.global, 2.0)),
    );
    if let Some(found) = found {
        let blocks = text::plural(found.blocks as u64, "block");
        line.push_str(&format!(
            " ({blocks} of up to {} timed in {})",
            Bytes(costs.tried.map_or(0, |tried| tried.largest as u64)),
            text::seconds(found.seconds)
        ));
    }
    line
}

/// A plan and why.
pub(super) fn plan(planned: &Planned) -> String {
    let choice = &planned.best;
    let b = &choice.prediction.bandwidths;
    let mut lines = vec![shape(&choice.plan), choice.plan.reason.clone()];
    let shown = [("b_dist", b.distribution), ("b_gather", b.gathering)];
    let shown: Vec<String> = shown
        .into_iter()
        .filter(|(_, rate)| rate.is_finite() && choice.plan.processors > 1)
        .map(|(name, rate)| format!("{name} {}", BytesPerSecond(rate)))
        .collect();
    if !shown.is_empty() {
        lines.push(shown.join(", "));
    }
    lines.join("\n")
}

/// The shape of a plan.
pub(super) fn shape(plan: &Plan) -> String {
    let mut line = format!(
        "{} on {}, {} of at most {}",
        plan.skeleton.name(),
        text::plural(plan.processors as u64, "processor"),
        text::plural(plan.grain.tasks.unwrap_or(0), "block"),
        Bytes(plan.grain.bytes),
    );
    if plan.ahead > 0 {
        line.push_str(&format!(", {} read ahead", plan.ahead));
    }
    let sum: u64 = plan.shares.iter().map(|&s| u64::from(s)).sum();
    if let (Some(&first), true) = (plan.shares.first(), sum > 0) {
        line.push_str(&format!(", {} of them on the first", text::share(f64::from(first) / sum as f64)));
    }
    line
}

/// The best plan for every number of processors, as a table.
pub(super) fn alternatives(planned: &Planned) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("processors", Align::Right),
        ("blocks", Align::Right),
        ("predicted", Align::Left),
        ("bound by", Align::Left),
    ]);
    for choice in &planned.by_processors {
        let best = choice.plan.processors == planned.best.plan.processors;
        let (deal, gather) = choice.prediction.bounds;
        table.row(vec![
            if best { "→".into() } else { String::new() },
            choice.plan.processors.to_string(),
            choice.plan.grain.tasks.map_or("?".into(), text::count),
            text::interval(&choice.prediction.interval),
            format!("{deal}, then {gather}"),
        ]);
    }
    table.render(false)
}
