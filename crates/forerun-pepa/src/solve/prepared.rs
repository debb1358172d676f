//! A chain as it is solved best: its states in another order than they were found in, and where to start.

use super::order::order;
use super::start::walk;
use super::{Solving, band};
use crate::chain::{CODES, Chain, Listed};
use crate::space::Space;

/// Where at most this share of what happens leads backward, no other way to sweep is tried.
const BACKWARD: f64 = 0.3;

/// What helps an iteration.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Where to start.
    pub(super) start: Option<Vec<f64>>,
    /// Whether most of what happens leads from a state to a later one.
    pub(super) forward: bool,
}

/// A chain and what is known of it.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) chain: Chain,
    pub(super) known: Known,
    /// The states in the order of the chain; none if that is their own.
    pub(super) order: Option<Vec<u32>>,
    /// The first state's place in the chain.
    pub(super) first: usize,
}

impl Prepared {
    /// Makes the chain of `n` states, each of which is one of the space, whose states have numbers among those. Cost: a short walk, and some
    /// passes over transitions.
    pub(super) fn of(
        space: &Space,
        n: usize,
        state: impl Fn(usize) -> usize,
        number: impl Fn(u32) -> u32,
        how: &Solving,
    ) -> Prepared {
        let transitions = |at: usize, each: &mut dyn FnMut(u32, f64)| {
            space.from(state(at)).for_each(|step| each(number(step.to), step.rate));
        };
        let as_it_is =
            |known| Prepared { chain: chain(space, n, &state, &number), known, order: None, first: 0 };
        if n <= how.direct || (how.direct > 0 && band::width(n, &transitions).is_some()) {
            return as_it_is(Known::default());
        }
        let Some(walk) = walk(n, &transitions) else { return as_it_is(Known::default()) };
        let Some((order, backward)) = order(space, &state, n, &walk.steps) else {
            return as_it_is(Known { start: Some(walk.x), forward: false });
        };
        let mut place = vec![0u32; n];
        order.iter().enumerate().for_each(|(at, state)| place[*state as usize] = at as u32);
        let chain = chain(space, n, &|at| state(order[at] as usize), &|to| place[number(to) as usize]);
        let start = Some(order.iter().map(|s| walk.x[*s as usize]).collect());
        let first = place[0] as usize;
        Prepared { chain, known: Known { start, forward: backward <= BACKWARD }, order: Some(order), first }
    }
}

/// A chain of `n` states, in little memory if that is possible.
fn chain(space: &Space, n: usize, state: &impl Fn(usize) -> usize, number: &impl Fn(u32) -> u32) -> Chain {
    let labels = space.labels();
    if labels.len() <= CODES {
        let values: Vec<f64> = labels.iter().map(|(_, rate)| *rate).collect();
        let steps = |at| space.labelled(state(at)).map(|(to, label)| (number(to), label as u16));
        if let Some(chain) = Chain::coded(n, &values, &Listed(steps)) {
            return chain;
        }
    }
    let steps = |at| space.from(state(at)).map(|step| (number(step.to), step.rate));
    Chain::plain(n, &Listed(steps))
}

/// Values in the order of a chain, put in that of the states.
pub(super) fn restored(order: &Option<Vec<u32>>, x: Vec<f64>) -> Vec<f64> {
    let Some(order) = order else { return x };
    let mut all = vec![0.0; x.len()];
    order.iter().zip(x).for_each(|(state, value)| all[*state as usize] = value);
    all
}
