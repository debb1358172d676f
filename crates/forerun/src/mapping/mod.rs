//! Stages of a pipeline onto processors, by the throughput of PEPA models.

mod description;
mod solve;

pub use description::{Description, Link};
pub use solve::{Candidate, rank};
