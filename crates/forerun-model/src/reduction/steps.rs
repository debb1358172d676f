//! What each step of a reduction takes, for models that follow ranks step by step.

use forerun_platform::{Platform, ReductionProfile};
use forerun_skeleton::reduction::Shape;

use super::costs::Costs;
use super::interval::largest_normal;
use super::predict::{evaluate, start_up};
use crate::{Load, ModelError, Speeds};

/// Seconds of the steps of the group that ends last, as the closed form ([`super::predict()`]) has them: slowed by
/// busy neighbours, on the group's slowest host (for the adaptive strategy, one of mean speed). Where ranks
/// are more than cores, work takes as many times as long as taking turns makes the run: ranks that have nothing to do take none.
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
    /// Groups that have a task.
    racing: u64,
    /// By how much work is longer where ranks take turns on cores.
    slowing: f64,
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
            racing: load.tasks.min(shape.groups as u64),
            slowing: run.slowing,
        })
    }

    /// Of a task.
    pub fn task_s(&self) -> f64 {
        self.costs.task * self.slowing
    }

    /// Of merging pieces of so many results; 0 where one is empty.
    pub fn merge_s(&self, left: u64, right: u64) -> f64 {
        self.costs.merge(left, right) * self.slowing
    }

    /// Of a message of so many results, from the begin of the send to the end of the receive.
    pub fn message_s(&self, results: u64) -> f64 {
        self.costs.hop(results)
    }

    /// Of handing so many results to the sink; 0 for none.
    pub fn deliver_s(&self, results: u64) -> f64 {
        self.costs.sink(results) * self.slowing
    }

    /// Of opening the sink, and of closing it.
    pub fn open_s(&self) -> f64 {
        self.costs.open() * self.slowing
    }

    /// By how much the last of the groups is expected to end later than one, each with this standard deviation.
    pub fn late_s(&self, deviation: f64) -> f64 {
        largest_normal(self.racing as f64) * deviation
    }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Cost, Platform, ReductionProfile, Strategy};
    use forerun_skeleton::reduction::Shape;

    use super::Steps;
    use crate::Load;
    use crate::reduction::predict;

    #[test]
    fn steps_of_one_rank_add_up() {
        let fire = Platform::resolve("lehigh-fire").unwrap_or_else(|e| panic!("{e}"));
        let profile = ReductionProfile {
            task: Cost { fixed: 0.15, per_byte: 1e-6, error: 0.1, ..Cost::default() },
            merge: Cost { per_result: 0.01, ..Cost::default() },
            sink: Cost { fixed: 0.02, ..Cost::default() },
            finish: Cost::constant(0.3),
            result_bytes: (3000.0, 0.0),
            ..ReductionProfile::default()
        };
        let load = Load::new(41, 5000.0);
        let of = |ranks, groups| {
            let shape = Shape { groups, ..Shape::new(Strategy::ReductionTree, ranks) };
            let steps = Steps::of(&shape, &load, &profile, &fire).unwrap_or_else(|e| panic!("{e}"));
            (steps, predict(&shape, &load, &profile, &fire).unwrap_or_else(|e| panic!("{e}")))
        };
        let (steps, whole) = of(1, 1);
        let sum = 41.0 * (steps.task_s() + steps.deliver_s(1)) + 2.0 * steps.open_s() + steps.beside_s;
        assert!((sum / whole.makespan_s - 1.0).abs() < 1e-12, "{sum} for {}", whole.makespan_s);
        assert!(steps.error > 0.05 && steps.error < 0.1, "{}", steps.error);
        assert_eq!((steps.merge_s(2, 0), steps.deliver_s(0), steps.late_s(1.0)), (0.0, 0.0, 0.0));
        // Of two groups one has 21 tasks, and the last is later than one.
        let (steps, _) = of(4, 2);
        assert_eq!((steps.ranks, steps.groups, steps.tasks), (2, 2, 21));
        assert!(steps.late_s(2.0) > 1.0 && steps.merge_s(1, 1) > 0.0 && steps.message_s(1) > 0.0);
        // Ranks that share cores are slower, those that have something to do.
        let cores = fire.cores();
        let of = |tasks: usize, ranks: usize| {
            let shape = Shape { groups: ranks, ..Shape::new(Strategy::ReductionTree, ranks) };
            let load = Load::new(tasks as u64, 5000.0);
            let profile = ReductionProfile { sink: Cost::default(), ..profile.clone() };
            Steps::of(&shape, &load, &profile, &fire).unwrap_or_else(|e| panic!("{e}"))
        };
        let slower = |tasks, ranks| of(tasks, ranks).task_s() / of(tasks, cores).task_s();
        assert!((slower(20 * cores, 2 * cores) - 2.0).abs() < 1e-9);
        let few = slower(2 * cores, 1000 * cores);
        assert!((1.0..2.5).contains(&few), "{few}");
        // Nor are groups without a task late.
        assert_eq!(of(8, 1000 * cores).late_s(1.0), of(8, 8).late_s(1.0));
    }
}
