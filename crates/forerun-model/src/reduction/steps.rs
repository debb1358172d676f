//! What each step of a reduction takes, for models that follow ranks step by step.

use forerun_platform::{Platform, ReductionProfile};
use forerun_skeleton::reduction::Shape;

use super::costs::Costs;
use super::interval::largest_normal;
use super::predict::{evaluate, start_up};
use crate::{Load, ModelError, Speeds};

/// Seconds of the steps of the group that ends last, as the closed form ([`super::predict()`]) has them: slowed by
/// busy neighbours, on the group's slowest host (for the adaptive strategy, one of mean speed). Where ranks
/// are more than cores, each has its equal part of one.
#[derive(Debug, Clone)]
pub struct Steps {
    /// Ranks of a group.
    pub ranks: usize,
    /// Groups.
    pub groups: usize,
    /// Tasks of the group that has most.
    pub tasks: u64,
    /// Seconds before and after: to start the ranks, and the finish.
    pub beside_s: f64,
    /// What the profile's figures may be off by, as a part of the makespan: a standard deviation.
    pub error: f64,
    costs: Costs,
    /// Ranks that share a core.
    sharing: f64,
}

impl Steps {
    /// Those of a run.
    ///
    /// # Errors
    /// As [`super::predict()`].
    pub fn of(
        shape: &Shape,
        load: &Load,
        profile: &ReductionProfile,
        platform: &Platform,
    ) -> Result<Steps, ModelError> {
        let speeds = Speeds::new(platform, shape.ranks)?;
        let run = evaluate(shape, load, profile, platform, &speeds)?;
        Ok(Steps {
            ranks: run.size,
            groups: shape.groups,
            tasks: load.tasks.div_ceil(shape.groups as u64),
            beside_s: start_up(shape.ranks, platform) + run.finish,
            error: if run.seconds > 0.0 { run.common / run.seconds } else { 0.0 },
            costs: run.costs,
            sharing: (shape.ranks as f64 / speeds.cores() as f64).max(1.0),
        })
    }

    /// Of a task.
    pub fn task_s(&self) -> f64 {
        self.costs.task * self.sharing
    }

    /// Of merging pieces of so many results; 0 where one is empty.
    pub fn merge_s(&self, left: u64, right: u64) -> f64 {
        self.costs.merge(left, right) * self.sharing
    }

    /// Of a message of so many results, from the begin of the send to the end of the receive.
    pub fn message_s(&self, results: u64) -> f64 {
        self.costs.hop(results)
    }

    /// Of handing so many results to the sink; 0 for none.
    pub fn deliver_s(&self, results: u64) -> f64 {
        self.costs.sink(results) * self.sharing
    }

    /// Of opening the sink, and of closing it.
    pub fn open_s(&self) -> f64 {
        self.costs.open() * self.sharing
    }

    /// By how much the last of the groups is expected to end later than one, each with this standard deviation.
    pub fn late_s(&self, deviation: f64) -> f64 {
        largest_normal(self.groups as f64) * deviation
    }
}
