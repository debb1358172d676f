//! Merging a rank's blocks, a packet at a time.

use forerun_skeleton::AppError;
use forerun_skeleton::scatter_gather::{Amount, Local};

use super::app::{SortedBlock, SortedPacket};
use super::held::{Held, InParts};
use crate::sort::desk::Desk;
use crate::sort::finish::{gathered, shrink};
use crate::sort::tree::Leaf;

/// The sorted blocks of one rank.
#[derive(Debug)]
pub(crate) struct MergeBlocks<'a, R: InParts> {
    desk: &'a Desk,
    merger: R::Merger,
    ways: u64,
    /// Bytes that are not taken yet.
    left: u64,
    packet: u64,
}

impl<'a, R: InParts> MergeBlocks<'a, R> {
    pub(super) fn new(desk: &'a Desk, done: Vec<SortedBlock<R>>, packet: u64) -> Result<Self, AppError> {
        let (mut memory, mut disk) = (Vec::new(), Vec::new());
        for SortedBlock(parts) in done {
            memory.extend(parts.memory);
            disk.extend(parts.disk);
        }
        let left = memory.iter().map(|(run, _)| run.bytes()).sum::<u64>()
            + disk.iter().map(|extent| extent.length).sum::<u64>();
        let ways = (memory.len() + disk.len()) as u64;
        let memory = gathered(memory)?;
        // All ranks begin to merge at about the same time.
        let buffer = shrink::<R>(desk, &mut disk, memory.len() as u64)? / desk.ranks.max(1) as usize;
        let leaves = memory
            .into_iter()
            .map(|held| Leaf::Memory(Held::new(held)))
            .chain(disk.into_iter().map(Leaf::Disk))
            .collect();
        Ok(MergeBlocks { desk, merger: R::merger(leaves, &desk.spill, buffer)?, ways, left, packet })
    }
}

impl<R: InParts> Local<SortedPacket<R>> for MergeBlocks<'_, R> {
    fn pending(&self) -> Option<Amount> {
        (self.left > 0).then(|| Amount { bytes: self.left.min(self.packet), ways: self.ways })
    }

    fn next(&mut self) -> Result<SortedPacket<R>, AppError> {
        self.desk.go_on()?;
        let run = R::take(&mut self.merger, &self.desk.spill, self.left.min(self.packet))?;
        if run.bytes() == 0 {
            return Err(AppError::new("a rank's sorted blocks ended early"));
        }
        self.left = self.left.saturating_sub(run.bytes());
        Ok(SortedPacket(run))
    }
}
