//! Brill's tagger: three levels of rules that give each word its part of speech.

pub mod contextual;
pub mod guess;
pub mod lexical;
pub mod lexicon;
pub mod model;
pub mod shape;
pub mod tags;
pub mod train;
pub mod transitions;

mod apply;
mod memo;
mod start;

use contextual::{NO_WORD, suffix};
use guess::Guesser;
use lexical::Pairs;
use lexicon::Candidate;
pub use model::{Model, Start};
use shape::Shape;
pub use tags::{Tag, TagSet};

/// A tagger: a [`Model`] made ready.
///
/// It is not changed by tagging, so threads can share one; each has a [`Workspace`] of its own.
#[derive(Clone, Debug)]
pub struct Tagger {
    model: Model,
    index: apply::RuleIndex,
    /// What rules see of each word of the lexicon: its last bytes, and its shape within a sentence.
    seen: Vec<(u32, Shape)>,
    boundary: u32,
    mark: memo::Mark,
}

/// Room for one sentence, used again for the next: tagging into it allocates little in the long run. It keeps what was
/// guessed of some unknown words (a few MiB at most).
#[derive(Debug, Default)]
pub struct Workspace {
    words: Vec<u32>,
    suffixes: Vec<u32>,
    shapes: Vec<Shape>,
    /// Of unknown words, where their candidates are in `memo`.
    guesses: Vec<(u32, u32)>,
    memo: memo::Memo,
    tags: Vec<Tag>,
    paths: start::Paths,
    agenda: apply::Agenda,
}

impl Workspace {
    /// The tags of the sentence that was tagged last.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Whether word `i` of the sentence that was tagged last is not in the lexicon.
    pub fn is_unknown(&self, i: usize) -> bool {
        self.guesses[i] != KNOWN
    }
}

const KNOWN: (u32, u32) = (u32::MAX, u32::MAX);

impl Tagger {
    /// A tagger of this model.
    pub fn new(mut model: Model) -> Self {
        let boundary = model.lexicon.name(tags::BOUNDARY);
        let index = apply::RuleIndex::new(&model.contextual, model.tags.len());
        let seen = (0..model.lexicon.len() as u32)
            .map(|n| model.lexicon.word(n))
            .map(|word| (suffix(word), Shape::of(word, false)))
            .collect();
        Self { model, index, seen, boundary, mark: memo::Mark::default() }
    }

    /// Reads a model by [`Model::load`] and makes it ready.
    ///
    /// # Errors
    /// As there.
    pub fn load(path: &std::path::Path) -> Result<Self, crate::TextError> {
        Model::load(path).map(Self::new)
    }

    /// Its model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The tags of a sentence's words, one each.
    pub fn tag(&self, words: &[&str]) -> Vec<Tag> {
        let mut space = Workspace::default();
        self.tag_into(words.iter().copied(), &mut space);
        space.tags
    }

    /// Tags one sentence; the result is [`Workspace::tags`].
    pub fn tag_into<'a>(&self, words: impl IntoIterator<Item = &'a str>, space: &mut Workspace) {
        self.start(words, space);
        let Workspace { words, suffixes, shapes, guesses, tags, agenda, .. } = space;
        if self.model.contextual.is_empty() {
            return;
        }
        let lexicon = &self.model.lexicon;
        let known = |i: usize| (guesses[i] == KNOWN).then(|| lexicon.candidates(words[i]));
        let sentence = apply::Untagged { words, suffixes, shapes, boundary: self.boundary };
        apply::apply(
            &self.model.contextual,
            &self.index,
            sentence,
            |i| known(i).is_some_and(|c| c.len() == 1),
            |i, tag| known(i).is_none_or(|list| list.iter().any(|c| c.tag == tag)),
            tags,
            agenda,
        );
    }

    /// The first two levels: start tags of known and unknown words.
    pub(crate) fn start<'a>(&self, words: impl IntoIterator<Item = &'a str>, space: &mut Workspace) {
        let model = &self.model;
        for list in [&mut space.words, &mut space.suffixes] {
            list.clear();
        }
        space.shapes.clear();
        space.guesses.clear();
        space.memo.begin(&self.mark);
        let mut first = true;
        for word in words {
            let number = model.lexicon.find(word);
            let (suffix, mut shape) = match number {
                Some(n) => self.seen[n as usize],
                None => (suffix(word), Shape::of(word, false)),
            };
            if first && shape == Shape::Capital {
                shape = Shape::FirstCapital;
            }
            first &= shape == Shape::Symbol;
            if number.is_some_and(|n| !model.lexicon.candidates(n).is_empty()) {
                space.guesses.push(KNOWN);
            } else {
                space.guesses.push(space.memo.place(word, shape, |out| model.guess(word, shape, out)));
            }
            space.words.push(number.unwrap_or(NO_WORD));
            space.suffixes.push(suffix);
            space.shapes.push(shape);
        }
        let Workspace { words, guesses, memo, tags, paths, .. } = space;
        let candidates = |i: usize| match guesses[i] {
            KNOWN => model.lexicon.candidates(words[i]),
            place => memo.candidates(place),
        };
        match &model.start {
            Start::InContext { transitions, .. } => {
                start::cheapest(transitions, words.len(), candidates, paths, tags);
            }
            Start::MostFrequent { .. } => {
                tags.clear();
                tags.extend((0..words.len()).map(|i| candidates(i)[0].tag));
            }
        }
    }

    /// The candidates of word `i` of the sentence in this workspace, `None` if it is not in the lexicon.
    pub(crate) fn known_candidates(&self, space: &Workspace, i: usize) -> Option<&[Candidate]> {
        (!space.is_unknown(i)).then(|| self.model.lexicon.candidates(space.words[i]))
    }

    /// Whether an unknown word's candidates come from endings, or from Brill's first tags.
    pub fn guesser(&self) -> Option<&Guesser> {
        match &self.model.start {
            Start::InContext { guesser, .. } => Some(guesser),
            Start::MostFrequent { .. } => None,
        }
    }
}

/// Pairs that have been seen: none.
pub(crate) fn no_pairs() -> Pairs {
    Pairs::default()
}
