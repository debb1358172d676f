//! The endpoint on MPI: ranks are processes, on one host or on many.
//!
//! `run` makes each process of a communicator a rank of a [`Program`](forerun_skeleton::Program), as
//! [`threads::run`](forerun_skeleton::threads::run) makes threads ranks, and gives the same
//! [`Ran`](forerun_skeleton::Ran) to the first. [`Launch`] starts the processes, by `mpirun` or `srun`, and
//! `Inside` is what they do first. The README beside the code has the protocol and argues that it ends.
//!
//! Apart from all that stands `reduce`, a pipelined reduction for programs that use the crate `mpi` themselves.
//!
//! What holds, beside the contract of `forerun-skeleton`: messages have the form that their
//! [`Codec`](forerun_skeleton::Codec) gives them; what is small is copied once into that form, and once out of it, and large vectors
//! ([`LARGE`](forerun_skeleton::wire::LARGE)) go from where they lie and are received where they stay, if the codec gives them so. A message goes out and comes in while ranks compute, as a helper thread sees to it (where MPI lets threads take turns). Ranks
//! that wait sleep, rather than spin. A failure, a panic and a cancelled run end all ranks in good order, and all of them say
//! the same; what is under way inside one call of the application is not interrupted. All ranks are the same
//! build of one program, on hosts of one kind.
//!
//! # Features
//!
//! `mpi`: all but the launcher. It needs an MPI to build (`MPICC` names its compiler, `mpicc` otherwise) and
//! libclang; for Debian: `apt-get install libopenmpi-dev openmpi-bin libclang-dev`, or `libmpich-dev mpich`. Open
//! MPI and MPICH are not interchangeable: a program runs under the `mpirun` of the MPI that it was built with. Without the feature the crate builds anywhere, and [`linked`] says
//! what to install.

#![forbid(missing_docs)]

mod launch;
mod nap;
mod quota;
mod sample;

#[cfg(feature = "mpi")]
mod ended;
#[cfg(feature = "mpi")]
mod endpoint;
#[cfg(feature = "mpi")]
mod inbox;
#[cfg(feature = "mpi")]
mod inside;
#[cfg(feature = "mpi")]
mod letter;
#[cfg(feature = "mpi")]
mod measure;
#[cfg(feature = "mpi")]
mod office;
#[cfg(feature = "mpi")]
mod patience;
#[cfg(feature = "mpi")]
mod post;
#[cfg(feature = "mpi")]
mod raw;
#[cfg(feature = "mpi")]
mod reduce;
#[cfg(feature = "mpi")]
mod run;

use forerun_skeleton::AppError;

#[cfg(feature = "mpi")]
pub use inside::Inside;
pub use launch::{Flavour, Launch, Launcher, Place, watch};
#[cfg(feature = "mpi")]
pub use measure::measure;
pub use nap::late_s;
#[cfg(feature = "mpi")]
pub use patience::{Waiting, local_ranks};
pub use quota::processors as processor_quota;
#[cfg(feature = "mpi")]
pub use reduce::{Segmented, Tree, reduce};
#[cfg(feature = "mpi")]
pub use run::{Setting, run, run_with};
pub use sample::{Probe, Sample};

/// The MPI that this program is built with.
///
/// # Errors
/// That it is built without one, and what to install.
#[cfg(feature = "mpi")]
pub fn linked() -> Result<Flavour, AppError> {
    let version = mpi::environment::library_version().unwrap_or_default();
    Flavour::of_library(&version).ok_or_else(|| {
        let name = version.lines().next().unwrap_or_default();
        AppError::new(format!("the MPI of this program ({name}) is not known: name its mpirun with --mpirun"))
    })
}

/// The MPI that this program is built with.
///
/// # Errors
/// That it is built without one, and what to install.
#[cfg(not(feature = "mpi"))]
pub fn linked() -> Result<Flavour, AppError> {
    Err(AppError::new(
        "this program is built without MPI: install one (Debian: apt-get install libopenmpi-dev openmpi-bin \
         libclang-dev) and build it with cargo's --features mpi",
    ))
}
