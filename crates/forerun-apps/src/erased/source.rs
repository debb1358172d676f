//! Inputs.

use std::ops::Range;

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::Source;

use super::{Erased, ErasedMessage};
use crate::ReductionJob;

/// The input of an [`ErasedJob`](super::ErasedJob), cut into tasks, and what the job says of these.
pub trait ErasedSource: Source<Input = Erased> + Sync {
    /// As [`ReductionJob::keeps_as_one`].
    fn keeps_as_one(&self, tasks: Range<u64>) -> bool;

    /// As [`ReductionJob::keep`].
    ///
    /// # Errors
    /// A sentence that says why it cannot be kept.
    fn keep(&self, tasks: Range<u64>, partial: &ErasedMessage) -> Result<(), AppError>;

    /// As [`ReductionJob::is_kept`].
    fn is_kept(&self, index: u64) -> bool;

    /// As [`ReductionJob::input_name`].
    fn input_name(&self, index: u64) -> String;
}

/// The source of a job, with the job that knows its inputs.
pub(super) struct Cut<'j, J: ReductionJob> {
    pub(super) job: &'j J,
    pub(super) source: J::Source,
}

impl<J: ReductionJob> Source for Cut<'_, J> {
    type Input = Erased;

    fn len(&self) -> Option<u64> {
        self.source.len()
    }

    fn bytes(&self, index: u64) -> u64 {
        self.source.bytes(index)
    }

    fn get(&self, index: u64) -> Result<Option<Erased>, AppError> {
        Ok(self.source.get(index)?.map(Erased::new))
    }
}

impl<J: ReductionJob> ErasedSource for Cut<'_, J> {
    fn keeps_as_one(&self, tasks: Range<u64>) -> bool {
        self.job.keeps_as_one(&self.source, tasks)
    }

    fn keep(&self, tasks: Range<u64>, partial: &ErasedMessage) -> Result<(), AppError> {
        self.job.keep(&self.source, tasks, partial.peek()?)
    }

    fn is_kept(&self, index: u64) -> bool {
        self.job.is_kept(&self.source, index)
    }

    fn input_name(&self, index: u64) -> String {
        self.job.input_name(&self.source, index)
    }
}
