//! Continuous-time Markov chains.

mod classes;
mod lump;
mod matrix;
mod rates;

pub(crate) use classes::strong;
pub use classes::{Classes, classes};
pub use lump::{Lumped, lump};
pub use matrix::Chain;
pub(crate) use matrix::Listed;
pub(crate) use rates::{CODES, Rates};
