//! From a rank's peer to the buffer between them.

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
/// Peers for which there is room, one after the other.
const ROOMS: [usize; 4] = [4, 10, 20, FEW];
const NONE: u32 = u32::MAX;

/// The buffers of one rank, both ways: few ranks have more than lg P, so they lie in a short
/// array, and programs tend to turn to their peers in a cycle, so the one after the last is
/// looked at first, and they are brought into that order. With many peers the array becomes a hash
/// table (open addressing, half full at most).
#[derive(Debug, Default)]
pub(crate) struct Peers {
    entries: Vec<(u32, PairId)>,
    /// The one that is looked at first; past the end, the first.
    next: u32,
    hashed: u32,
}

fn home(key: u32, len: usize) -> usize {
    // Fibonacci hashing; `len` is a power of two.
    (u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (len - 1)
}

impl Peers {
    /// What the buffer to or from `peer` is found by.
    #[inline]
    pub(crate) fn key(peer: u32, way: Way) -> u32 {
        peer << 1 | u32::from(way == Way::In)
    }

    /// The buffer between this rank and `peer`, if it is the one that is looked at first.
    #[inline(always)]
    pub(crate) fn expected(&mut self, peer: usize, way: Way) -> Option<PairId> {
        let mut at = self.next as usize;
        if at >= self.entries.len() {
            at = 0;
        }
        let &(key, pair) = self.entries.get(at)?;
        if u64::from(key) != (peer as u64) << 1 | u64::from(way == Way::In) {
            return None;
        }
        self.next = at as u32 + 1;
        Some(pair)
    }

    /// Makes the last one that was found the one that is looked at first: it will be asked for again.
    #[inline]
    pub(crate) fn again(&mut self) {
        self.next = self.next.saturating_sub(1);
    }

    /// The buffer with this key.
    pub(crate) fn get(&mut self, key: u32) -> Option<PairId> {
        if self.hashed > 0 {
            return self.get_hashed(key);
        }
        let at = self.entries.iter().position(|&(k, _)| k == key)?;
        self.place(at);
        Some(self.entries[self.next as usize - 1].1)
    }

    /// Puts an entry where it was expected: after one cycle the peers stand in the order in which the
    /// program turns to them. Those that are still to come keep theirs.
    fn place(&mut self, at: usize) {
        let first = if (self.next as usize) < self.entries.len() { self.next as usize } else { 0 };
        if first < at {
            self.entries[first..=at].rotate_right(1);
        } else {
            self.entries.swap(first, at);
        }
        self.next = first as u32 + 1;
    }

    fn get_hashed(&self, key: u32) -> Option<PairId> {
        let mut i = home(key, self.entries.len());
        loop {
            match self.entries[i] {
                (k, pair) if k == key => return Some(pair),
                (NONE, _) => return None,
                _ => i = (i + 1) & (self.entries.len() - 1),
            }
        }
    }

    /// Adds a buffer that it did not know of.
    pub(crate) fn add(&mut self, key: u32, pair: PairId) {
        if self.hashed == 0 && self.entries.len() < FEW {
            if self.entries.len() == self.entries.capacity() {
                self.grow();
            }
            self.entries.push((key, pair));
            return;
        }
        if self.hashed == 0 || self.hashed as usize * 2 >= self.entries.len() {
            self.rehash();
        }
        self.insert_hashed(key, pair);
    }

    /// Adds a buffer that was just asked for.
    pub(crate) fn add_expected(&mut self, key: u32, pair: PairId) {
        self.add(key, pair);
        if self.hashed == 0 {
            self.place(self.entries.len() - 1);
        }
    }

    /// A million ranks have this array: little more room than is used, in few steps.
    fn grow(&mut self) {
        let room = ROOMS.into_iter().find(|&room| room > self.entries.len()).unwrap_or(FEW);
        self.entries.reserve_exact(room - self.entries.len());
    }

    fn rehash(&mut self) {
        let room = (self.entries.len() * 2).next_power_of_two().max(4 * FEW.next_power_of_two());
        let old = std::mem::replace(&mut self.entries, vec![(NONE, 0); room]);
        self.hashed = 0;
        for (k, pair) in old {
            if k != NONE {
                self.insert_hashed(k, pair);
            }
        }
    }

    fn insert_hashed(&mut self, key: u32, pair: PairId) {
        let mut i = home(key, self.entries.len());
        while self.entries[i].0 != NONE {
            i = (i + 1) & (self.entries.len() - 1);
        }
        self.entries[i] = (key, pair);
        self.hashed += 1;
    }

    /// The buffers that lead to this rank, with their senders.
    pub(crate) fn incoming(&self) -> impl Iterator<Item = (u32, PairId)> {
        self.entries.iter().filter(|&&(k, _)| k != NONE && k & 1 == 1).map(|&(k, pair)| (k >> 1, pair))
    }
}
