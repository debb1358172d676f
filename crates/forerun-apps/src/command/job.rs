//! Commands and their inputs as a job.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forerun_platform::{Input, JoinAt};
use forerun_skeleton::reduction::{Piece, Reduce as _, fold_groups};
use forerun_skeleton::{AppError, Cancel, Codec};

use super::deliveries::Directory;
use super::wire::OutputCodec;
use super::{
    CommandSinks, Commands, Destination, Every, Grain, Inputs, Output, Settings, Takes, Tasks, show,
};
use crate::{Erased, Extent, Job, ReductionJob};

/// Files that one task takes at most: as many names as fit a command line are far more.
const MOST_FILES: usize = 4096;

/// Runs a map command on the inputs and a merge command on the results.
#[derive(Debug, Clone)]
pub struct CommandJob {
    inputs: Inputs,
    commands: Arc<Commands>,
    split_lines: bool,
    destination: Destination,
    every: Option<Every>,
    directory: Option<Arc<Directory>>,
}

impl CommandJob {
    /// Checks the commands and where the result goes; runs nothing.
    ///
    /// # Errors
    /// As [`Commands::new`] and [`Destination::open`]; that the result would replace an input.
    pub fn new(
        settings: Settings,
        inputs: Inputs,
        split_lines: bool,
        out: Option<PathBuf>,
        cancel: Cancel,
    ) -> Result<Self, AppError> {
        let destination = Destination::open(out.as_deref())?;
        if let Some(input) = out.as_deref().and_then(|path| inputs.find(path)) {
            return Err(AppError::new(format!(
                "the result would replace the input {}: name another file",
                show::path(&input.path)
            )));
        }
        if let (Some(coming), Some(out)) = (inputs.coming(), out.as_deref()) {
            coming.keep_from(&[out]);
        }
        if inputs.keep_coming() && split_lines {
            return Err(AppError::new("--split-lines needs all inputs before the first is cut"));
        }
        let commands = Arc::new(Commands::new(settings, &inputs, cancel)?);
        let job = CommandJob { inputs, commands, split_lines, destination, every: None, directory: None };
        // What cannot be cut is refused now, not when the job is planned.
        job.cut(u64::MAX)?;
        Ok(job)
    }

    /// The same job, its result written `every` so often while it grows.
    ///
    /// # Errors
    /// That it goes to standard output, where there is only one.
    pub fn written_every(self, every: Every) -> Result<Self, AppError> {
        if self.destination == Destination::StandardOutput {
            return Err(AppError::new(
                "--every: a result that is written again and again needs a file; name it with -o FILE",
            ));
        }
        Ok(CommandJob { every: Some(every), ..self })
    }

    /// The same job, each set that is delivered written to a file of its own in the directory `path`
    /// instead of being merged with the others.
    ///
    /// # Errors
    /// That the directory cannot be made or written to, or holds something.
    pub fn delivered_to(self, path: &Path) -> Result<Self, AppError> {
        Ok(CommandJob { directory: Some(Arc::new(Directory::open(path)?)), ..self })
    }

    pub(crate) fn every(&self) -> Option<Every> {
        self.every
    }

    pub(crate) fn directory(&self) -> Option<&Arc<Directory>> {
        self.directory.as_ref()
    }

    pub(crate) fn destination(&self) -> &Destination {
        &self.destination
    }

    pub(crate) fn shared_commands(&self) -> Arc<Commands> {
        self.commands.clone()
    }

    fn grain(&self, bytes: u64) -> Grain {
        Grain { bytes, files: MOST_FILES, split_lines: self.split_lines }
    }

    /// The inputs.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The commands.
    pub fn commands(&self) -> &Commands {
        &self.commands
    }
}

impl Job for CommandJob {
    fn name(&self) -> &'static str {
        "reduce"
    }

    fn summary(&self) -> String {
        let files = self.inputs.files().len();
        let plural = if files == 1 { "" } else { "s" };
        let more = if self.inputs.keep_coming() { " so far, and more to come" } else { "" };
        format!("{files} file{plural}, {}{more}", forerun_platform::Bytes(self.inputs.bytes()))
    }

    fn input(&self) -> Option<Input> {
        let (bytes, files) = (self.inputs.bytes(), self.inputs.files().len() as u64);
        let known = !self.inputs.keep_coming();
        known.then(|| Input { bytes: Some(bytes), items: Some(files), words: self.summary() })
    }

    fn program(&self) -> Option<String> {
        Some(self.commands.program())
    }

    /// What is still to be mapped: the results that a pilot kept are only merged.
    fn extent(&self) -> Extent {
        let done = self.commands.done().extents();
        let kept: Vec<u64> = done.iter().map(|e| e.bytes).collect();
        let all = self.inputs.bytes();
        let bytes = all.saturating_sub(kept.iter().sum());
        if self.split_lines {
            let files = self.inputs.files().iter();
            let starts: Vec<u64> =
                files.scan(0, |at, f| Some(std::mem::replace(at, *at + f.bytes))).collect();
            let mut held = 0;
            let before = |e: &super::cut::Extent| {
                let at = starts[e.first] + e.start;
                held += e.bytes;
                (at + e.bytes - held) as usize
            };
            let (max_grain, breaks) = (all.max(1), done.iter().map(before).collect());
            return Extent { bytes, pieces: None, min_grain: 1, max_grain, kept, breaks };
        }
        let one_each = self.commands.takes() == Takes::OneName;
        let max_grain = match (one_each, self.inputs.keep_coming()) {
            (true, _) => 1,
            (false, true) => u64::MAX,
            (false, false) => all.max(1),
        };
        let mut left: Vec<Option<u64>> = self.inputs.files().iter().map(|f| Some(f.bytes)).collect();
        let (mut breaks, mut before) = (Vec::with_capacity(done.len()), 0);
        for extent in &done {
            // What is kept comes in order, and is whole files.
            breaks.push(extent.first - before);
            before += extent.files;
            left[extent.range()].fill(None);
        }
        let pieces = left.into_iter().flatten().collect();
        Extent { bytes, pieces: Some(pieces), min_grain: 1, max_grain, kept, breaks }
    }

    fn reads_files(&self) -> bool {
        true
    }

    fn writes_results(&self) -> bool {
        true
    }

    fn forget(&self) {
        self.commands.done().take_all();
    }

    fn join(&self) -> JoinAt {
        JoinAt::Sink
    }

    fn outside(&self) -> bool {
        true
    }

    fn keeps(&self) -> bool {
        true
    }

    fn first_sizes(&self) -> Option<Vec<u64>> {
        self.inputs.keep_coming().then(|| self.inputs.files().iter().map(|f| f.bytes).collect())
    }

    fn one_sink(&self) -> bool {
        self.every.is_some() || self.directory.is_some()
    }

    fn notes(&self) -> Vec<String> {
        let coming = self.inputs.coming().map_or(Vec::new(), |coming| coming.notes());
        self.commands.tally().note().into_iter().chain(coming).collect()
    }
}

