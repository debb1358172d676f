//! A farm whose tasks are runs of an external program, one for each input file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forerun_platform::{Bytes, Input};
use forerun_skeleton::farm::Answer;
use forerun_skeleton::{AppError, Cancel, Codec};

use super::call::{Ended, Limits, call};
use super::commands::Role;
use super::explain::Said;
use super::feed::Part;
use super::guardian::Guardian;
use super::inputs::{InputFile, Inputs};
use super::journal::{Identity, Journal};
use super::output::{Origin, Output};
use super::scratch::Scratch;
use super::show;
use super::stream::Stream;
use super::template::Template;
use super::wire::{self, Adopts, OutputCodec};
use crate::{FarmJob, Rehearsal};

/// What to run, within which bounds, and what becomes of the outputs.
#[derive(Debug, Clone, Default)]
pub struct FarmSettings {
    /// The command: `{}` in it stands for the task's file; without, the content comes on standard input.
    pub command: String,
    /// Whether it is given to `sh -c`.
    pub shell: bool,
    /// Whether outputs are written as they come, rather than in the order of the files.
    pub unordered: bool,
    /// Where outputs go, one after the other; standard output for none.
    pub out: Option<PathBuf>,
    /// The journal of finished tasks, made where it is missing.
    pub journal: Option<PathBuf>,
    /// Time that one process may take.
    pub timeout: Option<Duration>,
    /// Bytes that one process may write.
    pub max_output: Option<u64>,
    /// Where the directory for temporary files is made; `None` is `TMPDIR`, or `/tmp`.
    pub tmp: Option<PathBuf>,
    /// Who kills processes and removes temporary files where this program is killed.
    pub guardian: Option<Arc<Guardian>>,
}

/// Bytes of an output that are kept in memory; a longer one goes to a temporary file.
const KEEP_IN_MEMORY: u64 = 1 << 20;

/// The farm of a command over files.
#[derive(Debug)]
pub struct CommandFarm {
    settings: FarmSettings,
    template: Template,
    files: Arc<[InputFile]>,
    bytes: u64,
    scratch: Arc<Scratch>,
    cancel: Cancel,
    /// A call is never ended because another failed: that one is tried again.
    never: Cancel,
    delivered: Mutex<Delivered>,
}

/// What was delivered so far.
#[derive(Debug)]
struct Delivered {
    to: Stream,
    journal: Option<Journal>,
    /// In order: the first output that was not written, and those after it that are there.
    next: u64,
    held: BTreeMap<u64, Output>,
    /// Outputs that the journal had at the start.
    known: u64,
    /// Outputs delivered that are empty.
    empty: u64,
}

impl CommandFarm {
    /// Checks the command, opens the journal and where outputs go; runs nothing. Outputs that the journal has are
    /// written when their turn comes. Setting `cancel` ends every call.
    ///
    /// # Errors
    /// A command that cannot be run; a journal of another job, or in use; an output that cannot be written.
    pub fn new(settings: FarmSettings, inputs: &Inputs, cancel: Cancel) -> Result<Self, AppError> {
        let template = Template::task(&settings.command, settings.shell)?;
        let to = Stream::open(settings.out.as_deref(), cancel.clone())?;
        let files = inputs.shared();
        // Only where there is a journal are the files looked at again.
        let journal = settings.journal.as_deref().map(|path| {
            Journal::open(path, Identity::of(&settings.command, settings.shell, &files), files.len() as u64)
        });
        let journal = journal.transpose()?;
        let known = journal.as_ref().map_or(0, Journal::len);
        Ok(CommandFarm {
            template,
            bytes: inputs.bytes(),
            scratch: Scratch::new(settings.tmp.as_deref(), settings.guardian.as_deref())?,
            files,
            cancel,
            never: Cancel::new(),
            delivered: Mutex::new(Delivered { to, journal, next: 0, held: BTreeMap::new(), known, empty: 0 }),
            settings,
        })
    }

    /// Tasks whose outputs the journal had at the start.
    pub fn known(&self) -> u64 {
        self.lock().known
    }

    fn lock(&self) -> MutexGuard<'_, Delivered> {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limits(&self) -> Limits<'_> {
        Limits {
            scratch: &self.scratch,
            keep: KEEP_IN_MEMORY,
            timeout: self.settings.timeout,
            max_output: self.settings.max_output,
            cancels: [&self.cancel, &self.never],
            guardian: self.settings.guardian.as_ref(),
        }
    }

    fn file(&self, index: u64) -> Result<&InputFile, AppError> {
        let file = usize::try_from(index).ok().and_then(|at| self.files.get(at));
        file.ok_or_else(|| AppError::new(format!("there is no task {index}")))
    }
}

impl Answer for CommandFarm {
    type Answer = Output;

    fn tasks(&self) -> u64 {
        self.files.len() as u64
    }

    fn bytes(&self, index: u64) -> u64 {
        self.file(index).map_or(0, |file| file.bytes)
    }

