//! Gauss–Seidel sweeps.

use std::collections::HashMap;

use crate::chain::Chain;

/// A chain that is swept often.
#[derive(Debug)]
pub(super) struct Sweeper<'a> {
    chain: &'a Chain,
    /// For each entry of the chain the place of its rate among `values`; nothing if there are too many different
    /// rates. Two bytes an entry instead of eight: sweeps take as long as memory does.
    codes: Vec<u16>,
    values: Vec<f64>,
    /// One over how fast each state is left.
    inverse: Vec<f64>,
}

/// Different rates that codes can tell apart.
const CODES: usize = 1 << 16;

impl<'a> Sweeper<'a> {
    /// Cost: a pass over the chain.
    pub(super) fn of(chain: &'a Chain) -> Self {
        let inverse = chain.exits.iter().map(|exit| 1.0 / exit).collect();
        let mut sweeper = Sweeper { chain, codes: Vec::new(), values: Vec::new(), inverse };
        let mut known: HashMap<u64, u16> = HashMap::new();
        // The rates met last.
        let mut recent = [(0u64, 0u16); 256];
        let mut codes = Vec::with_capacity(chain.rates.len());
        for rate in &chain.rates {
            let bits = rate.to_bits();
            let line = &mut recent[(bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize];
            // No rate has the bits of 0.
            if line.0 != bits {
                let values = &mut sweeper.values;
                if values.len() == CODES && !known.contains_key(&bits) {
                    return sweeper;
                }
                let code = *known.entry(bits).or_insert_with(|| {
                    values.push(*rate);
                    (values.len() - 1) as u16
                });
                *line = (bits, code);
            }
            codes.push(line.1);
        }
        sweeper.codes = codes;
        // So that every code has a value, and none need be checked.
        sweeper.values.resize(CODES, 0.0);
        sweeper
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
        let Chain { rows, from, .. } = self.chain;
        let values: Option<&[f64; CODES]> = self.values.as_slice().try_into().ok();
        match values.filter(|_| self.codes.len() == from.len()) {
            Some(values) => {
                for state in order {
                    let range = rows[state] as usize..rows[state + 1] as usize;
                    let entries = from[range.clone()].iter().zip(&self.codes[range]);
                    let inflow: f64 = entries.map(|(f, c)| x[*f as usize] * values[*c as usize]).sum();
                    x[state] = inflow * self.inverse[state];
                }
            }
            None => {
                for state in order {
                    x[state] = self.chain.inflow(state, x) * self.inverse[state];
                }
            }
        }
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
    use super::{CODES, Sweeper, backward, forward};
    use crate::chain::Chain;

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
            assert_eq!(sweeper.codes.is_empty(), different > CODES);
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
