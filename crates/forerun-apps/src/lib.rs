//! Applications: sequential code that is put into the patterns of `forerun-skeleton`.

#![forbid(missing_docs)]

pub mod command;
mod job;
pub mod sort;

pub use job::{Extent, JobPartial, ReductionJob, ScatterGatherJob, Together};
