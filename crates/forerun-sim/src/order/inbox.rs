//! The messages for a rank that receives from any.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

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
/// Only ranks that have called receive-from-any keep one. A named receive by such a rank leaves
/// an entry behind, which is found out when it comes to the top.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    heads: BinaryHeap<Reverse<Head>>,
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
        self.heads.push(Reverse(Head::new(arrival, from, pair)));
    }

    /// Notes that the oldest message of a sender went to a named receive.
    pub(crate) fn overtaken(&mut self) {
        self.doubtful += 1;
    }

    /// The message that arrives first.
    #[inline]
    pub(crate) fn first<M>(&mut self, pairs: &mut Pairs, mail: &Mail<M>) -> Option<(Time, u32, PairId)> {
        loop {
            let (arrival, from, pair) = self.heads.peek()?.0.parts();
            if self.doubtful == 0 {
                return Some((arrival, from, pair));
            }
            // Messages of one sender arrive in order, so a head that arrives then is either this
            // entry's message or one whose entry is equal to this one.
            if pairs.ring(pair).front().is_some_and(|letter| mail.arrival(letter) == arrival) {
                return Some((arrival, from, pair));
            }
            self.heads.pop();
            self.doubtful -= 1;
        }
    }

    /// Takes out what [`Inbox::first`] gave, to which the same sender's next message, if there is
    /// one, succeeds with this arrival.
    #[inline]
    pub(crate) fn take(&mut self, next: Option<Time>) {
        let Some(mut first) = self.heads.peek_mut() else { return };
        match next {
            Some(arrival) => {
                let (_, from, pair) = first.0.parts();
                first.0 = Head::new(arrival, from, pair);
            }
            None => {
                PeekMut::pop(first);
            }
        }
    }
}
