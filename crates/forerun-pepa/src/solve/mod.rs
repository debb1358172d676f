//! What a chain does in the long run.

mod band;
mod direct;
mod error;
mod extrapolate;
mod irreducible;
mod iterate;
mod krylov;
mod multilevel;
mod order;
mod prepared;
mod start;
mod steady;
mod sweep;

pub use error::SolveError;
pub use irreducible::{Confirmation, Solution, irreducible};
pub use steady::{LongRun, Steady, steady};

/// How to solve.
#[derive(Debug, Clone, Copy)]
pub struct Solving {
    /// The residual that must be reached: the largest |πQ| over the largest flow.
    pub tolerance: f64,
    /// Chains of up to so many states are solved directly; unless it is 0, larger ones as well whose states lead to near ones only.
    pub direct: usize,
    /// Whether the chain of equal components' orbits is solved instead, where there is one.
    pub orbits: bool,
    /// Whether confirming includes a cycle over many levels, which notices that sets of states that hardly lead to each
    /// other have wrong shares. Cost: some ten passes over the chain.
    pub levels: bool,
}

impl Default for Solving {
    fn default() -> Self {
        Solving { tolerance: 1e-10, direct: 1000, orbits: true, levels: true }
    }
}

/// Makes the sum 1.
fn normalise(x: &mut [f64]) {
    let sum: f64 = x.iter().sum();
    x.iter_mut().for_each(|p| *p /= sum);
}
