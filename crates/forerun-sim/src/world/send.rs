//! Sending.

use std::task::Poll;

use forerun_skeleton::{Message, Stop};

use super::pairs::{HAS_INBOX, PairId, RECEIVER_WAITS, Ring, SENDER_WAITS, is_empty};
use super::peers::Way;
use super::{Letter, My, Waits, World};
use crate::network::Travel;
use crate::{LogGps, Time};

impl<M: Message> World<'_, M> {
    /// Begins to send `m` from `my` to `to`; says whether it is over. Else it waits, or the run stops.
    #[inline(always)]
    pub(crate) fn send(&mut self, my: My<'_>, to: usize, m: M) -> bool {
        let bytes = m.bytes();
        let (letter, arrives) = self.mail.put(m);
        let Some(pair) = my.peers.expected(to, Way::Out) else {
            return self.send_elsewhere(my, to, letter, bytes);
        };
        let to = to as u32;
        let Some(sent) = fill(self.network, self.pairs.ring(pair), my, to, letter, bytes) else {
            return self.send_slowly(my, to, pair, letter, bytes);
        };
        arrives.note(sent.arrival, sent.busy);
        if sent.before & (RECEIVER_WAITS | HAS_INBOX) != 0 {
            self.notify(my.me, to, pair, sent.before, sent.arrival);
        }
        true
    }

    /// Sends to another rank than the one that was expected.
    #[inline(never)]
    fn send_elsewhere(&mut self, my: My<'_>, to: usize, letter: Letter, bytes: u64) -> bool {
        let Ok(pair) = self.find_pair(my, to, Way::Out) else { return false };
        let to = to as u32;
        let Some(sent) = fill(self.network, self.pairs.ring(pair), my, to, letter, bytes) else {
            return self.send_slowly(my, to, pair, letter, bytes);
        };
        self.mail.arrives(letter, sent.arrival, sent.busy);
        if sent.before & (RECEIVER_WAITS | HAS_INBOX) != 0 {
            self.notify(my.me, to, pair, sent.before, sent.arrival);
        }
        true
    }

    /// Sends where there is no room, or what is not plain.
    #[cold]
    #[inline(never)]
    fn send_slowly(&mut self, my: My<'_>, to: u32, pair: PairId, letter: Letter, bytes: u64) -> bool {
        let mut ring = self.pairs.ring(pair);
        let Some(room) = ring.room() else {
            ring.set(SENDER_WAITS);
            my.waits.set(Waits::Room(to));
            my.outbox.set(letter);
            return false;
        };
        self.post(my, to, pair, letter, bytes, room.since)
    }

    /// Whether the send of `my` is over that was pending.
    #[inline]
    pub(crate) fn sent(&mut self, my: My<'_>) -> Poll<Result<(), Stop>> {
        if self.stop.is_some() {
            Poll::Ready(Err(Stop::Aborted))
        } else if my.waits.get() != Waits::Nothing {
            Poll::Pending
        } else if my.clock.get() == Time::MAX {
            Poll::Ready(Err(self.overflow(my.me)))
        } else {
            Poll::Ready(Ok(()))
        }
    }

    /// Sends into a slot that is free since `free`; says whether the sender can go on, or else
    /// has to wait for its receiver.
    fn post(&mut self, my: My<'_>, to: u32, pair: PairId, letter: Letter, bytes: u64, free: Time) -> bool {
        let network = self.network;
        let meets = network.waits_for_receiver(bytes);
        // A message that meets its receiver first sends a request, which is like an empty one.
        let first = if meets { 0 } else { bytes };
        let sent = my.clock.get().max(free).plus(network.send_overhead(first));
        self.books.leaves(my, sent, network.toll(first));
        let arrival = my.inject(sent, network.travel(first)).unwrap_or(Time::MAX);
        my.sent(to, bytes, sent);
        if arrival == Time::MAX {
            self.overflow(my.me);
        }
        self.mail.arrives(letter, arrival, network.plain_receive(bytes));
        self.comes(my.me, to, pair, arrival, first);
        self.append(my.me, to, pair, letter, arrival);
        my.waits.set(if meets { Waits::Receiver(to) } else { Waits::Nothing });
        !meets
    }

    /// Puts it into the buffer.
    fn append(&mut self, from: u32, to: u32, pair: PairId, letter: Letter, arrival: Time) {
        let mut ring = self.pairs.ring(pair);
        let Some(room) = ring.room() else {
            unreachable!("who appends has found room");
        };
        let flags = ring.fill(room, letter);
        if flags & (RECEIVER_WAITS | HAS_INBOX) != 0 {
            self.notify(from, to, pair, flags, arrival);
        }
    }

    /// Tells a receiver of a message, given the buffer's state before it.
    #[inline(always)]
    fn notify(&mut self, from: u32, to: u32, pair: PairId, before: u64, arrival: Time) {
        // Behind others of the same sender, it is news to nobody but who waits for it.
        if before & RECEIVER_WAITS != 0 || is_empty(before) {
            self.notify_now(from, to, pair, before, arrival);
        }
    }

    #[inline(never)]
    fn notify_now(&mut self, from: u32, to: u32, pair: PairId, before: u64, arrival: Time) {
        if before & RECEIVER_WAITS != 0 {
            self.pairs.ring(pair).clear(RECEIVER_WAITS);
            self.rank(to).waits.set(Waits::Nothing);
            self.ready.push(to, arrival);
        }
        if before & HAS_INBOX != 0 && is_empty(before) {
            self.announce(from, to, pair, arrival);
        }
    }

    /// Tells a receiver that keeps an inbox of the oldest message of `from`.
    fn announce(&mut self, from: u32, to: u32, pair: PairId, arrival: Time) {
        let fair = self.network.has_fair_ports();
        if let Some(inbox) = &mut self.inboxes[to as usize] {
            // What a fair port has is first is known to the port.
            if !fair {
                inbox.add(arrival, from, pair);
            }
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
        let sender = self.my(from);
        let letter = sender.outbox.get();
        let bytes = self.mail.get(letter).map_or(0, Message::bytes);
        // Its room is that slot: in a buffer of which a sender waits for room, there is none other.
        if let Some(sent) = fill(self.network, self.pairs.ring(pair), sender, to, letter, bytes) {
            self.mail.arrives(letter, sent.arrival, sent.busy);
            sender.waits.set(Waits::Nothing);
            if sent.before & (RECEIVER_WAITS | HAS_INBOX) != 0 {
                self.notify(from, to, pair, sent.before, sent.arrival);
            }
            self.ready.push(from, sender.clock.get());
            return;
        }
        if self.post(sender, to, pair, letter, bytes, free) {
            self.ready.push(from, sender.clock.get());
        }
    }
}

/// A message that was put into its buffer.
struct Sent {
    arrival: Time,
    /// How long it then keeps its receiver busy.
    busy: Time,
    /// The buffer's first word before it.
    before: u64,
}

/// Puts a message into its buffer if there is room, it is plain, and it arrives in time.
#[inline(always)]
fn fill(
    network: &LogGps,
    mut ring: Ring<'_>,
    my: My<'_>,
    to: u32,
    letter: Letter,
    bytes: u64,
) -> Option<Sent> {
    let room = ring.room()?;
    let (overhead, travel, busy) = network.plain_send(bytes)?;
    let sent = my.clock.get().max(room.since).and(overhead)?;
    let arrival = my.inject(sent, travel)?;
    let before = ring.fill(room, letter);
    my.sent(to, bytes, sent);
    Some(Sent { arrival, busy, before })
}

impl My<'_> {
    /// Puts a message, or the request for it, on the sender's port at `sent`; gives its arrival, if
    /// that is in time.
    #[inline(always)]
    fn inject(self, sent: Time, travel: Travel) -> Option<Time> {
        let injected = sent.max(self.port.get());
        self.port.set(injected.plus(travel.port));
        injected.and(travel.arrival)
    }
}
