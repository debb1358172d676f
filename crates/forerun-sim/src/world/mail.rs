//! Messages that are under way.

use crate::Time;

/// Where a message is kept.
pub(crate) type Letter = u32;

/// All messages that are under way: memory grows with their number, and what was freed last,
/// which is likely still in the cache, is used next.
pub(crate) struct Mail<M> {
    /// When a message arrives, and the message.
    slots: Vec<(Time, Option<M>)>,
    free: Vec<Letter>,
}

impl<M> Mail<M> {
    pub(crate) fn new() -> Self {
        Mail { slots: Vec::new(), free: Vec::new() }
    }

    /// Keeps `m`, which arrives at `at`.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: Time, m: M) -> Letter {
        if let Some(letter) = self.free.pop()
            && let Some(slot) = self.slots.get_mut(letter as usize)
        {
            *slot = (at, Some(m));
            return letter;
        }
        self.add(at, m)
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, at: Time, m: M) -> Letter {
        self.slots.push((at, Some(m)));
        (self.slots.len() - 1) as Letter
    }

    /// When the message arrives.
    #[inline]
    pub(crate) fn arrival(&self, letter: Letter) -> Time {
        self.slots[letter as usize].0
    }

    /// Sets when it arrives.
    #[inline]
    pub(crate) fn arrives(&mut self, letter: Letter, at: Time) {
        self.slots[letter as usize].0 = at;
    }

    /// The message, if there is one.
    #[inline]
    pub(crate) fn get(&self, letter: Letter) -> Option<&M> {
        self.slots[letter as usize].1.as_ref()
    }

    /// Takes it out, with its arrival.
    #[inline(always)]
    pub(crate) fn take(&mut self, letter: Letter) -> Option<(Time, M)> {
        let (at, slot) = &mut self.slots[letter as usize];
        let (at, m) = (*at, slot.take()?);
        self.recycle(letter);
        Some((at, m))
    }

    #[inline(always)]
    fn recycle(&mut self, letter: Letter) {
        if self.free.len() == self.free.capacity() {
            self.grow();
        }
        self.free.push(letter);
    }

    /// As many as there are slots can be free: then this is rarely called.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.free.reserve(16);
    }
}
