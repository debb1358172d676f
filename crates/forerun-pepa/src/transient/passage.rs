//! How long it takes until something happens.

use std::fmt;

use super::poisson::poisson;
use super::uniform::{TooLong, event_rate, step};
use crate::chain::Chain;
use crate::model::System;
use crate::space::Space;

/// Most events that are expected until the last of the times: of each, 8 bytes are kept.
const MOST_EVENTS: f64 = 1e8;

/// What begins and what ends a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Targets {
    /// An action that begins it; none: it begins at time 0 in the initial state.
    pub from: Option<String>,
    /// An action that ends it.
    pub to: String,
}

/// A distribution of times.
#[derive(Debug, Clone)]
pub struct Passage {
    /// The times.
    pub times: Vec<f64>,
    /// The probability that it has ended by then.
    pub distribution: Vec<f64>,
    /// How the probability grows: its derivative.
    pub density: Vec<f64>,
    /// The times that given shares of all passages take at most; none for those that are not reached by the last of
    /// the times.
    pub quantiles: Vec<(f64, Option<f64>)>,
    /// The probability that it has not ended by the last of the times.
    pub open: f64,
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum PassageError {
    /// There is no such action.
    Unknown(String),
    /// The action happens in no state, or in none that comes again and again.
    Never(String),
    /// More happens until the last of the times than can be followed.
    TooLong(TooLong),
}

impl fmt::Display for PassageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PassageError::Unknown(action) => write!(f, "the model has no action `{action}`"),
            PassageError::Never(action) => {
                write!(f, "`{action}` never happens in the long run")
            }
            PassageError::TooLong(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for PassageError {}

/// The time from an action (as it happens in the long run, whose distribution is `steady`) or from the beginning until
/// another one, by uniformisation of the chain that ends there. A passage ends with the
/// first occurrence of the action, whoever performs it. Cost: passes over the chain, about as many as the fastest
/// state is left until the last time.
///
/// # Errors
/// An action that there is not; more events than can be followed.
pub fn passage(
    system: &System,
    space: &Space,
    steady: Option<&[f64]>,
    targets: &Targets,
    times: &[f64],
    shares: &[f64],
    stop: &dyn Fn() -> bool,
) -> Result<Passage, PassageError> {
    let to = number(system, &targets.to)?;
    let states = space.states();
    let end = states as u32;
    // Whatever the action led to is now the end, one more state.
    let chain = Chain::build(states + 1, |state, each| {
        if state < states {
            space.from(state).for_each(|s| each(if s.action == to { end } else { s.to }, s.rate));
        }
    });
    if chain.entering(states).next().is_none() {
        return Err(PassageError::Never(targets.to.clone()));
    }
    let start = begin(system, space, steady, targets, states)?;
    let rate = event_rate(&chain, times, MOST_EVENTS).map_err(PassageError::TooLong)?;
    let last = times.iter().fold(0.0f64, |a, b| a.max(*b));
    let events = {
        let p = poisson(rate * last, 1e-12);
        p.first + p.weights.len()
    };
    // By number of events: the probability of having ended.
    let mut ended = Vec::new();
    let (mut x, mut next) = (start, Vec::new());
    ended.push(x[states]);
    while ended.len() <= events && !stop() {
        if 1.0 - x[states] < 1e-15 {
            break;
        }
        step(&chain, rate, &x, &mut next);
        std::mem::swap(&mut x, &mut next);
        ended.push(x[states].min(1.0));
    }
    let at = |k: usize| ended.get(k).or(ended.last()).copied().unwrap_or(0.0);
    let value = |time: f64| {
        let p = poisson(rate * time, 1e-13);
        // By what is still open, which becomes small: sums of what has ended would round at 1 and fall.
        1.0 - p.weights.iter().enumerate().map(|(i, w)| w * (1.0 - at(p.first + i))).sum::<f64>()
    };
    let slope = |time: f64| {
        let p = poisson(rate * time, 1e-13);
        let sum: f64 =
            p.weights.iter().enumerate().map(|(i, w)| w * (at(p.first + i + 1) - at(p.first + i))).sum();
        sum * rate
    };
    let quantiles = shares.iter().map(|share| (*share, quantile(*share, last, &value))).collect();
    Ok(Passage {
        distribution: times.iter().map(|t| value(*t)).collect(),
        density: times.iter().map(|t| slope(*t)).collect(),
        open: 1.0 - value(last),
        times: times.to_vec(),
        quantiles,
    })
}

pub(super) fn number(system: &System, name: &str) -> Result<u32, PassageError> {
    let at = system.actions.iter().position(|a| a == name);
    at.map(|a| a as u32).ok_or_else(|| PassageError::Unknown(name.to_string()))
}

/// Where the chain is when the passage begins: one more than there are states, the last of which is the end.
pub(super) fn begin(
    system: &System,
    space: &Space,
    steady: Option<&[f64]>,
    targets: &Targets,
    states: usize,
) -> Result<Vec<f64>, PassageError> {
    let mut x = vec![0.0; states + 1];
    let Some((name, steady)) = targets.from.as_ref().zip(steady) else {
        x[0] = 1.0;
        return Ok(x);
    };
    let from = number(system, name)?;
    for (state, p) in steady.iter().enumerate() {
        for step in space.from(state).filter(|s| s.action == from) {
            x[step.to as usize] += p * step.rate;
        }
    }
    let sum: f64 = x.iter().sum();
    if sum <= 0.0 {
        return Err(PassageError::Never(name.clone()));
    }
    x.iter_mut().for_each(|p| *p /= sum);
    Ok(x)
}

/// The time by which the distribution reaches a share, by bisection.
fn quantile(share: f64, last: f64, value: &dyn Fn(f64) -> f64) -> Option<f64> {
    let (mut low, mut high) = (0.0, last);
    if value(high) < share {
        return None;
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if value(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= 1e-9 * high {
            break;
        }
    }
    Some(high)
}
