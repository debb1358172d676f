//! How long it takes on average until something happens.

use crate::chain::Chain;
use crate::model::System;
use crate::solve::{SolveError, Solving, irreducible};
use crate::space::Space;

use super::PassageError;
use super::passage::number;

/// The mean of a passage from the initial state, and its deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// The mean.
    pub mean: f64,
    /// The standard deviation; none where states come again before the passage ends.
    pub deviation: Option<f64>,
}

/// Why there is no mean.
#[derive(Debug, Clone, PartialEq)]
pub enum UntilError {
    /// There is no such action, or it never happens.
    Passage(PassageError),
    /// It may never happen: the system can come into a state from which nothing leads to it.
    Maybe(String),
    /// No answer was found that is good enough.
    Solve(SolveError),
}

impl std::fmt::Display for UntilError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UntilError::Passage(e) => e.fmt(f),
            UntilError::Maybe(state) => {
                write!(
                    f,
                    "it may never happen, and its mean time is infinite: nothing leads to it from state ({state})"
                )
            }
            UntilError::Solve(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for UntilError {}

/// The mean time from the initial state until an action happens first, whoever performs it.
///
/// A state s that is left at rate E, for state t at rate r, takes `m(s) = (1 + Σ r m(t)) / E`, with 0 for what the
/// action leads to. Where no state comes again before, as in a job that goes on and on, each follows from those
/// after it, without a subtraction, and so does the second moment. Otherwise it is one over how often the action happens in the long run of the
/// system that begins again after it.
///
/// Cost: one pass over the transitions, or what the long run takes.
///
/// # Errors
/// An action that there is not, that may never happen, or a long run that was not found.
pub fn until(
    system: &System,
    space: &Space,
    action: &str,
    stop: &dyn Fn() -> bool,
) -> Result<Until, UntilError> {
    let to = number(system, action).map_err(UntilError::Passage)?;
    let steps = |state: usize| space.from(state).filter(move |s| s.to as usize != state || s.action == to);
    let ended = |step: &crate::space::Transition| step.action == to;
    let Order { order, comes_again } = order(space, to);
    if !(0..space.states()).any(|s| space.from(s).any(|step| ended(&step))) {
        return Err(UntilError::Passage(PassageError::Never(action.into())));
    }
    if let Some(stuck) = order.iter().find(|s| steps(**s as usize).next().is_none()) {
        return Err(UntilError::Maybe(space.describe(system, *stuck as usize)));
    }
    if comes_again {
        return again(system, space, to, &order, stop);
    }
    let mut moments = vec![(0.0, 0.0); space.states()];
    // From the last on: what follows is known.
    for state in order {
        let (mut exit, mut first, mut second) = (0.0, 0.0, 0.0);
        for step in steps(state as usize) {
            exit += step.rate;
            if !ended(&step) {
                let (m1, m2) = moments[step.to as usize];
                first += step.rate * m1;
                second += step.rate * m2;
            }
        }
        let (mean, rest) = ((1.0 + first) / exit, first / exit);
        moments[state as usize] = (mean, second / exit + 2.0 / exit * (rest + 1.0 / exit));
    }
    let (mean, square) = moments[0];
    Ok(Until { mean, deviation: Some((square - mean * mean).max(0.0).sqrt()) })
}

/// The states that are reached before an action, each after all that it leads to.
struct Order {
    order: Vec<u32>,
    /// Whether a state comes again, so that there is no such order.
    comes_again: bool,
}

/// By a search in depth, without recursion.
fn order(space: &Space, to: u32) -> Order {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Done,
    }
    let mut seen = vec![Seen::Not; space.states()];
    let mut all = Order { order: Vec::new(), comes_again: false };
    let next = |state: u32, from: usize| {
        let mut steps = space.from(state as usize).enumerate().skip(from);
        steps.find(|(_, s)| s.action != to && s.to != state).map(|(at, s)| (at, s.to))
    };
    let mut stack = vec![(0u32, 0usize)];
    seen[0] = Seen::Open;
    while let Some((state, from)) = stack.pop() {
        let Some((at, target)) = next(state, from) else {
            seen[state as usize] = Seen::Done;
            all.order.push(state);
            continue;
        };
        stack.push((state, at + 1));
        match seen[target as usize] {
            Seen::Not => {
                seen[target as usize] = Seen::Open;
                stack.push((target, 0));
            }
            Seen::Open => all.comes_again = true,
            Seen::Done => {}
        }
    }
    all
}

/// The mean by the long run of the system that begins again when the action has happened.
fn again(
    system: &System,
    space: &Space,
    to: u32,
    order: &[u32],
    stop: &dyn Fn() -> bool,
) -> Result<Until, UntilError> {
    let mut place = vec![u32::MAX; space.states()];
    // The initial state, which is the last of the order, first.
    for (at, state) in order.iter().rev().enumerate() {
        place[*state as usize] = at as u32;
    }
    let state_of = |at: usize| order[order.len() - 1 - at] as usize;
    let begins = |at: usize| space.from(state_of(at)).filter(|s| s.action == to).map(|s| s.rate).sum::<f64>();
    let chain = Chain::build(order.len(), |at, each| {
        for step in space.from(state_of(at)) {
            each(if step.action == to { 0 } else { place[step.to as usize] }, step.rate);
        }
    });
    if !chain.returns() {
        let mut leads = vec![false; chain.states()];
        let mut stack = vec![0u32];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut leads[at as usize], true) {
                stack.extend(chain.entering(at as usize).map(|(from, _)| from));
            }
        }
        let lost = leads.iter().position(|leads| !leads).unwrap_or(0);
        return Err(UntilError::Maybe(space.describe(system, state_of(lost))));
    }
    let often = |x: &[f64]| vec![x.iter().enumerate().map(|(at, p)| p * begins(at)).sum::<f64>()];
    let solution = irreducible(&chain, &Solving::default(), &often, stop).map_err(UntilError::Solve)?;
    match often(&solution.x)[0] {
        rate if rate > 0.0 => Ok(Until { mean: 1.0 / rate, deviation: None }),
        _ => Err(UntilError::Maybe(space.describe(system, 0))),
    }
}
