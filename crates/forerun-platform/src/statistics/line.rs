//! A straight line through points of which some are far off.

use super::{Estimate, median};
use crate::random::Random;

/// Resamples that an interval is made of.
const RESAMPLES: usize = 200;
/// Part of the resamples beyond each end of it.
const BEYOND: f64 = 0.025;

/// `intercept + slope · x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Where it begins.
    pub intercept: f64,
    /// How it rises, with its interval.
    pub slope: Estimate,
}

impl Line {
    /// Its value there.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope.value * x
    }
}

/// The line of the median slope between two points, and of the median of what is left (Theil and Sen): up to 29 % of the points
/// may be anywhere. The interval, of 95 %, is that of resampled points. `None` unless there are three points with two different x.
/// Cost: quadratic in the points.
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let (value, intercept) = through(points)?;
    if points.len() < 3 {
        return None;
    }
    let mut random = Random::new(1);
    let mut slopes: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let pick = |_| points[(random.bits() % points.len() as u64) as usize];
            through(&(0..points.len()).map(pick).collect::<Vec<_>>()).map(|(slope, _)| slope)
        })
        .collect();
    slopes.sort_unstable_by(f64::total_cmp);
    let end = |part: f64| slopes.get((part * slopes.len() as f64) as usize).copied().unwrap_or(value);
    let (low, high) = (end(BEYOND).min(value), end(1.0 - BEYOND).max(value));
    Some(Line { intercept, slope: Estimate { value, low, high, repetitions: points.len() } })
}

fn through(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let mut slopes = Vec::with_capacity(points.len() * points.len() / 2);
    for (i, a) in points.iter().enumerate() {
        slopes.extend(points[..i].iter().filter(|b| b.0 != a.0).map(|b| (a.1 - b.1) / (a.0 - b.0)));
    }
    let slope = median(&slopes)?;
    let left: Vec<f64> = points.iter().map(|(x, y)| y - slope * x).collect();
    Some((slope, median(&left)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_are_far_off_do_not_move_it() {
        let mut random = Random::new(5);
        let mut points: Vec<_> =
            (0..40).map(|k| (f64::from(k), 3.0 + 0.5 * f64::from(k) + 0.1 * (random.unit() - 0.5))).collect();
        for k in [3, 17, 30, 31, 39] {
            points[k].1 *= 20.0;
        }
        let line = line(&points).expect("a line");
        assert!((line.slope.value - 0.5).abs() < 0.01, "{line:?}");
        assert!((line.at(10.0) - 8.0).abs() < 0.1, "{line:?}");
        assert!(
            line.slope.low <= 0.5 && 0.5 <= line.slope.high && line.slope.half_width() < 0.02,
            "{line:?}"
        );
    }

    #[test]
    fn nothing_is_said_of_too_little() {
        assert_eq!(line(&[]), None);
        assert_eq!(line(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(line(&[(1.0, 1.0), (2.0, 2.0)]), None);
    }
}
