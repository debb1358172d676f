//! How much busy cores slow each other.

use std::collections::BTreeMap;

use forerun_platform::statistics::median;

use super::fit::{Point, fit};
use super::sample::Sampled;

/// A phase that takes this much longer than others was disturbed.
const DISTURBED: f64 = 1.5;

/// How much longer work takes for each other worker, from calls alone and beside others: of tasks and
/// of merges the ratio to what the like took alone, weighted by the time they took. 0 to 1: cores that
/// take turns at a single one are no slower than that.
pub(super) fn contention(sampled: &Sampled, workers: usize) -> f64 {
    if workers < 2 {
        return 0.0;
    }
    let of = [(&sampled.tasks, &sampled.beside.tasks), (&sampled.merges, &sampled.beside.merges)];
    let (mut slower, mut weight) = (0.0, 0.0);
    for (alone, beside) in of {
        let Some(ratio) = ratio(alone, beside) else { continue };
        let seconds: f64 = beside.iter().map(|p| p.seconds).sum();
        slower += ratio * seconds;
        weight += seconds;
    }
    if weight > 0.0 { ((slower / weight - 1.0) / (workers - 1) as f64).clamp(0.0, 1.0) } else { 0.0 }
}

/// The median ratio of a phase to the line through what was timed alone, and of the phases the mean,
/// without those far above the lower median: what else a machine does may hit one phase as a whole, and
/// only ever makes it longer.
fn ratio(alone: &[Point], beside: &[Point]) -> Option<f64> {
    let smallest = beside.iter().map(|p| p.bytes).fold(f64::INFINITY, f64::min);
    let alike: Vec<Point> = alone.iter().copied().filter(|p| 4.0 * p.bytes >= smallest).collect();
    if alike.is_empty() || beside.is_empty() {
        return None;
    }
    let line = fit(&alike);
    let mut phases: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for p in beside {
        let ratio = p.seconds / line.seconds(p.bytes, 1.0).max(f64::MIN_POSITIVE);
        phases.entry(p.phase).or_default().push(ratio);
    }
    let mut ratios: Vec<f64> = phases.into_values().filter_map(|ratios| median(&ratios)).collect();
    ratios.sort_by(f64::total_cmp);
    let middle = *ratios.get((ratios.len() - 1) / 2)?;
    let kept: Vec<f64> = ratios.into_iter().filter(|r| *r <= DISTURBED * middle).collect();
    Some(kept.iter().sum::<f64>() / kept.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::{Point, ratio};

    #[test]
    fn a_phase_that_was_disturbed_is_not_contention() {
        let point = |phase, seconds| Point { phase, ..Point::new(1e6, seconds) };
        let alone = [point(1, 1.0), point(3, 1.02), point(5, 0.98)];
        let beside = [point(2, 1.1), point(2, 1.1), point(4, 2.2), point(4, 2.3)];
        let slower = ratio(&alone, &beside).unwrap();
        assert!((slower - 1.1).abs() < 0.03, "{slower}");
        assert_eq!(ratio(&alone, &[]), None);
    }
}
