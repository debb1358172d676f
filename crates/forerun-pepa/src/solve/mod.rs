//! What a chain does in the long run.

mod direct;
mod sweep;

use std::fmt;

use crate::chain::Chain;

/// How to solve.
#[derive(Debug, Clone, Copy)]
pub struct Solving {
    /// The residual that must be reached: |πQ| over the largest flow.
    pub tolerance: f64,
    /// Chains up to so many states are solved directly.
    pub direct: usize,
}

impl Default for Solving {
    fn default() -> Self {
        Solving { tolerance: 1e-10, direct: 1000 }
    }
}

/// A distribution over the states of an irreducible chain.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The probability of each state.
    pub x: Vec<f64>,
    /// |πQ| over the largest flow.
    pub residual: f64,
    /// How it was found.
    pub solver: String,
}

/// Why there is no distribution.
#[derive(Debug, Clone, PartialEq)]
pub enum SolveError {
    /// The residual stayed above what was asked for.
    NotConverged {
        /// What was reached.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
        /// How.
        solver: String,
    },
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::NotConverged { residual, tolerance, solver } => write!(
                f,
                "not solved: {solver} reached a residual of {residual:.1e}, and {tolerance:.1e} was asked for, so there is \
                 no answer; allow more with --tolerance, or make the state space smaller with --aggregate"
            ),
        }
    }
}

impl std::error::Error for SolveError {}

/// Makes the sum 1.
fn normalise(x: &mut [f64]) {
    let sum: f64 = x.iter().sum();
    x.iter_mut().for_each(|p| *p /= sum);
}

/// Solves an irreducible chain.
///
/// # Errors
/// That the residual asked for was not reached.
pub fn irreducible(chain: &Chain, how: &Solving) -> Result<Solution, SolveError> {
    let n = chain.states();
    if n == 1 {
        return Ok(Solution { x: vec![1.0], residual: 0.0, solver: "one state".into() });
    }
    if n <= how.direct {
        let x = direct::eliminate(chain);
        let residual = chain.residual(&x);
        return Ok(Solution { x, residual, solver: "direct (GTH elimination)".into() });
    }
    let mut x = vec![1.0 / n as f64; n];
    let mut residual = f64::INFINITY;
    let mut sweeps = 0;
    while sweeps < 20_000 {
        for _ in 0..10 {
            sweep::forward(chain, &mut x);
            sweep::backward(chain, &mut x);
        }
        sweeps += 20;
        normalise(&mut x);
        residual = chain.residual(&x);
        if residual <= how.tolerance {
            return Ok(Solution { x, residual, solver: format!("Gauss–Seidel ({sweeps} sweeps)") });
        }
    }
    Err(SolveError::NotConverged { residual, tolerance: how.tolerance, solver: format!("Gauss–Seidel ({sweeps} sweeps)") })
}
