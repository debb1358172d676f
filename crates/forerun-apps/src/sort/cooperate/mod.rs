//! Sorting by scatter-gather: blocks are read and sorted, a rank merges its blocks, the first rank
//! merges the ranks' packets and writes (Juhász and Charaf, section 4, with what this crate has
//! for quicksort and for merging).
//!
//! **Memory.** Sorted blocks rest within the same [`Budget`](super::Budget) as runs of the reduction,
//! and go to the spill file where there is no room; a rank's merge takes them from there. Blocks
//! and packets under way have the other half: [`SortJob::largest_block`] is what a block may be for
//! that.

mod app;
mod global;
mod held;
mod local;
mod sink;
mod source;
mod wire;

use forerun_platform::{Bytes, Grain};
use forerun_skeleton::AppError;
use forerun_skeleton::scatter_gather::HELD;

use self::app::Cooperative;
pub use self::sink::Written;
use self::source::BlockSource;
use self::wire::PartsCodec;
use super::finish::fan_in;
use super::job::SortJob;
use super::run::for_element;
use super::sorted::Sorted;
use crate::{Erased, ScatterGatherJob, Together};

impl ScatterGatherJob for SortJob {
    fn together(&self, block: u64) -> Together<'_> {
        for_element!(self.element(), R => {
            let grain = Grain { tasks: None, bytes: (block - block % self.step()).max(self.step()) };
            let source = BlockSource::<R>::new(self, self.source(grain));
            let app = || Cooperative::<R>::new(self, block);
            Together::new(app(), source, app(), PartsCodec(self))
        })
    }

    fn element_bytes(&self) -> f64 {
        match self.element().width() {
            1 => self.desk().files.line_bytes().max(1) as f64,
            width => width as f64,
        }
    }

    fn step(&self) -> u64 {
        self.element().width()
    }

    fn blocks(&self, ranks: usize, window: usize) -> (u64, u64) {
        let most = self.largest_block(ranks, window);
        (self.least_piece().min(most), most)
    }

    fn memory(&self) -> Option<u64> {
        Some(self.desk().budget.limit())
    }

    fn ways(&self, ranks: usize) -> Option<u64> {
        // Ranks that share the memory begin to merge at about the same time.
        Some(fan_in(self.desk(), ranks as u64))
    }

    fn conclude(&self, written: Erased) -> Result<String, AppError> {
        let written: Written = written.open()?;
        let bytes = written.bytes();
        let spilled = self.desk().spill.bytes().saturating_sub(written.spilled_before());
        self.desk().files.unchanged()?;
        self.output_file().persist(written.into_file())?;
        let mut line = self.written(bytes);
        if spilled > 0 {
            line.push_str(&format!(", {} of it by way of the disk", Bytes(spilled)));
        }
        Ok(line)
    }
}

impl SortJob {
    /// Largest block, in bytes of input, with which all blocks and packets that `ranks` ranks have
    /// under way at a time fit into half of the memory: sorted blocks rest in the other half.
    pub fn largest_block(&self, ranks: usize, window: usize) -> u64 {
        let desk = self.desk();
        let per_mebibyte =
            for_element!(self.element(), R => <R as Sorted>::need(&desk.files, 1 << 20, false));
        let others = ranks as u64 - 1;
        // Read ahead and held back by the first rank, under way to and worked on by each other; then
        // packets: two of every rank, the result's, and those that wait to be written.
        let blocks = (HELD as u64 + 4 + others * (window as u64 + 1)).max(2 * ranks as u64 + 5);
        let bytes = (u128::from(desk.budget.limit() / 2 / blocks) << 20) / u128::from(per_mebibyte.max(1));
        let bytes = bytes as u64;
        (bytes - bytes % desk.width).max(desk.width)
    }
}
