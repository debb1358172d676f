//! Commands and their inputs as a job.

use std::path::PathBuf;
use std::sync::Arc;

use forerun_platform::JoinAt;
use forerun_skeleton::reduction::{FoldSinks, Piece, fold_groups};
use forerun_skeleton::{AppError, Cancel};

use super::{Commands, Destination, Grain, Inputs, Output, Settings, Takes, Tasks, show};
use crate::{Extent, ReductionJob};

/// Files that one task takes at most: as many names as fit a command line are far more.
const MOST_FILES: usize = 4096;

/// Runs a map command on the inputs and a merge command on the results.
#[derive(Debug, Clone)]
pub struct CommandJob {
    inputs: Inputs,
    commands: Arc<Commands>,
    split_lines: bool,
    destination: Destination,
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
        let commands = Arc::new(Commands::new(settings, &inputs, cancel)?);
        let job = CommandJob { inputs, commands, split_lines, destination };
        // What cannot be cut is refused now, not when the job is planned.
        job.cut(u64::MAX)?;
        Ok(job)
    }

    /// Whether the result goes to standard output.
    pub fn writes_to_stdout(&self) -> bool {
        self.destination == Destination::StandardOutput
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

impl ReductionJob for CommandJob {
    type App = Commands;
    type Source = Tasks;
    type Left = Option<Piece<Output>>;
    type Sinks<'s> = FoldSinks<'s, Commands>;

    const JOIN: JoinAt = JoinAt::Sink;
    const OUTSIDE: bool = true;

    fn name(&self) -> &'static str {
        "reduce"
    }

    fn summary(&self) -> String {
        let files = self.inputs.files().len();
        let plural = if files == 1 { "" } else { "s" };
        format!("{files} file{plural}, {}", forerun_platform::Bytes(self.inputs.bytes()))
    }

    /// What is still to be mapped: the results that a pilot kept cost nothing any more.
    fn extent(&self) -> Extent {
        let kept = self.commands.done().extents();
        let bytes = self.inputs.bytes().saturating_sub(kept.iter().map(|e| e.bytes).sum());
        if self.split_lines {
            return Extent { bytes, pieces: None, min_grain: 1, max_grain: bytes.max(1) };
        }
        let one_each = self.commands.takes() == Takes::OneName;
        let max_grain = if one_each { 1 } else { bytes.max(1) };
        let mut left: Vec<Option<u64>> = self.inputs.files().iter().map(|f| Some(f.bytes)).collect();
        for at in kept.iter().flat_map(super::Extent::range) {
            left[at] = None;
        }
        let pieces = left.into_iter().flatten().collect();
        Extent { bytes, pieces: Some(pieces), min_grain: 1, max_grain }
    }

    fn app(&self) -> &Commands {
        &self.commands
    }

    fn cut(&self, grain: u64) -> Result<Tasks, AppError> {
        let grain = Grain { bytes: grain, files: MOST_FILES, split_lines: self.split_lines };
        Tasks::cut(&self.inputs, grain, self.commands.takes(), &self.commands.done().extents())
    }

    fn sinks(&self) -> FoldSinks<'_, Commands> {
        FoldSinks(&self.commands)
    }

    fn finish(&self, left: Vec<Self::Left>) -> Result<String, AppError> {
        let result = fold_groups(&*self.commands, left)?;
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

    fn rehearse_finish(&self, left: Vec<Self::Left>) -> Result<(), AppError> {
        let result = fold_groups(&*self.commands, left)?;
        let output = result.as_ref().map(|piece| &piece.value);
        Destination::Special("/dev/null".into()).write(output, self.commands.cancel())
    }

    fn keep(&self, source: &Tasks, index: u64, partial: &Output) -> Result<(), AppError> {
        source.extent(index).map_or(Ok(()), |extent| self.commands.keep(extent, partial))
    }

    fn is_kept(&self, source: &Tasks, index: u64) -> bool {
        source.extent(index).is_some_and(|extent| self.commands.done().has(extent))
    }

    fn notes(&self) -> Vec<String> {
        self.commands.tally().note().into_iter().collect()
    }

    fn input_name(&self, source: &Tasks, index: u64) -> String {
        source.describe(index)
    }
}