    fn answer(&self, index: u64) -> Result<Output, AppError> {
        let file = self.file(index)?;
        let mut command = self.template.command(std::iter::once(file.path.as_path()));
        let parts = if self.template.contents() { vec![Part::Whole(&file.path)] } else { Vec::new() };
        let limits = self.limits();
        let said = |why| {
            Said {
                role: Role::Task,
                text: self.template.text(),
                on: show::path(&file.path),
                doubt: self.template.doubt(),
                why,
            }
            .error()
        };
        match call(&mut command, parts, &limits) {
            Ok(Ended { status, output, .. }) if status.success() => {
                let at = index as usize;
                Ok(Output { body: output, origin: Origin::new(at..at + 1, &file.path, &file.path) })
            }
            Ok(ended) => Err(said(Ok(ended))),
            Err(why) => Err(said(Err(why))),
        }
    }
}

impl Delivered {
    /// Writes what is there and next in order.
    fn flush(&mut self) -> Result<(), AppError> {
        loop {
            if let Some(output) = self.held.remove(&self.next) {
                self.to.write(&output)?;
            } else if !self.write_known(self.next)? {
                return Ok(());
            }
            self.next += 1;
        }
    }

    /// Writes the output of a task from the journal, if it is there.
    fn write_known(&mut self, index: u64) -> Result<bool, AppError> {
        match &self.journal {
            Some(journal) => journal.copy_to(index, &mut self.to),
            None => Ok(false),
        }
    }
}

impl Adopts for CommandFarm {
    fn adopt(&self, places: Range<usize>, bytes: Cow<'_, [u8]>) -> Result<Output, AppError> {
        wire::adopt(&self.files, (&self.scratch, KEEP_IN_MEMORY), places, bytes)
    }
}

impl FarmJob for CommandFarm {
    fn name(&self) -> &'static str {
        "farm"
    }

    fn summary(&self) -> String {
        format!("{}, {}", show::count(self.files.len() as u64, "file"), Bytes(self.bytes))
    }

    fn input(&self) -> Input {
        Input { bytes: Some(self.bytes), items: Some(self.files.len() as u64), words: self.summary() }
    }

    fn program(&self) -> Option<String> {
        Some(self.template.text().into())
    }

    fn is_done(&self, index: u64) -> bool {
        self.lock().journal.as_ref().is_some_and(|journal| journal.has(index))
    }

    fn in_order(&self) -> bool {
        // With a journal nothing is held in memory, and what is finished is to be in it at once.
        !self.settings.unordered && self.settings.journal.is_none()
    }

    fn deliver(&self, index: u64, answer: Output) -> Result<(), AppError> {
        let mut delivered = self.lock();
        delivered.empty += u64::from(answer.body.bytes() == 0);
        if let Some(journal) = &mut delivered.journal {
            journal.add(index, &answer)?;
        }
        if self.settings.unordered {
            return delivered.to.write(&answer);
        }
        if delivered.journal.is_none() {
            delivered.held.insert(index, answer);
        }
        delivered.flush()
    }

    fn rehearsal(&self) -> Option<Rehearsal<'_, Output>> {
        let delivered = self.lock();
        let mut to = delivered.to.rehearsal();
        let mut journal = delivered.journal.as_ref().and_then(Journal::rehearsal);
        drop(delivered);
        if to.is_none() && journal.is_none() {
            return None;
        }
        let mut next = 0;
        Some(Box::new(move |output| {
            if let Some(journal) = &mut journal {
                journal.add(next, output)?;
            }
            match (&mut to, &journal) {
                // In order, what is next is always there.
                (Some(to), Some(journal)) if !self.settings.unordered => {
                    journal.copy_to(next, to)?;
                }
                (Some(to), _) => to.write(output)?,
                (None, _) => {}
            }
            next += 1;
            Ok(())
        }))
    }

    fn codec(&self) -> impl Codec<Output> + Sync {
        OutputCodec(self)
    }

    /// Closes the journal, and gives up the place of the outputs.
    fn let_go(&self) {
        let mut delivered = self.lock();
        (delivered.journal, delivered.to) = (None, Stream::nowhere(self.cancel.clone()));
    }

    fn outside(&self) -> bool {
        true
    }

    fn start(&self) -> Option<f64> {
        let begun = Instant::now();
        let ended = call(Command::new("sh").args(["-c", ":"]), Vec::new(), &self.limits()).ok()?;
        ended.status.success().then(|| begun.elapsed().as_secs_f64())
    }

    fn input_name(&self, index: u64) -> String {
        self.file(index).map_or(String::new(), |file| show::path(&file.path))
    }

    fn finish(&self) -> Result<String, AppError> {
        let mut delivered = self.lock();
        if self.settings.unordered {
            // Those of the runs before, which are in nobody's way at the end.
            let known = delivered.journal.as_ref().map(Journal::known).unwrap_or_default();
            for index in known {
                delivered.write_known(index)?;
            }
        } else {
            delivered.flush()?;
        }
        let empty = delivered.empty;
        let at = if delivered.to.is_standard() { "on" } else { "in" };
        let (bytes, place) = delivered.to.finish()?;
        let mut said =
            format!("{} of {} {at} {place}", Bytes(bytes), show::count(self.files.len() as u64, "task"));
        if empty > 0 {
            said.push_str(&format!("; {} wrote nothing", show::count(empty, "task")));
        }
        Ok(said)
    }
}
