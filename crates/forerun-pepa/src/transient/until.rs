//! How long it takes on average until something happens.

use crate::chain::Chain;
use crate::model::System;
use crate::solve::{SolveError, Solving, irreducible};
use crate::space::Space;

use super::passage::{begin, number};
use super::{PassageError, Targets};

/// The mean of a passage, and its deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Until {
    /// The mean.
    pub mean: f64,
    /// The standard deviation; none where states come again before the passage ends and it is so small a part of the
    /// mean that the error of solving hides it.
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

/// A variance below this share of the mean's square is not told where it follows from long runs, whose measures are
/// known to 10⁻⁶.
const TOLD: f64 = 1e-4;

/// The mean time from an action (as it happens in the long run, whose distribution is `steady`) or from the beginning until
/// another one happens first, whoever performs it, and its deviation.
///
/// A state s that is left at rate E, for state t at rate r, takes `m(s) = (1 + Σ r m(t)) / E`, with 0 for what the
/// action leads to. Where no state comes again before, as in a job that goes on and on, each follows from those
/// after it, without a subtraction, and so does the second moment. Otherwise the time spent in each state follows from the long
/// run of the system that begins again after it; the mean is their sum. The second moment is twice the mean times the mean of the
/// passage that begins in each state in proportion to that time (the rest of a passage that is looked at in its midst).
///
/// Cost: one pass over the transitions, or what two long runs take.
///
/// # Errors
/// An action that there is not, that may never happen, or a long run that was not found.
pub fn until(
    system: &System,
    space: &Space,
    steady: Option<&[f64]>,
    targets: &Targets,
    stop: &dyn Fn() -> bool,
) -> Result<Until, UntilError> {
    let to = number(system, &targets.to).map_err(UntilError::Passage)?;
    let start = begin(system, space, steady, targets, space.states()).map_err(UntilError::Passage)?;
    let steps = |state: usize| space.from(state).filter(move |s| s.to as usize != state || s.action == to);
    let ended = |step: &crate::space::Transition| step.action == to;
    let Order { order, comes_again } = order(space, &start, to);
    if !(0..space.states()).any(|s| space.from(s).any(|step| ended(&step))) {
        return Err(UntilError::Passage(PassageError::Never(targets.to.clone())));
    }
    if let Some(stuck) = order.iter().find(|s| steps(**s as usize).next().is_none()) {
        return Err(UntilError::Maybe(space.describe(system, *stuck as usize)));
    }
    if comes_again {
        return Again { system, space, to, order }.until(&start, stop);
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
    let over = |of: fn(&(f64, f64)) -> f64| start.iter().zip(&moments).map(|(p, m)| p * of(m)).sum::<f64>();
    let (mean, square) = (over(|m| m.0), over(|m| m.1));
    Ok(Until { mean, deviation: Some((square - mean * mean).max(0.0).sqrt()) })
}

/// The states that are reached before an action, each after all that it leads to.
struct Order {
    order: Vec<u32>,
    /// Whether a state comes again, so that there is no such order.
    comes_again: bool,
}

/// By a search in depth, without recursion.
fn order(space: &Space, start: &[f64], to: u32) -> Order {
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
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for begin in (0..space.states()).filter(|s| start[*s] > 0.0) {
        if seen[begin] == Seen::Not {
            seen[begin] = Seen::Open;
            stack.push((begin as u32, 0));
        }
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
    }
    all
}

/// A passage in which states come again: the system begins again when the action has happened, after a state of its own.
struct Again<'a> {
    system: &'a System,
    space: &'a Space,
    to: u32,
    /// The states that are reached before the action.
    order: Vec<u32>,
}

impl Again<'_> {
    fn until(&self, start: &[f64], stop: &dyn Fn() -> bool) -> Result<Until, UntilError> {
        let spent = self.spent(start, stop)?;
        let mean: f64 = spent.iter().sum();
        let shares: Vec<f64> = spent.iter().map(|t| t / mean).collect();
        let rest: f64 = self.spent(&shares, stop)?.iter().sum();
        let variance = mean * (2.0 * rest - mean);
        let deviation = (variance > TOLD * mean * mean).then(|| variance.sqrt());
        Ok(Until { mean, deviation })
    }

    /// The mean time that is spent in each state of the space before the action, if it begins so.
    fn spent(&self, start: &[f64], stop: &dyn Fn() -> bool) -> Result<Vec<f64>, UntilError> {
        let Again { system, space, to, ref order } = *self;
        let mut place = vec![u32::MAX; space.states()];
        // Those in which it begins first, after the one between two passages.
        order.iter().rev().enumerate().for_each(|(at, state)| place[*state as usize] = at as u32 + 1);
        let state_of = |at: usize| order[order.len() - at] as usize;
        // The state between two passages is left about as fast as those in which they begin.
        let exit = |state: &u32| space.from(*state as usize).map(|s| s.rate).sum::<f64>();
        let rate: f64 = order.iter().map(|s| start[*s as usize] * exit(s)).sum();
        let chain = Chain::build(order.len() + 1, |at, each| match at {
            0 => order.iter().filter(|s| start[**s as usize] > 0.0).for_each(|state| {
                each(place[*state as usize], rate * start[*state as usize]);
            }),
            _ => space.from(state_of(at)).for_each(|step| {
                each(if step.action == to { 0 } else { place[step.to as usize] }, step.rate);
            }),
        });
        if !chain.returns() {
            let mut leads = vec![false; chain.states()];
            let mut stack = vec![0u32];
            while let Some(at) = stack.pop() {
                if !std::mem::replace(&mut leads[at as usize], true) {
                    stack.extend(chain.entering(at as usize).map(|(from, _)| from));
                }
            }
            let lost = leads.iter().position(|leads| !leads).unwrap_or(1);
            return Err(UntilError::Maybe(space.describe(system, state_of(lost))));
        }
        let mean = |x: &[f64]| vec![x[1..].iter().sum::<f64>() / (x[0] * rate)];
        let solution = irreducible(&chain, &Solving::default(), &mean, stop).map_err(UntilError::Solve)?;
        let x = solution.x;
        if x[0].is_nan() || x[0] <= 0.0 {
            return Err(UntilError::Maybe(space.describe(system, state_of(order.len()))));
        }
        let mut spent = vec![0.0; space.states()];
        order.iter().for_each(|s| spent[*s as usize] = x[place[*s as usize] as usize] / (x[0] * rate));
        Ok(spent)
    }
}
