//! Gauss–Seidel sweeps.

use crate::chain::Chain;

/// Sets each state's probability to what its neighbours say, in their order, using what is new at once. Never
/// subtracts, so probabilities stay positive.
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
