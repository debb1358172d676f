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
use forerun_skeleton::wire::{Incoming, Outgoing};
use forerun_skeleton::{AppError, Cancel, Codec, Failure, Message, Wire as _};

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
    /// Whether tasks that fail for good are gone on without.
    pub keep_going: bool,
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

/// What became of a task.
#[derive(Debug)]
pub enum Fate {
    /// It wrote this.
    Done(Output),
    /// It failed for good, for this reason.
    Failed(String),
}

impl Message for Fate {
    fn bytes(&self) -> u64 {
        match self {
            Fate::Done(output) => output.bytes(),
            Fate::Failed(why) => why.len() as u64,
        }
    }
}

/// Tasks that failed which are named at the end.
const NAMED: usize = 5;

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
    /// Tasks that failed for good, and why.
    failed: BTreeMap<u64, String>,
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
        let journal = settings
            .journal
            .as_deref()
            .map(|path| Journal::open(path, &Identity::of(&settings.command, settings.shell, &files)));
        let journal = journal.transpose()?;
        let known = journal.as_ref().map_or(0, Journal::len);
        Ok(CommandFarm {
            template,
            bytes: inputs.bytes(),
            scratch: Scratch::new(settings.tmp.as_deref(), settings.guardian.as_deref())?,
            files,
            cancel,
            never: Cancel::new(),
            delivered: Mutex::new(Delivered {
                to,
                journal,
                next: 0,
                held: BTreeMap::new(),
                known,
                empty: 0,
                failed: BTreeMap::new(),
            }),
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
            on: &String::new,
            scratch: &self.scratch,
            keep: KEEP_IN_MEMORY,
            timeout: self.settings.timeout,
            max_output: self.settings.max_output,
            cancels: [&self.cancel, &self.never],
            guardian: self.settings.guardian.as_ref(),
        }
    }

    /// The files of these tasks: the first few by name, and how many more.
    fn named(&self, tasks: &[u64]) -> String {
        let mut names: Vec<String> = tasks.iter().take(NAMED).map(|&task| self.input_name(task)).collect();
        match (tasks.len() - names.len(), names.pop()) {
            (0, Some(last)) if names.is_empty() => last,
            (0, Some(last)) => format!("{} and {last}", names.join(", ")),
            (more, Some(last)) => format!("{}, {last} and {more} more", names.join(", ")),
            (_, None) => String::new(),
        }
    }

    fn file(&self, index: u64) -> Result<&InputFile, AppError> {
        let file = usize::try_from(index).ok().and_then(|at| self.files.get(at));
        file.ok_or_else(|| AppError::new(format!("there is no task {index}")))
    }
}

impl Answer for CommandFarm {
    type Answer = Fate;

    fn tasks(&self) -> u64 {
        self.files.len() as u64
    }

    fn bytes(&self, index: u64) -> u64 {
        self.file(index).map_or(0, |file| file.bytes)
    }

    fn answer(&self, index: u64) -> Result<Fate, AppError> {
        let file = self.file(index)?;
        let mut command = self.template.command(std::iter::once(file.path.as_path()));
        let parts = if self.template.contents() { vec![Part::Whole(&file.path)] } else { Vec::new() };
        let on = || format!("`{}` on {}", self.template.text(), show::path(&file.path));
        let limits = Limits { on: &on, ..self.limits() };
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
                let origin = Origin::new(at..at + 1, &file.path, &file.path);
                Ok(Fate::Done(Output { body: output, origin }))
            }
            Ok(ended) => Err(said(Ok(ended))),
            Err(why) => Err(said(Err(why))),
        }
    }

    fn given_up(&self, _: u64, failure: &Failure) -> Option<Fate> {
        // One that was ended since the run is has not failed.
        let goes_on = self.settings.keep_going && !self.cancel.is_cancelled();
        goes_on.then(|| Fate::Failed(failure.message.clone()))
    }
}

