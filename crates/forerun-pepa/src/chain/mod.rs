//! Continuous-time Markov chains.

mod classes;
mod lump;
mod matrix;

pub use classes::{Classes, classes};
pub use lump::{Lumped, lump};
pub use matrix::Chain;
