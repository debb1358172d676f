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
mod lexical_index;
mod memo;
mod start;
mod view;

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
    lexical: lexical_index::LexicalIndex,
    names: view::Names,
    /// What is needed of each word of the lexicon, side by side.
    words: Vec<Word>,
    mark: memo::Mark,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    seen: view::Seen,
    /// Where its candidates are in the lexicon.
    place: memo::Place,
}

/// Room for one sentence, used again for the next: tagging into it allocates little in the long run. It keeps what was
/// guessed of some unknown words (a few MiB at most).
#[derive(Debug, Default)]
pub struct Workspace {
    /// Of each word, where its candidates are: in the lexicon, or in `memo` if it is unknown.
    places: Vec<memo::Place>,
    unknown: Vec<bool>,
    shapes: Vec<Shape>,
    view: view::View,
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
        self.unknown[i]
    }
}

impl Tagger {
    /// A tagger of this model.
    pub fn new(mut model: Model) -> Self {
        model.lexicon.name(tags::BOUNDARY);
        let names = view::Names::new(&model.contextual, &model.lexicon, model.tags.len());
        let index = apply::RuleIndex::new(&model.contextual, &names, model.tags.len());
        let word =
            |n| Word { seen: names.seen(model.lexicon.word(n), Some(n)), place: model.lexicon.place(n) };
        let words = (0..model.lexicon.len() as u32).map(word).collect();
        let lexical = lexical_index::LexicalIndex::new(&model.lexical, model.tags.len());
        Self { model, index, lexical, names, words, mark: memo::Mark::default() }
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
        if self.model.contextual.is_empty() {
            return;
        }
        let Workspace { places, unknown, view, tags, agenda, .. } = space;
        view.end(&self.names, tags);
        let lexicon = &self.model.lexicon;
        self.index.apply(
            view,
            |i| !unknown[i] && places[i].1 == 1,
            |i, tag| unknown[i] || lexicon.at(places[i]).iter().any(|c| c.tag == tag),
            tags,
            agenda,
        );
    }

    /// The first two levels: start tags of known and unknown words.
    pub(crate) fn start<'a>(&self, words: impl IntoIterator<Item = &'a str>, space: &mut Workspace) {
        let model = &self.model;
        let Workspace { places, unknown, shapes, view, memo, tags, paths, .. } = space;
        places.clear();
        unknown.clear();
        shapes.clear();
        view.begin(&self.names);
        memo.begin(&self.mark);
        let mut first = true;
        for word in words {
            let number = model.lexicon.find(word);
            let (seen, place) = match number.map(|n| self.words[n as usize]) {
                Some(known) if known.place.1 > 0 => {
                    unknown.push(false);
                    (known.seen, known.place)
                }
                _ => {
                    unknown.push(true);
                    let see = || self.names.seen(word, number);
                    let guess = |shape, guesses: &mut memo::Guesses| {
                        let signs = model.signs(word, shape, &self.lexical);
                        guesses.of(signs, |out| model.guess(signs, out))
                    };
                    memo.place(word, first, see, guess)
                }
            };
            let shape = seen.shape.at(first);
            first &= shape == Shape::Symbol;
            places.push(place);
            shapes.push(shape);
            view.push(seen, shape);
        }
        let candidates =
            |i: usize| if unknown[i] { memo.candidates(places[i]) } else { model.lexicon.at(places[i]) };
        match &model.start {
            Start::InContext { transitions, .. } => {
                start::cheapest(transitions, places.len(), candidates, paths, tags);
            }
            Start::MostFrequent { .. } => {
                tags.clear();
                tags.extend((0..places.len()).map(|i| candidates(i)[0].tag));
            }
        }
    }

    /// The candidates of word `i` of the sentence in this workspace, `None` if it is not in the lexicon.
    pub(crate) fn known_candidates(&self, space: &Workspace, i: usize) -> Option<&[Candidate]> {
        (!space.is_unknown(i)).then(|| self.model.lexicon.at(space.places[i]))
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
