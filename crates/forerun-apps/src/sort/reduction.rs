//! A sort as the command line sees it.

use forerun_platform::{Bytes, Grain, JoinAt};
use forerun_skeleton::{AppError, Codec, Message};

use super::finish::merged_at_once;
use super::job::{SortInput, SortJob, SortSource};
use super::run::Run;
use super::trial::SpillTrial;
use super::wire::RunCodec;
use crate::{Erased, Extent, Job, ReductionJob, Spilling};

/// Memory that is no matter.
const AMPLE: u64 = 64 << 20;

/// Bytes of a line of a number, about.
const LINE: f64 = 8.0;
/// Reading a number, and touching the memory that it gets, takes about as long as so many levels of sorting. (Tasks of 4 to
/// 130 MB were measured: 9 for numbers of 4 bytes, 4 to 5 for those of 8. Lines are mostly compared.)
const ONCE: f64 = 7.0;

impl Job for SortJob {
    fn name(&self) -> &'static str {
        "sort"
    }

    fn summary(&self) -> String {
        let files = self.files();
        let plural = if files == 1 { "" } else { "s" };
        format!("{files} file{plural}, {} of {}", Bytes(self.bytes()), self.element().name())
    }

    fn least_bytes(&self) -> u64 {
        self.element().width()
    }

    fn extent(&self) -> Extent {
        Extent {
            bytes: self.bytes(),
            pieces: None,
            min_grain: self.smallest_grain(),
            max_grain: self.largest_grain(),
            kept: Vec::new(),
            breaks: Vec::new(),
        }
    }

    fn reads_files(&self) -> bool {
        true
    }

    /// Sorting n elements takes n log n, and what is done once to each beside.
    fn per_byte(&self, bytes: f64) -> f64 {
        let (width, once) = match self.element().width() {
            1 => (LINE, 0.0),
            width => (width as f64, ONCE),
        };
        once + (bytes / width).max(2.0).log2()
    }

    fn writes_results(&self) -> bool {
        true
    }

    fn join(&self) -> JoinAt {
        JoinAt::Finish
    }

    fn room(&self) -> Option<u64> {
        Some(SortJob::room(self))
    }

    fn merged_at_once(&self) -> Option<u64> {
        Some(merged_at_once(self.desk()))
    }

    fn memory_needed(&self) -> Option<u64> {
        // Runs may rest in two fifths of the memory; the rest is for those under way.
        let all_in_memory = self.bytes().saturating_mul(5) / 2;
        Some((self.desk().budget.limit() / 4 * 5).min(all_in_memory.max(AMPLE)))
    }

    fn spilling(&self, bytes: Option<u64>) -> Option<Box<dyn Spilling + '_>> {
        Some(Box::new(SpillTrial::new(self, bytes)))
    }
}

impl ReductionJob for SortJob {
    type Input = SortInput;
    type Partial = Run;
    type App = SortJob;
    type Source = SortSource;
    type Left = Vec<Run>;
    type Sinks<'s> = &'s SortJob;

    fn app(&self) -> &SortJob {
        self
    }

    fn cut(&self, grain: u64) -> Result<SortSource, AppError> {
        Ok(self.source(Grain { tasks: None, bytes: grain }))
    }

    fn sinks(&self) -> &SortJob {
        self
    }

    fn finish(&self, left: Vec<Vec<Run>>) -> Result<String, AppError> {
        let done = SortJob::finish(self, left)?;
        let mut line = self.written(done.bytes);
        if done.spilled > 0 {
            line.push_str(&format!(", {} of it by way of the disk", Bytes(done.spilled)));
        }
        Ok(line)
    }

    fn rehearse_finish(&self, left: Vec<Vec<Run>>) -> Result<Erased, AppError> {
        SortJob::rehearse_finish(self, left.into_iter().flatten().collect()).map(Erased::new)
    }

    fn replaces(&self) -> u64 {
        SortJob::replaces(self)
    }

    fn codec(&self) -> impl Codec<Run> + Codec<Vec<Run>> + Sync {
        RunCodec(self)
    }

    /// Without reading what lies on the disk.
    fn left_bytes(&self, left: &Vec<Run>) -> Result<u64, AppError> {
        Ok(left.iter().map(Message::bytes).sum())
    }

    fn input_name(&self, source: &SortSource, index: u64) -> String {
        self.name_of(source, index)
    }
}
