//! Words as numbers: an arena of strings and a table that finds them.

use hashbrown::HashTable;

/// Distinct strings numbered from 0 in the order they came; all bytes are in one arena.
///
/// Looking a string up costs one hash and, nearly always, one comparison of three numbers beside the string's number;
/// only of strings longer than 16 bytes the arena is looked at. It allocates nothing. A string takes its bytes and
/// about 40 more.
#[derive(Clone, Debug, Default)]
pub struct Words {
    bytes: String,
    ends: Vec<u32>,
    table: HashTable<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    outline: Outline,
    number: u32,
}

impl Words {
    /// How many distinct strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all strings.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string of this number.
    ///
    /// # Panics
    /// If no string has this number.
    pub fn get(&self, number: u32) -> &str {
        slice(&self.bytes, &self.ends, number)
    }

    /// The number of this string, if it is there.
    #[inline]
    pub fn find(&self, word: &str) -> Option<u32> {
        let outline = Outline::of(word);
        self.look_up(word, outline, outline.hash(word))
    }

    #[inline]
    fn look_up(&self, word: &str, outline: Outline, hash: u64) -> Option<u32> {
        let is = |slot: &Slot| slot.outline == outline && (outline.is_all() || self.get(slot.number) == word);
        self.table.find(hash, is).map(|slot| slot.number)
    }

    /// The number of this string, which is put in if it is not there.
    ///
    /// # Panics
    /// If all strings together come to 4 GiB.
    pub fn put(&mut self, word: &str) -> u32 {
        let outline = Outline::of(word);
        let hash = outline.hash(word);
        if let Some(number) = self.look_up(word, outline, hash) {
            return number;
        }
        let number = u32::try_from(self.ends.len()).expect("fewer than 2^32 words");
        self.bytes.push_str(word);
        self.ends.push(u32::try_from(self.bytes.len()).expect("words of less than 4 GiB together"));
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.table.insert_unique(hash, Slot { outline, number }, |slot| {
            slot.outline.hash(slice(bytes, ends, slot.number))
        });
        number
    }

    /// All strings, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|n| self.get(n))
    }
}

#[inline]
fn slice<'a>(bytes: &'a str, ends: &[u32], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    &bytes[start..ends[number] as usize]
}

/// A string's length, and its first and its last eight bytes (they overlap): with the length they are all of a string of
/// up to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outline {
    first: u64,
    last: u64,
    length: u32,
}

impl Outline {
    #[inline]
    fn of(word: &str) -> Self {
        let bytes = word.as_bytes();
        let (first, last) = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        } else if let (&[first, ..], &[.., last]) = (bytes, bytes) {
            (u64::from(first) | u64::from(bytes[bytes.len() / 2]) << 8, u64::from(last))
        } else {
            (0, 0)
        };
        Self { first, last, length: bytes.len() as u32 }
    }

    /// Whether strings with this outline are the same.
    #[inline]
    fn is_all(self) -> bool {
        self.length <= 16
    }

    #[inline]
    fn hash(self, word: &str) -> u64 {
        let mut hash = folded(self.first ^ FIRST, self.last ^ LAST ^ u64::from(self.length));
        if !self.is_all() {
            for eight in word.as_bytes()[8..].chunks_exact(8) {
                hash = folded(hash ^ eight.iter().fold(0, |sum, &b| sum << 8 | u64::from(b)), LAST);
            }
        }
        hash
    }
}

/// Bytes of neither are in UTF-8, so that no string makes a factor 0.
const FIRST: u64 = 0xf9fd_fbff_f8fc_fafe;
const LAST: u64 = 0xfbf8_fef9_fdfc_ffff;

#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few letters, so that strings of all lengths are alike at both ends.
        #[test]
        fn strings_have_numbers_of_their_own(list in prop::collection::vec("[ab]{0,4}|a{6,9}[abé]{0,3}a{6,9}|[ab]{15,40}", 0..200)) {
            let (mut words, mut plain) = (Words::default(), HashMap::new());
            for word in &list {
                prop_assert_eq!(words.find(word), plain.get(word).copied());
                let next = plain.len() as u32;
                let number = *plain.entry(word.clone()).or_insert(next);
                prop_assert_eq!(words.put(word), number);
            }
            prop_assert_eq!(words.len(), plain.len());
            for (word, &number) in &plain {
                prop_assert_eq!(words.find(word), Some(number));
                prop_assert_eq!(words.get(number), word.as_str());
            }
        }
    }
}
