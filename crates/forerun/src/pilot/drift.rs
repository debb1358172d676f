//! How much the machine itself differs from one stretch of time to another.

use std::collections::BTreeMap;

use forerun_platform::Cost;

use super::fit::{Point, widening};

/// Degrees of freedom that two phases are given: with one, Student's quantile is more than six times the
/// normal one, and an interval would say nothing.
const LEAST_FREE: f64 = 2.0;

/// Relative standard error, on account of the machine's drift, of what `points`, as if timed alone, say
/// about a run: the deviation of the phases' levels from each other, by √(1 + 1 / n) of n phases. That
/// of a phase does not average out over a run, which may be as far from the pilot as its phases are from each
/// other. 0 where there were fewer than two phases.
pub(super) fn drift(points: &[Point], line: &Cost) -> f64 {
    let mut phases: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    // What came before the phases (0) was of other sizes.
    for p in points.iter().filter(|p| p.phase > 0) {
        let (took, said) = phases.entry(p.phase).or_default();
        *took += p.seconds;
        *said += line.seconds(p.bytes, 1.0);
    }
    let levels: Vec<f64> =
        phases.into_values().filter(|(_, said)| *said > 0.0).map(|(took, said)| took / said).collect();
    of_levels(&levels)
}

/// The same from the phases' levels: what each took by what the costs say of it.
pub(crate) fn of_levels(levels: &[f64]) -> f64 {
    let n = levels.len() as f64;
    if levels.len() < 2 {
        return 0.0;
    }
    let mean = levels.iter().sum::<f64>() / n;
    let variance = levels.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (variance * (1.0 + 1.0 / n)).sqrt() * widening((n - 1.0).max(LEAST_FREE))
}

#[cfg(test)]
mod tests {
    use forerun_platform::Cost;

    use super::{Point, drift};

    #[test]
    fn phases_that_differ_as_a_whole_make_a_run_less_sure() {
        let line = Cost { per_byte: 1e-9, ..Cost::default() };
        let at = |phase, level: f64| (0..5).map(move |_| Point { phase, ..Point::new(1e6, 1e-3 * level) });
        let points = |levels: [f64; 4]| -> Vec<Point> {
            levels.into_iter().enumerate().flat_map(|(i, l)| at(i + 1, l)).collect()
        };
        assert!(drift(&points([1.0; 4]), &line) < 1e-9);
        let (some, more) =
            (drift(&points([0.9, 1.1, 1.1, 0.9]), &line), drift(&points([0.8, 1.2, 1.2, 0.8]), &line));
        // 0.1 √(4/3) √(5/4), and Student's quantile with 3 degrees of freedom over the normal one.
        assert!((some / (0.1291 * 3.182 / 1.96) - 1.0).abs() < 0.05, "{some}");
        assert!((more / some - 2.0).abs() < 1e-6, "{more}");
        assert_eq!(drift(&points([1.0; 4])[..5], &line), 0.0);
    }
}
