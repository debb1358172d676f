//! Receiving.

use std::task::Poll;

use forerun_platform::Stage;
use forerun_skeleton::{Message, Stop};

use super::pairs::{HAS_INBOX, Oldest, PairId, RECEIVER_WAITS, SENDER_WAITS};
use super::peers::Way;
use super::{Rank, Waits, World};
use crate::Time;

impl<M: Message> World<'_, M> {
    /// Receives from `from`; pending if nothing is under way.
    #[inline(always)]
    pub(crate) fn receive_from(&mut self, my: &Rank, from: usize) -> Poll<Result<M, Stop>> {
        let pair = match self.pair(my.me, from, Way::In) {
            Ok(pair) => pair,
            Err(stop) => return Poll::Ready(Err(stop)),
        };
        let from = from as u32;
        let Some(oldest) = self.pairs.oldest(pair) else {
            self.pairs.ring(pair).set(RECEIVER_WAITS);
            my.waits.set(Waits::Message(from));
            self.routes[my.me as usize].peers.again();
            return Poll::Pending;
        };
        if oldest.flags() & HAS_INBOX != 0 {
            self.overtaken(my.me);
        }
        Poll::Ready(self.receive::<false>(my, from, pair, oldest))
    }

    #[cold]
    fn overtaken(&mut self, me: u32) {
        if let Some(inbox) = &mut self.routes[me as usize].inbox {
            inbox.overtaken();
        }
    }

    /// Takes the oldest message out of `pair`; its entry is still the first of
    /// the receiver's inbox if it is `FIRST`.
    #[inline(always)]
    pub(super) fn receive<const FIRST: bool>(
        &mut self,
        my: &Rank,
        from: u32,
        pair: PairId,
        oldest: Oldest,
    ) -> Result<M, Stop> {
        let Some((arrival, m)) = self.mail.take(oldest.letter) else {
            unreachable!("a letter in a buffer holds a message");
        };
        let bytes = m.bytes();
        let network = self.network;
        let called = my.clock.get();
        let mut arrived = called.max(arrival);
        if network.waits_for_receiver(bytes) {
            arrived = self.meet(my, from, arrived, bytes);
        }
        let received = arrived.plus(network.receive_overhead(bytes));
        my.waits.set(Waits::Nothing);
        my.clock.set(received);
        self.books.ledger.received(my.me, from, called, arrived, received);

        let flags = self.pairs.free(pair, oldest, received);
        if flags & (HAS_INBOX | SENDER_WAITS) != 0 {
            self.received::<FIRST>(my.me, from, pair, received);
        }
        if received == Time::MAX { Err(self.overflow(my.me)) } else { Ok(m) }
    }

    /// What follows from a slot of `pair` being free since `at`.
    #[inline(never)]
    fn received<const FIRST: bool>(&mut self, me: u32, from: u32, pair: PairId, at: Time) {
        let mut ring = self.pairs.ring(pair);
        let flags = ring.flags();
        if flags & HAS_INBOX != 0 {
            let next = ring.front().map(|letter| self.mail.arrival(letter));
            if let Some(inbox) = &mut self.routes[me as usize].inbox {
                match next {
                    next if FIRST => inbox.take(next),
                    Some(arrival) => inbox.add(arrival, from, pair),
                    None => {}
                }
            }
        }
        if flags & SENDER_WAITS != 0 {
            self.room(from, me, pair, at);
        }
    }

    /// Answers the request of `from` for a message above the rendezvous threshold, at
    /// `taken_up`; gives when the message itself has arrived. The sender's waiting ends here.
    #[cold]
    #[inline(never)]
    fn meet(&mut self, my: &Rank, from: u32, taken_up: Time, bytes: u64) -> Time {
        let network = self.network;
        let empty = network.travel(0);
        let answered = taken_up.plus(network.receive_overhead(0)).plus(network.send_overhead(0));
        let injected = answered.max(my.port.get());
        my.port.set(injected.plus(empty.port));
        let back = injected.plus(empty.arrival);

        let travel = network.travel(bytes);
        let sender = self.rank(from);
        let blocked = sender.clock.get();
        let sent = blocked.max(back).plus(network.receive_overhead(0)).plus(network.send_overhead(bytes));
        let injected = sent.max(sender.port.get());
        sender.port.set(injected.plus(travel.port));
        sender.waits.set(Waits::Nothing);
        self.books.pass(sender, Stage::Send, u64::from(my.me), 0, sent);
        self.ready.push(from, sent);
        answered.max(injected.plus(travel.arrival))
    }
}
