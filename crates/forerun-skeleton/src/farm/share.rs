//! The tasks that a master has, and those that failed and are to be done again.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use crate::Failure;

/// Tasks of a master that nobody works on.
#[derive(Debug)]
pub(super) struct Share {
    /// Not given out yet: ranges that are not empty.
    tasks: VecDeque<Range<u64>>,
    grain: u64,
    /// Most attempts of a task.
    attempts: u32,
    /// Tasks that failed, each with the rank on which it did last.
    again: VecDeque<(u64, usize)>,
    /// Times that tasks have failed, of those that have.
    failed: BTreeMap<u64, u32>,
}

impl Share {
    pub(super) fn new(tasks: Vec<Range<u64>>, grain: u64, attempts: u32) -> Self {
        let (again, failed) = (VecDeque::new(), BTreeMap::new());
        let mut share = Share { tasks: VecDeque::new(), grain, attempts, again, failed };
        share.add(tasks);
        share
    }

    /// Has tasks back that it gave away.
    pub(super) fn add(&mut self, tasks: impl IntoIterator<Item = Range<u64>>) {
        self.tasks.extend(tasks.into_iter().filter(|range| !range.is_empty()));
    }

    /// What slave `slave` is to do next: first what failed elsewhere, then up to a grain of new tasks if they
    /// begin below `limit`.
    pub(super) fn next(&mut self, slave: usize, limit: u64) -> Option<Range<u64>> {
        if let Some(at) = self.again.iter().position(|(_, on)| *on != slave) {
            let (task, _) = self.again.remove(at)?;
            return Some(task..task + 1);
        }
        let tasks = self.tasks.front_mut().filter(|tasks| tasks.start < limit)?;
        let first = tasks.start;
        tasks.start = tasks.end.min(first.saturating_add(self.grain));
        let given = first..tasks.start;
        if tasks.is_empty() {
            self.tasks.pop_front();
        }
        Some(given)
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
        self.tasks.iter().map(|range| self.messages_of(range)).sum()
    }

    fn messages_of(&self, range: &Range<u64>) -> u64 {
        (range.end - range.start).div_ceil(self.grain)
    }

    /// Gives up all that was never given out; nothing where tasks failed that another slave is to try.
    pub(super) fn give_up(&mut self) -> Option<Vec<Range<u64>>> {
        self.again.is_empty().then(|| self.tasks.drain(..).collect())
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
    pub(super) fn split(&mut self, part: u64, of: u64) -> Vec<Range<u64>> {
        let gone = u128::from(self.messages()) * u128::from(part) / u128::from(of.max(1));
        let mut left = gone as u64;
        let mut half = Vec::new();
        while left > 0 {
            let Some(range) = self.tasks.pop_back() else { break };
            let kept = self.messages_of(&range).saturating_sub(left);
            left -= self.messages_of(&range) - kept;
            let middle = range.start.saturating_add(kept.saturating_mul(self.grain)).min(range.end);
            half.push(middle..range.end);
            self.add(Some(range.start..middle));
        }
        half.reverse();
        half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_is_whole_grains_of_the_last_ranges() {
        let mut share = Share::new(vec![0..10, 10..10, 20..25], 2, 1);
        assert_eq!(share.messages(), 8);
        assert_eq!(share.split(1, 2), [8..10, 20..25]);
        assert_eq!(share.messages(), 4);
        share.add(vec![8..10, 20..25]);
        let last = 24..25;
        assert_eq!(share.split(1, 8), [last]);
        assert_eq!(share.split(0, 8), []);
        let given: Vec<_> = std::iter::from_fn(|| share.next(1, u64::MAX)).collect();
        assert_eq!(given, [0..2, 2..4, 4..6, 6..8, 8..10, 20..22, 22..24]);
        assert_eq!(share.split(1, 1), []);
    }
}
