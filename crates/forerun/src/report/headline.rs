//! The first thing on the page: predicted, measured, error, the plan and its reason.

use forerun_platform::{Bytes, Interval, Outcome};

use super::mark::escape;
use super::scene::{Scene, WAYS};
use crate::compare::{self, Compared, Prediction, Runs};
use crate::text;

/// Title, headline figures, plan, and how far off each predictor was over all configurations.
pub(super) fn render(scene: &Scene<'_>, level: u8) -> String {
    let mut out = String::from("<header>\n");
    if level == 1 {
        out += "<p class=\"kicker\">Forerun report</p>\n";
    }
    let title = if scene.job().is_empty() { scene.title() } else { scene.job() };
    out += &format!("<h{level}>{}</h{level}>\n<p class=\"sub\">{}</p>\n", escape(&title), subtitle(scene));
    if let Some(best) = scene.best() {
        out += &figures(best);
        out += &plan(scene, best);
    }
    out += &overall(scene);
    out + "</header>\n"
}

fn subtitle(scene: &Scene<'_>) -> String {
    let mut parts = Vec::new();
    if !scene.platform().is_empty() {
        parts.push(escape(scene.platform()));
    }
    for way in WAYS {
        let n = scene.count(way);
        if n > 0 {
            let noun = if compare::is_measured(way) { "run" } else { "prediction" };
            parts.push(format!("{} ({})", text::plural(n as u64, noun), way.name()));
        }
    }
    parts.join(" · ")
}

/// The figures of one configuration, side by side.
fn figures(best: &Compared) -> String {
    let prediction = best.predictions.first();
    let runs = best.measured.iter().min_by(|a, b| a.median().total_cmp(&b.median()));
    let mut out = String::from("<dl class=\"figures\">\n");
    let mut figure = |name: &str, value: String, note: String| {
        out += &format!("<div><dt>{name}</dt><dd><b>{value}</b> <span>{note}</span></dd></div>\n");
    };
    match prediction {
        Some(p) => {
            let (value, note) = predicted(p);
            figure("Predicted", value, note);
        }
        None => figure("Predicted", "—".into(), "nothing predicted this configuration".into()),
    }
    match runs {
        Some(runs) => figure("Measured", text::seconds(runs.median()), measured(runs)),
        None => figure("Measured", "—".into(), "not run yet".into()),
    }
    if let (Some(p), Some(runs)) = (prediction, runs) {
        let error = compare::relative_error(p.makespan.makespan_s, runs.median());
        figure("Error", error.map_or("—".into(), text::percent), judged(&p.makespan, runs.median()));
    }
    out + "</dl>\n"
}

fn predicted(p: &Prediction) -> (String, String) {
    let whole = text::interval(&p.makespan);
    let (value, interval) = match whole.find(['±', '(']) {
        Some(at) => (whole[..at].trim_end().to_string(), format!("{} ", &whole[at..])),
        None => (whole, String::new()),
    };
    (value, format!("{interval}by {}", if p.by == compare::By::Plan { "the plan" } else { p.by.name() }))
}

fn measured(runs: &Runs) -> String {
    match runs.makespans_s.len() {
        1 => format!("one run, {}", runs.way.name()),
        n => format!(
            "median of {n} runs, {} to {}, {}",
            text::seconds(runs.min()),
            text::seconds(runs.max()),
            runs.way.name()
        ),
    }
}

fn judged(predicted: &Interval, measured_s: f64) -> String {
    if predicted.low_s == predicted.high_s {
        "no interval was predicted".into()
    } else if (predicted.low_s..=predicted.high_s).contains(&measured_s) {
        "measured inside the predicted interval".into()
    } else {
        format!("measured outside {} to {}", text::seconds(predicted.low_s), text::seconds(predicted.high_s))
    }
}

fn plan(scene: &Scene<'_>, best: &Compared) -> String {
    let all = WAYS.into_iter().filter_map(|way| scene.representative(&best.configuration, way, |_| true));
    let outcomes: Vec<&Outcome> = all.collect();
    let Some(first) = outcomes.first() else { return String::new() };
    let (c, plan) = (&best.configuration, &first.plan);
    let fastest = match (scene.compared.len(), best.measured.is_empty()) {
        (1, _) => "Plan",
        (_, false) => "Fastest measured",
        (_, true) => "Fastest predicted",
    };
    let processors = text::plural(c.processors as u64, "processor");
    let mut words = vec![format!("<b>{} on {processors}</b>", c.strategy_label())];
    words.extend(plan.grain.tasks.map(|n| text::plural(n, "task")));
    // Of a farm's tasks, and of such as are known by their costs alone, nobody says how large they are.
    let sized = first.input.as_ref().is_none_or(|input| input.bytes.is_some());
    if sized && plan.grain.bytes > 0 {
        words.push(format!("at most {} of input a task", Bytes(plan.grain.bytes)));
    }
    if first.messages > 0 {
        words.push(format!("{} of {} in all", text::plural(first.messages, "message"), Bytes(first.bytes)));
    }
    let mut out = format!("<p class=\"plan\">{fastest}: {}.", words.join(", "));
    let reason = outcomes.iter().map(|o| o.plan.reason.trim()).find(|reason| !reason.is_empty());
    if let Some(reason) = reason {
        out += &format!(" <span class=\"reason\">Why: {}.</span>", escape(reason.trim_end_matches('.')));
    }
    out + "</p>\n"
}

fn overall(scene: &Scene<'_>) -> String {
    let all = compare::summaries(&scene.compared);
    let many: Vec<_> = all.iter().filter(|s| s.pairs > 1).collect();
    if many.is_empty() {
        return String::new();
    }
    let mut out = String::from("<ul class=\"overall\">\n");
    for s in many {
        out += &format!(
            "<li><svg class=\"key\" width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"{}\" x=\"1\" y=\"5\" width=\"12\" \
             height=\"4\"/></svg><b>{}</b> off by {} in the median of {}, at worst {} ({}, P = {})</li>\n",
            super::mark::by_class(s.by),
            s.by.name(),
            text::share(s.median),
            text::plural(s.pairs as u64, "configuration"),
            text::percent(s.worst),
            s.worst_at.strategy_label(),
            s.worst_at.processors
        );
    }
    out + "</ul>\n"
}
