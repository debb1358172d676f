//! Merging more runs than can be merged at a time: in passes.

use std::collections::BTreeMap;

/// How many runs, the smallest ones, are merged next into one where `runs` are left, of which no more than `ways` (2 at
/// least) can be merged at a time; 0 where all of them can.
///
/// The first merge takes as many as make all further ones full, and what passes through merges before the last is then the
/// least that there is (Huffman, *A Method for the Construction of Minimum-Redundancy Codes*, 1952: the tree of a code of
/// `ways` symbols).
///
/// ```
/// use forerun_platform::merged_next;
///
/// assert_eq!([9, 10, 11, 17, 18].map(|runs| merged_next(runs, 9)), [0, 2, 3, 9, 2]);
/// ```
pub fn merged_next(runs: u64, ways: u64) -> u64 {
    let ways = ways.max(2);
    if runs <= ways { 0 } else { (runs - 2) % (ways - 1) + 2 }
}

/// How many times one of `runs` runs of the same size is merged before the last merge, of all of them together, where
/// merges are as [`merged_next`] says. Cost: O(log² `runs`).
///
/// ```
/// use forerun_platform::merged_again;
///
/// // Of ten, two are merged first. Of a hundred, four are, then 10 times nine, and then those four, six others and two of the nines.
/// assert_eq!([9, 10, 100].map(|runs| merged_again(runs, 9)), [0.0, 2.0, 4.0 + 90.0 + 28.0]);
/// ```
pub fn merged_again(runs: u64, ways: u64) -> f64 {
    let ways = ways.max(2);
    let (mut left, mut again) = (runs, 0.0);
    // How many there are of so many runs in one.
    let mut sizes = BTreeMap::from([(1, runs)]);
    loop {
        let taken = merged_next(left, ways);
        if taken == 0 {
            return again;
        }
        let Some((size, count)) = sizes.pop_first() else { return again };
        // Of one size as many as can be, at once; all but the first merge are full.
        let most = if taken < ways { 1 } else { (left - ways).div_ceil(ways - 1) };
        let merges = (count / taken).min(most);
        let (merged, number) = if merges > 0 {
            if count > merges * taken {
                sizes.insert(size, count - merges * taken);
            }
            (size * taken, merges)
        } else {
            let (mut missing, mut all) = (taken - count, size * count);
            while missing > 0
                && let Some((size, count)) = sizes.pop_first()
            {
                let more = count.min(missing);
                if count > more {
                    sizes.insert(size, count - more);
                }
                (missing, all) = (missing - more, all + size * more);
            }
            (all, 1)
        };
        *sizes.entry(merged).or_default() += number;
        left -= number * (taken - 1);
        again += merged as f64 * number as f64;
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use proptest::prelude::*;

    use super::{merged_again, merged_next};

    /// One merge after the other, as a sort does it.
    fn followed(runs: u64, ways: u64) -> (u64, usize) {
        let mut left: BinaryHeap<_> = (0..runs).map(|_| Reverse(1)).collect();
        let mut again = 0;
        loop {
            let taken = merged_next(left.len() as u64, ways);
            if taken == 0 {
                return (again, left.len());
            }
            let merged: u64 = (0..taken).filter_map(|_| left.pop()).map(|Reverse(size)| size).sum();
            again += merged;
            left.push(Reverse(merged));
        }
    }

    proptest! {
        #[test]
        fn what_is_counted_is_what_is_done(runs in 0u64..3000, ways in 0u64..100) {
            let (again, left) = followed(runs, ways);
            prop_assert_eq!(merged_again(runs, ways), again as f64);
            // The last merge is full, too.
            prop_assert_eq!(left as u64, runs.min(ways.max(2)));
        }

        #[test]
        fn of_more_runs_more_are_merged_again(runs in 0u64..100_000, ways in 2u64..1000) {
            prop_assert!(merged_again(runs, ways) <= merged_again(runs + 1, ways));
            prop_assert!(merged_again(runs, ways + 1) <= merged_again(runs, ways));
        }
    }

    #[test]
    fn the_most_there_can_be_is_counted() {
        let runs = 1 << 62;
        // A balanced tree but for its root.
        assert_eq!(merged_again(runs, 2), 61.0 * runs as f64);
        assert_eq!(merged_again(u64::MAX, u64::MAX), 0.0);
        assert!(merged_again(u64::MAX, 3) < 41.0 * u64::MAX as f64);
    }
}
