//! Sending.

use std::task::Poll;

use forerun_skeleton::{Message, Stop};

use super::pairs::{HAS_INBOX, PairId, RECEIVER_WAITS, SENDER_WAITS, is_empty};
use super::peers::Way;
use super::{Letter, Rank, Waits, World};
use crate::Time;
use crate::network::Travel;

impl<M: Message> World<'_, M> {
    /// Begins to send `m` from `my` to `to`; pending if that has to wait.
    #[inline(always)]
    pub(crate) fn send(&mut self, my: &Rank, to: usize, m: M) -> Poll<Result<(), Stop>> {
        let pair = match self.pair(my.me, to, Way::Out) {
            Ok(pair) => pair,
            Err(stop) => return Poll::Ready(Err(stop)),
        };
        let to = to as u32;
        let bytes = m.bytes();
        let network = self.network;
        if let Some(room) = self.pairs.room(pair)
            && network.is_plain(bytes)
        {
            let sent = my.clock.get().max(room.since).plus(network.send_overhead(bytes));
            let arrival = self.inject(my, to, bytes, sent, network.travel_whole(bytes));
            let letter = self.mail.put(arrival, m);
            let flags = self.pairs.fill(pair, room, letter);
            if flags & (RECEIVER_WAITS | HAS_INBOX) != 0 {
                self.notify(my.me, to, pair, flags, arrival);
            }
            return Poll::Ready(Ok(()));
        }
        self.send_slowly(my, to, pair, m)
    }

    /// Sends where there is no room, or what is not plain.
    #[cold]
    #[inline(never)]
    fn send_slowly(&mut self, my: &Rank, to: u32, pair: PairId, m: M) -> Poll<Result<(), Stop>> {
        let bytes = m.bytes();
        let letter = self.mail.put(Time::ZERO, m);
        let Some(room) = self.pairs.room(pair) else {
            self.pairs.ring(pair).set(SENDER_WAITS);
            my.waits.set(Waits::Room(to));
            my.outbox.set(letter);
            return Poll::Pending;
        };
        if self.post(my, to, pair, letter, bytes, room.since) { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Whether the send of `my` is over that was pending.
    #[inline]
    pub(crate) fn sent(&mut self, my: &Rank) -> Poll<Result<(), Stop>> {
        if my.waits.get() != Waits::Nothing {
            Poll::Pending
        } else if my.clock.get() == Time::MAX {
            Poll::Ready(Err(self.overflow(my.me)))
        } else {
            Poll::Ready(Ok(()))
        }
    }

    /// Sends into a slot that is free since `free`; says whether the sender can go on, or else
    /// has to wait for its receiver.
    fn post(&mut self, my: &Rank, to: u32, pair: PairId, letter: Letter, bytes: u64, free: Time) -> bool {
        let network = self.network;
        let meets = network.waits_for_receiver(bytes);
        // A message that meets its receiver first sends a request, which is like an empty one.
        let first = if meets { 0 } else { bytes };
        let sent = my.clock.get().max(free).plus(network.send_overhead(first));
        let arrival = self.inject(my, to, bytes, sent, network.travel(first));
        self.mail.arrives(letter, arrival);
        self.append(my.me, to, pair, letter, arrival);
        my.waits.set(if meets { Waits::Receiver(to) } else { Waits::Nothing });
        !meets
    }

    /// Puts a message, or the request for it, on the sender's port at `sent`; gives its arrival.
    #[inline(always)]
    fn inject(&mut self, my: &Rank, to: u32, bytes: u64, sent: Time, travel: Travel) -> Time {
        let injected = sent.max(my.port.get());
        my.port.set(injected.plus(travel.port));
        let arrival = injected.plus(travel.arrival);
        let from = my.clock.replace(sent);
        self.books.ledger.sent(my.me, to, bytes, from, sent);
        if arrival == Time::MAX {
            self.overflow(my.me);
        }
        arrival
    }

    /// Puts it into the buffer.
    fn append(&mut self, from: u32, to: u32, pair: PairId, letter: Letter, arrival: Time) {
        let Some(room) = self.pairs.room(pair) else {
            unreachable!("who appends has found room");
        };
        let flags = self.pairs.fill(pair, room, letter);
        if flags & (RECEIVER_WAITS | HAS_INBOX) != 0 {
            self.notify(from, to, pair, flags, arrival);
        }
    }

    /// Tells a receiver of a message, given the buffer's state before it.
    #[inline(never)]
    fn notify(&mut self, from: u32, to: u32, pair: PairId, before: u64, arrival: Time) {
        if before & RECEIVER_WAITS != 0 {
            self.pairs.ring(pair).clear(RECEIVER_WAITS);
            self.ready.push(to, arrival);
        }
        if before & HAS_INBOX != 0 && is_empty(before) {
            self.announce(from, to, pair, arrival);
        }
    }

    /// Tells a receiver that keeps an inbox of the oldest message of `from`.
    fn announce(&mut self, from: u32, to: u32, pair: PairId, arrival: Time) {
        if let Some(inbox) = &mut self.routes[to as usize].inbox {
            inbox.add(arrival, from, pair);
            if !inbox.touched && self.books.ranks[to as usize].waits.get() == Waits::Any {
                inbox.touched = true;
                self.touched.push(to);
            }
        }
    }

    /// Lets a sender go on that waited for room in `pair`, of which a slot is free since `free`.
    #[inline(never)]
    pub(super) fn room(&mut self, from: u32, to: u32, pair: PairId, free: Time) {
        self.pairs.ring(pair).clear(SENDER_WAITS);
        let sender = self.rank(from);
        let letter = sender.outbox.get();
        let bytes = self.mail.get(letter).map_or(0, Message::bytes);
        if self.post(sender, to, pair, letter, bytes, free) {
            self.ready.push(from, sender.clock.get());
        }
    }
}
