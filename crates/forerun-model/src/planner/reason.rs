//! A plan's reason, and why there is none, in words.

use super::request::Request;
use super::{Choice, PlanError, distinct};
use crate::reduction::{Balance, Bound};
use crate::words::{rate, seconds};

/// Refuses what no plan can meet.
pub(super) fn check(request: &Request<'_>) -> Result<(), PlanError> {
    let refuse = |what: String| Err(PlanError(what));
    let fixed = &request.fixed;
    if request.max_processors == 0 || fixed.processors == Some(0) {
        return refuse("a plan needs at least 1 processor".into());
    }
    if let Some(p) = fixed.processors.filter(|&p| p > request.max_processors) {
        return refuse(format!(
            "{} asked for, and at most {} allowed",
            processors(p),
            request.max_processors
        ));
    }
    if fixed.groups == Some(0) {
        return refuse("a plan needs at least 1 group".into());
    }
    if let Some(a) = fixed.arity.filter(|&a| a < 2) {
        return refuse(format!("the arity of a tree is at least 2, not {a}"));
    }
    if fixed.set == Some(0) {
        return refuse("a set holds at least 1 result".into());
    }
    Ok(())
}

/// `1 processor`, `2 processors`.
fn processors(count: usize) -> String {
    format!("{count} processor{}", if count == 1 { "" } else { "s" })
}

/// Why no shape meets what the user fixed.
pub(super) fn impossible(request: &Request<'_>) -> PlanError {
    use forerun_skeleton::reduction::Shape;
    let fixed = &request.fixed;
    let ranks = fixed.processors.unwrap_or(request.max_processors);
    let groups = fixed.groups.unwrap_or(1);
    if let Some(strategy) = fixed.strategy {
        let shape = Shape { groups, arity: fixed.arity.unwrap_or(2), ..Shape::new(strategy, ranks) };
        if let Err(e) = shape.check() {
            return PlanError(e.to_string());
        }
    }
    if groups > ranks || !ranks.is_multiple_of(groups) {
        return PlanError(format!(
            "{} cannot be cut into {groups} groups of the same size: ask for a number of groups that divides them, or for \
             other processors",
            processors(ranks)
        ));
    }
    PlanError(format!("no strategy can be run on {} in {groups} groups as asked for", processors(ranks)))
}

/// What speaks against a pipeline whose stages do not balance.
pub(super) fn unbalanced(b: Balance) -> String {
    let (what, longer) = if b.merge_s > b.task_s {
        ("its largest merge", b.merge_s)
    } else {
        ("its largest message", b.communication_s)
    };
    format!(
        "the parallel-pipeline is out of balance: {what} takes {} and a task {}, so ranks wait; \
         fewer processors a group would balance it",
        seconds(longer),
        seconds(b.task_s)
    )
}

/// What is predicted of the first of the choices, of the others, and why; the way itself is in the plan.
pub(super) fn words(request: &Request<'_>, ranked: &[Choice]) -> String {
    let figure = |c: &Choice| match request.known_length {
        true => seconds(c.expected().makespan_s),
        false => rate(c.prediction.rate * c.plan.groups as f64),
    };
    let best = &ranked[0];
    let mut text = format!("{} predicted", figure(best));
    let mut all = distinct(ranked);
    if all.next().is_some_and(|(_, stands_for_all)| stands_for_all) {
        text += " by any strategy";
    }
    let others: Vec<String> = all.map(|(c, _)| format!("{} {}", c.plan.strategy.name(), figure(c))).collect();
    if !others.is_empty() {
        text += &format!(" ({})", others.join(", "));
    }
    let advice = match best.prediction.bound {
        Bound::Depth => "; fewer processors would merge less, more tasks would fill them",
        Bound::Cores => "; more cores would help, more processors would not",
        _ => "",
    };
    text + &format!("; {}{advice}", best.prediction.reason)
}
