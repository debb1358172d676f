//! The buffers between ranks: C slots for every ordered pair of ranks that communicates.

use super::mail::Letter;
use crate::Time;

/// A pair's buffer: where it begins.
pub(crate) type PairId = u32;

/// The receiver is blocked in a receive from this sender.
pub(crate) const RECEIVER_WAITS: u64 = 1 << 29;
/// The sender is blocked until a slot is free.
pub(crate) const SENDER_WAITS: u64 = 1 << 30;
/// The receiver has called receive-from-any, and keeps an inbox.
pub(crate) const HAS_INBOX: u64 = 1 << 31;

/// The number of messages received, in the first word's lowest bits.
const RECEIVED: u64 = (1 << 28) - 1;
/// What that number carries into, which nothing else uses.
const CARRY: u64 = RECEIVED + 1;
/// From this bit on, the number of messages sent, whose carry is lost.
const SENT: u32 = 32;

/// Largest number of slots that a buffer can have.
pub(crate) const MAX_WINDOW: usize = 1 << 24;

/// A slot above this holds a message; one up to it is free since then.
const LATEST: u64 = Time::END.picos();

/// All buffers, in one array, in the order in which the pairs first communicated: ranks that go
/// in step walk through it from front to back, as they walked when it was built.
#[derive(Debug)]
pub(crate) struct Pairs {
    words: Vec<u64>,
    /// Slots of a buffer, less 1: a power of two less 1.
    mask: u64,
    /// By how many slots more than the window's C a buffer has.
    more: u64,
}

impl Pairs {
    pub(crate) fn new(window: usize) -> Self {
        let slots = window.next_power_of_two();
        Pairs { words: Vec::new(), mask: slots as u64 - 1, more: (slots - window) as u64 }
    }

    /// A new pair, its slots free since the start; `None` if there is no room for it.
    pub(crate) fn add(&mut self) -> Option<PairId> {
        let id = PairId::try_from(self.words.len()).ok()?;
        self.words.resize(self.words.len() + self.mask as usize + 2, 0);
        Some(id)
    }

    /// Up to four slots of a pair: the letter where there is one and it is `wanted`, else 0, without a branch.
    #[inline]
    pub(crate) fn letters(&self, pair: PairId, wanted: bool) -> impl Iterator<Item = Letter> {
        let begin = pair as usize + 1;
        let slots = &self.words[begin..begin + 4.min(self.mask as usize + 1)];
        slots.iter().map(move |&word| word as Letter * Letter::from(word > LATEST && wanted))
    }

    /// Looks at a pair from its first word to its fourth slot, or its last, only so that it is in the cache.
    #[inline]
    pub(crate) fn look(&self, pair: PairId) -> u64 {
        let begin = pair as usize;
        self.words[begin] ^ self.words[begin + 4.min(self.mask as usize + 1)]
    }

    #[inline(always)]
    pub(crate) fn ring(&mut self, pair: PairId) -> Ring<'_> {
        Ring { words: &mut self.words, at: pair as usize, mask: self.mask, more: self.more }
    }

    /// The oldest message of a pair, if there is one.
    #[inline]
    pub(crate) fn oldest(&self, pair: PairId) -> Option<Letter> {
        let head = self.words[pair as usize];
        let word = self.words[pair as usize + 1 + (head & self.mask) as usize];
        (word > LATEST).then_some(word as Letter)
    }
}

/// One buffer: a word with the numbers of messages sent and received and flags, then a word for
/// each slot. Message k is in slot k modulo their number, which is a power of two and at least C. A
/// slot that is full holds the message's letter in its lower half and ones in its upper; a free one
/// holds since when it is free, in picoseconds, which is never that large. So one look at the slot
/// of message k − C says whether there is room for message k, and since when; one at the slot to empty
/// next, whether there is a message.
#[derive(Debug)]
pub(crate) struct Ring<'a> {
    words: &'a mut [u64],
    /// Where the buffer begins.
    at: usize,
    mask: u64,
    more: u64,
}

impl Ring<'_> {
    #[inline(always)]
    fn slot(&self, message: u64) -> usize {
        self.at + 1 + (message & self.mask) as usize
    }

    /// Room for the next message, if there is any.
    #[inline(always)]
    pub(crate) fn room(&self) -> Option<Room> {
        let head = self.words[self.at];
        let since = self.words[self.slot((head >> SENT).wrapping_add(self.more))];
        (since <= LATEST).then(|| Room { since: Time::from_picos(since), head })
    }

    /// Puts a message there; gives the first word as it was before.
    #[inline(always)]
    pub(crate) fn fill(&mut self, room: Room, letter: Letter) -> u64 {
        let slot = self.slot(room.head >> SENT);
        self.words[slot] = !u64::from(Letter::MAX) | u64::from(letter);
        self.words[self.at] = room.head.wrapping_add(1 << SENT);
        room.head
    }

    /// The oldest message, if there is one.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> Option<Oldest> {
        let head = self.words[self.at];
        let slot = self.slot(head);
        let word = self.words[slot];
        (word > LATEST).then_some(Oldest { letter: word as Letter, slot, head })
    }

    /// Frees the slot of the oldest message at time `freed`, which is before [`Time::END`]; gives the
    /// first word as it was before.
    #[inline(always)]
    pub(crate) fn free(&mut self, oldest: Oldest, freed: Time) -> u64 {
        self.words[oldest.slot] = freed.picos();
        self.words[self.at] = (oldest.head + 1) & !CARRY;
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

/// Whether a buffer holds no message, given its first word.
#[inline(always)]
pub(crate) fn is_empty(head: u64) -> bool {
    (head ^ head >> SENT) & RECEIVED == 0
}

/// A free slot for the next message of a pair, valid until the pair changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Since when it is free.
    pub(crate) since: Time,
    head: u64,
}

/// The oldest message of a pair, valid until the pair changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Oldest {
    pub(crate) letter: Letter,
    slot: usize,
    head: u64,
}
