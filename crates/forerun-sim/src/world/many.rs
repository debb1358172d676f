//! The buffers of a rank with many peers.

use super::pairs::PairId;
use super::peers::Key;

/// Room at first.
const ROOM: usize = 64;
/// The key of no buffer.
const NONE: Key = 0;

/// A hash table from keys to buffers (open addressing, half full at most).
#[derive(Debug)]
pub(crate) struct Many {
    entries: Vec<(Key, PairId)>,
    len: usize,
}

impl Default for Many {
    fn default() -> Self {
        Many { entries: vec![(NONE, 0); ROOM], len: 0 }
    }
}

impl Many {
    pub(crate) fn get(&self, key: Key) -> Option<PairId> {
        match self.entries[self.place(key)] {
            (NONE, _) => None,
            (_, pair) => Some(pair),
        }
    }

    pub(crate) fn add(&mut self, key: Key, pair: PairId) {
        if self.len * 2 >= self.entries.len() {
            let twice = vec![(NONE, 0); self.entries.len() * 2];
            let old = std::mem::replace(&mut self.entries, twice);
            for entry in old.into_iter().filter(|&(key, _)| key != NONE) {
                let place = self.place(entry.0);
                self.entries[place] = entry;
            }
        }
        let place = self.place(key);
        self.entries[place] = (key, pair);
        self.len += 1;
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (Key, PairId)> {
        self.entries.iter().copied().filter(|&(key, _)| key != NONE)
    }

    /// Where `key` is, or where there is room for it.
    fn place(&self, key: Key) -> usize {
        // Fibonacci hashing; the length is a power of two.
        let last = self.entries.len() - 1;
        let mut i = (u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & last;
        while self.entries[i].0 != key && self.entries[i].0 != NONE {
            i = (i + 1) & last;
        }
        i
    }
}
