//! Some tasks of a job, as a farm of their own.

use std::sync::{Mutex, PoisonError};

use forerun_apps::FarmJob;
use forerun_apps::command::of_programs;
use forerun_skeleton::farm::Answer;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};
use forerun_skeleton::{AppError, Codec as _, Message, Wire};
use indicatif::ProgressBar;

use crate::pilot::{Clock, Took, TookOutside};

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
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trial {
    /// Its number, of the job's.
    pub(crate) task: u64,
    /// What it took.
    pub(crate) took: Took,
    /// How programs did its work, where some did and the system tells.
    pub(crate) outside: Option<TookOutside>,
    /// Bytes of memory that the largest of them had.
    pub(crate) memory: u64,
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

/// Answers of a pilot that are put aside, to try out with them what delivering costs, and are delivered then.
pub(crate) struct Aside<A> {
    answers: Mutex<Vec<(u64, A)>>,
}

/// Answers that are put aside at most, and bytes from which on no more are.
const ASIDE: (usize, u64) = (8, 32 << 20);

impl<A: Message> Aside<A> {
    pub(crate) fn new() -> Self {
        Aside { answers: Mutex::new(Vec::new()) }
    }

    /// Takes the answer of a task, or gives it back where there are enough.
    fn take(&self, task: u64, answer: A) -> Option<A> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: u64 = answers.iter().map(|(_, answer)| answer.bytes()).sum();
        if answers.len() >= ASIDE.0 || bytes >= ASIDE.1 {
            return Some(answer);
        }
        answers.push((task, answer));
        None
    }

    /// What was put aside.
    pub(crate) fn into_answers(self) -> Vec<(u64, A)> {
        self.answers.into_inner().unwrap_or_else(PoisonError::into_inner)
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
        let task = self.tasks[index as usize];
        let Some(tried) = self.tried else {
            let answer = self.job.answer(task)?;
            self.bar.inc(1);
            return Ok(answer);
        };
        let begun = tried.clock.begin();
        let (answer, programs) = of_programs(|| self.job.answer(task));
        let answer = answer?;
        let trial = Trial {
            task,
            took: begun.took(),
            outside: programs.map(|programs| begun.took_outside(&programs)),
            memory: programs.map_or(0, |programs| programs.memory),
            bytes: answer.bytes(),
        };
        tried.done.lock().unwrap_or_else(PoisonError::into_inner).push(trial);
        self.bar.inc(1);
        Ok(answer)
    }
}

/// Hands answers to the job, under the job's numbers; or keeps them as bytes, for a process that does.
pub(crate) struct Deliveries<'a, J: FarmJob> {
    /// The job.
    pub job: &'a J,
    /// Its tasks, by the farm's numbers.
    pub tasks: &'a [u64],
    /// Whether answers are kept.
    pub keep: bool,
    /// Where the first ones are put aside, if they are.
    pub aside: Option<&'a Aside<J::Answer>>,
}

/// Takes the answers of one master.
pub(crate) struct Delivery<'a, J: FarmJob> {
    of: Deliveries<'a, J>,
    kept: Vec<u8>,
}

impl<J: FarmJob> Sink<J::Answer> for Delivery<'_, J> {
    /// What was kept, for `deliver`.
    type Out = Vec<u8>;

    fn accept(&mut self, piece: Piece<J::Answer>) -> Result<(), AppError> {
        let task = self.of.tasks[piece.first as usize];
        let answer = match self.of.aside {
            Some(aside) => aside.take(task, piece.value),
            None => Some(piece.value),
        };
        let Some(answer) = answer else { return Ok(()) };
        if !self.of.keep {
            return self.of.job.deliver(task, answer);
        }
        keep(self.of.job, (task, &answer), &mut self.kept)
    }

    fn close(self) -> Result<Vec<u8>, AppError> {
        Ok(self.kept)
    }
}

impl<'a, J: FarmJob> Sinks<J::Answer> for Deliveries<'a, J> {
    type Sink = Delivery<'a, J>;

    fn open(&self, _rank: usize) -> Result<Self::Sink, AppError> {
        let Deliveries { job, tasks, keep, aside } = *self;
        Ok(Delivery { of: Deliveries { job, tasks, keep, aside }, kept: Vec::new() })
    }
}

/// Keeps the answer of a task as bytes, for `deliver`.
///
/// # Errors
/// That it cannot be read.
pub(crate) fn keep<J: FarmJob>(
    job: &J,
    (task, answer): (u64, &J::Answer),
    kept: &mut Vec<u8>,
) -> Result<(), AppError> {
    task.encode(kept)?;
    job.codec().encode(answer, kept)
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
