//! The endpoint on MPI.
#![deny(missing_docs)]
#[cfg(feature = "mpi")]
mod ended;
#[cfg(feature = "mpi")]
mod endpoint;
#[cfg(feature = "mpi")]
mod inbox;
#[cfg(feature = "mpi")]
mod office;
#[cfg(feature = "mpi")]
mod patience;
#[cfg(feature = "mpi")]
mod post;
#[cfg(feature = "mpi")]
mod raw;
#[cfg(feature = "mpi")]
mod run;

#[cfg(feature = "mpi")]
pub use patience::Waiting;
#[cfg(feature = "mpi")]
pub use run::{Setting, run, run_with};
