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
