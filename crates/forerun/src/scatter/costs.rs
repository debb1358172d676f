//! Phase costs from timed calls.

use forerun_platform::{Cost, PhaseCost};

use crate::pilot::{Point, fit};

/// Calls for less than the largest by more than this factor are left out.
const ALIKE: f64 = 32.0;

/// A timed call of a phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Call {
    pub(super) bytes: f64,
    /// Elements of a block, or sequences brought together.
    pub(super) ways: f64,
    pub(super) seconds: f64,
}

/// The cost of calls in proportion to their bytes, and where ways differ to their logarithm: through the
/// mean of each number of ways, in which calls that are far off the others count less (the machine was
/// doing something else). Calls for little tell nothing beside those for much. Neither part is below 0.
pub(super) fn by_ways(calls: &[Call]) -> PhaseCost {
    let mut calls: Vec<Call> = calls.iter().copied().filter(|c| c.bytes > 0.0 && c.seconds > 0.0).collect();
    let largest = calls.iter().map(|c| c.bytes).fold(0.0, f64::max);
    calls.retain(|c| c.bytes * ALIKE >= largest);
    if calls.is_empty() {
        return PhaseCost::default();
    }
    calls.sort_by(|a, b| a.ways.total_cmp(&b.ways));
    let points: Vec<(f64, f64)> = calls
        // Blocks of a size differ by an element.
        .chunk_by(|a, b| b.ways <= a.ways * 1.01)
        .map(|of| (of[0].ways.max(1.0).ln(), mean(of)))
        .collect();
    let (per_byte, per_byte_ln) = line(&points);
    let cost = PhaseCost { per_byte, per_byte_ln, ..PhaseCost::default() };
    // What single calls are off by, and the figures in common.
    let points: Vec<Point> =
        calls.iter().map(|c| Point::new(1.0, c.seconds / cost.seconds(c.bytes, c.ways))).collect();
    let Cost { spread, error, .. } = fit(&points);
    PhaseCost { spread, error, ..cost }
}

/// The cost of reading an input of `all` bytes, of which `device` bytes came from a device while these calls were timed.
///
/// Where some did, most calls find what was read ahead for one before, and few wait for the device; none of them is out of the
/// ordinary, and what a run adds up is the mean: by the byte that was asked for, or by the byte that came from the device, where
/// those are more. What has come need not come again.
pub(super) fn reading(calls: &[Call], device: f64, all: f64) -> PhaseCost {
    let cost = by_ways(calls);
    let sum = |of: fn(&Call) -> f64| calls.iter().map(of).sum::<f64>();
    let (bytes, seconds) = (sum(|c| c.bytes), sum(|c| c.seconds));
    if device <= 0.0 || bytes <= 0.0 {
        return cost;
    }
    let left = 1.0 - (device / all.max(device)).min(1.0);
    let per_byte = seconds / bytes.max(device) * left;
    // No surer than a rate that a few waits tell.
    let error = 1.0 / (calls.len() as f64).sqrt();
    PhaseCost { per_byte, error, ..PhaseCost::default() }
}

/// What bringing `ways` sequences together was measured to cost by the byte, with more for more of them: by `per_byte_ln`, as the
/// blocks of a rank cost, but no more than all of it.
pub(super) fn rising(merged: PhaseCost, ways: f64, per_byte_ln: f64) -> PhaseCost {
    let ln = ways.max(1.0).ln();
    let rise = per_byte_ln * ln;
    if rise < merged.per_byte {
        return PhaseCost { per_byte: merged.per_byte - rise, per_byte_ln, ..merged };
    }
    // One sequence tells nothing of more.
    let per_byte_ln = if ln > 0.0 { merged.per_byte / ln } else { per_byte_ln };
    PhaseCost { per_byte: 0.0, per_byte_ln, ..merged }
}

/// Seconds a byte.
fn mean(calls: &[Call]) -> f64 {
    let points: Vec<Point> = calls.iter().map(|c| Point::new(1.0, c.seconds / c.bytes)).collect();
    fit(&points).seconds(1.0, 1.0)
}

