//! What was guessed of unknown words, kept for when they come again: a name or a number of a text mostly does.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::guess::Signs;
use super::lexicon::Candidate;
use super::shape::Shape;
use super::view::Seen;
use crate::words::Words;

/// Words that are kept, and their bytes: then all are forgotten, so that a workspace does not grow with what it has tagged.
const MOST: usize = 1 << 15;
const MOST_BYTES: usize = 1 << 20;

/// Tells models apart: a memo is of the model whose mark it has.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark(Arc<()>);

/// The candidates of words that were guessed, for one model.
#[derive(Debug, Default)]
pub(super) struct Memo {
    of: Option<Mark>,
    words: Words,
    known: Vec<Known>,
    guesses: Guesses,
}

/// Candidates that were guessed: words with the same signs share them.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    candidates: Vec<Candidate>,
    of: FxHashMap<Signs, Place>,
}

impl Guesses {
    /// Where the candidates of words with these signs are; `guess` appends them, at least one, where they are not known.
    pub(super) fn of(&mut self, signs: Signs, guess: impl FnOnce(&mut Vec<Candidate>)) -> Place {
        let candidates = &mut self.candidates;
        *self.of.entry(signs).or_insert_with(|| {
            let start = candidates.len();
            guess(candidates);
            (start as u32, (candidates.len() - start) as u32)
        })
    }
}

/// What is kept of a word.
#[derive(Clone, Copy, Debug)]
struct Known {
    seen: Seen,
    /// Where its candidates are within a sentence, and where it begins one with a capital; none if
    /// that has not been asked.
    places: [Place; 2],
}

/// Where candidates are: the first, and how many.
pub(super) type Place = (u32, u32);

impl Memo {
    /// Makes it ready for a sentence: nothing is kept of another model, or too much. Places given before are not valid then.
    pub(super) fn begin(&mut self, mark: &Mark) {
        let same = self.of.as_ref().is_some_and(|of| Arc::ptr_eq(&of.0, &mark.0));
        if !same || self.words.len() > MOST || self.words.bytes() > MOST_BYTES {
            *self = Memo { of: Some(mark.clone()), ..Memo::default() };
        }
    }

    /// What is seen of a word, and where its candidates are; `begins` says whether it begins a sentence. `see` gives the
    /// former where it is not known, and `guess` the latter.
    pub(super) fn place(
        &mut self,
        word: &str,
        begins: bool,
        see: impl FnOnce() -> Seen,
        guess: impl FnOnce(Shape, &mut Guesses) -> Place,
    ) -> (Seen, Place) {
        let number = self.words.put(word) as usize;
        if number == self.known.len() {
            self.known.push(Known { seen: see(), places: [(0, 0); 2] });
        }
        let Known { seen, places } = &mut self.known[number];
        let shape = seen.shape.at(begins);
        let place = &mut places[usize::from(shape == Shape::FirstCapital)];
        if place.1 == 0 {
            *place = guess(shape, &mut self.guesses);
        }
        (*seen, *place)
    }

    /// The candidates at a place.
    #[inline]
    pub(super) fn candidates(&self, (start, count): Place) -> &[Candidate] {
        &self.guesses.candidates[start as usize..][..count as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::Lexicon;
    use super::super::tags::Tag;
    use super::super::view::Names;
    use super::*;

    fn see(word: &str) -> Seen {
        Names::new(&[], &Lexicon::default(), 1).seen(word, None)
    }

    #[test]
    fn a_word_is_guessed_once_for_a_shape_and_a_model() {
        let (one, other) = (Mark::default(), Mark::default());
        let mut memo = Memo::default();
        let mut guesses = 0;
        let mut ask = |memo: &mut Memo, mark: &Mark, word, begins| {
            memo.begin(mark);
            let guess = |_, known: &mut Guesses| {
                guesses += 1;
                known.of(Signs::Tag(Tag(guesses)), |out| out.push(Candidate { tag: Tag(guesses), cost: 0 }))
            };
            let (_, place) = memo.place(word, begins, || see(word), guess);
            memo.candidates(place)[0].tag.0
        };
        assert_eq!(ask(&mut memo, &one, "Ab", false), 1);
        assert_eq!(ask(&mut memo, &one, "Ab", true), 2);
        assert_eq!(ask(&mut memo, &one, "Ab", false), 1);
        assert_eq!(ask(&mut memo, &one, "ab", true), 3);
        assert_eq!(ask(&mut memo, &one, "ab", false), 3);
        assert_eq!(ask(&mut memo, &other, "Ab", false), 4);
        assert_eq!(ask(&mut memo, &one, "Ab", false), 5);
    }

    #[test]
    fn it_is_bounded() {
        let (mark, mut memo) = (Mark::default(), Memo::default());
        for n in 0..3 * MOST {
            memo.begin(&mark);
            let word = n.to_string();
            let tag = Tag(n as u16);
            let guess = |_, known: &mut Guesses| {
                known.of(Signs::Tag(tag), |out| out.push(Candidate { tag, cost: 0 }))
            };
            memo.place(&word, false, || see(&word), guess);
            assert!(memo.known.len() <= MOST + 1 && memo.guesses.candidates.len() <= MOST + 1);
        }
    }
}
