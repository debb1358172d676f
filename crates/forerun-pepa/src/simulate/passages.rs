//! How long it takes until something has happened so many times, by simulation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use forerun_platform::random::Random;
use forerun_platform::statistics::student_quantile;

use super::run::PATIENCE;
use crate::model::System;
use crate::space::{Engine, SpaceError};

/// How to sample passages.
#[derive(Debug, Clone)]
pub struct Sampling {
    /// Occurrences at whose last the clock starts; 0: in the initial state.
    pub from: u64,
    /// Occurrences, more than that, at whose last it stops.
    pub to: u64,
    /// Replications are added until the interval of the mean is at most this share of it.
    pub precision: f64,
    /// The most replications, at least 2.
    pub replications: usize,
    /// Activities after which no further round of replications is begun.
    pub events: u64,
    /// The same seed gives the same result, whatever the number of threads.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

impl Default for Sampling {
    /// From the beginning to the first occurrence, to 1 % by at most 10,000 replications or about 2·10⁷ activities, which take some ten
    /// seconds.
    fn default() -> Self {
        Sampling {
            from: 0,
            to: 1,
            precision: 0.01,
            replications: 10_000,
            events: 20_000_000,
            seed: 1,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

/// Passages that were sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct Passages {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of one.
    pub deviation: f64,
    /// Half of the mean's 95 % interval.
    pub half: f64,
    /// How many were sampled.
    pub replications: usize,
    /// Activities performed in all.
    pub events: u64,
}

/// Replications of a round: whatever the number of threads, so that the same ones are done.
pub(crate) const ROUND: usize = 16;

/// Samples how long it takes from the initial state until actions of which `counts` holds (by their names) have happened so often. None
/// if a replication ends in a state in which nothing can happen. Cost: as [`simulate`](super::simulate) for each activity.
///
/// # Errors
/// That the model means nothing in a state, or it was stopped.
pub fn passages(
    system: &System,
    counts: &dyn Fn(&str) -> bool,
    how: &Sampling,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Passages>, SpaceError> {
    let engine = Engine::of(system);
    let counted: Vec<bool> = engine.actions().iter().map(|a| counts(a)).collect();
    let mut times: Vec<f64> = Vec::new();
    let mut events = 0;
    loop {
        let first = times.len();
        let count = ROUND.min(how.replications.max(2) - first);
        let done: Mutex<Vec<Option<Sampled>>> = Mutex::new(vec![None; count]);
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..how.threads.clamp(1, count) {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= count || stop() {
                            return;
                        }
                        let random = Random::stream(how.seed, (first + at) as u64);
                        let one = sample(&engine, &counted, random, how, stop);
                        done.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(one);
                    }
                });
            }
        });
        for one in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let Some((time, more)) = one.ok_or(SpaceError::Stopped)?? else { return Ok(None) };
            times.push(time);
            events += more;
        }
        let n = times.len() as f64;
        let mean = times.iter().sum::<f64>() / n;
        let variance = times.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let half = student_quantile(0.95, times.len() - 1) * (variance / n).sqrt();
        if half <= how.precision * mean || times.len() >= how.replications || events >= how.events {
            let replications = times.len();
            return Ok(Some(Passages { mean, deviation: variance.sqrt(), half, replications, events }));
        }
    }
}

/// A time and how many activities were performed; none where nothing can happen before it is over.
type Sampled = Result<Option<(f64, u64)>, SpaceError>;

fn sample(
    engine: &Engine<'_>,
    counted: &[bool],
    mut random: Random,
    how: &Sampling,
    stop: &(dyn Fn() -> bool + Sync),
) -> Sampled {
    let mut walker = engine.walker()?;
    let (mut now, mut begun, mut seen, mut events) = (0.0, 0.0, 0, 0u64);
    while seen < how.to {
        let rate = walker.look()?;
        if rate <= 0.0 {
            return Ok(None);
        }
        now += random.exponential(rate);
        let action = walker.go(random.unit() * rate);
        seen += u64::from(counted[action]);
        if seen == how.from && counted[action] {
            begun = now;
        }
        events += 1;
        if events.is_multiple_of(PATIENCE) && stop() {
            return Err(SpaceError::Stopped);
        }
    }
    Ok(Some((now - begun, events)))
}
