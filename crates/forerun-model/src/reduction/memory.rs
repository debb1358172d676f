//! How much of what is merged goes to memory that was not used before.
//!
//! A merge needs room for what comes of it while its parts are still there, and what is freed is used again: a rank takes new memory
//! from the system as long as its merges grow beyond all before them, which is in its first set. The largest result and its
//! parts are what it has in the end, so twice the largest result was new. Where the sink holds what is delivered until the end, each
//! set takes as much memory again as it has bytes. No more is new than was merged.

use forerun_platform::Strategy;
use forerun_skeleton::reduction::Shape;

/// The part of the bytes merged by the rank that delivers which goes to new memory, where it makes `n` results into `sets` sets, of
/// which the sink has all in the end where it is `kept`. Cost: O(lg n), with master and slaves O(1).
pub(super) fn new_part(shape: &Shape, n: u64, sets: u64, kept: bool) -> f64 {
    let largest = n.div_ceil(sets.max(1));
    let merged = match shape.strategy {
        _ if shape.ranks == shape.groups => return 0.0,
        // One result after the other.
        Strategy::MasterSlave => in_turn(largest),
        Strategy::ParallelPipeline | Strategy::ReductionTree => by_tree(largest, shape.arity as u64),
        // What a rank gathers is merged in balance, as is then what all have gathered.
        Strategy::Adaptive => {
            let gathered = shape.gathered().min(largest);
            in_balance(gathered, 1) + in_balance(largest, gathered)
        }
    };
    let (bytes, sets) = (largest as f64, sets.max(1) as f64);
    let new = (2.0 * bytes).min(merged) + if kept { sets * bytes } else { 0.0 };
    part(new, merged * sets)
}

/// The same of a sink that makes one result of `sets` sets, in balance, each of which has come in memory of its own.
pub(super) fn new_part_of_sink(sets: u64) -> f64 {
    part(2.0 * sets as f64, in_balance(sets, 1))
}

fn part(new: f64, merged: f64) -> f64 {
    if merged > 0.0 { new.min(merged) / merged } else { 0.0 }
}

/// Results that merges have given in all, when `n` have been merged into one, one after the other.
fn in_turn(n: u64) -> f64 {
    let n = n as f64;
    (n * (n + 1.0) / 2.0 - 1.0).max(0.0)
}

/// The same of the rank that has the last of them, in a tree of this arity.
fn by_tree(n: u64, arity: u64) -> f64 {
    let (mut held, mut merged) = (1, 0.0);
    while held < n {
        let below = held;
        for _ in 1..arity.max(2) {
            if held < n {
                held = n.min(held.saturating_add(below));
                merged += held as f64;
            }
        }
    }
    merged
}

/// The same where pieces of `each` are merged in balance: all pass as many levels.
fn in_balance(n: u64, each: u64) -> f64 {
    n as f64 * (n.max(1) as f64 / each.max(1) as f64).log2()
}

#[cfg(test)]
mod tests {
    use forerun_platform::Strategy;
    use forerun_skeleton::reduction::Shape;

    use super::{new_part, new_part_of_sink};

    #[test]
    fn the_first_set_of_a_tree_is_new() {
        let tree = Shape::new(Strategy::ReductionTree, 8);
        // 2, 4 and 8 results: all of it, and of what other sets have nothing.
        assert_eq!(new_part(&tree, 8, 1, false), 1.0);
        assert_eq!(new_part(&tree, 80, 10, false), 14.0 / 140.0);
        // What is kept is 8 results of each.
        assert_eq!(new_part(&tree, 80, 10, true), 94.0 / 140.0);
        // By fours: 2, 3, 4, then 8, 12, 16; of these 45, 32 are new.
        let fours = Shape { arity: 4, ..Shape::new(Strategy::ParallelPipeline, 16) };
        assert_eq!(new_part(&fours, 16, 1, false), 32.0 / 45.0);
    }

    /// 2, 3, 4, … results: each merge has room in what those before it have left, but for what is one result more.
    #[test]
    fn a_master_uses_its_memory_again() {
        let master = Shape::new(Strategy::MasterSlave, 65);
        let merged = (2..=64).sum::<u64>() as f64;
        assert_eq!(new_part(&master, 64, 1, false), 128.0 / merged);
        assert_eq!(new_part(&master, 128, 2, false), 128.0 / (2.0 * merged));
        assert_eq!(new_part(&master, 128, 2, true), 256.0 / (2.0 * merged));
    }

    /// A rank that gathers 8 results of the set's 32 merges them on 3 levels, and what four ranks have on 2.
    #[test]
    fn what_is_gathered_is_merged_in_balance() {
        let adaptive = Shape { set: 32, gather: 8, ..Shape::new(Strategy::Adaptive, 4) };
        assert_eq!(new_part(&adaptive, 32, 1, false), 64.0 / (24.0 + 64.0));
        assert_eq!(new_part(&adaptive, 64, 2, false), 32.0 / (24.0 + 64.0));
    }

    #[test]
    fn where_nothing_is_merged_nothing_is_new() {
        for strategy in Strategy::ALL {
            for kept in [false, true] {
                for ranks in [1, 4] {
                    let shape = Shape { groups: ranks, ..Shape::new(strategy, ranks) };
                    assert_eq!(new_part(&shape, 7, 7, kept), 0.0);
                }
                for (n, sets) in [(0, 1), (1, 1), (0, 0)] {
                    let part = new_part(&Shape::new(strategy, 4), n, sets, kept);
                    assert_eq!(part, 0.0, "{n} in {sets}");
                }
            }
        }
        assert_eq!([0, 1, 2, 4, 16].map(new_part_of_sink), [0.0, 0.0, 1.0, 1.0, 0.5]);
    }
}
