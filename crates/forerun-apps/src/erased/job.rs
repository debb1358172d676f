//! Jobs that run as a reduction.

use forerun_platform::Plan;
use forerun_skeleton::{AppError, Cancel};

use super::app::Boxing;
use super::codec::{OfMessage, OfValue};
use super::sinks::Opening;
use super::source::Cut;
use super::{Erased, ErasedApp, ErasedCodec, ErasedMessage, ErasedSinks, ErasedSource};
use crate::{Job, ReductionJob};

/// A [`ReductionJob`] of which no type is known: all that plans, tries and runs a job takes it so.
pub trait ErasedJob: Job {
    /// As [`ReductionJob::app`].
    fn app(&self) -> ErasedApp<'_>;

    /// [`ReductionJob::cut`] and [`ReductionJob::arrange`] by the grain, the groups and the deal of `plan`.
    ///
    /// # Errors
    /// A sentence that names the file that cannot be cut.
    fn cut(&self, plan: &Plan) -> Result<Box<dyn ErasedSource + '_>, AppError>;

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

    /// As [`ReductionJob::replaces`].
    fn replaces(&self) -> u64;

    /// [`ReductionJob::codec`] of partial results.
    fn codec(&self) -> ErasedCodec<'_, ErasedMessage>;

    /// [`ReductionJob::codec`] of what sinks leave.
    fn left_codec(&self) -> ErasedCodec<'_, Erased>;

    /// As [`ReductionJob::left_bytes`].
    ///
    /// # Errors
    /// Where it cannot be had, such as what lies in a file.
    fn left_bytes(&self, left: &Erased) -> Result<u64, AppError>;

    /// As [`ReductionJob::hand_over`].
    ///
    /// # Errors
    /// A sentence that says what cannot be read.
    fn hand_over(&self, out: &mut Vec<u8>) -> Result<(), AppError>;

    /// As [`ReductionJob::list_tasks`].
    ///
    /// # Errors
    /// Why no more come, or cannot be told.
    fn list_tasks(&self, grain: u64, stop: &Cancel) -> Result<u64, AppError>;

    /// As [`ReductionJob::take_over`].
    ///
    /// # Errors
    /// That the bytes are nothing of the kind, or that it cannot be kept.
    fn take_over(&self, bytes: &[u8]) -> Result<(), AppError>;
}

impl<J: ReductionJob> ErasedJob for J {
    fn app(&self) -> ErasedApp<'_> {
        Box::new(Boxing(ReductionJob::app(self)))
    }

    fn cut(&self, plan: &Plan) -> Result<Box<dyn ErasedSource + '_>, AppError> {
        let source = ReductionJob::cut(self, plan.grain.bytes)?;
        let source = self.arrange(source, plan.parts());
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

    fn replaces(&self) -> u64 {
        ReductionJob::replaces(self)
    }

    fn codec(&self) -> ErasedCodec<'_, ErasedMessage> {
        Box::new(OfMessage::<_, J::Partial>::new(ReductionJob::codec(self)))
    }

    fn left_codec(&self) -> ErasedCodec<'_, Erased> {
        Box::new(OfValue::<_, J::Left>::new(ReductionJob::codec(self)))
    }

    fn left_bytes(&self, left: &Erased) -> Result<u64, AppError> {
        ReductionJob::left_bytes(self, left.peek()?)
    }

    fn hand_over(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        ReductionJob::hand_over(self, out)
    }

    fn list_tasks(&self, grain: u64, stop: &Cancel) -> Result<u64, AppError> {
        ReductionJob::list_tasks(self, grain, stop)
    }

    fn take_over(&self, bytes: &[u8]) -> Result<(), AppError> {
        ReductionJob::take_over(self, bytes)
    }
}

fn opened<T: 'static>(left: Vec<Erased>) -> Result<Vec<T>, AppError> {
    left.into_iter().map(Erased::open).collect()
}
