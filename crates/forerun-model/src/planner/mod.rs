//! The planner: the shape and the grain with the least predicted makespan.

mod candidates;
mod grain;
mod reason;
mod request;
mod search;

use forerun_platform::{Plan, Strategy};

pub(crate) use candidates::processors;
pub use grain::groups_of;
pub use request::{Divisible, Fixed, Request};
pub use search::{considered, plan};

use crate::reduction::Prediction;

/// A plan and what is predicted for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The plan; its `reason` is filled in, and `predicted` where the number of inputs is known.
    pub plan: Plan,
    /// What is predicted for it.
    pub prediction: Prediction,
}

/// What a planner found.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The best of all.
    pub best: Choice,
    /// The best of every strategy that can be, the best first; `best` is the first of them.
    pub ranked: Vec<Choice>,
    /// What speaks against the plan although the user fixed it so, a sentence each.
    pub warnings: Vec<String>,
    /// Predictions that were made.
    pub tried: usize,
}

impl Planned {
    /// Puts the choice of a strategy where it belongs, after its prediction was refined, and says anew why the first
    /// is taken. Of those that are predicted to take equally long it comes first if it has no more processors.
    pub fn rank_again(&mut self, request: &Request<'_>, strategy: Strategy) {
        let Some(at) = self.ranked.iter().position(|c| c.plan.strategy == strategy) else { return };
        let refined = self.ranked.remove(at);
        let (seconds, processors) = (refined.prediction.makespan_s, refined.plan.processors);
        let goes_before = |other: &Choice| {
            let (theirs, close) = (other.prediction.makespan_s, 1e-9 * other.prediction.makespan_s);
            let equal = (seconds - theirs).abs() <= close;
            if equal { processors <= other.plan.processors } else { seconds < theirs }
        };
        let to = self.ranked.iter().position(goes_before).unwrap_or(self.ranked.len());
        self.ranked.insert(to, refined);
        self.ranked[0].plan.reason = reason::words(request, &self.ranked);
        self.best = self.ranked[0].clone();
    }
}

/// Why there is no plan: a sentence with what was asked for and what would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError(String);

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl From<crate::ModelError> for PlanError {
    fn from(e: crate::ModelError) -> Self {
        PlanError(e.to_string())
    }
}
