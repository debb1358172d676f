//! An even deal of a known number of tasks, for which nothing is asked.
//!
//! Of two ranks the one that the tree reaches later takes the odd task: it would wait for those
//! below it anyway. So ranks are dealt to in the order of their height in the tree, the highest
//! first, and of equals the lower first.

use std::ops::Range;

/// Position of `rank` among `ranks` ranks in the order of their height in a tree of this arity;
/// 0 is the first rank.
fn position(rank: u64, ranks: u64, arity: u64) -> u64 {
    if rank == 0 {
        return 0;
    }
    let mut stride = 1u64;
    while rank.is_multiple_of(stride.saturating_mul(arity)) {
        stride *= arity;
    }
    let above = stride.saturating_mul(arity);
    // The higher ranks are the multiples of `above`; before this one of its height are the
    // multiples of `stride` below it that are not among them.
    ranks.div_ceil(above) + rank / stride - rank.div_ceil(above)
}

/// Tasks of the first rank if `tasks` are dealt to `ranks` ranks.
pub(super) fn first(tasks: u64, ranks: u64, permille: u16) -> u64 {
    if ranks == 1 {
        return tasks;
    }
    // u128: tasks · permille may pass 2^64.
    let mean = u128::from(tasks) * u128::from(permille);
    let share = (mean / (1000 * u128::from(ranks))) as u64;
    if permille == 1000 { tasks.div_ceil(ranks) } else { share }
}

/// Ranks that take part: those with a task, and the first.
pub(super) fn active(tasks: u64, ranks: u64, permille: u16) -> u64 {
    let others = tasks - first(tasks, ranks, permille).min(tasks);
    others.saturating_add(1).min(ranks)
}

/// The tasks of `rank`, one of the `ranks` that take part.
pub(super) fn share(rank: u64, tasks: u64, ranks: u64, permille: u16, arity: u64) -> Range<u64> {
    let first = first(tasks, ranks, permille).min(tasks);
    if rank == 0 {
        return 0..first;
    }
    let (others, left) = (ranks - 1, tasks - first);
    let (each, more) = (left / others, left % others);
    let at = position(rank, ranks, arity) - 1;
    let from = first + at * each + at.min(more);
    from..from + each + u64::from(at < more)
}

#[cfg(test)]
mod tests {
    use super::{active, position, share};

    #[test]
    fn every_rank_has_a_position_of_its_own_the_highest_first() {
        for arity in 2..6 {
            for ranks in 1..70 {
                let at: Vec<u64> = (0..ranks).map(|r| position(r, ranks, arity)).collect();
                let mut sorted = at.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..ranks).collect::<Vec<_>>(), "{at:?}");
            }
        }
        assert_eq!((0..8).map(|r| position(r, 8, 2)).collect::<Vec<_>>(), [0, 4, 2, 5, 1, 6, 3, 7]);
    }

    #[test]
    fn shares_cover_the_tasks_once_and_differ_by_one() {
        for ranks in 1..20u64 {
            for tasks in [0, 1, 2, 7, 8, 9, 63, 64, 65, 1000] {
                for permille in [0, 1, 500, 999, 1000] {
                    let active = active(tasks, ranks, permille);
                    assert!((1..=ranks).contains(&active));
                    let shares: Vec<_> = (0..active).map(|r| share(r, tasks, active, permille, 2)).collect();
                    let mut all: Vec<u64> = shares.iter().cloned().flatten().collect();
                    all.sort_unstable();
                    assert_eq!(all, (0..tasks).collect::<Vec<_>>(), "{tasks} over {ranks}");
                    let sizes = shares[1..].iter().map(|s| s.end - s.start);
                    let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
                    assert!(most - least <= 1);
                }
            }
        }
    }
}
