//! How much of what is merged goes to memory that was not used before.
//!
//! A merge needs room for what comes of it while its parts are still there, and what is freed is used again: a rank takes new memory
//! from the system as long as its merges grow beyond all before them, which is in its first set. The largest result and its
//! parts are what it has in the end, so twice the largest result was new, and no more than all that it merged.

use forerun_platform::Strategy;
use forerun_skeleton::reduction::Shape;

/// The part of the bytes merged by the rank that delivers which goes to new memory, where it makes `n` results into `sets` sets.
/// Cost: O(lg n), with master and slaves O(1).
pub(super) fn new_part(shape: &Shape, n: u64, sets: u64) -> f64 {
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
    part(largest, merged, sets)
}

/// The same of a sink that makes one result of `sets` sets, in balance, each of which has come in memory of its own.
pub(super) fn new_part_of_sink(sets: u64) -> f64 {
    part(sets, in_balance(sets, 1), 1)
}

fn part(largest: u64, merged: f64, sets: u64) -> f64 {
    if merged <= 0.0 {
        return 0.0;
    }
    (2.0 * largest as f64).min(merged) / (merged * sets.max(1) as f64)
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
        // 2, 4 and 8 results: all of it, and none of what other sets have.
        assert_eq!(new_part(&tree, 8, 1), 1.0);
        assert_eq!(new_part(&tree, 16, 2), 0.5);
        assert_eq!(new_part(&tree, 80, 10), 0.1);
        // By fours: 2, 3, 4, then 8, 12, 16; of these 45, 32 are new.
        let fours = Shape { arity: 4, ..Shape::new(Strategy::ParallelPipeline, 16) };
        assert!((new_part(&fours, 16, 1) - 32.0 / 45.0).abs() < 1e-12);
    }

    /// 2, 3, 4, … results: each merge has room in what those before it have left, but for what is one result more.
    #[test]
    fn a_master_uses_its_memory_again() {
        let master = Shape::new(Strategy::MasterSlave, 65);
        let merged: u64 = (2..=64).sum();
        assert!((new_part(&master, 64, 1) - 128.0 / merged as f64).abs() < 1e-12);
        assert!((new_part(&master, 128, 2) - 64.0 / merged as f64).abs() < 1e-12);
    }

    /// A rank that gathers 8 results of the set's 32 merges them on 3 levels, and what four ranks have on 2.
    #[test]
    fn what_is_gathered_is_merged_in_balance() {
        let adaptive = Shape { set: 32, gather: 8, ..Shape::new(Strategy::Adaptive, 4) };
        assert_eq!(new_part(&adaptive, 32, 1), 64.0 / (24.0 + 64.0));
        assert_eq!(new_part(&adaptive, 64, 2), 32.0 / (24.0 + 64.0));
    }

    #[test]
    fn where_nothing_is_merged_nothing_is_new() {
        for strategy in Strategy::ALL {
            for ranks in [1, 4] {
                let shape = Shape { groups: ranks, ..Shape::new(strategy, ranks) };
                assert_eq!(new_part(&shape, 7, 7), 0.0);
            }
            for (n, sets) in [(0, 1), (1, 1), (0, 0)] {
                assert_eq!(new_part(&Shape::new(strategy, 4), n, sets), 0.0, "{n} in {sets}");
            }
        }
        assert_eq!([0, 1, 2, 4, 16].map(new_part_of_sink), [0.0, 0.0, 1.0, 1.0, 0.5]);
    }
}
