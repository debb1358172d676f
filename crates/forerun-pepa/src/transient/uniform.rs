//! Where a chain is at given times, by uniformisation.

use super::poisson::poisson;
use crate::chain::Chain;

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
    next.clear();
    next.extend((0..chain.states()).map(|s| {
        let stays = 1.0 - chain.exits[s] / rate;
        x[s] * stays + chain.inflow(s, x) / rate
    }));
}

/// The rate of a uniformised chain's events.
pub(super) fn event_rate(chain: &Chain) -> f64 {
    chain.exits.iter().fold(0.0f64, |a, b| a.max(*b)).max(f64::MIN_POSITIVE) * 1.02
}

/// Calls back with the distribution at each of the times, which must ascend. What is left out has a probability below
/// `epsilon` in all. `stop` ends it early. Cost: passes over the chain, about as many as the fastest state is left
/// until the last time; fewer if the chain has settled before.
pub fn transient(
    chain: &Chain,
    start: &Start,
    times: &[f64],
    epsilon: f64,
    stop: &dyn Fn() -> bool,
    each: &mut dyn FnMut(f64, &[f64]),
) {
    let rate = event_rate(chain);
    let share = epsilon / times.len().max(1) as f64;
    let mut x = start.distribution(chain.states());
    let mut now = 0.0;
    let mut next = Vec::new();
    for time in times {
        let mean = rate * (time - now).max(0.0);
        let weights = poisson(mean, share);
        let mut sum = vec![0.0; x.len()];
        let mut settled = false;
        let last = weights.first + weights.weights.len() - 1;
        for event in 0..=last {
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
                continue;
            }
            step(chain, rate, &x, &mut next);
            if event % 16 == 15 {
                let moved: f64 = x.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
                // What it can still move until the end is below what may be left out.
                settled = moved * (last - event) as f64 <= share * 1e-2;
            }
            std::mem::swap(&mut x, &mut next);
        }
        x = sum;
        now = *time;
        each(*time, &x);
    }
}
