//! From a rank's peer to the buffer between them.

use std::cell::{Cell, OnceCell, RefCell};

use super::many::Many;
use super::pairs::PairId;

/// The direction of a pair, as its rank sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// From this rank.
    Out,
    /// To this rank.
    In,
}

impl Way {
    /// The direction as the other rank sees it.
    pub(crate) fn back(self) -> Way {
        match self {
            Way::Out => Way::In,
            Way::In => Way::Out,
        }
    }
}

/// Most ranks: a key holds one and the direction, and one key means none.
pub(crate) const MAX_RANKS: usize = (1 << 31) - 1;

/// Peers up to which they are searched one by one.
const FEW: usize = 24;

/// What a buffer is found by: the peer and the direction, and never 0.
pub(crate) type Key = u32;

/// A key in the upper half, the buffer in the lower; 0 where there is none.
type Entry = u64;

/// The buffers of one rank, both ways: few ranks have more than lg P, so they lie in a short
/// array within the rank, where whoever makes a buffer notes it for both. Programs tend to turn to their
/// peers in a cycle, so the one after the last is looked at first, and they are brought into that order.
/// With many peers the array becomes a hash table.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Peers {
    /// All of them, where they are many.
    many: OnceCell<Box<RefCell<Many>>>,
    /// The one that is looked at first; past the end, the first.
    next: Cell<u32>,
    len: Cell<u32>,
    few: [Cell<Entry>; FEW],
}

impl Peers {
    /// What the buffer to or from `peer` is found by.
    #[inline]
    pub(crate) fn key(peer: u32, way: Way) -> Key {
        (peer << 1) + u32::from(way == Way::In) + 1
    }

    /// The buffer between this rank and `peer`, if it is the one that is looked at first.
    #[inline(always)]
    pub(crate) fn expected(&self, peer: usize, way: Way) -> Option<PairId> {
        let mut at = self.next.get();
        if at >= self.len.get() {
            at = 0;
        }
        let entry = self.few.get(at as usize)?.get();
        if entry >> 32 != (peer as u64).wrapping_mul(2) + u64::from(way == Way::In) + 1 {
            return None;
        }
        self.next.set(at + 1);
        Some(entry as PairId)
    }

    /// Makes the last one that was found the one that is looked at first: it will be asked for again.
    #[inline]
    pub(crate) fn again(&self) {
        if !self.are_many() {
            self.next.set(self.next.get().saturating_sub(1));
        }
    }

    /// The buffer with this key.
    pub(crate) fn get(&self, key: Key) -> Option<PairId> {
        if self.are_many() {
            return self.many().borrow().get(key);
        }
        // From the end: where ranks begin in their order, who has sent last is received from first.
        let at = self.entries().iter().rposition(|entry| entry.get() >> 32 == u64::from(key))?;
        let pair = self.few[at].get() as PairId;
        self.place(at);
        Some(pair)
    }

    /// Adds a buffer that the other rank has made.
    pub(crate) fn add(&self, key: Key, pair: PairId) {
        let at = self.len.get();
        self.len.set(at + 1);
        match self.few.get(at as usize) {
            Some(place) => place.set(u64::from(key) << 32 | u64::from(pair)),
            None => self.add_to_many(key, pair),
        }
    }

    /// Adds a buffer that was just asked for.
    pub(crate) fn add_expected(&self, key: Key, pair: PairId) {
        self.add(key, pair);
        if !self.are_many() {
            self.place(self.len.get() as usize - 1);
        }
    }

    /// The buffers of both directions where there are few: the buffer, and whether it leads to this rank.
    #[inline]
    pub(crate) fn few(&self) -> impl Iterator<Item = (PairId, bool)> {
        self.entries().iter().map(|entry| (entry.get() as PairId, is_incoming((entry.get() >> 32) as Key)))
    }

    /// Looks at the names of the buffers, a cache line's after the other, only so that they are in the cache.
    #[inline]
    pub(crate) fn look(&self) -> u64 {
        self.few.iter().step_by(8).fold(u64::from(self.len.get()), |seen, entry| seen ^ entry.get())
    }

    /// The buffers that lead to this rank, with their senders.
    pub(crate) fn incoming(&self) -> Vec<(u32, PairId)> {
        let mut all = Vec::new();
        let mut add = |key: Key, pair| {
            if is_incoming(key) {
                all.push(((key - 1) >> 1, pair));
            }
        };
        if self.are_many() {
            self.many().borrow().entries().for_each(|(key, pair)| add(key, pair));
        } else {
            let entries = self.entries().iter().map(Cell::get);
            entries.for_each(|entry| add((entry >> 32) as Key, entry as PairId));
        }
        all
    }

    fn entries(&self) -> &[Cell<Entry>] {
        &self.few[..FEW.min(self.len.get() as usize)]
    }

    /// Puts an entry where it was expected: after one cycle the peers stand in the order in which the
    /// program turns to them.
    fn place(&self, at: usize) {
        let next = self.next.get();
        let first = if next < self.len.get() { next } else { 0 };
        self.few[at].swap(&self.few[first as usize]);
        self.next.set(first + 1);
    }

    fn are_many(&self) -> bool {
        self.len.get() as usize > FEW
    }

    fn many(&self) -> &RefCell<Many> {
        self.many.get_or_init(Box::default)
    }

    #[cold]
    fn add_to_many(&self, key: Key, pair: PairId) {
        let mut many = self.many().borrow_mut();
        if self.len.get() as usize == FEW + 1 {
            // From now on, none is looked at first.
            self.few.iter().map(|e| e.replace(0)).for_each(|e| many.add((e >> 32) as Key, e as PairId));
        }
        many.add(key, pair);
    }
}

fn is_incoming(key: Key) -> bool {
    key & 1 == 0
}
