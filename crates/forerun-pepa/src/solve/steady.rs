//! The long run of a model, whatever its chain is like.

use super::irreducible::solve;
use super::prepared::{Prepared, restored};
use super::{Confirmation, Solution, SolveError, Solving, irreducible};
use crate::chain::{Chain, Classes, classes};
use crate::measures::Measures;
use crate::model::System;
use crate::space::Space;

/// What the long run means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongRun {
    /// Every state leads to every other: the distribution is where the system is at a late time, wherever it began.
    Irreducible,
    /// Some states are left for ever; then the system stays among the rest, whatever happens.
    Transient {
        /// How many states are left for ever.
        transient: usize,
        /// Whether the rest is one state, in which nothing happens any more.
        absorbing: bool,
    },
    /// It depends on chance where the system stays in the end; the distribution is an average over that, from
    /// the initial state.
    Several {
        /// How many states are left for ever.
        transient: usize,
        /// How many sets of states there are in one of which it stays.
        closed: usize,
        /// How many of them are one state in which nothing happens any more.
        absorbing: usize,
    },
}

/// A model's long run.
#[derive(Debug, Clone)]
pub struct Steady {
    /// The probability of each state of the space.
    pub x: Vec<f64>,
    /// The largest |πQ| over the largest flow.
    pub residual: f64,
    /// How it was found.
    pub solver: String,
    /// How it was confirmed.
    pub confirmation: Confirmation,
    /// What it means.
    pub long_run: LongRun,
    /// Where there are several sets of states to stay in: the probability of each, with one of its states.
    pub ends: Vec<(u32, f64)>,
}

/// Finds the long-run distribution over the states of a space. Cost: see [`irreducible()`]; equal
/// components are exchanged first where that makes the chain smaller, which is exact.
///
/// # Errors
/// That no answer was found that is good enough.
pub fn steady(
    system: &System,
    space: &Space,
    how: &Solving,
    stop: &dyn Fn() -> bool,
) -> Result<Steady, SolveError> {
    if how.orbits && space.states() > how.direct {
        let orbits = space.orbits().filter(|(of, members)| members.len() * 2 <= of.len());
        if let Some(found) = orbits.and_then(|orbits| exchanged(system, space, &orbits, how, stop)) {
            return found;
        }
    }
    let Prepared { chain, known, order, first } =
        Prepared::of(space, space.states(), |state| state, |state| state, how);
    if !chain.returns_to(first) {
        drop(chain);
        return reducible(space, &Chain::of(space), how, stop);
    }
    let values = |x: &[f64]| Measures::of(system, space, &restored(&order, x.to_vec())).values();
    let Solution { x, residual, solver, confirmation } = solve(&chain, known, how, &values, stop)?;
    let x = restored(&order, x);
    Ok(Steady { x, residual, solver, confirmation, long_run: LongRun::Irreducible, ends: Vec::new() })
}

/// Solves the chain of classes of states that exchanging equal components leads to each other, each state's class
/// and a member of each being given. None if the chain of all states may not be irreducible: where
/// the initial state is alone in its class, and every class leads back to it, every state leads back to it.
fn exchanged(
    system: &System,
    space: &Space,
    (of, members): &(Vec<u32>, Vec<u32>),
    how: &Solving,
    stop: &dyn Fn() -> bool,
) -> Option<Result<Steady, SolveError>> {
    let mut sizes = vec![0.0; members.len()];
    of.iter().for_each(|class| sizes[*class as usize] += 1.0);
    if sizes[0] > 1.0 {
        return None;
    }
    let member = |class: usize| members[class] as usize;
    let Prepared { chain, known, order, first } =
        Prepared::of(space, members.len(), member, |state| of[state as usize], how);
    if !chain.returns_to(first) {
        return None;
    }
    // Exchanged components do the same things and are counted together: one member tells for all.
    let by_class = |y: &[f64]| {
        let y = restored(&order, y.to_vec());
        Measures::weigh(system, space, y.len(), |class| (member(class), y[class])).values()
    };
    let Solution { x: y, residual, solver, confirmation } = match solve(&chain, known, how, &by_class, stop) {
        Ok(solution) => solution,
        Err(e) => return Some(Err(e)),
    };
    let solver = format!("{solver} on {} classes of exchanged components", members.len());
    // Each member has its part of its class's probability, and of what is wrong with it.
    let in_order = |class: usize| order.as_ref().map_or(class, |order| order[class] as usize);
    let spread = chain.residual_spread(&y, |at| sizes[in_order(at)]);
    let y = restored(&order, y);
    // What rounding adds when a distribution is spread over the members is not held against it.
    if spread.is_nan() || spread > how.tolerance.max(1e-12) {
        let (residual, tolerance) = (spread.max(residual), how.tolerance);
        return Some(Err(SolveError::NotConverged { residual, tolerance, solver }));
    }
    let x = of.iter().map(|class| y[*class as usize] / sizes[*class as usize]).collect();
    let long_run = LongRun::Irreducible;
    Some(Ok(Steady { x, residual: spread, solver, confirmation, long_run, ends: Vec::new() }))
}

