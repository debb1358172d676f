//! Chains in which every state leads to every other.

use super::iterate::Iteration;
use super::{SolveError, Solving, direct};
use crate::chain::Chain;

/// Measures may change by so much of themselves when the tolerance is tightened a hundredfold.
const MOVED: f64 = 1e-6;
/// Measures below this share of the largest are compared with that instead of themselves.
const SMALL: f64 = 1e-8;
/// Below this, residuals are what rounding leaves of them.
const ROUNDING: f64 = 1e-13;

/// How it is known that a small residual means a small error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Confirmation {
    /// The method never subtracts: every digit but the last ones is right.
    Exact,
    /// No measure changed by more than this share of itself when the tolerance was tightened a hundredfold (or
    /// down to where rounding begins).
    Moved(f64),
}

/// A distribution over the states of an irreducible chain.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The probability of each state.
    pub x: Vec<f64>,
    /// The largest |πQ| over the largest flow.
    pub residual: f64,
    /// How it was found.
    pub solver: String,
    /// How it was confirmed.
    pub confirmation: Confirmation,
}

/// Solves an irreducible chain: directly if it is small, else by Gauss–Seidel sweeps, with a Krylov method
/// around them if they are slow, with multilevel aggregation if that is slow too. `measures` gives
/// what is to be known of a distribution; they must stay where they are when the tolerance is tightened.
///
/// # Errors
/// That the residual asked for was not reached, or measures went on changing.
pub fn irreducible(
    chain: &Chain,
    how: &Solving,
    measures: &dyn Fn(&[f64]) -> Vec<f64>,
    stop: &dyn Fn() -> bool,
) -> Result<Solution, SolveError> {
    let n = chain.states();
    if n == 1 {
        return Ok(Solution {
            x: vec![1.0],
            residual: 0.0,
            solver: "one state".into(),
            confirmation: Confirmation::Exact,
        });
    }
    if n <= how.direct {
        let x = direct::eliminate(chain);
        let residual = chain.residual(&x);
        let solver = "direct (GTH elimination)".to_string();
        if residual.is_nan() || residual > how.tolerance {
            return Err(SolveError::NotConverged { residual, tolerance: how.tolerance, solver });
        }
        return Ok(Solution { x, residual, solver, confirmation: Confirmation::Exact });
    }
    let mut iteration = Iteration::new(chain);
    let mut tolerance = how.tolerance;
    let mut before: Option<Vec<f64>> = None;
    loop {
        // At the limit of rounding a confirmation need not try for long.
        let reached = iteration.until(tolerance, if before.is_none() { 4 } else { 2 }, stop);
        let (solver, residual) = (iteration.describe(), iteration.residual);
        if stop() {
            return Err(SolveError::Stopped);
        }
        let rounding = residual <= ROUNDING.max(how.tolerance * 1e-3);
        if !reached && !(before.is_some() && rounding) {
            return Err(SolveError::NotConverged { residual, tolerance, solver });
        }
        let now = measures(&iteration.x);
        if let Some(before) = &before {
            let moved = movement(before, &now);
            if moved <= MOVED {
                let confirmation = Confirmation::Moved(moved);
                return Ok(Solution { x: iteration.x, residual, solver, confirmation });
            }
            if !reached {
                return Err(SolveError::NotConfirmed { moved, residual, solver });
            }
        }
        before = Some(now);
        tolerance = tolerance.min(residual) * 1e-2;
    }
}

/// The largest relative change.
fn movement(before: &[f64], now: &[f64]) -> f64 {
    let largest = now.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let least = (largest * SMALL).max(f64::MIN_POSITIVE);
    before.iter().zip(now).map(|(b, n)| (b - n).abs() / n.abs().max(least)).fold(0.0, f64::max)
}
