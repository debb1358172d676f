//! Models and chains for other programs.

mod prism;
mod tables;

pub use prism::{PrismError, prism};
pub use tables::{dot, matrix_market, states_csv, transitions_csv};
