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
    /// How long it then keeps its receiver busy; [`Time::MAX`] where that depends on more than its size.
    busy: Time,
    m: Option<M>,
}

impl<M> Mail<M> {
    pub(crate) fn new() -> Self {
        Mail { slots: Vec::new(), free: NONE }
    }

    /// Keeps `m`; gives with its letter where to note how it arrives.
    // The message goes nowhere else: passed on to another function, it would first be written to
    // the stack. And it goes first, so that it does not keep registers while times are computed.
    #[inline(always)]
    pub(crate) fn put(&mut self, m: M) -> (Letter, Arrival<'_>) {
        let Mail { slots, free } = self;
        let (letter, slot) =
            if *free < slots.len() as u64 { (*free, &mut slots[*free as usize]) } else { Self::grow(slots) };
        *free = slot.word;
        slot.m = Some(m);
        (letter as Letter, Arrival { word: &mut slot.word, busy: &mut slot.busy })
    }

    // Where the message is put in either case: given to this as well, it would first be written to the stack.
    #[cold]
    #[inline(never)]
    fn grow(slots: &mut Vec<Slot<M>>) -> (u64, &mut Slot<M>) {
        let last = slots.len();
        slots.push(Slot { word: NONE, busy: Time::MAX, m: None });
        (last as u64, &mut slots[last])
    }

    /// When the message arrives.
    #[inline]
    pub(crate) fn arrival(&self, letter: Letter) -> Time {
        Time::from_picos(self.slots[letter as usize].word)
    }

    /// Notes when it arrives and how long it then keeps its receiver busy.
    #[inline]
    pub(crate) fn arrives(&mut self, letter: Letter, at: Time, busy: Time) {
        let Slot { word, busy: noted, .. } = &mut self.slots[letter as usize];
        Arrival { word, busy: noted }.note(at, busy);
    }

    /// The message, if there is one.
    #[inline]
    pub(crate) fn get(&self, letter: Letter) -> Option<&M> {
        self.slots[letter as usize].m.as_ref()
    }

    /// Looks at a letter, from its beginning to its end, only so that it is in the cache.
    #[inline]
    pub(crate) fn look(&self, letter: Letter) -> u64 {
        let slot = self.slots.get(letter as usize);
        slot.map_or(0, |slot| slot.word ^ u64::from(slot.m.is_some()))
    }

    /// When the message arrives, and how long it then keeps its receiver busy; [`Time::MAX`] where that depends on more than
    /// its size.
    #[inline(always)]
    pub(crate) fn times(&self, letter: Letter) -> (Time, Time) {
        let slot = &self.slots[letter as usize];
        (Time::from_picos(slot.word), slot.busy)
    }

    /// Takes the message out.
    #[inline(always)]
    pub(crate) fn take(&mut self, letter: Letter) -> Option<M> {
        let slot = &mut self.slots[letter as usize];
        slot.word = std::mem::replace(&mut self.free, u64::from(letter));
        slot.m.take()
    }
}

/// Where to note how a letter arrives.
pub(crate) struct Arrival<'a> {
    word: &'a mut u64,
    busy: &'a mut Time,
}

impl Arrival<'_> {
    /// Notes when it arrives and how long it then keeps its receiver busy.
    #[inline(always)]
    pub(crate) fn note(self, at: Time, busy: Time) {
        *self.word = at.picos();
        *self.busy = busy;
    }
}
