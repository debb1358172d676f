//! Sorting files of numbers as a reduction.
//!
//! A *task* reads a range of the input and sorts it, a *merge* merges two sorted runs, the *sink*
//! collects what is delivered, and [`SortJob::finish`] merges that into the output. The order is
//! total and elements that compare equal are the same bytes, so merging commutes and every
//! strategy gives the same file.
//!
//! ```no_run
//! use forerun_skeleton::reduction::{Reduce, Sink, Sinks, Source};
//! use forerun_apps::sort::{SortJob, SortOptions};
//!
//! # fn main() -> Result<(), forerun_skeleton::AppError> {
//! let job = SortJob::open(&["ints.bin".into()], SortOptions::default())?;
//! let source = job.source(job.grain(2));
//! let mut sink = job.open(0)?;
//! let mut index = 0;
//! while let Some(input) = source.get(index)? {
//!     let value = job.task(index, input)?;
//!     sink.accept(forerun_skeleton::reduction::Piece { value, first: index, results: 1 })?;
//!     index += 1;
//! }
//! job.finish(vec![sink.close()?])?; // ints.bin.sorted
//! # Ok(())
//! # }
//! ```
//!
//! **Memory.** All buffers together stay within [`SortOptions::memory`]: see [`Budget`]. A run for
//! which there is no room goes to the spill file and its result becomes a reference to it;
//! merging such results joins their lists, so that every element is spilled once, however deep
//! the tree, and one pass at the end merges all runs, giving back the disk space as it goes. That holds for results within one process.
//!
//! **Files.** The output appears under its name complete or not at all: it is written to a
//! temporary file in the same directory, which is renamed at the end (and not forced to the disk:
//! a crash of the machine, unlike one of the process, may lose it). An output may be one of the
//! inputs. The spill file has no name, and the output's temporary file is removed when the job
//! fails, panics or is cancelled.

mod budget;
mod cooperate;
mod desk;
mod element;
mod files;
mod finish;
mod job;
pub mod lines;
mod merge;
mod numbers;
mod options;
pub(crate) mod output;
mod positioned;
mod radix;
mod reduction;
mod run;
mod sink;
mod sorted;
mod spill;
mod tree;
mod trial;
mod wire;

pub use budget::{Budget, Lease};
pub use cooperate::Written;
pub use element::{Element, ElementType, TotalF64};
pub use finish::Finished;
pub use job::{LEAST_MEMORY, SortInput, SortJob, SortSource};
pub use merge::{merge, merge_into, merge_on, merge_path};
pub use options::SortOptions;
pub use run::Run;
pub use sink::RunSink;

/// Sorts in memory what a task sorts, on the calling thread.
pub fn sort_in_memory<T: Element>(slice: &mut [T]) {
    T::sort(slice);
}
