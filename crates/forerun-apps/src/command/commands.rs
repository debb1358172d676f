//! The reduction whose task and merge are external programs.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use forerun_skeleton::reduction::Reduce;
use forerun_skeleton::{AppError, Cancel};

use super::call::{Ended, GaveUp, Limits, call};
use super::coming::Coming;
use super::cut::{self, Extent};
use super::done::Done;
use super::explain::Said;
use super::feed::Part;
use super::guardian::Guardian;
use super::inputs::{InputFile, Inputs};
use super::output::{Body, Origin, Output};
use super::scratch::{Scratch, ScratchFile};
use super::show;
use super::template::{Takes, Template};
use super::wire;
use crate::pieces;

/// Bytes of a pilot's results that wait in memory for the run.
const KEPT_IN_MEMORY: u64 = 64 << 20;

/// What to run and within which bounds.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The map command.
    pub map: String,
    /// The merge command.
    pub merge: String,
    /// Whether both are given to `sh -c`.
    pub shell: bool,
    /// Whether merging in any order gives the same; if not, the order of the inputs is kept.
    pub commutative: bool,
    /// Time that one process may take.
    pub timeout: Option<Duration>,
    /// Bytes that one process may write.
    pub max_output: Option<u64>,
    /// Bytes of an output that are kept in memory; a longer one goes to a temporary file.
    pub keep_in_memory: u64,
    /// Where the directory for temporary files is made; `None` is `TMPDIR`, or `/tmp`.
    pub tmp: Option<PathBuf>,
    /// Who kills processes and removes temporary files where this program is killed.
    pub guardian: Option<Arc<Guardian>>,
}

impl Settings {
    /// Both commands; no shell, not commutative, no limits, 1 MiB in memory.
    pub fn new(map: impl Into<String>, merge: impl Into<String>) -> Self {
        Settings {
            map: map.into(),
            merge: merge.into(),
            shell: false,
            commutative: false,
            timeout: None,
            max_output: None,
            keep_in_memory: 1 << 20,
            tmp: None,
            guardian: None,
        }
    }
}

/// What was run so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Map processes that ended well.
    pub maps: u64,
    /// Those among them that wrote nothing.
    pub empty_maps: u64,
    /// Merge processes that ended well.
    pub merges: u64,
    /// Those among them that wrote nothing.
    pub empty_merges: u64,
    /// Bytes of outputs that went to temporary files.
    pub spilled_bytes: u64,
}

impl Tally {
    /// A sentence if some commands wrote nothing, which is allowed but may be a slip.
    pub fn note(&self) -> Option<String> {
        let share = |empty: u64, all: u64, role: &str| {
            (empty > 0).then(|| format!("{empty} of {} wrote nothing", show::count(all, role)))
        };
        let shares = [
            share(self.empty_maps, self.maps, "map call"),
            share(self.empty_merges, self.merges, "merge call"),
        ];
        let said: Vec<String> = shares.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}

#[derive(Debug, Default)]
struct Counters {
    /// By role: map, merge.
    ended: [AtomicU64; 2],
    empty: [AtomicU64; 2],
    spilled_bytes: AtomicU64,
}

/// Runs the map and the merge command. It is for one run: once a call has failed, every other call
/// that runs is ended and fails with the same sentence.
#[derive(Debug)]
pub struct Commands {
    map: Template,
    merge: Template,
    files: Arc<[InputFile]>,
    coming: Option<Arc<Coming>>,
    scratch: Arc<Scratch>,
    settings: Settings,
    cancel: Cancel,
    failed: Cancel,
    first: OnceLock<AppError>,
    done: Done,
    counters: Counters,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
    Map,
    Merge,
    Task,
}

impl Commands {
    /// Checks both commands and makes the directory for temporary files; runs nothing. Setting
    /// `cancel` ends every call.
    ///
    /// # Errors
    /// A command that is empty, has an unclosed quote or a placeholder that means nothing, or whose
    /// program cannot be found or run; or that the directory cannot be made.
    pub fn new(settings: Settings, inputs: &Inputs, cancel: Cancel) -> Result<Self, AppError> {
        Ok(Commands {
            map: Template::map(&settings.map, settings.shell)?,
            merge: Template::merge(&settings.merge, settings.shell)?,
            files: inputs.shared(),
            coming: inputs.coming().cloned(),
            scratch: Scratch::new(settings.tmp.as_deref(), settings.guardian.as_deref())?,
            settings,
            cancel,
            failed: Cancel::new(),
            first: OnceLock::new(),
            done: Done::default(),
            counters: Counters::default(),
        })
    }

