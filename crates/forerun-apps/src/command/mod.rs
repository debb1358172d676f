//! External programs as the task and the merge of a reduction.
//!
//! [`Inputs`] finds the input files, [`Tasks`] cuts them into tasks, and [`Commands`] runs one
//! program for every task and one for every merge. What a program writes to its standard output is
//! the partial result, an [`Output`].
//!
//! # What a command is given
//! | command | map: the task's files | merge: two partial results |
//! |---|---|---|
//! | no placeholder | their contents, one after the other, on standard input | left, then right, on standard input |
//! | `{}` alone as a word | their names, each an argument | the names of two temporary files |
//! | `{}` inside a word | the name of the one file | – |
//! | `{1}`, `{2}` | – | the names of two temporary files |
//! | `shell` | both: names as `"$@"`, contents on standard input | both |
//!
//! A command is split into words as a shell would, but no shell runs unless it is asked for, and
//! then no file name is ever pasted into its text. Braces that are to reach a program as they are, such
//! as `a{2}` in a merge's regular expression, need `shell`. A name that begins with `-` is given as `./-…`.
//! A piece of a file that was cut at line ends comes on standard input only.
//!
//! # What it guarantees
//! Each process leads a process group of its own; whatever is left of that group when it ends, or
//! when the call is given up (`timeout`, [`Cancel`](forerun_skeleton::Cancel), another call that
//! failed), is asked to end, killed a quarter of a second later if it has not, and waited for. A process
//! that leaves its group (`setsid`) is out of reach. If this program itself is killed by SIGKILL, a [`Guardian`]
//! kills the groups and removes the temporary files, where one was started; a process that was started in the
//! very microseconds before may be left. Without a guardian, or where that was killed as well, processes run on to
//! their end, and the next run with the same directory for temporary files removes what was left there.
//! As with `$(…)`, a call lasts until the process has ended *and* its standard output is closed.
//! A process that does not read its standard input is no error (SIGPIPE must be ignored, as Rust's
//! runtime has it from the start). Temporary files are in one
//! directory, which is removed when the last [`Output`] and the [`Commands`] are dropped.
//!
//! # What it costs
//! A call is one `posix_spawn`, two or three pipes and a `poll` loop on the caller's thread; no
//! other thread is started. An output of at most [`Settings::keep_in_memory`] bytes stays in memory,
//! beyond that it is a temporary file.

mod argument;
mod call;
mod capture;
mod coming;
mod commands;
mod cut;
mod deliveries;
mod destination;
mod done;
mod explain;
mod farm;
mod feed;
pub(crate) mod glob;
mod group;
mod guardian;
mod inputs;
mod job;
mod journal;
pub(crate) mod leftover;
mod listing;
mod once;
mod output;
mod patient;
mod program;
mod scratch;
pub(crate) mod show;
mod snapshots;
mod stream;
mod template;
mod usage;
pub(crate) mod walk;
mod wire;

pub use call::tell_waits;
pub use commands::{Commands, Settings, Tally};
pub use cut::{Extent, Grain, Tasks};
pub use deliveries::{CommandSink, CommandSinks, delivery_name};
pub use destination::Destination;
pub use done::Done;
pub use farm::{CommandFarm, FarmSettings, Fate};
pub use group::Group;
pub use guardian::{Guardian, guard};
pub use inputs::{InputFile, Inputs, Selection};
pub use job::CommandJob;
pub use listing::{Names, keeps_coming, read_list};
pub use output::Output;
pub use patient::Patient;
pub(crate) use scratch::plain;
pub use snapshots::Every;
pub use template::Takes;
pub use usage::{Usage, of_programs, scheduled};