impl Delivered {
    /// Writes what is there and next in order.
    fn flush(&mut self) -> Result<(), AppError> {
        loop {
            if let Some(output) = self.held.remove(&self.next) {
                self.to.write(&output)?;
            } else if self.failed.contains_key(&self.next) {
                // There is nothing of it.
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

/// Writes and reads what became of tasks.
struct FateCodec<'a>(OutputCodec<'a, CommandFarm>);

impl Codec<Fate> for FateCodec<'_> {
    fn encode(&self, fate: &Fate, out: &mut Vec<u8>) -> Result<(), AppError> {
        matches!(fate, Fate::Done(_)).encode(out)?;
        match fate {
            Fate::Done(output) => self.0.encode(output, out),
            Fate::Failed(why) => why.encode(out),
        }
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Fate, AppError> {
        Ok(match bool::decode(bytes)? {
            true => Fate::Done(self.0.decode(bytes)?),
            false => Fate::Failed(String::decode(bytes)?),
        })
    }

    fn give(&self, fate: Fate, out: &mut Outgoing) -> Result<(), AppError> {
        matches!(fate, Fate::Done(_)).encode(&mut out.bytes)?;
        match fate {
            Fate::Done(output) => self.0.give(output, out),
            Fate::Failed(why) => why.encode(&mut out.bytes),
        }
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Fate, AppError> {
        Ok(match bool::decode(&mut from.bytes)? {
            true => Fate::Done(self.0.take(from)?),
            false => Fate::Failed(String::decode(&mut from.bytes)?),
        })
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

    fn deliver(&self, index: u64, answer: Fate) -> Result<(), AppError> {
        let mut delivered = self.lock();
        let answer = match answer {
            Fate::Done(output) => output,
            Fate::Failed(why) => {
                delivered.failed.insert(index, why);
                return if self.settings.unordered { Ok(()) } else { delivered.flush() };
            }
        };
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

    fn rehearsal(&self) -> Option<Rehearsal<'_, Fate>> {
        let delivered = self.lock();
        let mut to = delivered.to.rehearsal();
        let mut journal = delivered.journal.as_ref().and_then(Journal::rehearsal);
        drop(delivered);
        if to.is_none() && journal.is_none() {
            return None;
        }
        let mut next = 0;
        Some(Box::new(move |fate| {
            let Fate::Done(output) = fate else { return Ok(()) };
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

    fn codec(&self) -> impl Codec<Fate> + Sync {
        FateCodec(OutputCodec(self))
    }

    /// Closes the journal, and gives up the place of the outputs; but for a pipe, whose reader would leave before another process writes.
    fn let_go(&self) {
        let mut delivered = self.lock();
        delivered.journal = None;
        if !delivered.to.is_special() {
            delivered.to = Stream::nowhere(self.cancel.clone());
        }
    }

    fn notes(&self) -> Vec<String> {
        let delivered = self.lock();
        let Some(journal) = &delivered.journal else { return Vec::new() };
        let changed = journal.changed();
        let mut notes = Vec::new();
        if !changed.is_empty() {
            let (have, are) = if changed.len() == 1 { ("has", "is") } else { ("have", "are") };
            notes.push(format!(
                "{} {have} changed since {} output went into the journal, and {are} done again",
                self.named(&changed),
                if changed.len() == 1 { "its" } else { "their" }
            ));
        }
        if journal.damaged() {
            notes.push(format!(
                "the journal is damaged behind {}: what followed there is done again",
                show::count(journal.len(), "output")
            ));
        }
        if journal.others() > 0 {
            notes.push(format!(
                "the journal has {} of files that are not among these, and keeps them",
                show::count(journal.others(), "output")
            ));
        }
        notes
    }

    fn stands_in(&self, answer: &Fate) -> bool {
        matches!(answer, Fate::Failed(_))
    }

    fn missing(&self) -> Option<String> {
        let delivered = self.lock();
        let (_, why) = delivered.failed.first_key_value()?;
        let (failed, all) = (delivered.failed.len() as u64, self.files.len() as u64);
        let named = self.named(&delivered.failed.keys().copied().collect::<Vec<_>>());
        let again = match delivered.journal {
            Some(_) => "; the same command again does what is missing",
            None => "",
        };
        Some(match failed {
            1 => format!("1 of {} failed: {why}{again}", show::count(all, "task")),
            _ => format!(
                "{failed} of {} failed, on {named}; the first: {why}{again}",
                show::count(all, "task")
            ),
        })
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
            if delivered.next < self.files.len() as u64 {
                // Of a journal that was changed meanwhile, say.
                let name = self.input_name(delivered.next);
                return Err(AppError::new(format!("the output of {name} was lost: run it again")));
            }
        }
        let (empty, failed) = (delivered.empty, delivered.failed.len() as u64);
        let at = if delivered.to.is_standard() { "on" } else { "in" };
        let (bytes, place) = delivered.to.finish()?;
        let mut said =
            format!("{} of {} {at} {place}", Bytes(bytes), show::count(self.files.len() as u64, "task"));
        if empty > 0 {
            said.push_str(&format!("; {} wrote nothing", show::count(empty, "task")));
        }
        if failed > 0 {
            said.push_str(&format!("; {} failed", show::count(failed, "task")));
        }
        Ok(said)
    }
}
