//! Messages that are under way.

use crate::Time;

/// Where a message is kept.
pub(crate) type Letter = u32;

/// No slot.
const NONE: u64 = u64::MAX;

/// All messages that are under way: memory grows with their number, and what was freed last,
/// which is likely still in the cache, is used next.
pub(crate) struct Mail<M> {
    slots: Vec<Slot<M>>,
    /// The slot that was freed last.
    free: u64,
}

struct Slot<M> {
    /// When the message arrives, in picoseconds; of a free slot, the one that was freed before.
    word: u64,
    m: Option<M>,
}

impl<M> Mail<M> {
    pub(crate) fn new() -> Self {
        Mail { slots: Vec::new(), free: NONE }
    }

    /// Keeps `m`, which arrives at `at`.
    // The message goes nowhere else: passed on to another function, it would first be written to
    // the stack.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: Time, m: M) -> Letter {
        if self.free == NONE {
            self.grow();
        }
        let letter = self.free;
        let slot = &mut self.slots[letter as usize];
        self.free = slot.word;
        slot.word = at.picos();
        slot.m = Some(m);
        letter as Letter
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.free = self.slots.len() as u64;
        self.slots.push(Slot { word: NONE, m: None });
    }

    /// When the message arrives.
    #[inline]
    pub(crate) fn arrival(&self, letter: Letter) -> Time {
        Time::from_picos(self.slots[letter as usize].word)
    }

    /// Sets when it arrives.
    #[inline]
    pub(crate) fn arrives(&mut self, letter: Letter, at: Time) {
        self.slots[letter as usize].word = at.picos();
    }

    /// The message, if there is one.
    #[inline]
    pub(crate) fn get(&self, letter: Letter) -> Option<&M> {
        self.slots[letter as usize].m.as_ref()
    }

    /// Takes it out, with its arrival.
    #[inline(always)]
    pub(crate) fn take(&mut self, letter: Letter) -> Option<(Time, M)> {
        let slot = &mut self.slots[letter as usize];
        let m = slot.m.take()?;
        let at = std::mem::replace(&mut slot.word, self.free);
        self.free = u64::from(letter);
        Some((Time::from_picos(at), m))
    }
}
