//! A cycle that corrects by factors.
//!
//! Aggregates are made for the distribution as it is, the chain of aggregates is solved the same way, and each
//! state's probability is multiplied by what its aggregate's should be over what it is (Takahashi's aggregation and
//! disaggregation on many levels: Horton and Leutenegger, SIGMETRICS 1994). It never subtracts, so it stays a
//! distribution; it is good where groups of states hardly lead to each other, which is where sweeps are not.

use super::aggregate::{coarsen, groups, pairs};
use super::{COARSEST, LEVELS};
use crate::chain::Chain;
use crate::solve::{direct, sweep};

/// States that are put together at once.
const GROUP: u32 = 16;
/// Sweeps before and after, to and fro.
const SMOOTH: usize = 2;

/// One cycle on `x`, which must be positive. Cost: some twenty passes over the chain.
pub(crate) fn cycle(chain: &Chain, x: &mut [f64]) {
    lift(x);
    level(chain, x, 0);
}

/// The same where sweeps have been done, and others follow: nothing but what levels below the chain do, each of which is visited once. Cost:
/// some five passes over the chain.
pub(crate) fn shares(chain: &Chain, x: &mut [f64]) {
    lift(x);
    let (of, count) = groups(chain, x, GROUP);
    let coarse = coarsen(chain, x, &of, count, false);
    let factors = once(&coarse, 1);
    x.iter_mut().zip(&of).for_each(|(p, of)| *p *= factors[*of as usize]);
}

fn once(chain: &Chain, depth: usize) -> Vec<f64> {
    let mut x = vec![1.0; chain.states()];
    if chain.states() <= COARSEST {
        level(chain, &mut x, depth);
        return x;
    }
    let (of, count) = groups(chain, &[], GROUP);
    if depth < LEVELS && count * 10 <= chain.states() * 9 {
        let factors = once(&coarsen(chain, &[], &of, count, false), depth + 1);
        x.iter_mut().zip(&of).for_each(|(p, of)| *p *= factors[*of as usize]);
    }
    smooth(chain, &mut x);
    x
}

/// Nothing underflows in products of probabilities and rates.
fn lift(x: &mut [f64]) {
    let least = x.iter().fold(0.0f64, |a, b| a.max(*b)) * 1e-100;
    x.iter_mut().for_each(|p| *p = p.max(least));
}

fn level(chain: &Chain, x: &mut [f64], depth: usize) {
    if chain.states() <= COARSEST {
        let exact = direct::eliminate(chain);
        if exact.iter().all(|p| p.is_finite() && *p > 0.0) {
            x.copy_from_slice(&exact);
        }
        return;
    }
    smooth(chain, x);
    if depth >= LEVELS {
        return;
    }
    let (first, count) = pairs(chain, x);
    let middle = coarsen(chain, x, &first, count, true);
    let (second, count) = pairs(&middle, &[]);
    let coarse = coarsen(&middle, &[], &second, count, true);
    if coarse.states() * 10 > chain.states() * 9 {
        return;
    }
    let mut factors = vec![1.0; coarse.states()];
    level(&coarse, &mut factors, depth + 1);
    // Twice as often at each level is no more work where levels are less than half as large.
    if depth > 0 && coarse.entries() * 2 <= chain.entries() {
        level(&coarse, &mut factors, depth + 1);
    }
    for (p, of) in x.iter_mut().zip(&first) {
        *p *= factors[second[*of as usize] as usize];
    }
    smooth(chain, x);
}

fn smooth(chain: &Chain, x: &mut [f64]) {
    for _ in 0..SMOOTH {
        sweep::forward(chain, x);
        sweep::backward(chain, x);
    }
}