    /// How the map command takes files, for [`Tasks::cut`](super::Tasks::cut).
    pub fn takes(&self) -> Takes {
        self.map.takes()
    }

    /// Both commands in words.
    pub fn program(&self) -> String {
        format!("{}, merged by {}", self.map.text(), self.merge.text())
    }

    /// What a pilot kept for the run; see [`Commands::keep`].
    pub fn done(&self) -> &Done {
        &self.done
    }

    /// The flag that ends every call.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The directory for temporary files.
    pub fn scratch_dir(&self) -> &Path {
        self.scratch.path()
    }

    /// What was run so far.
    pub fn tally(&self) -> Tally {
        let [maps, merges] = &self.counters.ended;
        let [empty_maps, empty_merges] = &self.counters.empty;
        let read = |n: &AtomicU64| n.load(Ordering::Relaxed);
        Tally {
            maps: read(maps),
            empty_maps: read(empty_maps),
            merges: read(merges),
            empty_merges: read(empty_merges),
            spilled_bytes: read(&self.counters.spilled_bytes),
        }
    }

    /// Runs the map command on `extent`, whether or not its result is kept already.
    ///
    /// # Errors
    /// As [`Reduce::task`].
    pub fn run_map(&self, extent: &Extent) -> Result<Output, AppError> {
        let files = self.files(extent);
        let (Some(first), Some(last)) = (files.first(), files.last()) else {
            return Err(AppError::new("a task has no files: it was done already"));
        };
        let named = if extent.piece { &[] } else { &*files };
        let mut command = self.map.command(named.iter().map(|f| f.path.as_path()));
        let parts = match (self.map.contents(), extent.piece) {
            (false, _) => Vec::new(),
            (true, true) => {
                vec![Part::Piece { path: &first.path, start: extent.start, bytes: extent.bytes }]
            }
            (true, false) => files.iter().map(|f| Part::Whole(&f.path)).collect(),
        };
        let on = || match extent.piece {
            true => cut::describe(&self.files, extent),
            false => cut::names(&first.path, files.len()),
        };
        let body = self.call(Role::Map, &mut command, parts, on)?;
        if let Some(coming) = &self.coming {
            coming.done(extent);
        }
        Ok(Output { body, origin: Origin::new(extent.range(), &first.path, &last.path) })
    }

    /// The files of a task that is not done.
    fn files(&self, extent: &Extent) -> Cow<'_, [InputFile]> {
        match (self.files.get(extent.range()), &self.coming) {
            (Some(files), _) => Cow::Borrowed(files),
            (None, Some(coming)) => Cow::Owned(coming.files(extent)),
            (None, None) => Cow::Borrowed(&[]),
        }
    }

    /// Runs the merge command and leaves both sides as they are, for a pilot that times it.
    ///
    /// # Errors
    /// As [`Reduce::merge`].
    pub fn run_merge(&self, left: &Output, right: &Output) -> Result<Output, AppError> {
        let origin = left.origin.with(&right.origin);
        let on = || origin.describe();
        let mut held = Vec::new();
        if self.merge.names() {
            for side in [left, right] {
                held.push(self.named(side).map_err(|e| self.fail(e))?);
            }
        }
        let mut command = self.merge.command(held.iter().map(Named::path));
        let parts = if self.merge.contents() { vec![Part::of(left), Part::of(right)] } else { Vec::new() };
        let body = self.call(Role::Merge, &mut command, parts, on)?;
        Ok(Output { body, origin })
    }

