//! Gauss–Seidel sweeps.

use crate::chain::{Chain, Rates};

/// A chain that is swept often.
#[derive(Debug)]
pub(super) struct Sweeper<'a> {
    chain: &'a Chain,
    /// The chain's rates in less memory, if they can be and are not: sweeps take as long as memory does.
    coded: Option<Rates>,
    /// One over how fast each state is left.
    inverse: Vec<f64>,
}

impl<'a> Sweeper<'a> {
    /// Cost: a pass over the chain.
    pub(super) fn of(chain: &'a Chain) -> Self {
        let coded = match &chain.rates {
            Rates::Plain(rates) => Rates::coded(rates),
            Rates::Coded(..) => None,
        };
        Sweeper { chain, coded, inverse: chain.exits.iter().map(|exit| 1.0 / exit).collect() }
    }

    /// Sets each state's probability to what its neighbours say, in their order, using what is new at once. Never
    /// subtracts, so probabilities stay positive.
    pub(super) fn forward(&self, x: &mut [f64]) {
        self.sweep(0..self.chain.states(), x);
    }

    /// The same from the last state to the first.
    pub(super) fn backward(&self, x: &mut [f64]) {
        self.sweep((0..self.chain.states()).rev(), x);
    }

    fn sweep(&self, order: impl Iterator<Item = usize>, x: &mut [f64]) {
        let Chain { rows, from, rates, .. } = self.chain;
        self.coded.as_ref().unwrap_or(rates).sweep(order, rows, from, &self.inverse, x);
    }
}

/// Sets each state's probability to what its neighbours say, in their order.
pub(super) fn forward(chain: &Chain, x: &mut [f64]) {
    for state in 0..chain.states() {
        x[state] = chain.inflow(state, x) / chain.exits[state];
    }
}

/// The same from the last state to the first.
pub(super) fn backward(chain: &Chain, x: &mut [f64]) {
    for state in (0..chain.states()).rev() {
        x[state] = chain.inflow(state, x) / chain.exits[state];
    }
}

/// A sweep to and fro over `(D − R) e = r`, from nothing.
pub(super) fn symmetric(chain: &Chain, r: &[f64], e: &mut Vec<f64>) {
    e.clear();
    e.resize(chain.states(), 0.0);
    for state in 0..chain.states() {
        e[state] = (r[state] + chain.inflow(state, e)) / chain.exits[state];
    }
    for state in (0..chain.states()).rev() {
        e[state] = (r[state] + chain.inflow(state, e)) / chain.exits[state];
    }
}

#[cfg(test)]
mod tests {
    use super::{Sweeper, backward, forward};
    use crate::chain::{CODES, Chain};

    /// A ring with shortcuts whose rates take `different` values.
    fn ring(states: usize, different: usize) -> Chain {
        Chain::build(states, |state, each| {
            let rate = |n: usize| 1.0 + (n % different) as f64;
            each(((state + 1) % states) as u32, rate(state));
            each(((state + 7) % states) as u32, rate(3 * state + 1));
        })
    }

    #[test]
    fn sweeps_do_the_same_however_rates_are_kept() {
        for (states, different) in [(100, 5), (CODES, 2 * CODES)] {
            let chain = ring(states, different);
            let sweeper = Sweeper::of(&chain);
            assert_eq!(sweeper.coded.is_none(), different > CODES);
            let mut one: Vec<f64> = (0..states).map(|s| 1.0 + s as f64).collect();
            let mut other = one.clone();
            forward(&chain, &mut one);
            backward(&chain, &mut one);
            sweeper.forward(&mut other);
            sweeper.backward(&mut other);
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * a.abs();
            assert!(one.iter().zip(&other).all(near), "{states} states");
        }
    }
}
