//! Jobs whose ranks are MPI processes.
//!
//! `forerun run … --on mpi` plans a job as on threads, and then starts this program once more, as [`WORD`], by
//! `mpirun` or `srun` ([`launch()`]). Each of these processes gets an [`Order`]: the job's arguments, the plan, and what a pilot
//! kept. It opens the job for itself, runs the pattern with the others, and the first says what it came to (a [`Report`]).
//!
//! | module | what it does |
//! |---|---|
//! | `order` | what the processes are told, and what they answer |
//! | `launch` | the side of the command |
//! | `room` | whether the hosts have room for so many |
//! | `rank`, `job`, `farm` | the side of the processes |
//! | `programs` | what ranks do together before and after the pattern |
//!
//! *Invariant:* whatever can fail on one rank alone (an input that is missing there, a full disk) happens in a program over the
//! endpoint, so that all ranks end by it, and it is said once.

#[cfg(feature = "mpi")]
mod farm;
#[cfg(feature = "mpi")]
mod job;
mod launch;
mod order;
#[cfg(feature = "mpi")]
mod programs;
#[cfg(feature = "mpi")]
mod rank;
mod room;

pub use self::launch::{done, is_here, launch, launcher, run, told};
pub use self::order::{JobOrder, Order, Report, Told, Work};
#[cfg(feature = "mpi")]
pub use self::rank::rank;

/// The first word of the command line that makes this program a rank. No command begins so.
pub const WORD: &str = "=mpi-rank";
