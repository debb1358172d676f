//! What is put together in a line of a table, and is not of one plan.

use forerun_platform::{Bytes, Outcome, Plan, Way};

use super::{Configuration, is_measured};
use crate::text;

/// A sentence for each way in which outcomes of a configuration came about by several plans, or predictions differ.
pub(super) fn said(of: &Configuration, outcomes: &[&Outcome]) -> Vec<String> {
    Way::ALL.into_iter().filter_map(|way| of_way(of, outcomes, way)).collect()
}

fn of_way(of: &Configuration, outcomes: &[&Outcome], way: Way) -> Option<String> {
    let all: Vec<&Outcome> = outcomes.iter().filter(|o| o.way == way).copied().collect();
    let first = all.first()?;
    let mut plans: Vec<&Plan> = Vec::new();
    for outcome in &all {
        if !plans.iter().any(|plan| is_like(plan, &outcome.plan)) {
            plans.push(&outcome.plan);
        }
    }
    let differ = !is_measured(way) && all.iter().any(|o| o.makespan_s != first.makespan_s);
    if plans.len() == 1 && !differ {
        return None;
    }
    let noun = if is_measured(way) { "run" } else { "prediction" };
    let processors = text::plural(of.processors as u64, "processor");
    let of_what = match plans.len() {
        1 => "of one plan by different figures".into(),
        n => format!("of {} plans{}", text::count(n as u64), range(&plans)),
    };
    Some(format!(
        "{} on {processors}, {}: the median of {} {of_what}",
        of.strategy_label(),
        way.name(),
        text::plural(all.len() as u64, noun)
    ))
}

/// Whether two plans of a configuration have a job done the same way.
fn is_like(a: &Plan, b: &Plan) -> bool {
    let of = |p: &Plan| (p.grain, p.set, p.gather, p.deal, p.ahead, p.farm, p.window);
    of(a) == of(b) && a.shares == b.shares
}

/// How many tasks plans have, or how large, where they differ in that.
fn range(plans: &[&Plan]) -> String {
    let ends = |of: fn(&Plan) -> u64| {
        let all = plans.iter().map(|plan| of(plan));
        (all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
    };
    let tasks = ends(|plan| plan.grain.tasks.unwrap_or(0));
    let bytes = ends(|plan| plan.grain.bytes);
    if tasks.0 > 0 && tasks.0 < tasks.1 {
        format!(" ({} to {} tasks)", text::count(tasks.0), text::count(tasks.1))
    } else if bytes.0 > 0 && bytes.0 < bytes.1 {
        format!(" (tasks of {} to {})", Bytes(bytes.0), Bytes(bytes.1))
    } else {
        String::new()
    }
}
