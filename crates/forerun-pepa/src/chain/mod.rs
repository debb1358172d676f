//! Continuous-time Markov chains.

mod classes;
mod matrix;

pub use classes::{Classes, classes};
pub use matrix::Chain;
