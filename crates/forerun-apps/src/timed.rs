//! A job that is only its costs: tasks and merges that take the processor time that a profile says, and results of the
//! sizes that it says.
//!
//! It runs a pattern on real ranks with real messages, where only the costs of the application are known, or are
//! to be some given ones: what is then off between predicted and measured is the pattern's and the platform's.

use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

use forerun_platform::{Bytes, Cost, Input, JoinAt, ReductionProfile};
use forerun_skeleton::reduction::{Piece, Reduce, Sink, Sinks, Source};
use forerun_skeleton::wire::{Incoming, Outgoing, Plain, garbled};
use forerun_skeleton::{AppError, Cancel, Codec, Message, Wire, memory};
use rustix::time::{ClockId, clock_gettime};

use crate::command::show::count;
use crate::{Erased, Extent, Job, ReductionJob};

/// What jobs that are only their costs are called.
pub const NAME: &str = "tasks";

/// Most bytes of a result: it is really made.
const MOST: f64 = (1u64 << 32) as f64;

/// How often a wait looks whether the run was ended.
const LOOK: Duration = Duration::from_millis(20);

/// Tasks of one size, with the costs of a profile.
#[derive(Debug)]
pub struct TimedJob {
    app: TimedApp,
    tasks: TimedTasks,
    input: Input,
}

/// Task and merge that take the time that they cost.
#[derive(Debug)]
pub struct TimedApp {
    profile: ReductionProfile,
    commutative: bool,
    cancel: Cancel,
}

/// So many inputs of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedTasks {
    tasks: u64,
    bytes: u64,
}

/// A result that means nothing but its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    bytes: Vec<u8>,
    results: u64,
}

impl TimedJob {
    /// `tasks` tasks on inputs of `bytes` bytes each, with the costs of `profile`; those of no bytes are charged for 1.
    pub fn new(profile: ReductionProfile, tasks: u64, bytes: u64, commutative: bool, cancel: Cancel) -> Self {
        let (tasks, input) = (TimedTasks { tasks, bytes: bytes.max(1) }, input(tasks, bytes));
        let profile = profile.sized(tasks.bytes as f64);
        TimedJob { app: TimedApp { profile, commutative, cancel }, tasks, input }
    }
}

impl TimedApp {
    /// Takes as much processor time as `cost` says, and then waits, spread aside.
    fn take(&self, cost: &Cost, bytes: f64, results: f64) -> Result<(), AppError> {
        let (work, waits) = (cost.work().seconds(bytes, results), cost.waits().seconds(bytes, results));
        let begun = processor_seconds();
        let mut sum = 0u64;
        while processor_seconds() - begun < work {
            if self.cancel.is_cancelled() {
                return Err(AppError::new("the run was ended"));
            }
            // Some microseconds.
            sum = black_box((0..2000u64).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n)));
        }
        let begun = Instant::now();
        loop {
            let left = waits - begun.elapsed().as_secs_f64();
            if left <= 0.0 {
                return Ok(());
            }
            if self.cancel.is_cancelled() {
                return Err(AppError::new("the run was ended"));
            }
            sleep(LOOK.min(Duration::try_from_secs_f64(left).unwrap_or(LOOK)));
        }
    }

    /// Takes what the finish costs; gives how many results it has.
    fn finish(&self, left: &[Delivered]) -> Result<u64, AppError> {
        let results = left.iter().map(|left| left.0).sum();
        let bytes = left.iter().map(|left| left.1 as f64).sum();
        self.take(&self.profile.finish, bytes, results as f64)?;
        Ok(results)
    }

    fn filled(&self, bytes: f64, results: u64) -> Result<Filled, AppError> {
        if !(0.0..=MOST).contains(&bytes) {
            let size = Bytes(bytes as u64);
            return Err(AppError::new(format!(
                "a result of {size}: at most {} are made",
                Bytes(MOST as u64)
            )));
        }
        let length = bytes.round() as usize;
        let mut bytes = memory::room(length)?;
        bytes.resize(length, 1);
        Ok(Filled { bytes, results })
    }
}