/// A chain that has states which are left for ever.
fn reducible(
    space: &Space,
    chain: &Chain,
    how: &Solving,
    stop: &dyn Fn() -> bool,
) -> Result<Steady, SolveError> {
    let Classes { closed, transient } = classes(space);
    let shares = absorption(space, &closed, how, stop)?;
    let mut x = vec![0.0; chain.states()];
    let mut solver = String::new();
    let mut confirmation = Confirmation::Exact;
    let mut largest = 0;
    for (members, share) in closed.iter().zip(&shares) {
        let solution = irreducible(&chain.restricted(members), how, &probabilities, stop)?;
        for (member, p) in members.iter().zip(&solution.x) {
            x[*member as usize] = p * share;
        }
        if members.len() > largest {
            largest = members.len();
            solver = solution.solver;
        }
        if let (Confirmation::Moved(m), before) = (solution.confirmation, confirmation) {
            confirmation =
                Confirmation::Moved(if let Confirmation::Moved(b) = before { b.max(m) } else { m });
        }
    }
    let residual = chain.residual(&x);
    if residual.is_nan() || residual > how.tolerance.max(1e-12) {
        return Err(SolveError::NotConverged { residual, tolerance: how.tolerance, solver });
    }
    let stuck = closed.iter().filter(|c| space.from(c[0] as usize).next().is_none()).count();
    let long_run = match closed.len() {
        1 => LongRun::Transient { transient, absorbing: stuck == 1 },
        several => LongRun::Several { transient, closed: several, absorbing: stuck },
    };
    let ends = match closed.len() {
        1 => Vec::new(),
        _ => closed.iter().map(|c| c[0]).zip(shares).collect(),
    };
    Ok(Steady { x, residual, solver, confirmation, long_run, ends })
}

fn probabilities(x: &[f64]) -> Vec<f64> {
    x.to_vec()
}

/// The probability that the chain, from its first state on, ends in each of the closed sets: the long run of the
/// chain in which each set is one state that leads back to the beginning at the same rate.
fn absorption(
    space: &Space,
    closed: &[Vec<u32>],
    how: &Solving,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<f64>, SolveError> {
    if closed.len() == 1 {
        return Ok(vec![1.0]);
    }
    const OPEN: u32 = u32::MAX;
    let mut place = vec![OPEN; space.states()];
    for (class, members) in closed.iter().enumerate() {
        members.iter().for_each(|m| place[*m as usize] = class as u32);
    }
    let mut open = Vec::new();
    for (state, place) in place.iter_mut().enumerate().filter(|(_, p)| **p == OPEN) {
        *place = (closed.len() + open.len()) as u32;
        open.push(state);
    }
    let begin = place[0];
    let chain =
        Chain::build(closed.len() + open.len(), |state, each| match state.checked_sub(closed.len()) {
            None => each(begin, 1.0),
            Some(at) => space.from(open[at]).for_each(|step| each(place[step.to as usize], step.rate)),
        });
    let ends = |x: &[f64]| x[..closed.len()].to_vec();
    let solution = irreducible(&chain, how, &ends, stop)?;
    let sum: f64 = solution.x[..closed.len()].iter().sum();
    Ok(solution.x[..closed.len()].iter().map(|p| p / sum).collect())
}
