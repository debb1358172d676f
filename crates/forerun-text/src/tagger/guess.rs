//! Candidates of unknown words: what words with this ending and shape are, and what the lexical rules say.

use super::lexicon::{COST, Candidate, cost};
use super::shape::Shape;
use super::tags::Tag;
use crate::words::Words;

/// The longest ending that is looked at, in characters.
pub(crate) const LONGEST: usize = 5;

/// The most candidates of an unknown word.
pub(crate) const MOST: usize = 20;

/// Distributions of tags over endings and over the outcomes of the lexical rules.
#[derive(Clone, Debug, Default)]
pub struct Guesser {
    /// Keys are a letter for the shape and the ending in lower case.
    pub(crate) endings: Words,
    /// For each ending, tags with the cost of their probability; the most probable first.
    pub(crate) of_ending: Vec<Vec<Candidate>>,
    /// The same for words of which no rule changed the tag, and for those that each rule changed last.
    pub(crate) of_rule: Vec<Vec<Candidate>>,
    /// The cost of each tag's probability by itself.
    pub(crate) prior: Vec<u16>,
}

/// What is looked at of an unknown word: words with the same signs have the same candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Signs {
    /// The one tag that the lexical rules leave it with.
    Tag(Tag),
    /// Its ending and the last lexical rule that changed its tag.
    Likely { ending: Option<u32>, rule: Option<u32> },
}

/// The key of an ending: a letter for the shape, then the ending.
pub(crate) fn key(shape: Shape, ending: &str, out: &mut String) {
    out.clear();
    out.push((b'A' + shape as u8) as char);
    out.push_str(ending);
}

/// The endings of a word in lower case, the longest first, down to the empty one.
pub(crate) fn endings(lower: &str) -> impl Iterator<Item = &str> {
    let mut starts = [lower.len(); LONGEST + 1];
    let mut n = 1;
    for (at, _) in lower.char_indices().rev().take(LONGEST) {
        starts[n] = at;
        n += 1;
    }
    (0..n).rev().map(move |i| &lower[starts[i]..])
}

impl Guesser {
    /// The longest ending that is known; none if not even the shape is.
    fn ending(&self, word: &str, shape: Shape) -> Option<u32> {
        let lower = word.to_lowercase();
        let mut text = String::with_capacity(LONGEST * 4 + 1);
        endings(&lower).find_map(|ending| {
            key(shape, ending, &mut text);
            self.endings.find(&text)
        })
    }

    /// The tags of the longest ending that is known; empty if not even the shape is.
    pub(crate) fn by_ending(&self, word: &str, shape: Shape) -> &[Candidate] {
        self.of_ending(self.ending(word, shape))
    }

    fn of_ending(&self, ending: Option<u32>) -> &[Candidate] {
        ending.and_then(|n| self.of_ending.get(n as usize)).map_or(&[], Vec::as_slice)
    }

    /// The signs of an unknown word. `last_rule` gives the last lexical rule that changes the word's tag, which is this one at
    /// first.
    pub(crate) fn signs(
        &self,
        word: &str,
        shape: Shape,
        last_rule: impl FnOnce(Tag) -> Option<usize>,
    ) -> Signs {
        let ending = self.ending(word, shape);
        let first = self.of_ending(ending).first().map_or(Tag::BOUNDARY, |c| c.tag);
        Signs::Likely { ending, rule: last_rule(first).map(|n| n as u32) }
    }

    /// Appends the candidates of an unknown word to `out`, at least one, by its ending and the last lexical rule that changed its
    /// tag.
    ///
    /// Their probabilities are the mean of those of the ending and those of the rule.
    pub(crate) fn candidates(&self, ending: Option<u32>, rule: Option<u32>, out: &mut Vec<Candidate>) {
        let by_ending = self.of_ending(ending);
        let by_rule = rule.and_then(|n| self.of_rule.get(n as usize)).map_or(&[][..], Vec::as_slice);
        let start = out.len();
        let p = |c: &Candidate| (-f64::from(c.cost) / COST).exp();
        let mut list: Vec<(Tag, f64)> = by_ending.iter().map(|c| (c.tag, p(c))).collect();
        if !by_rule.is_empty() {
            for entry in &mut list {
                entry.1 *= 1.0 - RULE;
            }
            for c in by_rule {
                match list.iter_mut().find(|(tag, _)| *tag == c.tag) {
                    Some(entry) => entry.1 += p(c) * RULE,
                    None => list.push((c.tag, p(c) * RULE)),
                }
            }
        }
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        list.truncate(MOST);
        likelihoods(&list, &self.prior, out);
        if out.len() == start {
            out.push(Candidate { tag: Tag(1), cost: 0 });
        }
    }
}

/// How much the lexical rules weigh beside the ending.
const RULE: f64 = 0.75;

/// Appends tags with their probabilities given a word as candidates with their likelihoods, the least cost 0.
pub(crate) fn likelihoods(tags: &[(Tag, f64)], prior: &[u16], out: &mut Vec<Candidate>) {
    let relative = |&(tag, p): &(Tag, f64)| i64::from(cost(p)) - i64::from(prior[tag.index()]);
    let least = tags.iter().map(relative).min().unwrap_or(0);
    out.extend(tags.iter().map(|entry| Candidate {
        tag: entry.0,
        cost: u16::try_from(relative(entry) - least).unwrap_or(u16::MAX),
    }));
}
