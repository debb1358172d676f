//! What the spread of the costs does to the makespan.

use forerun_platform::ReductionProfile;
use forerun_platform::statistics::normal_quantile;

use super::timing::Timing;

/// Expectation of the largest of `k` standard normal numbers, by Blom's approximation
/// Φ⁻¹((k − 0.375) / (k + 0.25)) (Blom, *Statistical Estimates and Transformed Beta-Variables*,
/// 1958); 0 for k ≤ 1.
pub(crate) fn largest_normal(k: f64) -> f64 {
    if k <= 1.0 {
        return 0.0;
    }
    normal_quantile((k - 0.375) / (k + 0.25))
}

/// Seconds by which the slowest rank is expected to be later than the mean, and two parts of the
/// standard deviation of the makespan: what the spread of calls does, and what the profile's figures
/// may be off by.
///
/// The critical path runs m tasks in a row, whose independent deviations add up to σ T √m; it is
/// the slowest of R such sums, which is later by that times the expectation of the largest of R
/// normal numbers. The deviation of the largest is no more than that of one, and falls about as
/// 1 / (1 + e) with e that expectation. What the profile's figures are off by is common to all
/// tasks, and stays in full; all stages were measured in one stretch of time on one machine, so their
/// errors are taken to have one sign and add up. That tasks are uneven makes the slowest rank later, too, but is known: it
/// is in no deviation.
pub(super) fn spread(t: &Timing, task: f64, uneven: f64, profile: &ReductionProfile) -> (f64, f64, f64) {
    let sum = profile.task.spread * task * t.path_tasks.max(0.0).sqrt();
    let e = largest_normal(t.racers);
    let late = sum.hypot(uneven * task * t.path_tasks.max(0.0).sqrt()) * e;
    let own = sum / (1.0 + e).sqrt();
    let busy = t.totals.busy();
    let common = if busy > 0.0 {
        let part = |seconds: f64, error: f64| seconds / busy * error;
        let errors = part(t.totals.tasks.1, profile.task.error)
            + part(t.totals.merges.1, profile.merge.error)
            + part(t.totals.sinks.1, profile.sink.error);
        errors * t.seconds
    } else {
        0.0
    };
    (late, own, common)
}

#[cfg(test)]
mod tests {
    use super::largest_normal;

    #[test]
    fn the_largest_of_some_normal_numbers() {
        // Expectations of the largest order statistic: 0.5642, 1.0294, 1.5388, 2.5076.
        for (k, e) in [(2.0, 0.5642), (4.0, 1.0294), (10.0, 1.5388), (100.0, 2.5076)] {
            assert!((largest_normal(k) / e - 1.0f64).abs() < 0.05, "{k}: {}", largest_normal(k));
        }
        assert_eq!(largest_normal(1.0), 0.0);
    }
}
