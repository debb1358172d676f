//! A reduction of tasks of one size.

use forerun_model::planner::Divisible;
use forerun_platform::{Platform, ReductionProfile, Skeleton, Strategy};

use super::{Predicted, Value};
use crate::cli::{Pin, ShapeOptions};
use crate::planning::{Facts, plan};
use crate::reproduce::study::Argument;
use crate::signals::Interrupt;
use crate::simulate::makespan;

/// A reduction of tasks of one size.
#[derive(Debug)]
pub struct Reduction {
    /// The machine.
    pub platform: Platform,
    /// What the application costs.
    pub profile: ReductionProfile,
    /// Who does what.
    pub strategy: Strategy,
    /// Ranks of all groups.
    pub processors: Argument,
    /// Groups side by side.
    pub groups: Argument,
    /// Tasks of all groups.
    pub tasks: Argument,
    /// Input of a task, in bytes.
    pub size: Argument,
}

pub(super) fn predict(of: &Reduction, value: Value<'_>, interrupt: &Interrupt) -> Result<Predicted, String> {
    let (processors, groups) = (value(&of.processors)? as usize, value(&of.groups)? as usize);
    let input = Divisible::Tasks { tasks: value(&of.tasks)? as u64, bytes: value(&of.size)? };
    let facts = Facts {
        name: "published".into(),
        given: None,
        input,
        commutative: true,
        done: Vec::new(),
        before: Vec::new(),
        known: true,
        beside: None,
        tried: None,
    };
    let shape = ShapeOptions {
        skeleton: Pin::To(Skeleton::Reduction),
        strategy: Pin::To(of.strategy),
        groups: Some(groups),
        arity: Some(2),
        grain: None,
        set: None,
        block: None,
        ahead: None,
        window: 4,
    };
    let planned = plan(&facts, &of.profile, &of.platform, &shape, Some(processors), None, interrupt)
        .map_err(|e| e.to_string())?;
    let best = &planned.best;
    let simulated =
        makespan(&facts, &best.plan, &of.profile, &of.platform, interrupt).map_err(|e| e.to_string())?;
    Ok(Predicted::Times { closed_form: best.prediction.makespan_s, simulated })
}
