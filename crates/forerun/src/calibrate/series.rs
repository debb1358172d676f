//! Repeating measurements until their medians are known.

use std::time::{Duration, Instant};

use forerun_platform::random::Random;
use forerun_skeleton::{Cancel, RunError};

use forerun_platform::statistics::{Estimate, FEWEST, estimate};

/// Takes one measurement of every figure of a probe.
pub(super) type Sample<'a> = Box<dyn FnMut() -> Result<Vec<f64>, RunError> + 'a>;

/// Something to measure again and again.
pub(super) struct Probe<'a> {
    /// For each figure the half-width of the interval that is narrow enough, however small the
    /// figure is.
    pub(super) floors: Vec<f64>,
    /// Measures them once.
    pub(super) sample: Sample<'a>,
}

/// When to stop repeating.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until {
    /// All figures' half-widths are at most this part of their values.
    pub(super) relative: f64,
    /// And there are so many repetitions at least.
    pub(super) least: usize,
    /// Or so many.
    pub(super) most: usize,
    /// Or this time is over (every probe runs once at least).
    pub(super) time: Duration,
}

/// Repeats the probes, in a new random order every round. Gives the estimates of each probe's
/// figures; `progress` is told which part of the time is over.
pub(super) fn repeat(
    probes: &mut [Probe<'_>],
    until: Until,
    random: &mut Random,
    cancel: &Cancel,
    progress: &dyn Fn(f64),
) -> Result<Vec<Vec<Estimate>>, RunError> {
    let begun = Instant::now();
    let mut samples: Vec<Vec<Vec<f64>>> = probes.iter().map(|p| vec![Vec::new(); p.floors.len()]).collect();
    let mut open: Vec<usize> = (0..probes.len()).collect();
    let mut first = true;
    while !open.is_empty() {
        random.shuffle(&mut open);
        for &i in &open {
            if cancel.is_cancelled() {
                return Err(RunError::Cancelled);
            }
            let spent = begun.elapsed();
            if !first && spent >= until.time {
                return Ok(samples.iter().map(|s| estimates(s)).collect());
            }
            progress((spent.as_secs_f64() / until.time.as_secs_f64().max(1e-9)).min(1.0));
            let values = (probes[i].sample)()?;
            for (series, value) in samples[i].iter_mut().zip(values) {
                series.push(value);
            }
        }
        first = false;
        open.retain(|&i| !enough(&samples[i], &probes[i].floors, &until));
    }
    Ok(samples.iter().map(|s| estimates(s)).collect())
}

fn estimates(samples: &[Vec<f64>]) -> Vec<Estimate> {
    samples.iter().filter_map(|s| estimate(s)).collect()
}

fn enough(samples: &[Vec<f64>], floors: &[f64], until: &Until) -> bool {
    let n = samples.first().map_or(0, Vec::len);
    let narrow = |(e, floor): (Estimate, &f64)| e.half_width() <= floor.max(until.relative * e.value.abs());
    n >= until.most || n >= until.least.max(FEWEST) && estimates(samples).into_iter().zip(floors).all(narrow)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const UNTIL: Until = Until { relative: 0.02, least: 8, most: 500, time: Duration::from_secs(20) };

    fn run(
        sample: Sample<'_>,
        floors: &[f64],
        until: Until,
        cancel: &Cancel,
    ) -> Result<Vec<Estimate>, RunError> {
        let mut probes = [Probe { floors: floors.to_vec(), sample }];
        repeat(&mut probes, until, &mut Random::new(1), cancel, &|_| ()).map(|mut all| all.remove(0))
    }

    #[test]
    fn what_does_not_vary_is_measured_the_least() {
        let all = run(Box::new(|| Ok(vec![5.0, 0.0])), &[0.0, 0.0], UNTIL, &Cancel::new());
        let e = Estimate { value: 5.0, low: 5.0, high: 5.0, repetitions: 8 };
        assert_eq!(all, Ok(vec![e, Estimate { value: 0.0, low: 0.0, high: 0.0, ..e }]));
    }

    #[test]
    fn what_varies_is_measured_until_it_is_known() {
        let mut random = Random::new(3);
        let noisy = Box::new(move || Ok(vec![1.0 + 0.2 * random.unit()]));
        let all = run(noisy, &[0.0], UNTIL, &Cancel::new()).expect("it is not cancelled");
        assert!(all[0].repetitions > 8 && all[0].repetitions < 500, "{all:?}");
        assert!(all[0].half_width() <= 0.02 * all[0].value, "{all:?}");
        let mut random = Random::new(3);
        let noisy = Box::new(move || Ok(vec![1.0 + 0.2 * random.unit()]));
        let coarse = run(noisy, &[0.5], UNTIL, &Cancel::new()).expect("it is not cancelled");
        assert_eq!(coarse[0].repetitions, 8);
    }

    #[test]
    fn time_cancelling_and_errors_end_it() {
        let none = Until { time: Duration::ZERO, ..UNTIL };
        let once = run(Box::new(|| Ok(vec![1.0])), &[0.0], none, &Cancel::new()).expect("it measures once");
        assert_eq!(once[0].repetitions, 1);
        let (cancel, calls) = (Cancel::new(), Cell::new(0));
        let cancels = Box::new(|| {
            calls.set(calls.get() + 1);
            cancel.cancel();
            Ok(vec![1.0])
        });
        assert_eq!(run(cancels, &[0.0], UNTIL, &cancel), Err(RunError::Cancelled));
        assert_eq!(calls.get(), 1);
        let fails = Box::new(|| Err(RunError::Invalid("no".into())));
        assert_eq!(run(fails, &[0.0], UNTIL, &Cancel::new()), Err(RunError::Invalid("no".into())));
    }
}
