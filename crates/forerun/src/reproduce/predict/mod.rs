//! What our closed form and our simulation say of what a paper measured.

mod reduction;
mod round_trip;
mod scatter_gather;

pub use reduction::Reduction;
pub use round_trip::RoundTrip;
pub use scatter_gather::ScatterGather;

use super::study::Argument;
use crate::signals::Interrupt;

/// What is predicted.
#[derive(Debug)]
pub enum Pattern {
    /// A reduction.
    Reduction(Reduction),
    /// A message to another rank and back, the others idle.
    RoundTrip(RoundTrip),
    /// Scatter-gather.
    ScatterGather(ScatterGather),
}

/// The number that an argument stands for.
type Value<'a> = &'a dyn Fn(&Argument) -> Result<f64, String>;

/// What is said of a measurement.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicted {
    /// Seconds.
    Times {
        /// By closed form.
        closed_form: f64,
        /// In virtual time.
        simulated: f64,
    },
    /// That it cannot be predicted, and why.
    Refused(String),
}

impl Pattern {
    /// Predicts; `value` gives the number that an argument stands for.
    ///
    /// # Errors
    /// What is wrong with the values, in a sentence.
    pub fn predict(
        &self,
        value: &dyn Fn(&Argument) -> Result<f64, String>,
        interrupt: &Interrupt,
    ) -> Result<Predicted, String> {
        match self {
            Pattern::Reduction(of) => reduction::predict(of, value, interrupt),
            Pattern::RoundTrip(of) => round_trip::predict(of, value, interrupt),
            Pattern::ScatterGather(of) => scatter_gather::predict(of, value, interrupt),
        }
    }
}