    /// A file that holds `output`.
    fn named<'o>(&self, output: &'o Output) -> Result<Named<'o>, AppError> {
        match &output.body {
            Body::File { file, .. } => Ok(Named::There(file)),
            Body::Memory(bytes) => {
                let (mut to, file) = self.scratch.file()?;
                pieces::write_all(&mut to, bytes).map_err(|e| self.scratch.trouble(&e))?;
                Ok(Named::Made(file))
            }
        }
    }

    /// Keeps a copy of `output`, the result of the task on `extent`, for the run: what is done with
    /// `output` itself, by a merge command that changes its files too, does not matter to it.
    ///
    /// # Errors
    /// That a temporary file cannot be written.
    pub fn keep(&self, extent: &Extent, output: &Output) -> Result<(), AppError> {
        let body = match &output.body {
            Body::Memory(bytes) if self.done.in_memory() + bytes.len() as u64 <= KEPT_IN_MEMORY => {
                Body::Memory(bytes.clone())
            }
            _ => {
                let (mut to, file) = self.scratch.file()?;
                output.copy_to(&mut to).map_err(|e| self.scratch.trouble(&e))?;
                Body::File { file, bytes: output.body.bytes() }
            }
        };
        self.done.keep(*extent, Output { body, origin: output.origin.clone() });
        Ok(())
    }

    fn call(
        &self,
        role: Role,
        command: &mut std::process::Command,
        parts: Vec<Part<'_>>,
        on: impl Fn() -> String,
    ) -> Result<Body, AppError> {
        let template = match role {
            Role::Map => &self.map,
            Role::Merge => &self.merge,
            Role::Task => unreachable!("a reduction has a map and a merge"),
        };
        let limits = Limits {
            on: &|| format!("`{}` on {}", template.text(), on()),
            scratch: &self.scratch,
            keep: self.settings.keep_in_memory,
            timeout: self.settings.timeout,
            max_output: self.settings.max_output,
            cancels: [&self.cancel, &self.failed],
            guardian: self.settings.guardian.as_ref(),
        };
        let said = |why| Said { role, text: template.text(), on: on(), doubt: template.doubt(), why }.error();
        match call(command, parts, &limits) {
            Ok(Ended { status, output, .. }) if status.success() => {
                self.count(role, &output);
                Ok(output)
            }
            Ok(ended) => Err(self.fail(said(Ok(ended)))),
            Err(GaveUp::Cancelled) => {
                Err(self.first.get().cloned().unwrap_or_else(|| said(Err(GaveUp::Cancelled))))
            }
            Err(why) => Err(self.fail(said(Err(why)))),
        }
    }

    /// Notes the first failure and ends the other calls.
    pub(crate) fn fail(&self, error: AppError) -> AppError {
        let _ = self.first.set(error.clone());
        self.failed.cancel();
        error
    }

    fn count(&self, role: Role, output: &Body) {
        let add = |n: &AtomicU64, by| n.fetch_add(by, Ordering::Relaxed);
        add(&self.counters.ended[role as usize], 1);
        if output.bytes() == 0 {
            add(&self.counters.empty[role as usize], 1);
        }
        if let Body::File { bytes, .. } = output {
            add(&self.counters.spilled_bytes, *bytes);
        }
    }
}

/// A file that holds an output for as long as a merge runs.
enum Named<'o> {
    There(&'o ScratchFile),
    Made(ScratchFile),
}

impl wire::Adopts for Commands {
    fn adopt(&self, places: Range<usize>, bytes: Cow<'_, [u8]>) -> Result<Output, AppError> {
        wire::adopt(&self.files, (&self.scratch, self.settings.keep_in_memory), places, bytes)
    }
}

impl Named<'_> {
    fn path(&self) -> &Path {
        match self {
            Named::There(file) => file.path(),
            Named::Made(file) => file.path(),
        }
    }
}

impl Reduce for Commands {
    type Input = Extent;
    type Partial = Output;

    fn commutative(&self) -> bool {
        self.settings.commutative
    }

    fn task(&self, _index: u64, input: Extent) -> Result<Output, AppError> {
        match self.done.take(&input) {
            Some(output) => Ok(output),
            None => self.run_map(&input),
        }
    }

    fn merge(&self, left: Output, right: Output) -> Result<Output, AppError> {
        self.run_merge(&left, &right)
    }
}
