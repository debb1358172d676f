//! PEPA, the performance evaluation process algebra.
#![forbid(missing_docs)]

pub mod chain;
pub mod check;
pub mod fluid;
pub mod measures;
pub mod model;
pub mod simulate;
pub mod solve;
pub mod space;
pub mod syntax;
pub mod transient;
