//! Some tasks of a job, as a farm of their own.

use std::sync::{Mutex, PoisonError};

use forerun_apps::FarmJob;
use forerun_skeleton::farm::Answer;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};
use forerun_skeleton::{AppError, Codec as _, Message as _, Wire};
use indicatif::ProgressBar;

use crate::pilot::{Clock, Took};

/// These tasks of a job.
pub(crate) struct Subset<'a, J> {
    /// The job.
    pub job: &'a J,
    /// The tasks, by the job's numbers.
    pub tasks: &'a [u64],
    /// Moved by every task.
    pub bar: &'a ProgressBar,
    /// What tasks cost, where that is asked for.
    pub tried: Option<&'a Trials>,
}

/// What tasks that are tried cost.
pub(crate) struct Trials {
    clock: Clock,
    done: Mutex<Vec<Trial>>,
}

/// A task that was tried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trial {
    /// Its number, of the job's.
    pub(crate) task: u64,
    /// What it took.
    pub(crate) took: Took,
    /// Bytes of its answer.
    pub(crate) bytes: u64,
}

impl Trials {
    /// Of tasks that are timed so.
    pub(crate) fn new(clock: Clock) -> Self {
        Trials { clock, done: Mutex::default() }
    }

    /// All that were tried so far.
    pub(crate) fn all(&self) -> Vec<Trial> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
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
        let begun = self.tried.map(|tried| tried.clock.begin());
        let task = self.tasks[index as usize];
        let answer = self.job.answer(task)?;
        if let Some((tried, begun)) = self.tried.zip(begun) {
            let trial = Trial { task, took: begun.took(), bytes: answer.bytes() };
            tried.done.lock().unwrap_or_else(PoisonError::into_inner).push(trial);
        }
        self.bar.inc(1);
        Ok(answer)
    }
}

/// Hands answers to the job, under the job's numbers; or keeps them as bytes, for a process that does.
pub(crate) struct Deliveries<'a, J> {
    /// The job.
    pub job: &'a J,
    /// Its tasks, by the farm's numbers.
    pub tasks: &'a [u64],
    /// Whether answers are kept.
    pub keep: bool,
}

/// Takes the answers of one master.
pub(crate) struct Delivery<'a, J> {
    of: Deliveries<'a, J>,
    kept: Vec<u8>,
}

impl<J: FarmJob> Sink<J::Answer> for Delivery<'_, J> {
    /// What was kept, for `deliver`.
    type Out = Vec<u8>;

    fn accept(&mut self, piece: Piece<J::Answer>) -> Result<(), AppError> {
        let task = self.of.tasks[piece.first as usize];
        if !self.of.keep {
            return self.of.job.deliver(task, piece.value);
        }
        task.encode(&mut self.kept)?;
        self.of.job.codec().encode(&piece.value, &mut self.kept)
    }

    fn close(self) -> Result<Vec<u8>, AppError> {
        Ok(self.kept)
    }
}

impl<'a, J: FarmJob> Sinks<J::Answer> for Deliveries<'a, J> {
    type Sink = Delivery<'a, J>;

    fn open(&self, _rank: usize) -> Result<Self::Sink, AppError> {
        let Deliveries { job, tasks, keep } = *self;
        Ok(Delivery { of: Deliveries { job, tasks, keep }, kept: Vec::new() })
    }
}

/// Hands answers that were kept to the job.
///
/// # Errors
/// What the job says; that they are none of its.
pub(crate) fn deliver<J: FarmJob>(job: &J, mut kept: &[u8]) -> Result<(), AppError> {
    while !kept.is_empty() {
        let task = Wire::decode(&mut kept)?;
        let answer = job.codec().decode(&mut kept)?;
        job.deliver(task, answer)?;
    }
    Ok(())
}
