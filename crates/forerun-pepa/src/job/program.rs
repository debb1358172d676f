//! What each rank does, one step after the other.

use forerun_platform::Strategy;

use super::{Form, Reduction, pipeline, tree, turns};

/// A step of a rank. Ranks are numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Task,
    /// Of so many results, to a rank.
    Send(usize, u64),
    /// From a rank, of so many results.
    Receive(usize, u64),
    Merge(u64, u64),
    Deliver(u64),
    Open,
    Close,
}

/// The steps of each rank, from start to end or, of a stream, of what it does again and again.
pub(super) fn programs(of: &Reduction<'_>, form: Form) -> Vec<Vec<Step>> {
    match of.strategy {
        _ if of.is_alone(form) => vec![alone(of, form)],
        Strategy::ParallelPipeline => pipeline::programs(of, form),
        Strategy::MasterSlave => turns::programs(of, form),
        Strategy::ReductionTree | Strategy::Adaptive => tree::programs(of, form),
    }
}

impl Reduction<'_> {
    /// Whether the model has a component for each rank, which does its own steps.
    fn has_each_rank(&self, form: Form) -> bool {
        !self.is_alone(form)
            && match self.strategy {
                Strategy::ParallelPipeline | Strategy::ReductionTree => true,
                Strategy::MasterSlave => !self.commutative,
                Strategy::Adaptive => false,
            }
    }

    /// States that the model has at least: each rank that begins with a task has done it or not, whatever the others have.
    pub(super) fn least_states(&self, form: Form) -> f64 {
        match self.has_each_rank(form) {
            true => {
                let programs = programs(self, form);
                let free = programs.iter().filter(|steps| steps.first() == Some(&Step::Task)).count();
                2f64.powi(i32::try_from(free).unwrap_or(i32::MAX))
            }
            false => 1.0,
        }
    }

    /// What it takes to simulate so many tasks: activities, and for each of them the ranks of which it is looked at what they can do.
    /// Nothing to speak of where ranks are alike.
    pub(super) fn looks(&self, form: Form, tasks: u64) -> f64 {
        if !self.has_each_rank(form) {
            return 0.0;
        }
        let programs = programs(self, form);
        let steps = || programs.iter().flatten();
        // A message is one activity of two ranks.
        let activities = steps().filter(|step| !matches!(step, Step::Receive(..))).count() as f64;
        let of = steps().filter(|step| **step == Step::Task).count().max(1) as f64;
        activities * f64::from(self.phases) * tasks as f64 / of * self.ranks as f64
    }
}

/// A rank alone delivers every result.
fn alone(of: &Reduction<'_>, form: Form) -> Vec<Step> {
    let each = [Step::Task, Step::Deliver(1)];
    match form {
        Form::Stream => each.to_vec(),
        Form::Run => {
            let tasks = (0..of.tasks).flat_map(|_| each);
            std::iter::once(Step::Open).chain(tasks).chain([Step::Close]).collect()
        }
    }
}

/// Merges what came with what is held.
pub(super) fn merge(steps: &mut Vec<Step>, held: &mut u64, came: u64) {
    if came > 0 && *held > 0 {
        steps.push(Step::Merge(*held, came));
    }
    *held += came;
}

/// Hands over what is held.
pub(super) fn deliver(steps: &mut Vec<Step>, held: &mut u64) {
    if *held > 0 {
        steps.push(Step::Deliver(std::mem::take(held)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Limits, choose};

    /// A bound from below is none if a model has fewer states.
    #[test]
    fn models_have_as_many_states_as_is_told_beforehand() {
        let limits = Limits { threads: 1, ..Limits::default() };
        let mut told = 0;
        for strategy in Strategy::ALL {
            for (ranks, tasks, commutative) in
                [(1, 5, true), (2, 1, false), (4, 3, false), (4, 9, true), (4, 9, false), (8, 64, false)]
            {
                let seconds = |_| 1.0;
                let of = Reduction { tasks, commutative, ..Reduction::new(strategy, ranks, &seconds) };
                let chosen = choose(&of, &limits, &|| false).expect("states");
                let least = of.least_states(chosen.form);
                assert!(least <= chosen.states() as f64, "{of:?}: {least} of {}", chosen.states());
                told += usize::from(least > 1.0);
            }
        }
        assert!(told >= 8, "{told}");
    }

    #[test]
    fn looks_grow_with_tasks_and_with_the_square_of_ranks() {
        let seconds = |_| 1.0;
        let of = |ranks, tasks| {
            let tree = Reduction { tasks, ..Reduction::new(Strategy::ReductionTree, ranks, &seconds) };
            tree.looks(Form::Run, tasks)
        };
        assert!((1.9..2.1).contains(&(of(16, 3200) / of(16, 1600))));
        assert!((3.5..4.5).contains(&(of(32, 3200) / of(16, 1600))));
        let alike = Reduction { tasks: 1 << 30, ..Reduction::new(Strategy::Adaptive, 1 << 20, &seconds) };
        assert!(alike.looks(Form::Stream, 1 << 30) < 1.0);
    }
}
