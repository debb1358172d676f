//! Ranks in excess of the cores: what each of a group is busy with, and how they take turns.
//!
//! Only who has something to do takes a turn ([`crate::sharing()`]), so that it matters how the work is dealt, not only how much it is:
//! a root that merges for the others goes on alone when these have done all of theirs. What ranks are busy with follows from
//! their place: that in a tree from the size of their subtree, that in the pipeline from the digits of their number. The adaptive
//! strategy gives work to whoever is free: there all of it is shared evenly, but for the drain, which is one rank's of each group.

use std::collections::BTreeMap;

use forerun_platform::Strategy;
use forerun_skeleton::reduction::Shape;

use super::costs::Costs;
use super::pipeline;
use super::rounds::children;
use super::timing::Totals;
use crate::sharing::sharing_alike;

/// Groups that are alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Groups {
    /// How many.
    pub(super) count: f64,
    /// Tasks of each.
    pub(super) tasks: u64,
    /// Seconds of each where every rank has a core, and of them those after its last task.
    pub(super) seconds: f64,
    pub(super) drain: f64,
    pub(super) totals: Totals,
}

/// Ranks that are alike: seconds for which each is busy, and how many these are.
type Busy = Vec<(f64, f64)>;

/// Seconds of groups of `size` ranks that share so many cores. Cost: grows with the logarithm of the ranks, and by the pipeline with
/// the ranks, up to some thousand of a group; of more all work is shared evenly.
pub(super) fn shared(c: &Costs, shape: &Shape, size: usize, groups: &[Groups], cores: f64) -> f64 {
    let seconds = groups.iter().map(|of| of.seconds).fold(0.0, f64::max);
    let mut all = Busy::new();
    for of in groups {
        let Some(ranks) = busy(c, shape, size, of.tasks) else {
            return evenly(groups, cores).max(seconds);
        };
        all.extend(ranks.into_iter().map(|(busy, count)| (busy, count * of.count)));
    }
    sharing_alike(all, seconds, cores as usize)
}

/// All is shared but the drain.
fn evenly(groups: &[Groups], cores: f64) -> f64 {
    let (mut all, mut drains, mut longest, mut count) = (0.0, 0.0, 0.0f64, 0.0);
    for of in groups {
        let busy = of.totals.busy();
        let drain = of.drain.min(of.seconds).min(busy);
        all += busy * of.count;
        drains += drain * of.count;
        longest = longest.max(drain);
        count += if busy > 0.0 { of.count } else { 0.0 };
    }
    (all - drains) / cores + longest * (count / cores).max(1.0)
}

/// What the ranks of a group are busy with; `None` where that does not follow from their place.
fn busy(c: &Costs, shape: &Shape, size: usize, n: u64) -> Option<Busy> {
    let (p, arity) = (size as u64, shape.arity as u64);
    match shape.strategy {
        _ if size == 1 => Some(vec![(c.tasks(n) + n as f64 * c.sink(1) + 2.0 * c.open(), 1.0)]),
        Strategy::ReductionTree => Some(tree(c, p, arity, n)),
        Strategy::MasterSlave => Some(master_slave(c, p, n)),
        Strategy::ParallelPipeline => pipeline::busy(c, p, arity, n),
        Strategy::Adaptive => None,
    }
}

/// Ranks with subtrees of one size, of which as many have a task in the last round, are alike.
fn tree(c: &Costs, p: u64, arity: u64, n: u64) -> Busy {
    let (rounds, rest) = (n / p, n % p);
    // A rank's round with so many tasks in its subtree of `m` ranks: receives, merges, and what then happens to them.
    let round = |m: u64, tasks: u64| {
        let (mut seconds, mut held) = (if tasks > 0 { c.task } else { 0.0 }, tasks.min(1));
        for (from, q) in children(m, arity) {
            let theirs = tasks.saturating_sub(from).min(q);
            if theirs == 0 && rounds > 0 {
                break;
            }
            seconds += c.receive(theirs) + c.merge(held, theirs);
            held += theirs;
        }
        seconds + if m == p { c.sink(tasks) } else { c.send(tasks) }
    };
    let mut all = Busy::new();
    let mut ranks = BTreeMap::from([((p, rest), 1.0)]);
    // The larger ones first: who is below them is counted by all of them.
    while let Some(((m, tasks), count)) = ranks.pop_last() {
        let last = if tasks > 0 || rounds == 0 { round(m, tasks) } else { 0.0 };
        let ends = if m == p { 2.0 * c.open() } else { 0.0 };
        let whole = if rounds > 0 { rounds as f64 * round(m, m) } else { 0.0 };
        all.push((whole + last + ends, count));
        for (from, q) in children(m, arity) {
            *ranks.entry((q, tasks.saturating_sub(from).min(q))).or_insert(0.0) += count;
        }
    }
    all
}

