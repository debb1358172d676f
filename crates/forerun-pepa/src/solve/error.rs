//! Why there is no answer.

use std::fmt;

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
    /// The residual is small, but measures still change when it gets smaller.
    NotConfirmed {
        /// The largest relative change of a measure.
        moved: f64,
        /// The residual.
        residual: f64,
        /// How.
        solver: String,
    },
    /// It was stopped from outside.
    Stopped,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::NotConverged { residual, tolerance, solver } => write!(
                f,
                "not solved: {solver} reached a residual of {residual:.1e}, and {tolerance:.1e} was asked for, so there is \
                 no answer; allow more with --tolerance, or make the state space smaller with --aggregate"
            ),
            SolveError::NotConfirmed { moved, residual, solver } => write!(
                f,
                "not solved: {solver} reached a residual of {residual:.1e}, but measures still change by {moved:.1e} of \
                 themselves when it gets smaller, so they are not known; start from a smaller --tolerance, or \
                 make rates less different"
            ),
            SolveError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for SolveError {}