/// What a job of so many tasks on `bytes` bytes each was given: tasks that are known by their costs alone, whether they are run or not.
pub fn input(tasks: u64, bytes: u64) -> Input {
    let words = count(tasks, "task");
    match bytes {
        0 => Input { bytes: None, items: Some(tasks), words },
        _ => Input {
            bytes: Some(tasks.saturating_mul(bytes)),
            items: Some(tasks),
            words: format!("{words} of {}", Bytes(bytes)),
        },
    }
}

/// Processor time of this thread.
fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

impl Message for Filled {
    fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl Wire for Filled {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.results.encode(out)?;
        self.bytes.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let results = results(bytes)?;
        Ok(Filled { results, bytes: Wire::decode(bytes)? })
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        self.results.encode(&mut out.bytes)?;
        self.bytes.give(out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        let results = results(&mut from.bytes)?;
        Ok(Filled { results, bytes: Wire::take(from)? })
    }
}

/// How many results are in one, as a message says.
fn results(bytes: &mut &[u8]) -> Result<u64, AppError> {
    match u64::decode(bytes)? {
        0 => Err(garbled("a result of a job of costs")),
        results => Ok(results),
    }
}

impl Reduce for TimedApp {
    /// Bytes of the input.
    type Input = u64;
    type Partial = Filled;

    fn commutative(&self) -> bool {
        self.commutative
    }

    fn task(&self, _: u64, input: u64) -> Result<Filled, AppError> {
        self.take(&self.profile.task, input as f64, 1.0)?;
        self.filled(self.profile.result_of(input as f64), 1)
    }

    fn merge(&self, left: Filled, right: Filled) -> Result<Filled, AppError> {
        let (bytes, results) = ((left.bytes() + right.bytes()) as f64, left.results + right.results);
        self.take(&self.profile.merge, bytes, results as f64)?;
        let level = results.max(2).ilog2() as usize - 1;
        let growth = &self.profile.growth;
        let factor = growth.get(level).or(growth.last()).copied().unwrap_or(1.0);
        self.filled(bytes * factor, results)
    }
}

impl Source for TimedTasks {
    type Input = u64;

    fn len(&self) -> Option<u64> {
        Some(self.tasks)
    }

    fn bytes(&self, _: u64) -> u64 {
        self.bytes
    }

    fn get(&self, index: u64) -> Result<Option<u64>, AppError> {
        Ok((index < self.tasks).then_some(self.bytes))
    }
}

/// Where results go: they are counted.
#[derive(Debug, Clone, Copy)]
pub struct TimedSinks<'a>(&'a TimedApp);

/// The results of a group.
#[derive(Debug)]
pub struct TimedSink<'a> {
    app: &'a TimedApp,
    left: Delivered,
}

/// Results that were delivered, and their bytes.
pub type Delivered = (u64, u64);

impl<'a> Sinks<Filled> for TimedSinks<'a> {
    type Sink = TimedSink<'a>;

    fn open(&self, _: usize) -> Result<TimedSink<'a>, AppError> {
        Ok(TimedSink { app: self.0, left: (0, 0) })
    }
}

impl Sink<Filled> for TimedSink<'_> {
    type Out = Delivered;

    fn accept(&mut self, piece: Piece<Filled>) -> Result<(), AppError> {
        self.left.0 += piece.value.results;
        self.left.1 += piece.value.bytes();
        self.app.take(&self.app.profile.sink, piece.value.bytes() as f64, piece.results as f64)
    }

    fn close(self) -> Result<Delivered, AppError> {
        Ok(self.left)
    }
}

