//! The first level: words with the tags that they can have.

use super::tags::Tag;
use crate::words::Words;

/// A tag that a word can have, and what it costs to take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The tag.
    pub tag: Tag,
    /// What it costs: −ln of its likelihood given the word, less the one of the tag alone, in [`COST`]ths.
    pub cost: u16,
}

/// Costs are natural logarithms times this, rounded: whole numbers, so that results are the same everywhere.
pub const COST: f64 = 64.0;

/// The cost of a probability; a cost that has no end is cut at the largest that can be written.
pub(crate) fn cost(probability: f64) -> u16 {
    (-probability.ln() * COST).round().clamp(0.0, f64::from(u16::MAX)) as u16
}

/// Words and their candidates. A word without candidates is known only by name (a rule speaks of it).
#[derive(Clone, Debug)]
pub struct Lexicon {
    words: Words,
    /// Where the candidates of each word begin; one more than words.
    starts: Vec<u32>,
    candidates: Vec<Candidate>,
}

impl Default for Lexicon {
    fn default() -> Self {
        Self { words: Words::default(), starts: vec![0], candidates: Vec::new() }
    }
}

impl Lexicon {
    /// Appends a word with its candidates, the best first. `None` if the word is there already, or a word that
    /// rules only name.
    pub fn push(&mut self, word: &str, candidates: &[Candidate]) -> Option<u32> {
        let before = self.words.len() as u32;
        let number = self.words.put(word);
        if number < before {
            return None;
        }
        self.candidates.extend_from_slice(candidates);
        self.starts.push(self.candidates.len() as u32);
        Some(number)
    }

    /// The number of a word that rules name, which is put in without candidates if it is not there.
    pub fn name(&mut self, word: &str) -> u32 {
        self.words.find(word).unwrap_or_else(|| {
            self.starts.push(self.candidates.len() as u32);
            self.words.put(word)
        })
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of a word.
    pub fn find(&self, word: &str) -> Option<u32> {
        self.words.find(word)
    }

    /// The word of this number.
    pub fn word(&self, number: u32) -> &str {
        self.words.get(number)
    }

    /// The candidates of a word, the most frequent first; none if only rules know it.
    pub fn candidates(&self, number: u32) -> &[Candidate] {
        let at = number as usize;
        &self.candidates[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Where the candidates of a word are: the first, and how many.
    pub(crate) fn place(&self, number: u32) -> (u32, u32) {
        let start = self.starts[number as usize];
        (start, self.starts[number as usize + 1] - start)
    }

    /// The candidates at a place.
    #[inline]
    pub(crate) fn at(&self, (start, count): (u32, u32)) -> &[Candidate] {
        &self.candidates[start as usize..][..count as usize]
    }

    /// The most frequent tag of a word, if it has candidates.
    pub fn first_tag(&self, word: &str) -> Option<Tag> {
        self.candidates(self.find(word)?).first().map(|c| c.tag)
    }

    /// Whether the word has candidates.
    pub fn has(&self, word: &str) -> bool {
        self.first_tag(word).is_some()
    }
}
