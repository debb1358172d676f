//! What the world knows of a rank.

use std::cell::Cell;

use super::mail::Letter;
use super::peers::Peers;
use crate::Time;

/// What a rank is blocked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    /// Nothing: it runs, can run, or has ended.
    Nothing,
    /// A message from this rank.
    Message(u32),
    /// That the message which it receives from this rank has come in by its port.
    Landing(u32),
    /// A free slot to this rank; the letter is in its outbox.
    Room(u32),
    /// That this rank receives a message above the rendezvous threshold.
    Receiver(u32),
    /// Its turn to receive from any.
    Any,
    /// Its turn to see whether something has arrived.
    Try,
    /// Its turn to draw from this counter.
    Claim(u32),
    /// Nothing any more: it has ended.
    Ended,
}

/// One rank. Small, since there can be millions; in cells, so that its endpoint and the world hold references
/// to it and find it without looking it up. In this order, from the beginning of a cache line: one has all but the names of its
/// buffers, which have three.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Rank {
    pub(crate) me: u32,
    /// The message that waits for room.
    pub(crate) outbox: Cell<Letter>,
    pub(crate) clock: Cell<Time>,
    /// When its port is free for the next message.
    pub(crate) port: Cell<Time>,
    /// While it waits for its turn, when that is; afterwards the answer (see `turns`).
    pub(crate) word: Cell<u64>,
    pub(crate) waits: Cell<Waits>,
    /// Whether it has received from any, and keeps an inbox.
    pub(crate) has_inbox: Cell<bool>,
    /// The buffers between it and others.
    pub(crate) peers: Peers,
}

impl Rank {
    pub(crate) fn new(me: u32) -> Self {
        Rank {
            me,
            outbox: Cell::new(Letter::MAX),
            clock: Cell::new(Time::ZERO),
            port: Cell::new(Time::ZERO),
            word: Cell::new(0),
            waits: Cell::new(Waits::Nothing),
            has_inbox: Cell::new(false),
            peers: Peers::default(),
        }
    }
}
