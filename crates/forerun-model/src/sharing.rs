//! Ranks in excess of the cores.

/// Seconds that ranks take on `cores` cores, which with a core each are busy for `busy` seconds and end after `makespan`.
///
/// Fair turns: while k ranks have work, each takes k / `cores` times as long (no less than once). Ranks are taken to
/// have their work from the begin on, which is as it is where trees and rounds end: one rank after the other has nothing to do any more, and
/// the last ones have cores of their own again. What the longest one waits for is waited for as before. Cost: sorting the ranks.
///
/// ```
/// use forerun_model::sharing;
/// // Four tasks of 1 s, and two levels of merges of 0.1 and 0.2 s, on two cores.
/// let seconds = sharing([1.3, 1.0, 1.1, 1.0], 1.3, 2);
/// assert!((seconds - (2.0 + 0.1 + 0.2)).abs() < 1e-12);
/// ```
pub fn sharing(busy: impl IntoIterator<Item = f64>, makespan: f64, cores: usize) -> f64 {
    sharing_alike(busy.into_iter().map(|one| (one, 1.0)).collect(), makespan, cores)
}

/// The same of ranks of which many are alike: seconds for which each is busy, and how many these are.
pub(crate) fn sharing_alike(mut busy: Vec<(f64, f64)>, makespan: f64, cores: usize) -> f64 {
    busy.retain(|one| one.1 > 0.0);
    busy.sort_by(|a, b| b.0.total_cmp(&a.0));
    let next = busy.iter().skip(1).map(|one| one.0).chain([0.0]);
    let (mut at_once, mut turns) = (0.0, 0.0);
    for (&(one, alike), next) in busy.iter().zip(next) {
        at_once += alike;
        turns += (one - next) * (at_once / cores.max(1) as f64).max(1.0);
    }
    turns + (makespan - busy.first().map_or(0.0, |one| one.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{sharing, sharing_alike};

    proptest! {
        /// No less than with a core each, nor than all work on all cores; no more than both together, nor than one after the other.
        #[test]
        fn turns_are_within_their_bounds(
            busy in prop::collection::vec(0.0f64..10.0, 1..40),
            idle in 0.0f64..5.0,
            cores in 1usize..12,
        ) {
            let longest = busy.iter().copied().fold(0.0, f64::max);
            let (work, makespan) = (busy.iter().sum::<f64>(), longest + idle);
            let seconds = sharing(busy.iter().copied(), makespan, cores);
            prop_assert!(seconds >= makespan.max(work / cores as f64) - 1e-9);
            prop_assert!(seconds <= makespan + work / cores as f64 + 1e-9);
            prop_assert!(seconds <= work.max(longest) + idle + 1e-9);
            let twice = sharing(busy.iter().chain(&busy).copied(), makespan, cores);
            let none = (2.0 * longest, 0.0);
            let alike = busy.iter().map(|one| (*one, 2.0)).chain([none]).collect();
            let alike = sharing_alike(alike, makespan, cores);
            prop_assert!((twice - alike).abs() < 1e-9, "{} and {}", twice, alike);
            if busy.len() <= cores {
                prop_assert!((seconds - makespan).abs() < 1e-9);
            }
            if cores == 1 {
                prop_assert!((seconds - work - idle).abs() < 1e-9);
            }
        }
    }
}
