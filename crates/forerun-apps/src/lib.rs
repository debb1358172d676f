//! Applications: sequential code that is put into the patterns of `forerun-skeleton`.
//!
//! An application is written as a [`ReductionJob`], with types of its own; what plans and runs it
//! takes it as an [`ErasedJob`], and is compiled once for all of them.

#![forbid(missing_docs)]

pub mod command;
mod database;
mod erased;
mod farm;
pub mod features;
pub mod hip;
mod job;
pub mod lsi;
pub mod mandelbrot;
pub mod partial;
mod pieces;
mod seen;
pub mod sort;
pub mod timed;
mod whole;

pub use database::Database;
pub use erased::{
    Erased, ErasedApp, ErasedCodec, ErasedCooperate, ErasedJob, ErasedMessage, ErasedSink, ErasedSinks,
    ErasedSource, Together,
};
pub use farm::{FarmJob, Rehearsal};
pub use job::{Extent, Job, ReductionJob, ScatterGatherJob, Spilling, between, places};
pub use seen::SeenFiles;
