//! The tasks that a master has, and those that failed and are to be done again.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use crate::Failure;

/// Tasks of a master that nobody works on.
#[derive(Debug)]
pub(super) struct Share {
    /// Not given out yet.
    tasks: Range<u64>,
    grain: u64,
    /// Most attempts of a task.
    attempts: u32,
    /// Tasks that failed, each with the rank on which it did last.
    again: VecDeque<(u64, usize)>,
    /// Times that tasks have failed, of those that have.
    failed: BTreeMap<u64, u32>,
}

impl Share {
    pub(super) fn new(tasks: Range<u64>, grain: u64, attempts: u32) -> Self {
        Share { tasks, grain, attempts, again: VecDeque::new(), failed: BTreeMap::new() }
    }

    /// What slave `slave` is to do next: first what failed elsewhere, then up to a grain of new tasks if they
    /// begin below `limit`.
    pub(super) fn next(&mut self, slave: usize, limit: u64) -> Option<Range<u64>> {
        if let Some(at) = self.again.iter().position(|(_, on)| *on != slave) {
            let (task, _) = self.again.remove(at)?;
            return Some(task..task + 1);
        }
        let first = self.tasks.start;
        if self.tasks.is_empty() || first >= limit {
            return None;
        }
        self.tasks.start = self.tasks.end.min(first.saturating_add(self.grain));
        Some(first..self.tasks.start)
    }

    /// A task that only the master itself has not failed in.
    pub(super) fn next_failed(&mut self) -> Option<u64> {
        self.again.pop_front().map(|(task, _)| task)
    }

    /// Whether nothing is left to give out.
    pub(super) fn is_empty(&self) -> bool {
        self.tasks.is_empty() && self.again.is_empty()
    }

    /// Messages that what is left takes.
    pub(super) fn messages(&self) -> u64 {
        (self.tasks.end - self.tasks.start).div_ceil(self.grain)
    }

    /// Takes task `index` back, which failed.
    ///
    /// # Errors
    /// The failure, if the task has failed as often as it may.
    pub(super) fn failed(&mut self, index: u64, mut failure: Box<Failure>) -> Result<(), Box<Failure>> {
        let times = self.failed.entry(index).or_insert(0);
        *times += 1;
        if *times < self.attempts {
            self.again.push_back((index, failure.rank));
            return Ok(());
        }
        if self.attempts > 1 {
            let said = format!("{} (attempt {n} of {n})", failure.message, n = self.attempts);
            failure.message = said;
        }
        Err(failure)
    }

    /// Cuts off the last `part` in `of` of the tasks that were never given out, in whole grains.
    pub(super) fn split(&mut self, part: u64, of: u64) -> Range<u64> {
        let gone = u128::from(self.messages()) * u128::from(part) / u128::from(of.max(1));
        let kept = self.messages() - gone as u64;
        let middle = self.tasks.start.saturating_add(kept.saturating_mul(self.grain)).min(self.tasks.end);
        let half = middle..self.tasks.end;
        self.tasks.end = middle;
        half
    }
}
