//! Which number a state has: hash tables over the states themselves, which lie elsewhere.

/// Tables, each for some of the hashes, so that several threads can insert at once.
pub(crate) const SHARDS: usize = 16;
const EMPTY: u32 = u32::MAX;
/// Bits of the hash below which a table's slot is chosen: those that tag a slot.
const TAG_BITS: u32 = 16;

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

/// The table that a hash belongs to.
pub(crate) fn shard(hash: u64) -> usize {
    (hash >> 60) as usize % SHARDS
}

/// One table. A slot holds a state's number and, in the bits that the number leaves free, a part of
/// the state's hash, so that nearly every state that is looked at is the right one.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    slots: Vec<u32>,
    used: usize,
    /// Bits of a slot that hold the number.
    bits: u32,
}

impl Table {
    pub(crate) fn new() -> Self {
        Table { slots: vec![EMPTY; 16], used: 0, bits: 12 }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u32>()
    }

    fn slot(&self, hash: u64) -> usize {
        (hash >> TAG_BITS) as usize & (self.slots.len() - 1)
    }

    fn tagged(&self, hash: u64, number: u32) -> u32 {
        (((hash & ((1 << TAG_BITS) - 1)) as u32) << self.bits) | number
    }

    fn number(&self, slot: u32) -> u32 {
        slot & ((1u32 << self.bits) - 1)
    }

    /// The first slot that a hash can be in, read early so that memory is on its way when it is needed.
    pub(crate) fn touch(&self, hash: u64) -> u32 {
        self.slots[self.slot(hash)]
    }

    /// The number of a state, if it has one; else the free slot that it belongs into.
    pub(crate) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut at = self.slot(hash);
        let tag = self.tagged(hash, 0);
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return Err(at);
            }
            let number = self.number(slot);
            if slot - number == tag && is(number) {
                return Ok(number);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Fills a free slot that [`find`](Table::find) gave.
    pub(crate) fn fill(&mut self, at: usize, hash: u64, number: u32) {
        self.slots[at] = self.tagged(hash, number);
        self.used += 1;
    }

    /// Gives the state in a slot another number.
    pub(crate) fn renumber(&mut self, at: usize, hash: u64, number: u32) {
        self.slots[at] = self.tagged(hash, number);
    }

    /// Makes room for `more` states with numbers below `largest`; `hash_of` gives the hash of the
    /// state with a number.
    pub(crate) fn reserve(&mut self, more: usize, largest: u32, hash_of: impl Fn(u32) -> u64) {
        // The largest number of all ones is kept free: a slot of all ones is empty.
        let bits = (32 - largest.leading_zeros() + 1).clamp(12, 31);
        let mut length = self.slots.len();
        while (self.used + more) * 3 > length * 2 {
            length *= 2;
        }
        if length == self.slots.len() && bits <= self.bits {
            return;
        }
        let old = std::mem::take(&mut self.slots);
        let numbers = Table { slots: Vec::new(), used: 0, bits: self.bits };
        self.slots = vec![EMPTY; length];
        self.bits = bits.max(self.bits);
        for slot in old.into_iter().filter(|s| *s != EMPTY) {
            let number = numbers.number(slot);
            let hash = hash_of(number);
            let mut at = self.slot(hash);
            while self.slots[at] != EMPTY {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = self.tagged(hash, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SHARDS, Table, hash, shard};

    #[test]
    fn states_are_found_again_after_the_table_has_grown() {
        let states: Vec<[u64; 1]> = (0..5000u64).map(|i| [i * i % 100_003 * 7919]).collect();
        let mut seen: Vec<[u64; 1]> = Vec::new();
        let mut table = Table::new();
        for state in &states {
            let h = hash(state);
            table.reserve(1, seen.len() as u32 + 1, |n| hash(&seen[n as usize]));
            match table.find(h, |n| seen[n as usize] == *state) {
                Ok(number) => assert_eq!(seen[number as usize], *state),
                Err(at) => {
                    assert!(!seen.contains(state));
                    table.fill(at, h, seen.len() as u32);
                    seen.push(*state);
                }
            }
        }
        for (number, state) in seen.iter().enumerate() {
            assert_eq!(table.find(hash(state), |n| seen[n as usize] == *state), Ok(number as u32));
        }
    }

    #[test]
    fn hashes_spread_over_the_tables() {
        let mut counts = [0usize; SHARDS];
        (0..16_000u64).for_each(|i| counts[shard(hash(&[i << 20]))] += 1);
        assert!(counts.iter().all(|c| (800..1200).contains(c)), "{counts:?}");
    }
}
