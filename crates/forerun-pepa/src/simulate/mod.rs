//! Stochastic simulation.
//!
//! Gillespie's direct method (J. Phys. Chem. 81, 1977) on packed states, in independent
//! replications, each with its own stream of random numbers. Time is cut into bins; what happens before
//! the system has settled is left out: the number of bins by White's rule (MSER, Simulation 69, 1997) over the
//! mean of all replications. What is left of each replication is one observation, and the interval is Student's.

mod passages;
mod run;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use forerun_platform::random::Random;
use forerun_platform::statistics::student_quantile;

use crate::model::System;
use crate::space::{Engine, SpaceError};
pub(crate) use passages::ROUND;
pub use passages::{Passages, Sampling, passages};
use run::{Bins, run};

/// How to simulate.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// How long each replication is, in the model's time.
    pub time: f64,
    /// Independent replications.
    pub replications: usize,
    /// What is left out at the beginning; none: found by White's rule.
    pub warm_up: Option<f64>,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The same seed gives the same result, whatever the number of threads.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

/// A figure with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Whose figure: an action's or a local state's.
    pub name: String,
    /// The mean over the replications.
    pub mean: f64,
    /// Half of the interval's width.
    pub half: f64,
}

/// What a simulation gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// How often each action happens.
    pub throughput: Vec<Estimate>,
    /// How many components are in each local state.
    pub population: Vec<Estimate>,
    /// What was left out at the beginning, in the model's time.
    pub warm_up: f64,
    /// Activities performed in all.
    pub events: u64,
    /// Replications that ended in a state in which nothing can happen.
    pub deadlocks: usize,
}

/// Bins that a replication's time is cut into.
const BINS: usize = 400;

/// Simulates a system from its initial state. `stop` ends it early. Cost: each activity evaluates the rates of its
/// state's activities, a tenth of a microsecond to a few, whatever the number of copies in arrays.
///
/// # Errors
/// That the model means nothing in a state.
pub fn simulate(
    system: &System,
    how: &Simulation,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Simulated, SpaceError> {
    let engine = Engine::of(system);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<Result<Bins, SpaceError>>>> = Mutex::new(vec![None; how.replications]);
    std::thread::scope(|scope| {
        for _ in 0..how.threads.clamp(1, how.replications.max(1)) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= how.replications || stop() {
                        return;
                    }
                    let bins = run(&engine, Random::stream(how.seed, at as u64), how.time, BINS, stop);
                    done.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(bins);
                }
            });
        }
    });
    let mut all = Vec::with_capacity(how.replications);
    for one in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        all.push(one.ok_or(SpaceError::Stopped)??);
    }
    if stop() {
        return Err(SpaceError::Stopped);
    }
    Ok(summary(&engine, how, &all))
}

fn summary(engine: &Engine<'_>, how: &Simulation, all: &[Bins]) -> Simulated {
    let width = how.time / BINS as f64;
    let skipped = match how.warm_up {
        Some(time) => ((time / width).ceil() as usize).min(BINS - 1),
        None => warm_up(all),
    };
    let kept = (BINS - skipped) as f64 * width;
    let t = student_quantile(how.confidence, all.len().saturating_sub(1));
    let estimate = |name: &str, value: &dyn Fn(&Bins) -> f64| {
        let values: Vec<f64> = all.iter().map(value).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Estimate { name: name.to_string(), mean, half: t * (variance / n).sqrt() }
    };
    let total =
        |of: &Vec<f64>, at: usize, width: usize| -> f64 { (skipped..BINS).map(|b| of[b * width + at]).sum() };
    let actions = engine.actions();
    let mut throughput = Vec::new();
    for (at, name) in actions.iter().enumerate() {
        let mut seen = estimate(name, &|b| total(&b.events, at, actions.len()) / kept);
        if seen.mean == 0.0 {
            // Of what never happened nothing says how much it varies, but that as rare a thing as this would
            // have happened with that confidence (the "rule of three").
            seen.half = -(1.0 - how.confidence).ln() / (kept * all.len() as f64);
        }
        throughput.push(seen);
    }
    let mut population = Vec::new();
    for (at, name) in engine.labels().iter().enumerate() {
        population.push(estimate(name, &|b| total(&b.numbers, at, engine.labels().len()) / kept));
    }
    Simulated {
        throughput,
        population,
        warm_up: skipped as f64 * width,
        events: all.iter().map(|b| b.total).sum(),
        deadlocks: all.iter().filter(|b| b.stuck).count(),
    }
}

/// How many bins to leave out: for each figure those after which the mean of the rest is known best, at most half
/// of all; the most of any figure.
fn warm_up(all: &[Bins]) -> usize {
    let picks: [fn(&Bins) -> &[f64]; 2] = [|b| &b.events, |b| &b.numbers];
    let mut most = 0;
    for pick in picks {
        let width = all.first().map_or(0, |b| pick(b).len() / BINS);
        for at in 0..width {
            let series: Vec<f64> =
                (0..BINS).map(|bin| all.iter().map(|b| pick(b)[bin * width + at]).sum()).collect();
            most = most.max(best_cut(&series));
        }
    }
    most
}

/// White's rule.
fn best_cut(series: &[f64]) -> usize {
    let n = series.len();
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for at in (0..n).rev() {
        sum += series[at];
        squares += series[at] * series[at];
        let count = (n - at) as f64;
        let spread = (squares - sum * sum / count).max(0.0) / (count * count);
        // Of equally good ones the earliest.
        if at <= n / 2 && spread <= best.0 {
            best = (spread, at);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::best_cut;

    #[test]
    fn what_has_not_settled_is_cut() {
        let series: Vec<f64> =
            (0..100).map(|i| if i < 20 { 50.0 - f64::from(i) } else { 10.0 + f64::from(i % 3) }).collect();
        assert!((18..=26).contains(&best_cut(&series)), "{}", best_cut(&series));
        assert_eq!(best_cut(&[1.0; 50]), 0);
    }
}
