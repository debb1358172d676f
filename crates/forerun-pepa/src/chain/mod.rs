//! Continuous-time Markov chains.

mod classes;
mod lump;
mod matrix;

pub(crate) use classes::strong;
pub use classes::{Classes, classes};
pub use lump::{Lumped, lump};
pub use matrix::Chain;
