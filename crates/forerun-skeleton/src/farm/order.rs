//! Results in the order of the tasks, where that is asked for.

use std::collections::BTreeMap;

/// Holds results back until all before them have come.
#[derive(Debug)]
pub(super) struct Order<R> {
    next: u64,
    held: BTreeMap<u64, R>,
}

impl<R> Order<R> {
    /// Of tasks from `first` on.
    pub(super) fn new(first: u64) -> Self {
        Order { next: first, held: BTreeMap::new() }
    }

    /// The first task whose result has not come.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Adds the result of task `index`; gives what is ready with it, in order.
    pub(super) fn add(&mut self, index: u64, result: R, ready: &mut Vec<(u64, R)>) {
        if index != self.next {
            self.held.insert(index, result);
            return;
        }
        ready.push((index, result));
        self.next += 1;
        while let Some(result) = self.held.remove(&self.next) {
            ready.push((self.next, result));
            self.next += 1;
        }
    }
}
