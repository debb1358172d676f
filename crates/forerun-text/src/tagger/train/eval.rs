//! How accurate a tagger is.

use super::super::shape::Shape;
use super::super::{Tagger, Workspace};
use super::corpus::Corpus;

/// Numbers of words, and of those that got the corpus's tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Words in the lexicon.
    pub known: u64,
    /// Those of them that are right.
    pub known_right: u64,
    /// Words that are not in the lexicon.
    pub unknown: u64,
    /// Those of them that are right.
    pub unknown_right: u64,
    /// Words, of both kinds, whose tag in the corpus the tagger does not have: it cannot be right there.
    pub foreign: u64,
}

impl Accuracy {
    /// The share of words that are right, from 0 to 1.
    pub fn overall(&self) -> f64 {
        share(self.known_right + self.unknown_right, self.words())
    }

    /// How many words were counted.
    pub fn words(&self) -> u64 {
        self.known + self.unknown
    }

    /// The share of known words that are right.
    pub fn of_known(&self) -> f64 {
        share(self.known_right, self.known)
    }

    /// The share of unknown words that are right.
    pub fn of_unknown(&self) -> f64 {
        share(self.unknown_right, self.unknown)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Tags the files of a corpus that `chosen` takes, and counts what is right. Tags are compared by name, so that
/// the tagger may be of another corpus.
pub fn evaluate(tagger: &Tagger, corpus: &Corpus, chosen: impl Fn(usize) -> bool) -> Accuracy {
    let mut space = Workspace::default();
    let mut accuracy = Accuracy::default();
    let tags = &tagger.model().tags;
    let same: Vec<_> = tags.iter().map(|(_, name)| corpus.tags.find(name)).collect();
    let foreign: Vec<bool> = corpus.tags.iter().map(|(_, name)| tags.find(name).is_none()).collect();
    for (_, file) in corpus.files.iter().enumerate().filter(|(n, _)| chosen(*n)) {
        for sentence in &file.sentences {
            tagger.tag_into(sentence.iter().map(|&(word, _)| corpus.words.get(word)), &mut space);
            for (i, &(_, truth)) in sentence.iter().enumerate() {
                accuracy.foreign += u64::from(foreign[truth.index()]);
                let right = u64::from(same[space.tags()[i].index()] == Some(truth));
                if space.is_unknown(i) {
                    accuracy.unknown += 1;
                    accuracy.unknown_right += right;
                } else {
                    accuracy.known += 1;
                    accuracy.known_right += right;
                }
            }
        }
    }
    accuracy
}

/// Shapes of the words of a sentence, in order.
pub(crate) fn shapes<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Shape> {
    let mut first = true;
    let shape = |word| {
        let shape = Shape::of(word, first);
        first &= shape == Shape::Symbol;
        shape
    };
    words.into_iter().map(shape).collect()
}
