//! Reading blocks.

use std::marker::PhantomData;

use forerun_skeleton::reduction::Source;
use forerun_skeleton::{AppError, Message};

use super::held::InParts;
use crate::sort::budget::Lease;
use crate::sort::job::{SortJob, SortSource};

/// A block of the input in memory, as it was read.
#[derive(Debug)]
pub(crate) struct Block<R: InParts> {
    pub(super) raw: R::Raw,
    pub(super) lease: Lease,
}

impl<R: InParts> Message for Block<R> {
    fn bytes(&self) -> u64 {
        R::raw_bytes(&self.raw)
    }
}

/// Reads the blocks of a sort.
#[derive(Debug)]
pub(crate) struct BlockSource<'a, R> {
    job: &'a SortJob,
    ranges: SortSource,
    of: PhantomData<fn() -> R>,
}

impl<'a, R> BlockSource<'a, R> {
    pub(super) fn new(job: &'a SortJob, ranges: SortSource) -> Self {
        BlockSource { job, ranges, of: PhantomData }
    }
}

impl<R: InParts> Source for BlockSource<'_, R> {
    type Input = Block<R>;

    fn len(&self) -> Option<u64> {
        self.ranges.len()
    }

    fn bytes(&self, index: u64) -> u64 {
        self.ranges.bytes(index)
    }

    fn get(&self, index: u64) -> Result<Option<Block<R>>, AppError> {
        let desk = self.job.desk();
        desk.go_on()?;
        let Some(range) = self.ranges.range(index) else { return Ok(None) };
        // The size of blocks is such that there is room for all that are under way.
        let lease = desk.budget.lease(R::need(&desk.files, range.end - range.start, false));
        Ok(Some(Block { raw: R::load(&desk.files, range)?, lease }))
    }
}
