//! Jobs that run as a reduction.

use forerun_skeleton::AppError;

use super::app::Boxing;
use super::sinks::Opening;
use super::source::Cut;
use super::{Erased, ErasedApp, ErasedSinks, ErasedSource};
use crate::{Job, ReductionJob};

/// A [`ReductionJob`] of which no type is known: all that plans, tries and runs a job takes it so.
pub trait ErasedJob: Job {
    /// As [`ReductionJob::app`].
    fn app(&self) -> ErasedApp<'_>;

    /// As [`ReductionJob::cut`].
    ///
    /// # Errors
    /// A sentence that names the file that cannot be cut.
    fn cut(&self, grain: u64) -> Result<Box<dyn ErasedSource + '_>, AppError>;

    /// As [`ReductionJob::cut_known`].
    ///
    /// # Errors
    /// A sentence that names the file that cannot be cut.
    fn cut_known(&self, grain: u64) -> Result<Box<dyn ErasedSource + '_>, AppError>;

    /// As [`ReductionJob::sinks`].
    fn sinks(&self) -> ErasedSinks<'_>;

    /// As [`ReductionJob::rehearsal_sinks`].
    fn rehearsal_sinks(&self) -> ErasedSinks<'_>;

    /// As [`ReductionJob::finish`].
    ///
    /// # Errors
    /// A sentence that names the file.
    fn finish(&self, left: Vec<Erased>) -> Result<String, AppError>;

    /// As [`ReductionJob::rehearse_finish`].
    ///
    /// # Errors
    /// A sentence that names the file.
    fn rehearse_finish(&self, left: Vec<Erased>) -> Result<Erased, AppError>;
}

impl<J: ReductionJob> ErasedJob for J {
    fn app(&self) -> ErasedApp<'_> {
        Box::new(Boxing(ReductionJob::app(self)))
    }

    fn cut(&self, grain: u64) -> Result<Box<dyn ErasedSource + '_>, AppError> {
        let source = ReductionJob::cut(self, grain)?;
        Ok(Box::new(Cut { job: self, source }))
    }

    fn cut_known(&self, grain: u64) -> Result<Box<dyn ErasedSource + '_>, AppError> {
        let source = ReductionJob::cut_known(self, grain)?;
        Ok(Box::new(Cut { job: self, source }))
    }

    fn sinks(&self) -> ErasedSinks<'_> {
        Box::new(Opening::new(ReductionJob::sinks(self)))
    }

    fn rehearsal_sinks(&self) -> ErasedSinks<'_> {
        Box::new(Opening::new(ReductionJob::rehearsal_sinks(self)))
    }

    fn finish(&self, left: Vec<Erased>) -> Result<String, AppError> {
        ReductionJob::finish(self, opened(left)?)
    }

    fn rehearse_finish(&self, left: Vec<Erased>) -> Result<Erased, AppError> {
        ReductionJob::rehearse_finish(self, opened(left)?)
    }
}

fn opened<T: 'static>(left: Vec<Erased>) -> Result<Vec<T>, AppError> {
    left.into_iter().map(Erased::open).collect()
}
