//! The global dictionary: phrases in order, and where each occurs in all documents (Kuntraruk et al., section V-A).
//!
//! Merging two adds frequencies and unites offsets; it is associative and commutative, and the result is the same
//! bytes whatever the order, because a dictionary has one form: flat arrays of keys, their ends, and postings as
//! differences. It goes from rank to rank as it lies in memory, nothing is built anew.
//!
//! Cost: 16 bytes a phrase beside its key, about 8 bytes an occurrence. A merge copies each byte once and reads
//! postings only where the documents of both sides are mingled.

mod builder;
mod postings;
mod varint;

use std::cmp::Ordering;

use forerun_skeleton::wire::{Incoming, Outgoing, garbled, plainly};
use forerun_skeleton::{AppError, Message, Wire};

pub use self::builder::{Builder, LONGEST};
pub use self::postings::{Documents, Postings};

/// A document of the whole input. Documents are in the order of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentNumber {
    /// Its file, by its place among the inputs.
    pub file: u64,
    /// Which document of that file it is, from 1.
    pub part: u64,
}

/// Phrases in the order of their bytes, with their postings. [`Builder`] makes one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dictionary {
    keys: Vec<u8>,
    postings: Vec<u8>,
    key_ends: Vec<u64>,
    posting_ends: Vec<u64>,
}

impl Dictionary {
    /// How many different phrases there are.
    pub fn len(&self) -> usize {
        self.key_ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.key_ends.is_empty()
    }

    fn range(ends: &[u64], n: usize) -> std::ops::Range<usize> {
        let start = n.checked_sub(1).map_or(0, |before| ends[before]);
        start as usize..ends[n] as usize
    }

    fn key(&self, n: usize) -> &[u8] {
        &self.keys[Self::range(&self.key_ends, n)]
    }

    fn bytes_of(&self, n: usize) -> &[u8] {
        &self.postings[Self::range(&self.posting_ends, n)]
    }

    /// All phrases, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Postings<'_>)> {
        (0..self.len()).map(|n| {
            // Keys are checked when they come from elsewhere.
            let key = std::str::from_utf8(self.key(n)).unwrap_or_default();
            (key, Postings::read(self.bytes_of(n)))
        })
    }

    /// Where a phrase occurs. Costs O(log n) comparisons.
    pub fn get(&self, key: &str) -> Option<Postings<'_>> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.key(middle).cmp(key.as_bytes()) {
                Ordering::Equal => return Some(Postings::read(self.bytes_of(middle))),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn with_room_for(left: &Self, right: &Self) -> Self {
        Dictionary {
            keys: Vec::with_capacity(left.keys.len() + right.keys.len()),
            postings: Vec::with_capacity(left.postings.len() + right.postings.len()),
            key_ends: Vec::with_capacity(left.len() + right.len()),
            posting_ends: Vec::with_capacity(left.len() + right.len()),
        }
    }

    /// Ends the phrase whose postings were just appended.
    fn end(&mut self, key: &[u8]) {
        self.keys.extend_from_slice(key);
        self.key_ends.push(self.keys.len() as u64);
        self.posting_ends.push(self.postings.len() as u64);
    }

    fn copy(&mut self, from: &Self, n: usize) {
        self.postings.extend_from_slice(from.bytes_of(n));
        self.end(from.key(n));
    }

    /// Both together: frequencies added, offsets united. Costs the bytes of both.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let mut all = Self::with_room_for(&self, &other);
        let mut writer = postings::Writer::new();
        let (mut l, mut r) = (0, 0);
        while l < self.len() && r < other.len() {
            match self.key(l).cmp(other.key(r)) {
                Ordering::Less => {
                    all.copy(&self, l);
                    l += 1;
                }
                Ordering::Greater => {
                    all.copy(&other, r);
                    r += 1;
                }
                Ordering::Equal => {
                    postings::merge(self.bytes_of(l), other.bytes_of(r), &mut writer, &mut all.postings);
                    all.end(self.key(l));
                    l += 1;
                    r += 1;
                }
            }
        }
        (l..self.len()).for_each(|n| all.copy(&self, n));
        (r..other.len()).for_each(|n| all.copy(&other, n));
        all
    }

    /// Whether its parts fit together.
    fn is_sound(&self) -> bool {
        let fits = |ends: &[u64], bytes: &[u8]| {
            ends.is_sorted() && ends.last().copied().unwrap_or(0) == bytes.len() as u64
        };
        self.key_ends.len() == self.posting_ends.len()
            && fits(&self.key_ends, &self.keys)
            && fits(&self.posting_ends, &self.postings)
            && (0..self.len()).all(|n| std::str::from_utf8(self.key(n)).is_ok())
            && (1..self.len()).all(|n| self.key(n - 1) < self.key(n))
    }
}

impl Message for Dictionary {
    fn bytes(&self) -> u64 {
        (32 + self.keys.len() + self.postings.len() + 16 * self.len()) as u64
    }
}

impl Wire for Dictionary {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.keys.encode(out)?;
        self.postings.encode(out)?;
        self.key_ends.encode(out)?;
        self.posting_ends.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        plainly(bytes, Self::take)
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        let Dictionary { keys, postings, key_ends, posting_ends } = self;
        (keys, postings, key_ends, posting_ends).give(out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        let (keys, postings, key_ends, posting_ends) = Wire::take(from)?;
        let dictionary = Dictionary { keys, postings, key_ends, posting_ends };
        if dictionary.is_sound() { Ok(dictionary) } else { Err(garbled("a dictionary")) }
    }
}

#[cfg(test)]
mod tests;
