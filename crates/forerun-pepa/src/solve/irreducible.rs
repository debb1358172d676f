//! Chains in which every state leads to every other.

use super::iterate::Iteration;
use super::prepared::Known;
use super::{SolveError, Solving, band, direct};
use crate::chain::Chain;

/// Measures may change by so much of themselves when the tolerance is tightened a hundredfold.
const MOVED: f64 = 1e-6;
/// Measures below this share of the largest are compared with that instead of themselves.
const SMALL: f64 = 1e-8;
/// Below this, residuals are what rounding leaves of them.
const ROUNDING: f64 = 1e-13;
/// Chains of up to so many states are solved directly when all else fails: it takes some seconds.
const STILL_DIRECT: usize = 4000;
/// Times in a row that the residual may hardly become smaller before it is given up.
const PATIENCE: usize = 4;
/// Times that the tolerance is tightened, at most.
const ROUNDS: usize = 8;

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

/// Solves an irreducible chain: directly if it is small or its states lead to near ones only, else by Gauss–Seidel sweeps, which are extrapolated, with a Krylov
/// method around them if they are slow, with multilevel aggregation if that is slow too. `measures` gives
/// what is to be known of a distribution; they must stay where they are when the tolerance is tightened, after a cycle of
/// multilevel aggregation if `how` says so. Cost: some hundred passes over the chain where it mixes well; memory of some ten numbers a state and
/// half the chain beside it.
///
/// # Errors
/// That the residual asked for was not reached, or measures went on changing.
pub fn irreducible(
    chain: &Chain,
    how: &Solving,
    measures: &dyn Fn(&[f64]) -> Vec<f64>,
    stop: &dyn Fn() -> bool,
) -> Result<Solution, SolveError> {
    solve(chain, Known::default(), how, measures, stop)
}

/// The same of a chain of which something is known.
pub(super) fn solve(
    chain: &Chain,
    known: Known,
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
        return directly(chain, how);
    }
    if how.direct > 0
        && let Some(width) =
            band::width(n, &|to, each| chain.entering(to).for_each(|(from, rate)| each(from, rate)))
    {
        let solver = format!("direct (GTH elimination, within {width} of the diagonal)");
        return exact(chain, how, band::eliminate(chain, width), solver);
    }
    let mut iteration = Iteration::new(chain, known);
    let reached = iteration.until(how.tolerance, PATIENCE, stop);
    if stop() {
        return Err(SolveError::Stopped);
    }
    if !reached && n <= STILL_DIRECT {
        return directly(chain, how);
    }
    if !reached {
        let (residual, solver) = (iteration.residual, iteration.describe());
        return Err(SolveError::NotConverged { residual, tolerance: how.tolerance, solver });
    }
    confirm(iteration, how.levels, measures, stop)
}

fn directly(chain: &Chain, how: &Solving) -> Result<Solution, SolveError> {
    exact(chain, how, direct::eliminate(chain), "direct (GTH elimination)".to_string())
}

fn exact(chain: &Chain, how: &Solving, x: Vec<f64>, solver: String) -> Result<Solution, SolveError> {
    let residual = chain.residual(&x);
    // Nothing flows, evenly, where all has become 0.
    let residual = if is_distribution(&x) { residual } else { f64::INFINITY };
    if residual.is_nan() || residual > how.tolerance {
        return Err(SolveError::NotConverged { residual, tolerance: how.tolerance, solver });
    }
    Ok(Solution { x, residual, solver, confirmation: Confirmation::Exact })
}

/// Tightens the tolerance a hundredfold, again and again, until measures stay where they are. At the limit of
/// rounding, where it cannot be tightened, they must stay when the method goes on.
fn confirm(
    mut iteration: Iteration<'_>,
    levels: bool,
    measures: &dyn Fn(&[f64]) -> Vec<f64>,
    stop: &dyn Fn() -> bool,
) -> Result<Solution, SolveError> {
    let mut before = measures(&iteration.x);
    let mut left = ROUNDS;
    loop {
        let tolerance = iteration.residual * 1e-2;
        // At least something is done, even where the residual cannot become smaller.
        iteration.again(levels);
        let reached = iteration.until(tolerance, 1, stop);
        if stop() {
            return Err(SolveError::Stopped);
        }
        let now = measures(&iteration.x);
        let moved = movement(&before, &now);
        let (residual, solver) = (iteration.residual, iteration.describe());
        if moved <= MOVED && (reached || residual <= ROUNDING) && is_distribution(&iteration.x) {
            let confirmation = Confirmation::Moved(moved);
            return Ok(Solution { x: iteration.x, residual, solver, confirmation });
        }
        left -= 1;
        if left == 0 {
            return Err(SolveError::NotConfirmed { moved, residual, solver });
        }
        before = now;
    }
}

/// Whether these are probabilities. What is not a number compares with nothing, and could pass as small.
fn is_distribution(x: &[f64]) -> bool {
    let sum: f64 = x.iter().sum();
    x.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() <= 1e-6
}

/// The largest relative change; infinite if one is not a number.
fn movement(before: &[f64], now: &[f64]) -> f64 {
    let largest = now.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let least = (largest * SMALL).max(f64::MIN_POSITIVE);
    let moved = before.iter().zip(now).map(|(b, n)| (b - n).abs() / n.abs().max(least));
    moved.fold(0.0, |worst, m| if m.is_nan() { f64::INFINITY } else { worst.max(m) })
}

#[cfg(test)]
mod tests {
    use super::{is_distribution, movement};

    #[test]
    fn what_is_not_a_number_passes_for_nothing() {
        assert!(is_distribution(&[0.25, 0.75]));
        for x in [&[f64::NAN, 1.0][..], &[f64::INFINITY, 0.0], &[-0.5, 1.5], &[0.0, 0.0], &[0.5, 0.4]] {
            assert!(!is_distribution(x), "{x:?}");
        }
        assert_eq!(movement(&[1.0, 2.0], &[1.0, 1.0]), 1.0);
        assert_eq!(movement(&[1.0, f64::NAN], &[1.0, 1.0]), f64::INFINITY);
        assert_eq!(movement(&[1.0, 1.0], &[f64::INFINITY, 1.0]), f64::INFINITY);
    }
}