impl ReductionJob for CommandJob {
    type Input = super::Extent;
    type Partial = Output;
    type App = Commands;
    type Source = Tasks;
    type Left = Option<Piece<Output>>;
    type Sinks<'s> = CommandSinks<'s>;

    fn app(&self) -> &Commands {
        &self.commands
    }

    fn cut(&self, grain: u64) -> Result<Tasks, AppError> {
        let known = self.cut_known(grain)?;
        Ok(known.then_coming(&self.inputs, self.grain(grain), self.commands.takes()))
    }

    fn cut_known(&self, grain: u64) -> Result<Tasks, AppError> {
        let done = self.commands.done().extents();
        Tasks::cut(&self.inputs, self.grain(grain), self.commands.takes(), &done)
    }

    fn arrange(&self, source: Tasks, parts: usize) -> Tasks {
        let kept = self.commands.done().extents();
        if self.commands.commutative() && !kept.is_empty() { source.arranged(&kept, parts) } else { source }
    }

    fn sinks(&self) -> CommandSinks<'_> {
        CommandSinks { job: self, rehearsal: false }
    }

    fn rehearsal_sinks(&self) -> CommandSinks<'_> {
        CommandSinks { job: self, rehearsal: true }
    }

    fn finish(&self, left: Vec<Self::Left>) -> Result<String, AppError> {
        if let Some(directory) = &self.directory {
            let sets = directory.delivered();
            let plural = if sets == 1 { "delivery" } else { "deliveries" };
            return Ok(format!("{sets} {plural} in {}", show::path(directory.path())));
        }
        let result = fold_groups(&*self.commands, left)?;
        // Pieces of one file go together. A whole one is its command's, which has it as it is then.
        if self.split_lines {
            self.inputs.files().iter().try_for_each(|file| file.seen.check(&file.path))?;
        }
        let output = result.as_ref().map(|piece| &piece.value);
        self.destination.write(output, self.commands.cancel())?;
        let bytes = forerun_platform::Bytes(output.map_or(0, forerun_skeleton::Message::bytes));
        Ok(match &self.destination {
            Destination::StandardOutput => format!("{bytes} on standard output"),
            Destination::File(path) | Destination::Special(path) => {
                format!("{bytes} in {}", show::path(path))
            }
        })
    }

    fn rehearse_finish(&self, left: Vec<Self::Left>) -> Result<Erased, AppError> {
        let result = fold_groups(&*self.commands, left)?;
        let output = result.as_ref().map(|piece| &piece.value);
        let file = match self.directory {
            Some(_) => None,
            None => self.destination.rehearse(output, self.commands.cancel())?,
        };
        Ok(Erased::new((result, file)))
    }

    fn replaces(&self) -> u64 {
        if self.directory.is_some() { 0 } else { self.destination.replaces() }
    }

    fn keeps_as_one(&self, source: &Tasks, tasks: Range<u64>) -> bool {
        source.joined(tasks).is_some()
    }

    fn keep(&self, source: &Tasks, tasks: Range<u64>, partial: &Output) -> Result<(), AppError> {
        source.joined(tasks).map_or(Ok(()), |extent| self.commands.keep(&extent, partial))
    }

    fn is_kept(&self, source: &Tasks, index: u64) -> bool {
        source.extent(index).is_some_and(|extent| self.commands.done().has(extent))
    }

    fn codec(&self) -> impl Codec<Output> + Codec<Self::Left> + Sync {
        OutputCodec(&*self.commands)
    }

    fn hand_over(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        OutputCodec(&*self.commands).put_kept(out)
    }

    fn take_over(&self, bytes: &[u8]) -> Result<(), AppError> {
        OutputCodec(&*self.commands).keep(bytes)
    }

    fn input_name(&self, source: &Tasks, index: u64) -> String {
        source.describe(index)
    }
}
