//! Where a chain is at given times, by uniformisation.

use std::fmt;

use super::poisson::poisson;
use crate::chain::Chain;
use crate::parallel::fill;
use crate::space::Space;

/// Most events that are expected of a uniformised chain: as many passes over it, and beyond what rounding leaves sure.
const MOST_EVENTS: f64 = 1e10;
/// How much faster than the fastest state is left events come: so that every state may also stay as it is.
const FASTER: f64 = 1.02;
/// States that a thread looks at, at least.
const PART: usize = 1 << 15;

/// More would happen than can be followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooLong {
    /// At which the fastest state is left.
    pub rate: f64,
    /// Until when.
    pub until: f64,
    /// Events that can be followed.
    pub most: f64,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLong { rate, until, most } = self;
        write!(
            f,
            "the fastest state is left at rate {rate:e}, so that {:e} events are expected until time {until}: at most \
             {most:e} can be followed; end earlier, or make the fastest activities slower or part of others",
            rate * until
        )
    }
}

impl std::error::Error for TooLong {}

/// Where the chain begins.
#[derive(Debug, Clone)]
pub enum Start {
    /// In the first state.
    Initial,
    /// Spread over the states.
    Distribution(Vec<f64>),
}

impl Start {
    /// As probabilities.
    pub fn distribution(&self, states: usize) -> Vec<f64> {
        match self {
            Start::Initial => {
                let mut x = vec![0.0; states];
                x[0] = 1.0;
                x
            }
            Start::Distribution(x) => x.clone(),
        }
    }
}

/// One step of the uniformised chain: where it is after an event at rate `rate`, which is at least as fast as any
/// state is left.
pub(super) fn step(chain: &Chain, rate: f64, x: &[f64], next: &mut Vec<f64>) {
    next.resize(chain.states(), 0.0);
    fill(next, PART, |first, next| {
        for (s, next) in (first..).zip(next) {
            let stays = 1.0 - chain.exits[s] / rate;
            *next = x[s] * stays + chain.inflow(s, x) / rate;
        }
    });
}

/// How far two distributions are from each other: the sum over the states.
fn moved(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b).abs()).sum()
}

/// The rate of a uniformised chain's events, if those until the last of the times are at most `most`.
pub(super) fn event_rate(chain: &Chain, times: &[f64], most: f64) -> Result<f64, TooLong> {
    let rate = chain.exits.iter().fold(0.0f64, |a, b| a.max(*b)).max(f64::MIN_POSITIVE) * FASTER;
    let until = times.iter().fold(0.0f64, |a, b| a.max(*b));
    if rate * until <= most { Ok(rate) } else { Err(TooLong { rate: rate / FASTER, until, most }) }
}

/// About how many events of its uniformised chain are followed until a time: fewer if it has settled before. `stop` of
/// [`transient`] and [`passage`](super::passage()) is asked after each, so that progress may be shown. Cost: a pass over the transitions.
pub fn events(space: &Space, until: f64) -> f64 {
    let exit =
        |state: usize| -> f64 { space.from(state).filter(|s| s.to as usize != state).map(|s| s.rate).sum() };
    (0..space.states()).map(exit).fold(0.0, f64::max) * FASTER * until
}

/// Calls back with the distribution at each of the times, which must ascend. What is left out has a probability below
/// `epsilon` in all. `stop`, which is asked after every event, ends it early. Cost: passes over the chain, about as many as the fastest state is left
/// until the last time; fewer if the chain has settled before.
///
/// # Errors
/// More events than can be followed; nothing is called back then.
pub fn transient(
    chain: &Chain,
    start: &Start,
    times: &[f64],
    epsilon: f64,
    stop: &dyn Fn() -> bool,
    each: &mut dyn FnMut(f64, &[f64]),
) -> Result<(), TooLong> {
    let rate = event_rate(chain, times, MOST_EVENTS)?;
    let share = epsilon / times.len().max(1) as f64;
    let mut x = start.distribution(chain.states());
    let mut now = 0.0;
    let (mut next, mut before) = (Vec::new(), Vec::new());
    for time in times {
        let mean = rate * (time - now).max(0.0);
        let weights = poisson(mean, share);
        let mut sum = vec![0.0; x.len()];
        let mut settled = false;
        let last = weights.first + weights.weights.len() - 1;
        let mut event = 0;
        loop {
            if event >= weights.first {
                // Once nothing changes, the rest of the weights belongs to where it is.
                let rest = &weights.weights[event - weights.first..];
                let weight: f64 = if settled { rest.iter().sum() } else { rest[0] };
                sum.iter_mut().zip(&x).for_each(|(s, p)| *s += weight * p);
            }
            if settled && event >= weights.first || event == last || stop() {
                break;
            }
            if settled {
                event = weights.first;
                continue;
            }
            step(chain, rate, &x, &mut next);
            // No step moves more than the one before it, no stretch of steps more than one before it as long: what it
            // can still move until the end is below what may be left out. (Stretches also tell it
            // where each step is as small as rounding.)
            let left_out = share * 1e-2;
            if event % 16 == 15 {
                settled = moved(&x, &next) * (last - event) as f64 <= left_out;
            }
            if event >= 16 && event.is_power_of_two() {
                let stretches = ((last - event) as f64 / (event / 2) as f64).ceil();
                settled |= event > 16 && moved(&x, &before) * stretches <= left_out;
                before.clone_from(&x);
            }
            std::mem::swap(&mut x, &mut next);
            event += 1;
        }
        x = sum;
        now = *time;
        each(*time, &x);
    }
    Ok(())
}
