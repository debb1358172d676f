//! Matrices: sparse ones by rows, and dense ones by rows, with the products that the rest needs.

mod dense;
mod kernel;
mod sparse;

pub use self::dense::Dense;
pub use self::sparse::Sparse;
