//! A sort as a reduction.

use std::ops::Range;
use std::path::{Path, PathBuf};

use forerun_platform::file::{is_standard_output, shown};
use forerun_platform::{Bytes, Grain};
use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{Reduce, Sinks, Source};
use tempfile::TempPath;

use super::budget::Budget;
use super::desk::Desk;
use super::element::ElementType;
use super::files::Files;
use super::finish::{Finished, Merged, merge_to};
use super::options::SortOptions;
use super::output::{Output, writable};
use super::run::{OfKind, Run, for_element};
use super::sink::RunSink;
use super::sorted::Sorted;
use super::spill::Spill;

/// Least memory that a sort can work in, in bytes.
pub const LEAST_MEMORY: u64 = 64 << 10;

/// Memory that a piece of the input takes beside its elements while it rests, in bytes, and the part of all memory
/// that this may take.
const PIECE: (u64, u64) = (512, 16);

/// A sort that was checked and can begin.
#[derive(Debug)]
pub struct SortJob {
    element: ElementType,
    desk: Desk,
    output: Output,
}

/// A range of the input files, taken one after the other, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortInput(Range<u64>);

/// The inputs of the tasks of a sort.
#[derive(Debug, Clone)]
pub struct SortSource {
    bytes: u64,
    width: u64,
    tasks: u64,
}

impl SortJob {
    /// Checks the inputs, the output and the options; nothing is read or written yet but a sample
    /// of text.
    ///
    /// # Errors
    /// A sentence that says what cannot be, and what to do.
    pub fn open(inputs: &[PathBuf], options: SortOptions) -> Result<Self, AppError> {
        let element = options.element;
        if options.memory < LEAST_MEMORY {
            return Err(AppError::new(format!(
                "{} bytes of memory are not enough to sort: allow at least 64 KiB",
                options.memory
            )));
        }
        if options.ranks == 0 || options.merge_threads == 0 {
            return Err(AppError::new("a sort needs at least one rank and one thread a merge"));
        }
        let files = Files::open(inputs, element)?;
        let gathered = options.temporary.clone().unwrap_or_else(std::env::temp_dir);
        let output = match options.output {
            Some(path) if is_standard_output(&path) => Output::standard(gathered, options.cancel.clone()),
            Some(path) => Output::check(&path, &gathered, &options.cancel)?,
            None => {
                let checked = |path: PathBuf| Output::check(&path, &gathered, &options.cancel);
                match beside(inputs).and_then(checked) {
                    Err(_) if !options.written && inputs.len() == 1 => {
                        Output::nowhere(gathered, options.cancel.clone())
                    }
                    other => other?,
                }
            }
        };
        let temporary = options.temporary.unwrap_or_else(|| output.directory().into());
        writable(&temporary, "temporary files")?;
        // A fifth stays for the least pieces that ranks take beyond the budget, for stacks, and for
        // what the allocator cannot use.
        let budget = Budget::new(options.memory / 5 * 4);
        let desk = Desk {
            spill: Spill::new(&temporary, files.bytes()),
            files,
            budget,
            ranks: options.ranks as u64,
            width: element.width(),
            merge_threads: options.merge_threads,
            cancel: options.cancel,
        };
        Ok(SortJob { element, desk, output })
    }

    /// What tasks and merges work with.
    pub(crate) fn desk(&self) -> &Desk {
        &self.desk
    }

    /// The output.
    pub(crate) fn output_file(&self) -> &Output {
        &self.output
    }

    /// Bytes of all inputs together.
    pub fn bytes(&self) -> u64 {
        self.desk.files.bytes()
    }

    /// Number of input files.
    pub fn files(&self) -> usize {
        self.desk.files.count()
    }

    /// What the files hold.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Where the output goes.
    pub fn output(&self) -> &Path {
        self.output.path()
    }

    /// How many bytes went where.
    pub(super) fn written(&self, bytes: u64) -> String {
        let at = if self.output.is_standard() { "on" } else { "in" };
        format!("{} {at} {}", Bytes(bytes), shown(self.output.path()))
    }

    /// The memory budget.
    pub fn budget(&self) -> &Budget {
        &self.desk.budget
    }

    /// Largest grain, in bytes of input, with which a rank sorts a task in its share of the
    /// memory while runs rest in the other half. A larger one works too: such a task is sorted
    /// piece by piece.
    pub fn largest_grain(&self) -> u64 {
        let per_mebibyte =
            for_element!(self.element, R => <R as Sorted>::need(&self.desk.files, 1 << 20, false));
        let bytes = (u128::from(self.desk.share() / 2) << 20) / u128::from(per_mebibyte.max(1));
        let bytes = bytes as u64;
        (bytes - bytes % self.desk.width).max(self.desk.width)
    }

    /// Smallest grain, in bytes of input, of which there are so few that what is kept of each fits into the memory; the
    /// largest, where no grain would do.
    pub fn smallest_grain(&self) -> u64 {
        self.least_piece().min(self.largest_grain())
    }

    /// Bytes of the smallest pieces that the input may be cut into; what is larger is better.
    pub(crate) fn least_piece(&self) -> u64 {
        let (piece, part) = PIECE;
        let most = (self.desk.budget.limit() / part / piece).max(1);
        let width = self.desk.width;
        self.bytes().div_ceil(most).next_multiple_of(width).max(width)
    }

    /// The grain that cuts the input into `tasks` tasks, or more if these would be larger than
    /// [`SortJob::largest_grain`].
    pub fn grain(&self, tasks: u64) -> Grain {
        let tasks = tasks.max(1).max(self.bytes().div_ceil(self.largest_grain()));
        Grain { tasks: Some(tasks), bytes: self.bytes().div_ceil(tasks).max(1) }
    }

