//! What all files have in common: their format number, and errors that point at the line.

mod error;
mod section;
mod write;

pub use error::{FileError, Problem};
pub(crate) use section::{Allowed, Section, contents, read};
pub(crate) use write::{Writer, figure};

/// The version of the platform and profile files that this build writes and reads.
pub const FORMAT: u64 = 1;
