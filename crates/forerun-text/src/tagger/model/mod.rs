//! What a tagger knows: its lexicon, its rules, and how start tags are chosen.

pub mod brill;

mod bytes;
mod file;

use super::contextual::ContextualRule;
use super::guess::{Guesser, Signs};
use super::lexical::{LexicalRule, Pairs};
use super::lexical_index::LexicalIndex;
use super::lexicon::{Candidate, Lexicon};
use super::shape::Shape;
use super::tags::{Tag, TagSet};
use super::transitions::Transitions;

/// How the start tags of a sentence are chosen.
#[derive(Clone, Debug)]
pub enum Start {
    /// As published: a known word gets its most frequent tag, an unknown one a tag by its first letter and then
    /// by the lexical rules.
    MostFrequent {
        /// The first tag of an unknown word that begins with a capital.
        capital: Tag,
        /// The first tag of any other unknown word.
        other: Tag,
    },
    /// The likeliest sequence of candidates; those of unknown words are weighed by their endings and by the
    /// lexical rules.
    InContext {
        /// What a tag costs after two others.
        transitions: Box<Transitions>,
        /// The candidates of unknown words.
        guesser: Box<Guesser>,
    },
}

/// A tagger's knowledge. [`Tagger::new`](super::Tagger::new) makes it ready.
#[derive(Clone, Debug)]
pub struct Model {
    /// The tags.
    pub tags: TagSet,
    /// The first level.
    pub lexicon: Lexicon,
    /// How the first two levels give start tags.
    pub start: Start,
    /// The second level, in order.
    pub lexical: Vec<LexicalRule>,
    /// Pairs of words for lexical rules that ask for neighbours.
    pub pairs: Pairs,
    /// The third level, in order.
    pub contextual: Vec<ContextualRule>,
}

impl Model {
    /// What is looked at of an unknown word to guess its tags.
    pub(crate) fn signs(&self, word: &str, shape: Shape, rules: &LexicalIndex) -> Signs {
        let by_rules = |first| rules.apply(&self.lexical, word, first, shape, &self.lexicon, &self.pairs);
        match &self.start {
            Start::MostFrequent { capital, other } => {
                let first =
                    if word.starts_with(|c: char| c.is_ascii_uppercase()) { *capital } else { *other };
                Signs::Tag(by_rules(first).0)
            }
            Start::InContext { guesser, .. } => guesser.signs(word, shape, |first| by_rules(first).1),
        }
    }

    /// Appends the candidates of an unknown word of which these are the signs, at least one.
    pub(crate) fn guess(&self, signs: Signs, out: &mut Vec<Candidate>) {
        match (signs, &self.start) {
            (Signs::Likely { ending, rule }, Start::InContext { guesser, .. }) => {
                guesser.candidates(ending, rule, out);
            }
            (Signs::Tag(tag), _) => out.push(Candidate { tag, cost: 0 }),
            (Signs::Likely { .. }, Start::MostFrequent { .. }) => {
                out.push(Candidate { tag: Tag::BOUNDARY, cost: 0 });
            }
        }
    }
}
