//! How much the machine itself differs from one stretch of time to another.

use std::collections::BTreeMap;

use forerun_platform::Cost;

use super::fit::{Point, widening};

/// Relative standard error, on account of the machine's drift, of what `points`, as if timed alone, say
/// about a run: the deviation of the phases' levels from each other, by √(1 + 1 / n) of n phases. That
/// of a phase does not average out over a run, which may be as far from the pilot as its phases are from each
/// other. But levels differ, too, because calls do that a phase has few of, which does average out: as much of their variance
/// is taken off as the calls' own deviations within the phases explain (the estimate of a random effect in an
/// analysis of variance). 0 where there were fewer than two phases.
pub(super) fn drift(points: &[Point], line: &Cost) -> f64 {
    let mut phases: BTreeMap<usize, Phase> = BTreeMap::new();
    // What came before the phases (0) was of other sizes.
    for p in points.iter().filter(|p| p.phase > 0) {
        let said = line.seconds(p.bytes, 1.0);
        if said > 0.0 {
            phases.entry(p.phase).or_default().calls.push((p.seconds, said));
        }
    }
    of_phases(&phases.into_values().collect::<Vec<_>>())
}

/// The same from the seconds that calls of the same kind took, by phase.
pub(crate) fn of_calls(phases: impl IntoIterator<Item = Vec<f64>>) -> f64 {
    let phase = |calls: Vec<f64>| Phase { calls: calls.into_iter().map(|seconds| (seconds, 1.0)).collect() };
    let mut phases: Vec<Phase> = phases.into_iter().filter(|calls| !calls.is_empty()).map(phase).collect();
    // Of what all of them say.
    let (took, calls) = phases.iter().fold((0.0, 0.0), |(t, n), p| (t + p.sum(|c| c.0), n + p.sum(|c| c.1)));
    if took <= 0.0 {
        return 0.0;
    }
    phases.iter_mut().flat_map(|phase| &mut phase.calls).for_each(|call| call.1 = took / calls);
    of_phases(&phases)
}

fn of_phases(phases: &[Phase]) -> f64 {
    let levels: Vec<f64> = phases.iter().map(Phase::level).collect();
    let own: Vec<f64> = phases.iter().filter_map(Phase::variance).collect();
    let own = if own.is_empty() { 0.0 } else { own.iter().sum::<f64>() / own.len() as f64 };
    beyond(&levels, own)
}

/// The calls of a phase: what each took, and what the costs say of it.
#[derive(Debug, Default)]
struct Phase {
    calls: Vec<(f64, f64)>,
}

impl Phase {
    fn sum(&self, of: impl Fn(&(f64, f64)) -> f64) -> f64 {
        self.calls.iter().map(of).sum()
    }

    /// What it took, of what the costs say.
    fn level(&self) -> f64 {
        self.sum(|c| c.0) / self.sum(|c| c.1)
    }

    /// Variance of its level, as a ratio of sums, by how its calls deviate from it; not known of a single one.
    fn variance(&self) -> Option<f64> {
        let (level, n) = (self.level(), self.calls.len() as f64);
        let squares = self.sum(|(took, said)| (took - level * said).powi(2));
        (n > 1.0).then(|| squares * n / (n - 1.0) / self.sum(|c| c.1).powi(2))
    }
}

/// The same from the phases' levels: what each took by what the costs say of it.
pub(crate) fn of_levels(levels: &[f64]) -> f64 {
    beyond(levels, 0.0)
}

/// The same where the levels would have a variance of `own` with no drift at all.
fn beyond(levels: &[f64], own: f64) -> f64 {
    let n = levels.len() as f64;
    if levels.len() < 2 {
        return 0.0;
    }
    let mean = levels.iter().sum::<f64>() / n;
    let variance = levels.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / (n - 1.0);
    ((variance - own).max(0.0) * (1.0 + 1.0 / n)).sqrt() * widening(n - 1.0)
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

    #[test]
    fn calls_by_phase_say_what_points_do() {
        let phases = [[0.9, 1.0, 1.1], [1.9, 2.0, 2.1]];
        let line = Cost { fixed: 1.5, ..Cost::default() };
        let point = |(at, seconds): (usize, f64)| Point { phase: at, ..Point::new(1.0, seconds) };
        let points: Vec<Point> =
            (1..).zip(phases).flat_map(|(at, calls)| calls.map(|seconds| point((at, seconds)))).collect();
        let of = super::of_calls(phases.map(Vec::from));
        assert!((of / drift(&points, &line) - 1.0).abs() < 1e-9 && of > 0.5, "{of}");
        // Those of a single phase, or of none, say nothing of it.
        assert_eq!(super::of_calls([vec![1.0, 2.0], vec![]]), 0.0);
        assert_eq!(super::of_calls([vec![0.0], vec![0.0]]), 0.0);
    }

    /// Phases of which each has another page that takes three times as long as its bytes say.
    #[test]
    fn calls_that_differ_by_nature_are_no_drift() {
        let line = Cost { per_byte: 1e-9, ..Cost::default() };
        let of = |phases: [[f64; 3]; 4], slower: [f64; 4]| {
            let point = |phase, level| Point { phase, ..Point::new(1e6, 1e-3 * level) };
            let phase = |i: usize| phases[i].map(|level| point(i + 1, level * slower[i]));
            drift(&(0..4).flat_map(phase).collect::<Vec<_>>(), &line)
        };
        let pages = [[0.5, 1.0, 3.0], [1.0, 0.5, 1.5], [0.4, 2.0, 0.6], [2.0, 1.5, 0.5]];
        assert_eq!(of(pages, [1.0; 4]), 0.0);
        // The levels alone would be a third or more.
        assert!(super::of_levels(&[1.5, 1.0, 1.0, 4.0 / 3.0]) > 0.33);
        // What the machine does shows nevertheless.
        assert!(of(pages, [1.0, 4.0, 1.0, 4.0]) > 1.0);
    }
}
