//! The buffers between ranks: C slots for every ordered pair of ranks that communicates.

use super::mail::Letter;
use crate::Time;

/// A pair's buffer: where it begins.
pub(crate) type PairId = u32;

/// The receiver is blocked in a receive from this sender.
pub(crate) const RECEIVER_WAITS: u64 = 1 << 61;
/// The sender is blocked until a slot is free.
pub(crate) const SENDER_WAITS: u64 = 1 << 62;
/// The receiver has called receive-from-any, and keeps an inbox.
pub(crate) const HAS_INBOX: u64 = 1 << 63;

const FIELD: u32 = 30;
const MASK: u64 = (1 << FIELD) - 1;

/// Largest number of slots that a buffer can have.
pub(crate) const MAX_WINDOW: usize = 1 << 24;

/// All buffers, in one array, in the order in which the pairs first communicated: ranks that go
/// in step walk through it from front to back, as they walked when it was built.
#[derive(Debug)]
pub(crate) struct Pairs {
    words: Vec<u64>,
    window: usize,
}

impl Pairs {
    pub(crate) fn new(window: usize) -> Self {
        Pairs { words: Vec::new(), window }
    }

    /// A new pair, its slots free since the start; `None` if there is no room for it.
    pub(crate) fn add(&mut self) -> Option<PairId> {
        let id = PairId::try_from(self.words.len()).ok()?;
        self.words.resize(self.words.len() + self.window + 1, 0);
        Some(id)
    }

    #[inline(always)]
    pub(crate) fn ring(&mut self, pair: PairId) -> Ring<'_> {
        let at = pair as usize;
        let head = self.words[at];
        Ring { words: &mut self.words, at, head }
    }

    /// Room for the next message, if there is any.
    #[inline(always)]
    pub(crate) fn room(&self, pair: PairId) -> Option<Room> {
        let head = self.words[pair as usize];
        let len = ((head >> FIELD) & MASK) as usize;
        if len >= self.window {
            return None;
        }
        let slot = (head & MASK) as usize + len;
        let slot = if slot >= self.window { slot - self.window } else { slot };
        let slot = pair as usize + 1 + slot;
        Some(Room { since: Time::from_picos(self.words[slot]), slot, head })
    }

    /// Puts a message there; gives the first word as it was before.
    #[inline(always)]
    pub(crate) fn fill(&mut self, pair: PairId, room: Room, letter: Letter) -> u64 {
        self.words[room.slot] = u64::from(letter);
        self.words[pair as usize] = room.head + (1 << FIELD);
        room.head
    }

    /// The oldest message, if there is one.
    #[inline(always)]
    pub(crate) fn oldest(&self, pair: PairId) -> Option<Oldest> {
        let head = self.words[pair as usize];
        let slot = pair as usize + 1 + (head & MASK) as usize;
        (!is_empty(head)).then(|| Oldest { letter: self.words[slot] as Letter, slot, head })
    }

    /// Frees the slot of the oldest message at time `freed`; gives the first word as it was before.
    #[inline(always)]
    pub(crate) fn free(&mut self, pair: PairId, oldest: Oldest, freed: Time) -> u64 {
        self.words[oldest.slot] = freed.picos();
        let next = (oldest.head & MASK) + 1;
        let next = if next == self.window as u64 { 0 } else { next };
        self.words[pair as usize] = (oldest.head & !MASK) - (1 << FIELD) + next;
        oldest.head
    }
}

/// Whether a buffer with this first word holds no message.
#[inline(always)]
pub(crate) fn is_empty(head: u64) -> bool {
    head & (MASK << FIELD) == 0
}

/// A free slot for the next message of a pair, valid until the pair changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Since when it is free.
    pub(crate) since: Time,
    slot: usize,
    head: u64,
}

/// The oldest message of a pair, valid until the pair changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Oldest {
    pub(crate) letter: Letter,
    slot: usize,
    head: u64,
}

impl Oldest {
    /// The buffer's flags.
    #[inline(always)]
    pub(crate) fn flags(&self) -> u64 {
        self.head
    }
}

/// One buffer: a word with the oldest message's slot, the number of messages and flags, then a
/// word for each slot. A slot that is full holds the message's letter; a free one holds since
/// when it is free, in picoseconds. So the next message to be sent finds, in the slot that it
/// will use, when the message C before it was received.
#[derive(Debug)]
pub(crate) struct Ring<'a> {
    words: &'a mut Vec<u64>,
    at: usize,
    /// The first word, as it is there.
    head: u64,
}

impl Ring<'_> {
    #[inline(always)]
    fn oldest(&self) -> usize {
        (self.head & MASK) as usize
    }

    #[inline(always)]
    fn len(&self) -> usize {
        ((self.head >> FIELD) & MASK) as usize
    }

    #[inline(always)]
    fn slot(&mut self, slot: usize) -> &mut u64 {
        &mut self.words[self.at + 1 + slot]
    }

    #[inline(always)]
    fn put_head(&mut self, head: u64) {
        self.head = head;
        self.words[self.at] = head;
    }

    #[inline(always)]
    pub(crate) fn flags(&self) -> u64 {
        self.head
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, flag: u64) {
        self.put_head(self.head | flag);
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self, flag: u64) {
        self.put_head(self.head & !flag);
    }

    /// The oldest message, if there is one.
    #[inline(always)]
    pub(crate) fn front(&mut self) -> Option<Letter> {
        (self.len() > 0).then(|| *self.slot(self.oldest()) as Letter)
    }
}
