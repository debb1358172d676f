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
    let mut busy: Vec<f64> = busy.into_iter().collect();
    busy.sort_by(|a, b| b.total_cmp(a));
    let next = busy.iter().skip(1).copied().chain([0.0]);
    let turns: f64 = (1..)
        .zip(busy.iter().zip(next))
        .map(|(at_once, (one, next))| (one - next) * (f64::from(at_once) / cores.max(1) as f64).max(1.0))
        .sum();
    turns + (makespan - busy.first().copied().unwrap_or(0.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sharing;

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
            if busy.len() <= cores {
                prop_assert!((seconds - makespan).abs() < 1e-9);
            }
            if cores == 1 {
                prop_assert!((seconds - work - idle).abs() < 1e-9);
            }
        }
    }
}
