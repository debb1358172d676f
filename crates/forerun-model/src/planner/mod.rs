//! The planner: the shape and the grain with the least predicted makespan.

mod candidates;
mod grain;
mod reason;
mod request;
mod search;

use forerun_platform::{Interval, Plan};

pub(crate) use candidates::processors;
pub use grain::groups_of;
pub use request::{Divisible, Fixed, Request};
pub use search::{considered, plan, possible};

use crate::reduction::Prediction;

/// Times that differ by less than this, relative, are equal.
const EQUAL: f64 = 1e-9;

fn equal(ours_s: f64, theirs_s: f64) -> bool {
    (ours_s - theirs_s).abs() <= EQUAL * theirs_s
}

/// A plan and what is predicted for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The plan; its `reason` is filled in, and `predicted` where the number of inputs is known.
    pub plan: Plan,
    /// What the closed form predicts for it.
    pub prediction: Prediction,
}

impl Choice {
    /// The makespan that is expected of it: the plan's, which may have been followed in virtual time, else the closed form's.
    pub fn expected(&self) -> Interval {
        self.plan.predicted.unwrap_or(self.prediction.interval)
    }

    /// Whether it is the same as another but for the strategy's name: one processor has nobody to share with.
    pub fn is_like(&self, other: &Choice) -> bool {
        let alone = self.plan.processors == 1 && other.plan.processors == 1;
        alone && equal(self.prediction.makespan_s, other.prediction.makespan_s)
    }
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
    /// The best of every strategy, each with whether it stands for all: where no two differ by more than the name, the first.
    pub fn distinct(&self) -> impl Iterator<Item = (&Choice, bool)> {
        distinct(&self.ranked)
    }

    /// Puts the choices in order after what is expected of some was refined, and says anew why the first
    /// is taken. Of those that are expected to take equally long the one on fewer processors comes first.
    pub fn rank_again(&mut self, request: &Request<'_>) {
        self.ranked.sort_by(|a, b| {
            let (ours, theirs) = (a.expected().makespan_s, b.expected().makespan_s);
            if equal(ours, theirs) {
                a.plan.processors.cmp(&b.plan.processors)
            } else {
                ours.total_cmp(&theirs)
            }
        });
        if self.ranked.is_empty() {
            return;
        }
        let reason = reason::words(request, &self.ranked);
        self.ranked[0].plan.reason = reason;
        self.best = self.ranked[0].clone();
    }
}

/// The choices, each with whether it stands for all: where they are alike, the first.
fn distinct(ranked: &[Choice]) -> impl Iterator<Item = (&Choice, bool)> {
    let alike = ranked.len() > 1 && ranked[1..].iter().all(|choice| choice.is_like(&ranked[0]));
    ranked.iter().take(if alike { 1 } else { ranked.len() }).map(move |choice| (choice, alike))
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
