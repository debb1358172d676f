//! Which number a state has: a hash table over the states themselves, which lie elsewhere.
//!
//! Threads look up and insert at once, without locks: a slot is one atomic number, and a state is written down before
//! the slot that points to it is filled.

use std::hash::Hasher;
use std::sync::atomic::{AtomicU32, Ordering};

use super::fresh::Fresh;

const EMPTY: u32 = u32::MAX;
/// Bits of the hash below which a slot is chosen: those that tag a slot.
const TAG_BITS: u32 = 20;
/// States that are moved to a larger table at once.
const BLOCK: usize = 256;

/// A hash of a packed state (multiplication folded to 64 bits, as in wyhash).
pub(crate) fn hash<const W: usize>(state: &[u64; W]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15u64;
    for word in state {
        let wide = u128::from(*word ^ hash) * u128::from(0xa076_1d64_78bd_642fu64 ^ hash.rotate_left(29));
        hash = (wide as u64) ^ ((wide >> 64) as u64) ^ 0x2545_f491_4f6c_dd1d;
    }
    let wide = u128::from(hash) * 0xe703_7ed1_a0b4_28db;
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// The same for other tables.
#[derive(Debug, Default)]
pub(crate) struct Folded(u64);

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.0 = hash(&[self.0, u64::from_le_bytes(word)]);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The table. A slot holds a state's number and, in the bits that the number leaves free, a part of
/// the state's hash, so that nearly every state that is looked at is the right one.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<AtomicU32>,
    /// Bits of a slot that hold the number.
    bits: u32,
}

impl Table {
    pub(crate) fn new() -> Self {
        Table { slots: empty(16), bits: 12 }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u32>()
    }

    fn slot(&self, hash: u64) -> usize {
        (hash >> TAG_BITS) as usize & (self.slots.len() - 1)
    }

    fn tag(&self, hash: u64) -> u32 {
        ((hash & ((1 << TAG_BITS) - 1)) as u32) << self.bits
    }

    fn number(&self, slot: u32) -> u32 {
        slot & ((1u32 << self.bits) - 1)
    }

    /// The first slot that a hash can be in, read early so that memory is on its way when it is needed.
    pub(crate) fn touch(&self, hash: u64) -> u32 {
        self.slots[self.slot(hash)].load(Ordering::Relaxed)
    }

    /// The same of the state that a hash's first slot points to, if it seems to be the right one.
    pub(crate) fn touch_state<const W: usize>(&self, hash: u64, states: &[[u64; W]]) -> u64 {
        let slot = self.touch(hash);
        let number = self.number(slot);
        let seems_right = slot - number == self.tag(hash);
        states.get(number as usize).filter(|_| seems_right).map_or(0, |state| state[0])
    }