    /// The inputs of tasks of a grain: as many as it says, else as few as keep within its bytes.
    /// None if there is nothing to sort.
    pub fn source(&self, grain: Grain) -> SortSource {
        let (bytes, width) = (self.bytes(), self.desk.width);
        let tasks = grain.tasks.unwrap_or_else(|| bytes.div_ceil(grain.bytes.max(1)));
        SortSource { bytes, width, tasks: tasks.min(bytes / width) }
    }

    /// An input of about `bytes` bytes that begins at the fraction `at` (0 to 1) of the whole: for
    /// trying the job out.
    pub fn sample(&self, at: f64, bytes: u64) -> SortInput {
        let width = self.desk.width;
        let bytes = bytes.min(self.bytes());
        let start = ((self.bytes() - bytes) as f64 * at.clamp(0.0, 1.0)) as u64;
        let start = start - start % width;
        SortInput(start..start + bytes - bytes % width)
    }

    /// What input `index` of `source` is: the file, and where in it.
    pub fn name_of(&self, source: &SortSource, index: u64) -> String {
        let Some(range) = source.range(index) else { return format!("input {index}") };
        match self.desk.files.segments(range).next() {
            Some(part) => format!("{} from byte {}", shown(part.path), part.range.start),
            None => format!("input {index}"),
        }
    }

    /// Merges what the sinks of all groups left into the output.
    ///
    /// # Errors
    /// The output or the runs on disk could not be written or read, or an input was changed since it was looked at; then there is no
    /// output (and a file of its name is as it was).
    pub fn finish(&self, outs: Vec<Vec<Run>>) -> Result<Finished, AppError> {
        let mut merged = Merged::default();
        let bytes = self.output.write(|file, error| {
            let outs = outs.into_iter().flatten().collect();
            merged = for_element!(self.element, R => merge_to::<R>(&self.desk, outs, file, error))?;
            self.desk.files.unchanged()
        })?;
        Ok(Finished {
            path: self.output.path().into(),
            bytes,
            runs_in_memory: merged.in_memory,
            runs_on_disk: merged.on_disk,
            spilled: merged.spilled,
        })
    }

    /// Does what [`SortJob::finish`] does, to a file that is gone when the returned value is dropped:
    /// for trying out what it costs.
    ///
    /// # Errors
    /// As for [`SortJob::finish`].
    pub fn rehearse_finish(&self, outs: Vec<Run>) -> Result<TempPath, AppError> {
        self.output.rehearse(|file, error| {
            for_element!(self.element, R => merge_to::<R>(&self.desk, outs, file, error)).map(drop)
        })
    }

    /// The bytes of the file that the output replaces, as it is now; 0 if there is none.
    pub fn replaces(&self) -> u64 {
        self.output.replaces()
    }

    /// Bytes of results that may rest in memory, where their tasks have ended: half of the budget.
    pub fn room(&self) -> u64 {
        let per_mebibyte = for_element!(self.element, R => <R as Sorted>::resting(&self.desk.files, 1 << 20));
        ((u128::from(self.desk.budget.limit() / 2) << 20) / u128::from(per_mebibyte.max(1))) as u64
    }
}

/// `FILE.sorted` beside the one input.
fn beside(inputs: &[PathBuf]) -> Result<PathBuf, AppError> {
    match inputs {
        [input] if ["/dev", "/proc"].iter().any(|system| input.starts_with(system)) => Err(AppError::new(
            format!("there is no place for a result beside {}: name the output (with -o)", shown(input)),
        )),
        [input] => {
            let mut name = input.clone().into_os_string();
            name.push(".sorted");
            Ok(name.into())
        }
        _ => Err(AppError::new("several inputs give one output: name it (with -o)")),
    }
}

impl SortInput {
    /// Bytes of the input.
    pub fn bytes(&self) -> u64 {
        self.0.end - self.0.start
    }

    pub(crate) fn range(&self) -> Range<u64> {
        self.0.clone()
    }
}

impl Source for SortSource {
    type Input = SortInput;

    fn len(&self) -> Option<u64> {
        Some(self.tasks)
    }

    fn bytes(&self, index: u64) -> u64 {
        self.range(index).map_or(0, |range| range.end - range.start)
    }

    fn get(&self, index: u64) -> Result<Option<SortInput>, AppError> {
        Ok(self.range(index).map(SortInput))
    }
}

impl SortSource {
    /// Input `index`, in bytes.
    pub(crate) fn range(&self, index: u64) -> Option<Range<u64>> {
        let elements = u128::from(self.bytes / self.width);
        let start = |n: u64| (elements * u128::from(n) / u128::from(self.tasks)) as u64 * self.width;
        (index < self.tasks).then(|| start(index)..start(index + 1))
    }
}

impl Reduce for SortJob {
    type Input = SortInput;
    type Partial = Run;

    /// Equal elements are the same bytes.
    fn commutative(&self) -> bool {
        true
    }

    fn task(&self, _: u64, input: SortInput) -> Result<Run, AppError> {
        for_element!(self.element, R => self.desk.task::<R>(input.0).map(R::wrap))
    }

    fn merge(&self, left: Run, right: Run) -> Result<Run, AppError> {
        for_element!(self.element, R => {
            match (R::unwrap(left), R::unwrap(right)) {
                (Some(left), Some(right)) => self.desk.merge(left, right).map(R::wrap),
                _ => Err(AppError::new("runs of two sorts cannot be merged")),
            }
        })
    }
}

impl Sinks<Run> for SortJob {
    type Sink = RunSink;

    fn open(&self, _: usize) -> Result<RunSink, AppError> {
        self.desk.go_on()?;
        Ok(RunSink::default())
    }
}
