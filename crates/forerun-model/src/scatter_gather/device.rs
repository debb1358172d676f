//! Storage that reads ahead and writes behind, in closed recursion.

use std::collections::VecDeque;

/// A device that reads block after block, `ahead` of them read and not taken at most:
/// block i is there at `r_i = max(r_{i−1} + t_i, taken_{i−ahead+1})`.
#[derive(Debug)]
pub(super) struct Reader {
    ahead: usize,
    there: f64,
    taken: VecDeque<f64>,
}

impl Reader {
    pub(super) fn new(ahead: usize) -> Self {
        Reader { ahead, there: 0.0, taken: VecDeque::new() }
    }

    /// When the first rank has the next block, if it asks at `now` and reading takes `takes`.
    pub(super) fn read(&mut self, now: f64, takes: f64) -> f64 {
        let Some(waiting) = self.ahead.checked_sub(1) else { return now + takes };
        self.there += takes;
        if waiting > 0 && self.taken.len() == waiting {
            self.there = self.there.max(self.taken.pop_front().unwrap_or(0.0));
        }
        let taken = self.there.max(now);
        if waiting > 0 {
            self.taken.push_back(taken);
        } else {
            self.there = taken;
        }
        taken
    }
}

/// A device that writes packet after packet, of which `behind` may wait.
#[derive(Debug)]
pub(super) struct Writer {
    behind: usize,
    done: f64,
    begun: VecDeque<f64>,
}

impl Writer {
    pub(super) fn new(behind: usize) -> Self {
        Writer { behind, done: 0.0, begun: VecDeque::new() }
    }

    /// When the first rank has handed over the next packet, if it begins at `now`.
    pub(super) fn write(&mut self, now: f64, takes: f64) -> f64 {
        if self.behind == 0 {
            return now + takes;
        }
        let mut there = now;
        if self.begun.len() == self.behind {
            there = there.max(self.begun.pop_front().unwrap_or(0.0));
        }
        let begun = there.max(self.done);
        self.done = begun + takes;
        self.begun.push_back(begun);
        there
    }

    /// When all is written, for a rank that waits for it from `now`.
    pub(super) fn close(&self, now: f64) -> f64 {
        now.max(self.done)
    }
}
