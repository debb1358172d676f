//! Chains that mix slowly: aggregation over many levels.
//!
//! States that lead to each other often are put together, pair by pair and those pairs again, and the
//! smaller chain that results is treated the same way. Weighed by a distribution near the
//! solution, the equations of a chain have rows and columns that sum to zero, for which this
//! is nearly as good as for the equations of diffusion (Notay, *Aggregation-based algebraic multigrid
//! for convection–diffusion equations*, SIAM J. Sci. Comput. 34, 2012; De Sterck et al., *Multilevel
//! adaptive aggregation for Markov chains*, SIAM J. Sci. Comput. 30, 2008). It
//! is a preconditioner: a Krylov method around it makes it converge, and another inside it
//! (the K-cycle) makes up for aggregates' being piecewise constant.

mod aggregate;
mod cycle;
mod dense;
mod multiply;

use aggregate::{coarsen, pairs};
use cycle::correct;
use dense::Lu;
pub(super) use multiply::{cycle, shares};

use crate::chain::Chain;
use crate::parallel::{fill, parts};

/// The coarsest chain has at most so many states, if it can be made so small.
const COARSEST: usize = 400;
/// States that a thread looks at, at least.
const PART: usize = 1 << 15;
/// No more levels than this.
const LEVELS: usize = 40;

/// One step down: which states were put together, and the chain of what became of them.
#[derive(Debug)]
struct Level {
    /// For each state of the chain above, its aggregate.
    of: Vec<u32>,
    chain: Chain,
}

/// A hierarchy over a chain for one distribution.
#[derive(Debug)]
pub(super) struct Hierarchy {
    weights: Vec<f64>,
    levels: Vec<Level>,
    /// The coarsest chain's equations, if it is small enough.
    last: Option<Lu>,
}

impl Hierarchy {
    /// Builds it for the weights `x`. Cost: some ten passes over the chain.
    pub(super) fn of(chain: &Chain, x: &[f64]) -> Hierarchy {
        // Nothing underflows in products of weights and rates.
        let least = x.iter().fold(0.0f64, |a, b| a.max(*b)) * 1e-100;
        let weights: Vec<f64> = x.iter().map(|p| p.max(least)).collect();
        let mut levels: Vec<Level> = Vec::new();
        let ones = Vec::new();
        while levels.len() < LEVELS {
            let (above, w) = match levels.last() {
                Some(level) => (&level.chain, &ones),
                None => (chain, &weights),
            };
            if above.states() <= COARSEST {
                break;
            }
            // Pairs of pairs.
            let (first, count) = pairs(above, w);
            let middle = coarsen(above, w, &first, count, true);
            let (second, count) = pairs(&middle, &ones);
            let next = coarsen(&middle, &ones, &second, count, true);
            let stalled = next.states() * 10 > above.states() * 9;
            let of = first.iter().map(|a| second[*a as usize]).collect();
            levels.push(Level { of, chain: next });
            if stalled {
                break;
            }
        }
        let coarsest = levels.last().map_or(chain, |l| &l.chain);
        let last = (coarsest.states() <= 4 * COARSEST).then(|| Lu::of(coarsest)).flatten();
        Hierarchy { weights, levels, last }
    }

    /// An approximate solution of the chain's equations for the right-hand side `r`.
    pub(super) fn apply(&self, chain: &Chain, r: &[f64], e: &mut Vec<f64>) {
        correct(self, 0, chain, r, e);
    }
}

/// `r − (D − R) e`: what the flows of `e` leave of `r`.
pub(super) fn remainder(chain: &Chain, e: &[f64], r: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.resize(chain.states(), 0.0);
    fill(out, PART, |first, out| {
        for (s, o) in (first..).zip(out) {
            *o = r[s] - e[s] * chain.exits[s] + chain.inflow(s, e);
        }
    });
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let some = |range: std::ops::Range<usize>| -> f64 {
        a[range.clone()].iter().zip(&b[range]).map(|(x, y)| x * y).sum()
    };
    // Sums of the same parts on any number of threads.
    parts(a.len(), 4 * PART, some).into_iter().sum()
}
