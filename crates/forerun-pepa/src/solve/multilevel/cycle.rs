//! One cycle down and up.

use super::{Hierarchy, dot, remainder};
use crate::chain::Chain;

/// A level is visited a second time unless the first visit left less than this share of what was to be done.
const ENOUGH: f64 = 0.25;
/// Sweeps instead of a solution where the coarsest chain is too large for one.
const SWEEPS: usize = 10;

/// Approximates a solution of `(D − R) e = r` at a level: a sweep, the level below, a sweep back.
pub(super) fn correct(all: &Hierarchy, at: usize, chain: &Chain, r: &[f64], e: &mut Vec<f64>) {
    e.clear();
    e.resize(chain.states(), 0.0);
    let Some(level) = all.levels.get(at) else {
        match &all.last {
            Some(lu) => lu.solve(r, e),
            None => {
                for _ in 0..SWEEPS {
                    forward(chain, r, e);
                    backward(chain, r, e);
                }
            }
        }
        return;
    };
    forward(chain, r, e);
    let mut left = Vec::new();
    remainder(chain, e, r, &mut left);
    let mut below = vec![0.0; level.chain.states()];
    for (of, l) in level.of.iter().zip(&left) {
        below[*of as usize] += l;
    }
    drop(left);
    let mut step = Vec::new();
    twice(all, at + 1, &level.chain, &below, &mut step);
    let weighted = at == 0;
    for (state, of) in level.of.iter().enumerate() {
        let weight = if weighted { all.weights[state] } else { 1.0 };
        e[state] += weight * step[*of as usize];
    }
    backward(chain, r, e);
}

/// The level's equations by at most two steps of a Krylov method (the K-cycle: Notay and Vassilevski,
/// *Recursive Krylov-based multigrid cycles*, Numer. Linear Algebra Appl. 15, 2008).
fn twice(all: &Hierarchy, at: usize, chain: &Chain, r: &[f64], e: &mut Vec<f64>) {
    correct(all, at, chain, r, e);
    // Twice as often at each level is no more work where levels are less than half as large.
    let large = at >= 2 && chain.entries() * 2 > all.levels[at - 2].chain.entries();
    if large || all.levels.get(at).is_none() {
        return;
    }
    let (mut v, mut rest) = (Vec::new(), Vec::new());
    let zeros = vec![0.0; r.len()];
    product(chain, e, &zeros, &mut v);
    let (size, along) = (dot(&v, &v), dot(&v, r));
    if !(size.is_normal() && along.is_finite()) {
        return;
    }
    let first = along / size;
    rest.extend(r.iter().zip(&v).map(|(r, v)| r - first * v));
    if dot(&rest, &rest) <= ENOUGH * ENOUGH * dot(r, r) {
        e.iter_mut().for_each(|e| *e *= first);
        return;
    }
    let (mut d, mut w) = (Vec::new(), Vec::new());
    correct(all, at, chain, &rest, &mut d);
    product(chain, &d, &zeros, &mut w);
    let (cross, own, done) = (dot(&w, &v), dot(&w, &w), dot(&w, &rest));
    let new = own - cross * cross / size;
    if !(new.is_normal() && new > 0.0) {
        e.iter_mut().for_each(|e| *e *= first);
        return;
    }
    let second = done / new;
    let first = first - cross * second / size;
    e.iter_mut().zip(&d).for_each(|(e, d)| *e = first * *e + second * d);
}

/// `(D − R) e`
fn product(chain: &Chain, e: &[f64], zeros: &[f64], out: &mut Vec<f64>) {
    remainder(chain, e, zeros, out);
    out.iter_mut().for_each(|o| *o = -*o);
}

fn forward(chain: &Chain, r: &[f64], e: &mut [f64]) {
    for state in 0..chain.states() {
        e[state] = (r[state] + chain.inflow(state, e)) / chain.exits[state];
    }
}

fn backward(chain: &Chain, r: &[f64], e: &mut [f64]) {
    for state in (0..chain.states()).rev() {
        e[state] = (r[state] + chain.inflow(state, e)) / chain.exits[state];
    }
}