impl Job for TimedJob {
    fn name(&self) -> &'static str {
        NAME
    }

    fn summary(&self) -> String {
        format!("{}, which take the time that they cost", self.input.words)
    }

    fn input(&self) -> Option<Input> {
        Some(self.input.clone())
    }

    fn extent(&self) -> Extent {
        let TimedTasks { tasks, bytes } = self.tasks;
        let pieces = Some(vec![bytes; usize::try_from(tasks).unwrap_or(usize::MAX)]);
        Extent {
            bytes: tasks.saturating_mul(bytes),
            pieces,
            min_grain: bytes,
            max_grain: bytes,
            kept: Vec::new(),
            breaks: Vec::new(),
        }
    }

    fn join(&self) -> JoinAt {
        JoinAt::Sink
    }
}

impl ReductionJob for TimedJob {
    type Input = u64;
    type Partial = Filled;
    type App = TimedApp;
    type Source = TimedTasks;
    type Left = Delivered;
    type Sinks<'s> = TimedSinks<'s>;

    fn app(&self) -> &TimedApp {
        &self.app
    }

    /// The tasks as they are: none can be cut, and none are grouped.
    fn cut(&self, _: u64) -> Result<TimedTasks, AppError> {
        Ok(self.tasks)
    }

    fn sinks(&self) -> TimedSinks<'_> {
        TimedSinks(&self.app)
    }

    fn finish(&self, left: Vec<Delivered>) -> Result<String, AppError> {
        let results = self.app.finish(&left)?;
        if results != self.tasks.tasks {
            return Err(AppError::new(format!("{results} results came of {} tasks", self.tasks.tasks)));
        }
        Ok(format!("{results} results"))
    }

    fn rehearse_finish(&self, left: Vec<Delivered>) -> Result<Erased, AppError> {
        self.app.finish(&left)?;
        Ok(Erased::new(()))
    }

    /// All results, though only their number is sent.
    fn left_bytes(&self, left: &Delivered) -> Result<u64, AppError> {
        Ok(left.1)
    }

    fn input_name(&self, _: &TimedTasks, index: u64) -> String {
        format!("task {index}")
    }

    fn codec(&self) -> impl Codec<Filled> + Codec<Delivered> + Sync {
        Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(tasks: u64) -> TimedJob {
        let profile = ReductionProfile {
            task: Cost::constant(2e-3),
            merge: Cost { per_result: 1e-3, ..Cost::default() },
            result_bytes: (100.0, 0.5),
            growth: vec![0.5],
            ..ReductionProfile::default()
        };
        TimedJob::new(profile, tasks, 20, true, Cancel::new())
    }

    #[test]
    fn work_takes_the_processor_time_that_it_costs() {
        let job = job(2);
        let begun = processor_seconds();
        let (a, b) = (job.app.task(0, 20).unwrap(), job.app.task(1, 20).unwrap());
        let tasks = processor_seconds() - begun;
        assert!((4e-3..12e-3).contains(&tasks), "{tasks}");
        assert_eq!((a.bytes(), a.results), (110, 1));
        let both = job.app.merge(a, b).unwrap();
        let merge = processor_seconds() - begun - tasks;
        assert!((2e-3..8e-3).contains(&merge), "{merge}");
        assert_eq!((both.bytes(), both.results), (110, 2));
        let mut bytes = Vec::new();
        both.encode(&mut bytes).unwrap();
        assert_eq!(Filled::decode(&mut &bytes[..]).unwrap(), both);
        assert!(Filled::decode(&mut &[0u8; 16][..]).is_err());
    }

    #[test]
    fn a_result_that_is_missing_is_an_error() {
        let job = job(3);
        assert_eq!(job.finish(vec![(1, 8), (2, 16)]).unwrap(), "3 results");
        assert!(job.finish(vec![(2, 16)]).is_err());
        assert_eq!(Source::len(&job.cut(1).unwrap()), Some(3));
        assert!(job.app.filled(1e12, 1).is_err());
    }

    #[test]
    fn a_run_that_is_ended_does_not_go_on() {
        let job = job(1);
        job.app.cancel.cancel();
        assert!(job.app.task(0, 20).is_err());
    }
}
