//! What becomes of the sets that a run delivers: they are merged into the one result, which may be written
//! as it grows, or each is written to a file of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{FoldSink, Piece, Sink, Sinks};

use super::snapshots::Snapshots;
use super::{CommandJob, Commands, Destination, Output, show};

/// A directory with a file for every set that was delivered, numbered from 1 in the order of delivery.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    next: AtomicU64,
}

impl Directory {
    /// Makes the directory where it is missing.
    ///
    /// # Errors
    /// That it cannot be made or read, or holds something.
    pub(crate) fn open(path: &Path) -> Result<Self, AppError> {
        let refuse = |what: String| Err(AppError::new(format!("--deliver {}: {what}", show::path(path))));
        let made = fs::create_dir_all(path).and_then(|()| fs::read_dir(path)).map(|mut d| d.next().is_none());
        match made {
            Err(e) => refuse(format!(
                "no directory can be made or used there ({}); name another",
                super::scratch::plain(&e)
            )),
            Ok(false) => refuse("the directory is not empty; name a new one".into()),
            // As of any result, whether files can be made in it is looked at before the run.
            Ok(true) => {
                Destination::open(Some(&path.join("1")))?;
                Ok(Directory { path: path.to_path_buf(), next: AtomicU64::new(0) })
            }
        }
    }

    /// How many sets were delivered.
    pub(crate) fn delivered(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn write(&self, output: &Output, commands: &Commands) -> Result<(), AppError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let name = self.path.join(delivery_name(number));
        Destination::File(name).write(Some(output), commands.cancel())
    }
}

/// What the delivery of this number, from 1, is called in its directory.
pub fn delivery_name(number: u64) -> String {
    format!("{number:08}")
}

/// Opens the sink of each group of a [`CommandJob`].
#[derive(Debug, Clone, Copy)]
pub struct CommandSinks<'a> {
    pub(crate) job: &'a CommandJob,
    /// Whether nothing is to be seen outside: for a pilot.
    pub(crate) rehearsal: bool,
}

impl<'a> Sinks<Output> for CommandSinks<'a> {
    type Sink = CommandSink<'a>;

    fn open(&self, _group: usize) -> Result<CommandSink<'a>, AppError> {
        let job = self.job;
        Ok(CommandSink(match (self.rehearsal, job.directory(), job.every()) {
            (false, Some(directory), _) => Kind::Each(directory, job.commands()),
            (false, None, Some(every)) => {
                Kind::Growing(Snapshots::start(job.shared_commands(), job.destination().clone(), every)?)
            }
            _ => Kind::Fold(FoldSink::new(job.commands())),
        }))
    }
}

/// Takes the sets of a group.
#[derive(Debug)]
pub struct CommandSink<'a>(Kind<'a>);

#[derive(Debug)]
enum Kind<'a> {
    Fold(FoldSink<'a, Commands>),
    Growing(Snapshots),
    Each(&'a Arc<Directory>, &'a Commands),
}

impl Sink<Output> for CommandSink<'_> {
    /// The one result; none if there was no set, or each was written by itself.
    type Out = Option<Piece<Output>>;

    fn accept(&mut self, piece: Piece<Output>) -> Result<(), AppError> {
        match &mut self.0 {
            Kind::Fold(fold) => fold.accept(piece),
            Kind::Growing(snapshots) => snapshots.accept(piece),
            // Whoever waits for the next name must not wait longer than the run lasts.
            Kind::Each(to, commands) => to.write(&piece.value, commands).map_err(|e| commands.fail(e)),
        }
    }

    fn close(self) -> Result<Self::Out, AppError> {
        match self.0 {
            Kind::Fold(fold) => fold.close(),
            Kind::Growing(snapshots) => snapshots.close(),
            Kind::Each(..) => Ok(None),
        }
    }
}
