//! The second level: rules that look at an unknown word by itself.
//!
//! Brill, *Some Advances in Rule-Based Part of Speech Tagging*, 1994, section "Lexicalizing the tagger … unknown
//! words": an unknown word starts with a tag by its first letter, and each rule in turn may change it. The tests
//! of his `LEXICALRULEFILE` are here, and a few that the trainer learns beside them.

use super::lexicon::Lexicon;
use super::shape::Shape;
use super::tags::Tag;
use crate::words::Words;

/// What a lexical rule asks of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// It begins with this (`haspref`).
    Prefix(String),
    /// It ends with this (`hassuf`).
    Suffix(String),
    /// With this put before it, it is a known word (`addpref`).
    AddPrefix(String),
    /// With this put after it, it is a known word (`addsuf`).
    AddSuffix(String),
    /// It begins with this, and without it is a known word (`deletepref`).
    DeletePrefix(String),
    /// It ends with this, and without it is a known word (`deletesuf`).
    DeleteSuffix(String),
    /// It has one of these characters (`char`).
    Has(String),
    /// It has been seen immediately left of this word (`goodleft`).
    LeftOf(String),
    /// It has been seen immediately right of this word (`goodright`).
    RightOf(String),
    /// It ends with this, and without it is a word whose most frequent tag is that one.
    StemIs(String, Tag),
    /// It begins with this, and without it is a word whose most frequent tag is that one.
    RestIs(String, Tag),
    /// In lower case it is a word whose most frequent tag is that one.
    LowerIs(Tag),
    /// What follows its last hyphen is a word whose most frequent tag is that one.
    TailIs(Tag),
    /// What precedes its first hyphen is a word whose most frequent tag is that one.
    HeadIs(Tag),
    /// It has this shape.
    Shape(u8),
}

/// A lexical rule: of a word that passes the test, and has the tag `from` if one is given, the tag becomes `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexicalRule {
    /// The tag that the word must have so far.
    pub from: Option<Tag>,
    /// What the word must be like.
    pub test: Test,
    /// The tag that it gets.
    pub to: Tag,
}

/// Pairs of neighbouring words that have been seen, for `goodleft` and `goodright` (Brill's file BIGRAMS).
#[derive(Clone, Debug, Default)]
pub struct Pairs(Words);

impl Pairs {
    /// Notes that these words have been seen side by side.
    pub fn put(&mut self, left: &str, right: &str) {
        self.0.put(&format!("{left} {right}"));
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, with a space between.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter()
    }

    fn has(&self, left: &str, right: &str) -> bool {
        !self.0.is_empty() && self.0.find(&format!("{left} {right}")).is_some()
    }
}

impl Test {
    /// Whether the word passes. Tests that look words up take their strings apart once and allocate only where a
    /// string must be put together.
    pub fn passes(&self, word: &str, shape: Shape, lexicon: &Lexicon, pairs: &Pairs) -> bool {
        let is = |word: &str, tag: Tag| lexicon.first_tag(word) == Some(tag);
        match self {
            Self::Prefix(x) => word.starts_with(x.as_str()),
            Self::Suffix(x) => word.ends_with(x.as_str()),
            Self::AddPrefix(x) => lexicon.has(&format!("{x}{word}")),
            Self::AddSuffix(x) => lexicon.has(&format!("{word}{x}")),
            Self::DeletePrefix(x) => word.strip_prefix(x.as_str()).is_some_and(|rest| lexicon.has(rest)),
            Self::DeleteSuffix(x) => word.strip_suffix(x.as_str()).is_some_and(|stem| lexicon.has(stem)),
            Self::Has(x) => word.contains(|c| x.contains(c)),
            Self::LeftOf(other) => pairs.has(word, other),
            Self::RightOf(other) => pairs.has(other, word),
            Self::StemIs(x, tag) => word.strip_suffix(x.as_str()).is_some_and(|stem| is(stem, *tag)),
            Self::RestIs(x, tag) => word.strip_prefix(x.as_str()).is_some_and(|rest| is(rest, *tag)),
            Self::LowerIs(tag) => shape.has_case() && is(&word.to_lowercase(), *tag),
            Self::TailIs(tag) => word.rsplit_once('-').is_some_and(|(_, tail)| is(tail, *tag)),
            Self::HeadIs(tag) => word.split_once('-').is_some_and(|(head, _)| is(head, *tag)),
            Self::Shape(s) => shape as u8 == *s,
        }
    }
}
