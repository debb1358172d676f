//! What sorted runs of numbers and of lines have in common.

use std::ops::Range;

use bytemuck::Pod;
use forerun_skeleton::AppError;

use super::files::Files;
use super::spill::{Extent, Spill};

/// Takes bytes one piece after the other.
pub(crate) type Write<'a> = dyn FnMut(&[u8]) -> Result<(), AppError> + 'a;

/// In which form elements are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As in memory: to be read again by this process.
    Spill,
    /// As in the input.
    File,
}

/// A run to be merged, wherever it is.
#[derive(Debug)]
pub(crate) enum Supply<'a, R> {
    Memory(&'a R),
    Disk(Extent),
}

/// A sorted run in memory.
pub(crate) trait Sorted: Sized + Send + Sync {
    /// What a run goes as from rank to rank, without being copied.
    type Unit: Pod;

    /// Bytes as in a file.
    fn bytes(&self) -> u64;

    /// Bytes of memory.
    fn footprint(&self) -> u64;

    /// Bytes of memory that it takes to read and sort `bytes` of the input, as far as can be
    /// told; `worst` is what it takes at most.
    fn need(files: &Files, bytes: u64, worst: bool) -> u64;

    /// Bytes of memory that a sorted run of `bytes` bytes takes, as far as can be told.
    fn resting(files: &Files, bytes: u64) -> u64;

    /// Reads the elements that begin in `range` and sorts them; `None` if that would take more
    /// than `room` bytes of memory.
    fn read(files: &Files, range: Range<u64>, room: u64) -> Result<Option<Self>, AppError>;

    /// Merges two runs, on up to `threads` threads.
    ///
    /// # Errors
    /// That there is no memory for the merged one.
    fn merge(left: &Self, right: &Self, threads: usize) -> Result<Self, AppError>;

    /// Writes the run.
    fn write(&self, form: Form, out: &mut Write<'_>) -> Result<(), AppError>;

    /// What [`Sorted::write`] writes to be read again, as it lies in memory.
    fn into_units(self) -> Vec<Self::Unit>;

    /// The run that such units are.
    ///
    /// # Errors
    /// That they are no run.
    fn of_units(units: Vec<Self::Unit>) -> Result<Self, AppError>;

    /// Merges all runs and writes the result, with buffers of about `buffer` bytes a run.
    fn write_merged(
        runs: &[Supply<'_, Self>],
        spill: &Spill,
        buffer: usize,
        form: Form,
        out: &mut Write<'_>,
    ) -> Result<(), AppError>;
}
