//! The states that one round of the search finds, before they have their numbers.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Places that a thread takes at once, so that threads seldom ask for any at the same time.
const BLOCK: u32 = 64;

/// States at places, which threads take as they find them. A state's number follows from the first transition of the
/// round that leads to it, whoever finds it first.
#[derive(Debug)]
pub(crate) struct Fresh<const W: usize> {
    all: Vec<Entry<W>>,
    /// The first place that nobody took yet.
    next: AtomicU32,
}

#[derive(Debug)]
struct Entry<const W: usize> {
    state: [AtomicU64; W],
    /// The first transition that leads to it.
    first: AtomicU64,
    /// Its slot in the table.
    slot: AtomicU32,
    /// Its number, once it has one.
    number: AtomicU32,
}

impl<const W: usize> Default for Entry<W> {
    fn default() -> Self {
        Entry {
            state: std::array::from_fn(|_| AtomicU64::new(0)),
            first: AtomicU64::new(u64::MAX),
            slot: AtomicU32::new(0),
            number: AtomicU32::new(0),
        }
    }
}

impl<const W: usize> Default for Fresh<W> {
    fn default() -> Self {
        Fresh { all: Vec::new(), next: AtomicU32::new(0) }
    }
}

/// Places that a thread has taken and not used yet.
#[derive(Debug, Default)]
pub(crate) struct Block {
    from: u32,
    to: u32,
}

impl Block {
    /// The next place; None if there is none left.
    pub(crate) fn next<const W: usize>(&mut self, fresh: &Fresh<W>) -> Option<u32> {
        if self.from == self.to {
            let places = fresh.all.len() as u32;
            self.from = fresh.next.fetch_add(BLOCK, Ordering::Relaxed).min(places);
            self.to = (self.from + BLOCK).min(places);
        }
        (self.from < self.to).then(|| {
            self.from += 1;
            self.from - 1
        })
    }
}

impl<const W: usize> Fresh<W> {
    /// Empties it and makes room for so many states.
    pub(crate) fn clear(&mut self, places: usize) {
        let used = (*self.next.get_mut() as usize).min(self.all.len());
        self.all[..used].iter_mut().for_each(|e| *e.first.get_mut() = u64::MAX);
        *self.next.get_mut() = 0;
        self.all.resize_with(places, Entry::default);
    }

    /// Makes room for more states, beside those that are there.
    pub(crate) fn extend(&mut self, more: usize) {
        let used = (*self.next.get_mut() as usize).min(self.all.len());
        *self.next.get_mut() = used as u32;
        self.all.resize_with(used + more + BLOCK as usize, Entry::default);
    }

    /// How many places there are.
    pub(crate) fn places(&self) -> usize {
        self.all.len()
    }

    /// Notes a state, to be found in a slot of the table, at a place that is the caller's.
    pub(crate) fn write(&self, place: u32, state: &[u64; W], slot: u32) {
        let entry = &self.all[place as usize];
        entry.state.iter().zip(state).for_each(|(to, from)| to.store(*from, Ordering::Relaxed));
        entry.slot.store(slot, Ordering::Relaxed);
    }

    /// The slot has become another.
    pub(crate) fn moved(&self, place: u32, slot: u32) {
        self.all[place as usize].slot.store(slot, Ordering::Relaxed);
    }

    /// Whether this state is at a place.
    pub(crate) fn is(&self, place: u32, state: &[u64; W]) -> bool {
        let there = &self.all[place as usize].state;
        there.iter().zip(state).all(|(a, b)| a.load(Ordering::Relaxed) == *b)
    }

    /// The state at a place.
    pub(crate) fn state(&self, place: u32) -> [u64; W] {
        let there = &self.all[place as usize].state;
        std::array::from_fn(|word| there[word].load(Ordering::Relaxed))
    }

    /// Notes a transition that leads to a place.
    pub(crate) fn led_to(&self, place: u32, transition: u64) {
        let first = &self.all[place as usize].first;
        // Mostly an earlier one is known already.
        if first.load(Ordering::Relaxed) > transition {
            first.fetch_min(transition, Ordering::Relaxed);
        }
    }

    /// Whether this is the first transition that leads to a place.
    pub(crate) fn is_first(&self, place: u32, transition: u64) -> bool {
        self.all[place as usize].first.load(Ordering::Relaxed) == transition
    }

    /// Numbers the state at a place; gives its slot.
    pub(crate) fn give(&self, place: u32, number: u32) -> u32 {
        let entry = &self.all[place as usize];
        entry.number.store(number, Ordering::Relaxed);
        entry.slot.load(Ordering::Relaxed)
    }

    /// The number of the state at a place.
    pub(crate) fn number(&self, place: u32) -> u32 {
        self.all[place as usize].number.load(Ordering::Relaxed)
    }
}
