//! The reduction tree: all ranks run a task, then results merge to the first rank, which delivers.

use super::program::{Step, deliver, merge};
use super::{Form, Reduction};

/// The ranks that a rank receives from, level by level.
fn children(rank: usize, ranks: usize, arity: usize) -> Vec<usize> {
    let mut all = Vec::new();
    let mut stride = 1;
    while stride < ranks && rank.is_multiple_of(stride * arity) {
        all.extend((1..arity).map(|d| rank + d * stride).filter(|child| *child < ranks));
        stride *= arity;
    }
    all
}

/// The rank that a rank other than the first sends to.
fn parent(rank: usize, arity: usize) -> usize {
    let mut stride = arity;
    while rank.is_multiple_of(stride) {
        stride *= arity;
    }
    rank - rank % stride
}

/// Rounds in which a rank takes part: those in which it has a task, or one to say that it has none.
fn rounds(rank: usize, ranks: usize, tasks: u64) -> u64 {
    tasks.saturating_sub(rank as u64).div_ceil(ranks as u64).max(1)
}

pub(super) fn programs(of: &Reduction<'_>, form: Form) -> Vec<Vec<Step>> {
    let (ranks, arity) = (of.ranks, of.arity);
    let tasks = match form {
        Form::Run => of.tasks,
        Form::Stream => ranks as u64,
    };
    let mut all: Vec<Vec<Step>> = vec![Vec::new(); ranks];
    if form == Form::Run {
        all[0].push(Step::Open);
    }
    for round in 0..rounds(0, ranks, tasks) {
        // Children have higher numbers than their parents: what they send is known first.
        let mut sent = vec![0u64; ranks];
        for rank in (0..ranks).rev().filter(|rank| round < rounds(*rank, ranks, tasks)) {
            let steps = &mut all[rank];
            let mut held = u64::from(round * (ranks as u64) + (rank as u64) < tasks);
            if held > 0 {
                steps.push(Step::Task);
            }
            for child in children(rank, ranks, arity).into_iter().filter(|c| round < rounds(*c, ranks, tasks))
            {
                steps.push(Step::Receive(child, sent[child]));
                merge(steps, &mut held, sent[child]);
            }
            if rank == 0 {
                deliver(steps, &mut held);
            } else {
                steps.push(Step::Send(parent(rank, arity), held));
                sent[rank] = held;
            }
        }
    }
    if form == Form::Run {
        all[0].push(Step::Close);
    }
    all
}
