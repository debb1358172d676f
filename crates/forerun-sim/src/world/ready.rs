//! The ranks that can go on.

use std::collections::VecDeque;

use crate::Time;

/// In which order ranks that can go on do so. No order changes a result; tests show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PollOrder {
    /// The one that could first, from rank 0 at the start: neighbours in memory stay so in time.
    FirstInFirstOut,
    /// The one that could last.
    #[cfg(test)]
    LastInFirstOut,
    /// Any, from this seed.
    #[cfg(test)]
    Shuffled(u64),
}

/// The ranks that can go on.
#[derive(Debug)]
pub(crate) struct Ready {
    ranks: VecDeque<u32>,
    /// No rank in the queue has a clock below this.
    since: Time,
    #[cfg(test)]
    order: PollOrder,
}

impl Ready {
    /// All of `ranks` ranks, at the start of time.
    pub(crate) fn all(ranks: u32, order: PollOrder) -> Self {
        #[cfg(not(test))]
        let PollOrder::FirstInFirstOut = order;
        Ready {
            ranks: (0..ranks).collect(),
            since: Time::ZERO,
            #[cfg(test)]
            order,
        }
    }

    /// Adds a rank whose clock is `clock`.
    #[inline(always)]
    pub(crate) fn push(&mut self, rank: u32, clock: Time) {
        self.since = if self.ranks.is_empty() { clock } else { self.since.min(clock) };
        if self.ranks.len() == self.ranks.capacity() {
            self.grow();
        }
        self.ranks.push_back(rank);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.ranks.reserve(1);
    }

    /// Before when no rank in the queue does anything; [`Time::MAX`] if there is none.
    #[inline]
    pub(crate) fn since(&self) -> Time {
        if self.ranks.is_empty() { Time::MAX } else { self.since }
    }

    /// The rank that goes on after `n` others, where it is known already.
    #[inline]
    pub(crate) fn ahead(&self, n: usize) -> Option<u32> {
        self.ranks.get(n).copied()
    }

    #[cfg(not(test))]
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.ranks.pop_front()
    }

    #[cfg(test)]
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        match &mut self.order {
            PollOrder::FirstInFirstOut => self.ranks.pop_front(),
            PollOrder::LastInFirstOut => self.ranks.pop_back(),
            PollOrder::Shuffled(_) if self.ranks.is_empty() => None,
            PollOrder::Shuffled(state) => {
                *state =
                    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let i = (*state >> 33) as usize % self.ranks.len();
                self.ranks.swap_remove_back(i)
            }
        }
    }
}