fn master_slave(c: &Costs, p: u64, n: u64) -> Busy {
    let slaves = p - 1;
    let (rounds, rest) = (n / slaves, n % slaves);
    let takes = |k: u64| k as f64 * c.receive(1) + c.append(k) + c.sink(k);
    let idle = slaves.saturating_sub(n);
    let master = rounds as f64 * takes(slaves) + takes(rest) + idle as f64 * c.receive(0) + 2.0 * c.open();
    let slave = |k: u64| if k > 0 { k as f64 * (c.task + c.send(1)) } else { c.send(0) };
    vec![(master, 1.0), (slave(rounds + 1), rest as f64), (slave(rounds), (slaves - rest) as f64)]
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Measured, Network, Overhead, Seconds, Strategy};
    use forerun_skeleton::reduction::Shape;

    use super::super::costs::tests::{costs, costs_on};
    use super::super::{alone, master_slave, pipeline, tree};
    use super::busy;

    /// What all ranks are busy with is what the closed form says that all of them do.
    #[test]
    fn no_work_is_left_out_or_counted_twice() {
        let o = Overhead { base: Measured::stated(Seconds(1e-5)), ..Overhead::default() };
        let network = Network { send_overhead: o, receive_overhead: o, ..Network::default() };
        let c = costs_on(&network, vec![]);
        for p in [1usize, 2, 3, 4, 5, 7, 8, 9, 16, 27, 33, 64] {
            for arity in [2usize, 3, 4] {
                for n in [0u64, 1, 2, 5, 8, 31, 64, 65, 1000] {
                    for strategy in
                        [Strategy::ReductionTree, Strategy::MasterSlave, Strategy::ParallelPipeline]
                    {
                        let shape = Shape { arity, ..Shape::new(strategy, p) };
                        if shape.check().is_err() {
                            continue;
                        }
                        let totals = match strategy {
                            _ if p == 1 => alone::timing(&c, n),
                            Strategy::ReductionTree => tree::timing(&c, p, arity, n),
                            Strategy::MasterSlave => master_slave::timing(&c, p, n, false),
                            _ => pipeline::timing(&c, p, arity, n),
                        }
                        .totals
                        .busy();
                        let ranks = busy(&c, &shape, p, n).expect("known");
                        let sum: f64 = ranks.iter().map(|(busy, count)| busy * count).sum();
                        let count: f64 = ranks.iter().map(|rank| rank.1).sum();
                        assert_eq!(count, p as f64, "{strategy:?} {p} {arity} {n}");
                        // In the pipeline's last sets merges of fewer results are taken for whole ones.
                        let off = if strategy == Strategy::ParallelPipeline { 0.05 } else { 1e-9 };
                        assert!(
                            (sum - totals).abs() <= off * totals + 1e-12,
                            "{strategy:?} {p} {arity} {n}: {sum} of {totals}"
                        );
                    }
                }
            }
        }
    }

    /// Of very many ranks.
    #[test]
    fn ranks_that_are_alike_are_counted_together() {
        let c = costs(vec![0.9]);
        for strategy in [Strategy::ReductionTree, Strategy::MasterSlave] {
            let ranks = busy(&c, &Shape::new(strategy, 1 << 40), 1 << 40, 5).expect("known");
            assert!(ranks.len() < 200, "{}", ranks.len());
        }
        assert_eq!(busy(&c, &Shape::new(Strategy::ParallelPipeline, 1 << 40), 1 << 40, 5), None);
    }
}
