//! Some tasks of a job, as a farm of their own.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use forerun_apps::FarmJob;
use forerun_skeleton::farm::Answer;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};
use forerun_skeleton::{AppError, Message as _};
use indicatif::ProgressBar;

/// These tasks of a job.
pub(super) struct Subset<'a, J> {
    pub(super) job: &'a J,
    pub(super) tasks: &'a [u64],
    pub(super) bar: &'a ProgressBar,
    /// Seconds of each task that was done, and the bytes of its answer, where that is asked for.
    pub(super) tried: Option<&'a Mutex<Vec<(f64, u64)>>>,
}

impl<J: FarmJob> Answer for Subset<'_, J> {
    type Answer = J::Answer;

    fn tasks(&self) -> u64 {
        self.tasks.len() as u64
    }

    fn bytes(&self, index: u64) -> u64 {
        self.job.bytes(self.tasks[index as usize])
    }

    fn answer(&self, index: u64) -> Result<J::Answer, AppError> {
        let begun = Instant::now();
        let answer = self.job.answer(self.tasks[index as usize])?;
        if let Some(tried) = self.tried {
            let tried = &mut *tried.lock().unwrap_or_else(PoisonError::into_inner);
            tried.push((begun.elapsed().as_secs_f64(), answer.bytes()));
        }
        self.bar.inc(1);
        Ok(answer)
    }
}

/// Hands answers to the job, under the job's numbers.
pub(super) struct Deliveries<'a, J> {
    pub(super) job: &'a J,
    pub(super) tasks: &'a [u64],
}

impl<J: FarmJob> Sink<J::Answer> for Deliveries<'_, J> {
    type Out = ();

    fn accept(&mut self, piece: Piece<J::Answer>) -> Result<(), AppError> {
        self.job.deliver(self.tasks[piece.first as usize], piece.value)
    }

    fn close(self) -> Result<(), AppError> {
        Ok(())
    }
}

impl<'a, J: FarmJob> Sinks<J::Answer> for Deliveries<'a, J> {
    type Sink = Deliveries<'a, J>;

    fn open(&self, _rank: usize) -> Result<Self::Sink, AppError> {
        Ok(Deliveries { job: self.job, tasks: self.tasks })
    }
}
