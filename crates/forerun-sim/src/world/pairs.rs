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

/// Bits of the number of a slot.
const FIELD: u32 = 24;
const MASK: u64 = (1 << FIELD) - 1;

/// Largest number of slots that a buffer can have.
pub(crate) const MAX_WINDOW: usize = 1 << FIELD;

/// A slot above this holds a message; one up to it is free since then.
const LATEST: u64 = Time::END.picos();

/// All buffers, in one array, in the order in which the pairs first communicated: ranks that go
/// in step walk through it from front to back, as they walked when it was built.
#[derive(Debug)]
pub(crate) struct Pairs {
    words: Vec<u64>,
    /// Words of a buffer.
    size: usize,
}

impl Pairs {
    pub(crate) fn new(window: usize) -> Self {
        Pairs { words: Vec::new(), size: window + 1 }
    }

    /// A new pair, its slots free since the start; `None` if there is no room for it.
    pub(crate) fn add(&mut self) -> Option<PairId> {
        let id = PairId::try_from(self.words.len()).ok()?;
        self.words.resize(self.words.len() + self.size, 0);
        Some(id)
    }

    #[inline(always)]
    pub(crate) fn ring(&mut self, pair: PairId) -> Ring<'_> {
        Ring { words: &mut self.words, at: pair as usize, size: self.size }
    }

    /// The oldest message of a pair, if there is one.
    #[inline]
    pub(crate) fn oldest(&self, pair: PairId) -> Option<Letter> {
        let head = self.words[pair as usize];
        let word = self.words[pair as usize + 1 + (head & MASK) as usize];
        (word > LATEST).then_some(word as Letter)
    }
}

/// One buffer: a word with the slot to fill next, the slot to empty next and flags, then a word
/// for each slot. A slot that is full holds the message's letter in its lower half and ones in
/// its upper; a free one holds since when it is free, in picoseconds, which is never that large. So
/// one look at the slot to fill next says whether there is room, and when the message C before was
/// received; one at the slot to empty next, whether there is a message.
#[derive(Debug)]
pub(crate) struct Ring<'a> {
    words: &'a mut [u64],
    /// Where the buffer begins.
    at: usize,
    size: usize,
}

impl Ring<'_> {
    /// Room for the next message, if there is any.
    #[inline(always)]
    pub(crate) fn room(&self) -> Option<Room> {
        let head = self.words[self.at];
        let slot = self.at + 1 + (head >> FIELD & MASK) as usize;
        let since = self.words[slot];
        (since <= LATEST).then(|| Room { since: Time::from_picos(since), slot, head })
    }

    /// Puts a message there; gives the first word as it was before.
    #[inline(always)]
    pub(crate) fn fill(&mut self, room: Room, letter: Letter) -> u64 {
        self.words[room.slot] = !u64::from(Letter::MAX) | u64::from(letter);
        let is_end = room.slot + 1 == self.at + self.size;
        self.words[self.at] = if is_end { room.head & !(MASK << FIELD) } else { room.head + (1 << FIELD) };
        room.head
    }

    /// The oldest message, if there is one.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> Option<Oldest> {
        let head = self.words[self.at];
        let slot = self.at + 1 + (head & MASK) as usize;
        let word = self.words[slot];
        (word > LATEST).then_some(Oldest { letter: word as Letter, slot, head })
    }

    /// Frees the slot of the oldest message at time `freed`; gives the first word as it was before.
    #[inline(always)]
    pub(crate) fn free(&mut self, oldest: Oldest, freed: Time) -> u64 {
        self.words[oldest.slot] = freed.picos().min(LATEST);
        let is_end = oldest.slot + 1 == self.at + self.size;
        self.words[self.at] = if is_end { oldest.head & !MASK } else { oldest.head + 1 };
        oldest.head
    }

    /// Sets a flag.
    pub(crate) fn set(&mut self, flag: u64) {
        self.words[self.at] |= flag;
    }

    /// Clears a flag.
    pub(crate) fn clear(&mut self, flag: u64) {
        self.words[self.at] &= !flag;
    }
}

/// Whether a buffer that has room holds no message, given its first word.
#[inline(always)]
pub(crate) fn is_empty(head: u64) -> bool {
    (head ^ head >> FIELD) & MASK == 0
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
