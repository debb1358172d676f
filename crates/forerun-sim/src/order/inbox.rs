//! The messages for a rank that receives from any.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::Time;
use crate::world::{Mail, PairId, Pairs};

/// The oldest message of a sender, in one number so that it is compared at once: its arrival,
/// the sender, the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Head(u128);

impl Head {
    #[inline]
    fn new(arrival: Time, from: u32, pair: PairId) -> Head {
        Head(u128::from(arrival.picos()) << 64 | u128::from(from) << 32 | u128::from(pair))
    }

    #[inline]
    fn parts(self) -> (Time, u32, PairId) {
        (Time::from_picos((self.0 >> 64) as u64), (self.0 >> 32) as u32, self.0 as PairId)
    }
}

/// The oldest message of every sender, the earliest arrival first and of equals the lower sender.
///
/// A message that arrives after all others goes to the end of a queue, any other into a heap. Where
/// senders take turns, as slaves do that are served in the order in which they ask, nearly all go to
/// the queue, at a cost that does not depend on the number of senders.
///
/// Only ranks that have called receive-from-any keep one. A named receive by such a rank leaves
/// an entry behind, which is found out when it comes to the top.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// In order.
    queue: VecDeque<Head>,
    heap: BinaryHeap<Reverse<Head>>,
    /// Entries that may have been overtaken by named receives.
    doubtful: usize,
    /// The rank's clock when it last asked and nothing had arrived.
    pub(crate) nothing_at: Option<Time>,
    /// Whether the rank is in the list of those whose turn is to be computed again.
    pub(crate) touched: bool,
}

impl Inbox {
    /// Adds the oldest message of a sender.
    #[inline]
    pub(crate) fn add(&mut self, arrival: Time, from: u32, pair: PairId) {
        self.put(Head::new(arrival, from, pair));
    }

    #[inline]
    fn put(&mut self, head: Head) {
        if self.queue.back().is_none_or(|last| *last <= head) {
            self.queue.push_back(head);
        } else {
            self.heap.push(Reverse(head));
        }
    }

    #[inline(always)]
    fn peek(&self) -> Option<Head> {
        if self.heap.is_empty() {
            return self.queue.front().copied();
        }
        match (self.queue.front(), self.heap.peek()) {
            (Some(&queued), Some(&Reverse(heaped))) => Some(queued.min(heaped)),
            (Some(&queued), None) => Some(queued),
            (None, heaped) => heaped.map(|h| h.0),
        }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Head> {
        if self.heap.is_empty() {
            return self.queue.pop_front();
        }
        match (self.queue.front(), self.heap.peek()) {
            (queued, Some(Reverse(heaped))) if queued.is_none_or(|q| heaped < q) => {
                self.heap.pop().map(|h| h.0)
            }
            _ => self.queue.pop_front(),
        }
    }

    /// Notes that the oldest message of a sender went to a named receive.
    pub(crate) fn overtaken(&mut self) {
        self.doubtful += 1;
    }

    /// The message that arrives first.
    #[inline(always)]
    pub(crate) fn first<M>(&mut self, pairs: &Pairs, mail: &Mail<M>) -> Option<(Time, u32, PairId)> {
        if self.doubtful > 0 {
            self.drop_doubtful(pairs, mail);
        }
        self.peek().map(Head::parts)
    }

    /// Drops entries from the top that named receives have overtaken.
    #[inline(never)]
    fn drop_doubtful<M>(&mut self, pairs: &Pairs, mail: &Mail<M>) {
        while self.doubtful > 0
            && let Some(first) = self.peek()
        {
            let (arrival, _, pair) = first.parts();
            // Messages of one sender arrive in order, so a head that arrives then is either this
            // entry's message or one whose entry is equal to this one.
            if pairs.oldest(pair).is_some_and(|letter| mail.arrival(letter) == arrival) {
                return;
            }
            self.pop();
            self.doubtful -= 1;
        }
    }

    /// Takes out what [`Inbox::first`] gave, to which the same sender's next message, if there is
    /// one, succeeds with this arrival.
    #[inline]
    pub(crate) fn take(&mut self, next: Option<Time>) {
        if let Some(first) = self.pop()
            && let Some(arrival) = next
        {
            let (_, from, pair) = first.parts();
            self.put(Head::new(arrival, from, pair));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Head, Inbox};
    use crate::Time;
    use proptest::prelude::*;

    proptest! {
        /// Whatever comes and goes, what comes out is the least of what is in.
        #[test]
        fn gives_the_least_first(steps in prop::collection::vec((any::<bool>(), 0..20u64, 0..4u32), 0..60)) {
            let (mut inbox, mut model) = (Inbox::default(), std::collections::BTreeSet::new());
            for (pair, (takes, arrival, from)) in steps.into_iter().enumerate() {
                if takes {
                    prop_assert_eq!(inbox.peek(), model.first().copied());
                    prop_assert_eq!(inbox.pop(), model.pop_first());
                } else {
                    let head = Head::new(Time::from_picos(arrival), from, pair as u32);
                    inbox.put(head);
                    model.insert(head);
                }
            }
            while let Some(least) = model.pop_first() {
                prop_assert_eq!(inbox.pop(), Some(least));
            }
            prop_assert_eq!(inbox.pop(), None);
        }
    }
}
