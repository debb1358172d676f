//! Words as numbers: an arena of strings and a table that finds them.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Distinct strings numbered from 0 in the order they came; all bytes are in one arena.
///
/// Looking a string up costs one hash and, nearly always, one comparison; it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Words {
    bytes: String,
    ends: Vec<u32>,
    table: HashTable<u32>,
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
    pub fn find(&self, word: &str) -> Option<u32> {
        self.table.find(hash(word), |&n| is(&self.bytes, &self.ends, n, word)).copied()
    }

    /// The number of this string, which is put in if it is not there.
    ///
    /// # Panics
    /// If all strings together come to 4 GiB.
    pub fn put(&mut self, word: &str) -> u32 {
        let (bytes, ends) = (&self.bytes, &self.ends);
        let hash_of = hash(word);
        if let Some(&n) = self.table.find(hash_of, |&n| is(bytes, ends, n, word)) {
            return n;
        }
        let number = u32::try_from(self.ends.len()).expect("fewer than 2^32 words");
        self.bytes.push_str(word);
        self.ends.push(u32::try_from(self.bytes.len()).expect("words of less than 4 GiB together"));
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.table.insert_unique(hash_of, number, |&n| hash(slice(bytes, ends, n)));
        number
    }

    /// All strings, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|n| self.get(n))
    }
}

/// Whether the string of this number is this one.
#[inline]
fn is(bytes: &str, ends: &[u32], number: u32, word: &str) -> bool {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    let end = ends[number] as usize;
    end - start == word.len() && &bytes.as_bytes()[start..end] == word.as_bytes()
}

#[inline]
fn slice<'a>(bytes: &'a str, ends: &[u32], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    &bytes[start..ends[number] as usize]
}

fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.finish()
}
