//! The states that a thread met last, with their numbers.
//!
//! States that follow each other in a search by breadth lead to the same states to a large part: of all transitions two to four
//! fifths lead to a state that was met within the last 16,384. That is found in a near cache, where the table of all states is
//! not.

/// Bytes that they take, at most.
const BYTES: usize = 1 << 19;
/// At least two to the power of this places.
const LEAST: u32 = 8;
/// The mark of a number that does not change any more.
const FIXED: u32 = u32::MAX;

/// Each state has one place, and the last one that had it keeps it.
#[derive(Debug)]
pub(crate) struct Recent<const W: usize> {
    entries: Vec<Entry<W>>,
    /// By how much a product is shifted to give a place.
    shift: u32,
    /// The present round; rounds begin with 1.
    round: u32,
    /// States with numbers below this have them for good.
    known: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry<const W: usize> {
    state: [u64; W],
    number: u32,
    /// The round in which it is right.
    round: u32,
}

impl<const W: usize> Default for Recent<W> {
    fn default() -> Self {
        Recent { entries: Vec::new(), shift: 0, round: 0, known: 0 }
    }
}

impl<const W: usize> Recent<W> {
    /// A round begins, in which states have numbers below `known` for good.
    pub(crate) fn begin(&mut self, known: u32) {
        self.round = (self.round + 1) % FIXED;
        self.known = known;
        // As many places as there are states, as far as that goes: small models take no time to begin with.
        let most = (BYTES / size_of::<Entry<W>>()).ilog2();
        let bits = (known.ilog2() + 1).clamp(LEAST, most);
        if self.entries.len() < 1 << bits {
            self.entries = vec![Entry { state: [0; W], number: 0, round: 0 }; 1 << bits];
            self.shift = u64::BITS - bits;
        }
    }

    /// The place of a state.
    pub(crate) fn place(&self, state: &[u64; W]) -> usize {
        let mixed = state
            .iter()
            .fold(0u64, |all, word| (all.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (mixed >> self.shift) as usize
    }

    /// The number of a state, whose place is given, if it was met lately.
    pub(crate) fn get(&self, place: usize, state: &[u64; W]) -> Option<u32> {
        let entry = &self.entries[place];
        let known = entry.state == *state && (entry.round == self.round || entry.round == FIXED);
        known.then_some(entry.number)
    }

    /// Notes a state's number.
    pub(crate) fn put(&mut self, place: usize, state: &[u64; W], number: u32) {
        let round = if number < self.known { FIXED } else { self.round };
        self.entries[place] = Entry { state: *state, number, round };
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn numbers_that_change_are_forgotten_after_the_round() {
        let mut recent = Recent::<2>::default();
        let (old, new, other) = ([7, 8], [9, 10], [11, 12]);
        recent.begin(5);
        for (state, number) in [(old, 3), (new, 6)] {
            let place = recent.place(&state);
            assert_eq!(recent.get(place, &state), None);
            recent.put(place, &state, number);
            assert_eq!(recent.get(place, &state), Some(number));
            assert_eq!(recent.get(place, &other), None);
        }
        recent.begin(9);
        assert_eq!(recent.get(recent.place(&old), &old), Some(3));
        assert_eq!(recent.get(recent.place(&new), &new), None);
    }
}
