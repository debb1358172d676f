//! The ranks that wait for their turn in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Time;

/// Ranks with the time of their turn, earliest first and of equals the lower rank.
///
/// A turn can come forward while a rank waits, when a message arrives for it; it is then added
/// again, and the entry with the later time is found to be out of date when it comes up.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    turns: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Queue {
    pub(crate) fn add(&mut self, turn: Time, rank: u32) {
        self.turns.push(Reverse((turn, rank)));
    }

    /// The earliest turn; one that is out of date is later than the one that it was replaced by.
    #[inline]
    pub(crate) fn first(&self) -> Option<Time> {
        self.turns.peek().map(|&Reverse((turn, _))| turn)
    }

    pub(crate) fn pop(&mut self) -> Option<(Time, u32)> {
        self.turns.pop().map(|Reverse(t)| t)
    }
}