/// `a + b x` through points by least squares, neither below 0.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let square: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / square;
    if square <= 0.0 || slope <= 0.0 {
        return (y, 0.0);
    }
    if y - slope * x >= 0.0 {
        return (y - slope * x, slope);
    }
    let through_zero =
        points.iter().map(|p| p.0 * p.1).sum::<f64>() / points.iter().map(|p| p.0 * p.0).sum::<f64>();
    (0.0, through_zero)
}

#[cfg(test)]
mod tests {
    use forerun_platform::PhaseCost;
    use proptest::prelude::*;

    use super::{Call, by_ways, reading, rising};

    #[test]
    fn the_logarithm_is_told_from_the_rest() {
        let call = |ways: f64, bytes: f64| Call { ways, bytes, seconds: bytes * (1e-9 + 2e-10 * ways.ln()) };
        let calls: Vec<Call> = [2.0, 8.0, 32.0].iter().flat_map(|&w| [call(w, 1e6), call(w, 4e6)]).collect();
        let cost = by_ways(&calls);
        assert!((cost.per_byte / 1e-9 - 1.0).abs() < 1e-6 && (cost.per_byte_ln / 2e-10 - 1.0).abs() < 1e-6);
        assert!(cost.spread < 1e-6);
        // One call that was disturbed, of many, moves nothing.
        let mut calls = calls.repeat(3);
        calls[4].seconds *= 10.0;
        let disturbed = by_ways(&calls);
        assert!((disturbed.seconds(1e6, 16.0) / cost.seconds(1e6, 16.0) - 1.0).abs() < 0.01, "{disturbed:?}");
        assert!(disturbed.error > 0.0);
    }

    #[test]
    fn what_comes_from_a_device_is_paid_for_by_few_calls() {
        // One in four waits for four blocks' bytes, of 5 MB/s.
        let wait = |i: i32| if i % 4 == 0 { 4e6 / 5e6 } else { 1e-4 };
        let calls: Vec<Call> = (0..20).map(|i| Call { bytes: 1e6, ways: 1.0, seconds: wait(i) }).collect();
        let cost = reading(&calls, 20e6, 1e9);
        // A fiftieth of the input is there already.
        assert!((cost.per_byte / (2e-7 * 0.98) - 1.0).abs() < 0.01, "{cost:?}");
        // Twice as much was read as was asked for, in the same time.
        assert!((reading(&calls, 40e6, 1e12).per_byte / 1e-7 - 1.0).abs() < 0.01);
        // From memory it is what most calls take.
        assert!(reading(&calls, 0.0, 1e9).per_byte < 1e-8);
        assert_eq!(reading(&[], 0.0, 0.0).seconds(1e6, 1.0), 0.0);
    }

    #[test]
    fn nothing_is_below_zero() {
        let call = |ways: f64, each: f64| Call { ways, bytes: 1e6, seconds: 1e6 * each };
        let falls = by_ways(&[call(2.0, 2e-9), call(8.0, 1e-9)]);
        assert!((falls.per_byte / 1.5e-9 - 1.0).abs() < 1e-9 && falls.per_byte_ln == 0.0, "{falls:?}");
        let steep = by_ways(&[call(2.0, 1e-10), call(8.0, 3e-9)]);
        assert!(steep.per_byte == 0.0 && steep.per_byte_ln > 0.0, "{steep:?}");
        assert_eq!(by_ways(&[]).seconds(1e6, 2.0), 0.0);
    }

    proptest! {
        /// Also by what rounding takes away: a profile with a time below 0 is refused.
        #[test]
        fn no_part_of_a_rise_is_below_zero(
            per_byte in 0.0..1e-6f64, per_byte_ln in 0.0..1e-6f64, ways in 1..5000u32,
        ) {
            let ways = f64::from(ways);
            let cost = rising(PhaseCost::per_byte(per_byte), ways, per_byte_ln);
            prop_assert!(cost.per_byte >= 0.0 && cost.per_byte_ln >= 0.0, "{cost:?}");
            prop_assert!((cost.seconds(1.0, ways) - per_byte).abs() <= 1e-12 * per_byte, "{cost:?}");
        }
    }
}