    /// The number of a state, which is in `states` or, from their number on, in `fresh`; if it is in neither, it is
    /// put into `fresh` at a place that `place` gives. None if there is no place.
    pub(crate) fn find_or_insert<const W: usize>(
        &self,
        hash: u64,
        state: &[u64; W],
        states: &[[u64; W]],
        fresh: &Fresh<W>,
        place: &mut impl FnMut() -> Option<u32>,
    ) -> Option<u32> {
        let known = states.len() as u32;
        let tag = self.tag(hash);
        let mut at = self.slot(hash);
        let mut taken = None;
        loop {
            let mut slot = self.slots[at].load(Ordering::Acquire);
            if slot == EMPTY {
                let own = match taken {
                    Some(own) => own,
                    None => *taken.insert(place()?),
                };
                fresh.write(own, state, at as u32);
                let filled = tag | (known + own);
                match self.slots[at].compare_exchange(EMPTY, filled, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => return Some(known + own),
                    // Somebody was faster: perhaps with the same state.
                    Err(theirs) => slot = theirs,
                }
            }
            let number = self.number(slot);
            if slot - number == tag {
                let same = match number.checked_sub(known) {
                    None => states[number as usize] == *state,
                    Some(place) => fresh.is(place, state),
                };
                if same {
                    return Some(number);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Gives the state in a slot another number.
    pub(crate) fn renumber(&self, at: u32, number: u32) {
        let slot = &self.slots[at as usize];
        let old = slot.load(Ordering::Relaxed);
        slot.store(old - self.number(old) + number, Ordering::Relaxed);
    }

    /// Makes room for all of `states` and as many more as `fresh` has places, of which some may be in use.
    pub(crate) fn reserve<const W: usize>(&mut self, states: &[[u64; W]], fresh: &Fresh<W>) {
        let (known, used) = (states.len(), states.len() + fresh.places());
        // The largest number of all ones is kept free: a slot of all ones is empty.
        let bits = (usize::BITS - used.leading_zeros() + 1).clamp(12, 31);
        let mut length = self.slots.len();
        while used * 3 > length * 2 {
            length *= 2;
        }
        if length == self.slots.len() && bits <= self.bits {
            return;
        }
        let old = std::mem::replace(&mut self.slots, empty(length));
        let mask = (1u32 << self.bits) - 1;
        self.bits = bits.max(self.bits);
        // In blocks, so that the memory of many states and slots is fetched at the same time.
        let mut block: Vec<(u32, u64)> = Vec::with_capacity(BLOCK);
        let mut all = old.into_iter().map(AtomicU32::into_inner).filter(|s| *s != EMPTY).map(|s| s & mask);
        loop {
            block.clear();
            block.extend(all.by_ref().take(BLOCK).map(|number| match number.checked_sub(known as u32) {
                None => (number, hash(&states[number as usize])),
                Some(place) => (number, hash(&fresh.state(place))),
            }));
            if block.is_empty() {
                return;
            }
            std::hint::black_box(block.iter().fold(0, |all, (_, hash)| all ^ self.touch(*hash)));
            for (number, hash) in &block {
                let mut at = self.slot(*hash);
                while *self.slots[at].get_mut() != EMPTY {
                    at = (at + 1) & (length - 1);
                }
                *self.slots[at].get_mut() = self.tag(*hash) | number;
                if let Some(place) = number.checked_sub(known as u32) {
                    fresh.moved(place, at as u32);
                }
            }
        }
    }
}

fn empty(length: usize) -> Vec<AtomicU32> {
    (0..length).map(|_| AtomicU32::new(EMPTY)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Table, hash};
    use crate::space::fresh::Fresh;

    #[test]
    fn states_are_found_again_after_the_table_has_grown() {
        let states: Vec<[u64; 1]> = (0..5000u64).map(|i| [i * i % 100_003 * 7919]).collect();
        let mut seen: Vec<[u64; 1]> = Vec::new();
        let mut table = Table::new();
        let mut fresh = Fresh::default();
        fresh.clear(7);
        for state in &states {
            let h = hash(state);
            table.reserve(&seen, &fresh);
            let number = table.find_or_insert(h, state, &seen, &fresh, &mut || Some(0)).expect("a place");
            match seen.get(number as usize) {
                Some(known) => assert_eq!(known, state),
                None => {
                    assert!(!seen.contains(state));
                    assert_eq!(number as usize, seen.len());
                    seen.push(*state);
                }
            }
        }
        for (number, state) in seen.iter().enumerate() {
            let found = table.find_or_insert(hash(state), state, &seen, &fresh, &mut || None);
            assert_eq!(found, Some(number as u32));
        }
    }

    #[test]
    fn threads_agree_on_numbers() {
        let mut table = Table::new();
        let mut fresh = Fresh::default();
        fresh.clear(8000);
        table.reserve::<1>(&[], &fresh);
        let insert = |begin: u32| -> Vec<u32> {
            let mut next = begin..8000;
            let mut place = || next.next();
            (0..4000u64)
                .map(|i| [i * 7919])
                .map(|s| table.find_or_insert(hash(&s), &s, &[], &fresh, &mut place).expect("a place"))
                .collect()
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(|| insert(0));
            let other = insert(4000);
            (one.join().expect("no panic"), other)
        });
        assert_eq!(one, other);
        (0..4000u64).zip(&one).for_each(|(i, place)| assert!(fresh.is(*place, &[i * 7919])));
    }
}
