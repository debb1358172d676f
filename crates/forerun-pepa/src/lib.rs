//! PEPA, the performance evaluation process algebra.
#![forbid(missing_docs)]

pub mod chain;
pub mod measures;
pub mod model;
pub mod solve;
pub mod space;
pub mod syntax;
