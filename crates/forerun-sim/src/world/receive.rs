//! Receiving.

use std::task::Poll;

use forerun_platform::Stage;
use forerun_skeleton::{Message, Stop};

use super::landing::Landing;
use super::pairs::{HAS_INBOX, PairId, RECEIVER_WAITS, SENDER_WAITS};
use super::peers::Way;
use super::{My, Waits, World};
use crate::Time;

impl<M: Message> World<'_, M> {
    /// Receives from `from`; pending if nothing is under way.
    #[inline(always)]
    pub(crate) fn receive_from(&mut self, my: My<'_>, from: usize) -> Poll<Result<M, Stop>> {
        let pair = match self.pair(my, from, Way::In) {
            Ok(pair) => pair,
            Err(stop) => return Poll::Ready(Err(stop)),
        };
        match self.receive::<false>(my, from as u32, pair) {
            Some(received) => Poll::Ready(received),
            None => {
                // Else it waits for its turn.
                if my.waits.get() == Waits::Nothing {
                    self.pairs.ring(pair).set(RECEIVER_WAITS);
                    my.waits.set(Waits::Message(from as u32));
                }
                my.peers.again();
                Poll::Pending
            }
        }
    }

    /// Takes the oldest message out of `pair`, if there is one that is known to be there for sure; its entry is still the first of
    /// the receiver's inbox if it is `FIRST`.
    #[inline(always)]
    pub(crate) fn receive<const FIRST: bool>(
        &mut self,
        my: My<'_>,
        from: u32,
        pair: PairId,
    ) -> Option<Result<M, Stop>> {
        let mut ring = self.pairs.ring(pair);
        let oldest = ring.oldest()?;
        let letter = oldest.letter;
        let (arrival, busy) = self.mail.times(letter);
        let arrived = my.clock.get().max(arrival);
        let received = arrived.plus(busy);
        if received < Time::END {
            let flags = ring.free(oldest, received);
            my.received(from, arrived, received);
            if flags & (HAS_INBOX | SENDER_WAITS) != 0 {
                self.received::<FIRST>(my.me, from, pair, flags, received);
            }
        } else if let Err(stop) = self.receive_slowly::<FIRST>(my, from, pair)? {
            return Some(Err(stop));
        }
        // In one place, whatever the message is: what is taken out in two places is moved through memory to where they meet.
        Some(Ok(there(self.mail.take(letter))))
    }

    /// Receives the oldest message of `pair`, one that is not plain, or that is too late, but leaves it in its letter; if it must
    /// be waited for, nothing.
    #[cold]
    #[inline(never)]
    fn receive_slowly<const FIRST: bool>(
        &mut self,
        my: My<'_>,
        from: u32,
        pair: PairId,
    ) -> Option<Result<(), Stop>> {
        let oldest = there(self.pairs.ring(pair).oldest());
        let bytes = self.mail.get(oldest.letter).map_or(0, M::bytes);
        let arrived = match self.network.has_fair_ports() {
            true => self.arrived_fairly(my, from, pair, bytes)?,
            false => self.arrived(my, from, self.mail.arrival(oldest.letter), bytes),
        };
        let received = arrived.plus(self.network.receive_overhead(bytes));
        if received >= Time::END {
            return Some(Err(self.overflow(my.me)));
        }
        let flags = self.pairs.ring(pair).free(oldest, received);
        my.received(from, arrived, received);
        if flags & (HAS_INBOX | SENDER_WAITS) != 0 {
            self.received::<FIRST>(my.me, from, pair, flags, received);
        }
        Some(Ok(()))
    }

    /// When a message of `from` that arrives at `arrival`, itself or the request for it, is there for `my`, which receives it now.
    fn arrived(&mut self, my: My<'_>, from: u32, arrival: Time, bytes: u64) -> Time {
        if !self.network.waits_for_receiver(bytes) {
            let (first, done) = self.land(my.me, arrival, bytes);
            return self.interrupted(my, from, (first, done), Time::ZERO, bytes).max(done);
        }
        let (answered, arrival) = self.meet(my, from, my.clock.get().max(arrival), bytes);
        answered.max(self.land(my.me, arrival, bytes).1)
    }

    /// The same where the port is shared evenly; nothing if `my` has to wait for its turn to know.
    fn arrived_fairly(&mut self, my: My<'_>, from: u32, pair: PairId, bytes: u64) -> Option<Time> {
        loop {
            let port = &mut self.fair[my.me as usize];
            let Some((first, done)) = port.take(pair) else {
                let done = port.done(pair);
                let is_sure = self.nothing_before().is_some_and(|before| done < before);
                if is_sure || done >= Time::END {
                    self.fair[my.me as usize].advance(done);
                    if done >= Time::END {
                        return Some(done);
                    }
                    continue;
                }
                self.wait_for_turn(my, Waits::Landing(from), done);
                return None;
            };
            let called = my.clock.get();
            if !self.network.waits_for_receiver(bytes) {
                let waited = port.waited(first, done.min(called));
                let busy = self.interrupted(my, from, (first, done), waited, bytes);
                self.fair[my.me as usize].wait(busy, done);
                return Some(busy.max(done));
            }
            if port.meets(pair) {
                port.wait(called, done);
                return Some(done);
            }
            let (_, arrival) = self.meet(my, from, my.clock.get().max(done), bytes);
            self.comes(from, my.me, pair, arrival, bytes);
        }
    }

    /// When `my` really calls a receive that it calls now, of a message that comes from `first` to `done`, for `waited` of which it waited:
    /// later by what that took of its work before, which stands with its receiving.
    fn interrupted(
        &self,
        my: My<'_>,
        from: u32,
        (first, done): (Time, Time),
        waited: Time,
        bytes: u64,
    ) -> Time {
        let called = my.clock.get();
        let busy = self.network.meanwhile(called, (first, done), waited, bytes);
        if busy > called {
            my.pass(Stage::Receive, u64::from(from), 0, busy);
        }
        busy
    }

    /// Notes at the port of `to`, where messages share it evenly, that one of `from` comes, which arrives at `arrival` if none is beside it.
    pub(super) fn comes(&mut self, from: u32, to: u32, pair: PairId, arrival: Time, bytes: u64) {
        let (takes, before) = self.network.landing(bytes);
        if let Some(port) = self.fair.get_mut(to as usize) {
            port.add((pair, from), arrival.since(before), takes);
        }
    }

    /// What follows from a slot of `pair`, which has these flags, being free since `at`.
    #[inline(never)]
    fn received<const FIRST: bool>(&mut self, me: u32, from: u32, pair: PairId, flags: u64, at: Time) {
        if flags & HAS_INBOX != 0 && !self.network.has_fair_ports() {
            let next = self.pairs.oldest(pair).map(|letter| self.mail.arrival(letter));
            if let Some(inbox) = &mut self.inboxes[me as usize] {
                if FIRST {
                    inbox.take(next);
                } else {
                    inbox.overtaken();
                    if let Some(arrival) = next {
                        inbox.add(arrival, from, pair);
                    }
                }
            }
        }
        if flags & SENDER_WAITS != 0 {
            self.room(from, me, pair, at);
        }
    }

    /// Answers the request of `from` for a message above the rendezvous threshold, at
    /// `taken_up`; gives when that is done and when the message itself arrives. The sender's waiting ends here.
    #[cold]
    #[inline(never)]
    fn meet(&mut self, my: My<'_>, from: u32, taken_up: Time, bytes: u64) -> (Time, Time) {
        let network = self.network;
        let empty = network.travel(0);
        let answered = taken_up.plus(network.receive_overhead(0)).plus(network.send_overhead(0));
        self.books.leaves(my, answered, Time::ZERO);
        let injected = answered.max(my.port.get());
        my.port.set(injected.plus(empty.port));
        let back = injected.plus(empty.arrival);

        let travel = network.travel(bytes);
        let sender = self.my(from);
        let blocked = sender.clock.get();
        let sent = blocked.max(back).plus(network.receive_overhead(0)).plus(network.send_overhead(bytes));
        self.books.leaves(sender, sent, network.toll(bytes));
        let injected = sent.max(sender.port.get());
        sender.port.set(injected.plus(travel.port));
        sender.waits.set(Waits::Nothing);
        sender.pass(Stage::Send, u64::from(my.me), 0, sent);
        self.ready.push(from, sent);
        (answered, injected.plus(travel.arrival))
    }

    /// When the first byte of a message that arrives at `arrival` comes, and when all of it has come in by the port of `me`, which it takes.
    fn land(&mut self, me: u32, arrival: Time, bytes: u64) -> (Time, Time) {
        let (takes, before) = self.network.landing(bytes);
        let first = arrival.since(before);
        let port = self.landings.get_mut(me as usize);
        (first, port.map_or(arrival, |port| port.take(first, takes)))
    }

    /// When the oldest message of `pair`, which arrives at `arrival`, will have come in by the port of `me`. One that meets its
    /// receiver first has then asked for it.
    #[inline(always)]
    pub(super) fn lands(&self, me: u32, pair: PairId, arrival: Time) -> Time {
        match self.landings.get(me as usize) {
            Some(port) => self.lands_at(port, pair, arrival),
            None => arrival,
        }
    }

    #[inline(never)]
    fn lands_at(&self, port: &Landing, pair: PairId, arrival: Time) -> Time {
        let bytes = self.bytes_of_oldest(pair);
        let (takes, before) = match self.network.waits_for_receiver(bytes) {
            true => self.network.landing(0),
            false => self.network.landing(bytes),
        };
        port.done(arrival.since(before), takes)
    }
}

/// What is there because a slot that is full has a letter, and a letter a message.
#[inline(always)]
fn there<T>(part: Option<T>) -> T {
    let Some(part) = part else {
        unreachable!("a letter in a buffer holds a message");
    };
    part
}
