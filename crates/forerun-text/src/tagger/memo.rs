//! What was guessed of unknown words, kept for when they come again: a name or a number of a text mostly does.

use std::sync::Arc;

use super::lexicon::Candidate;
use super::shape::Shape;
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
    /// A letter for the shape, and the word.
    words: Words,
    /// For each word, where its candidates are.
    places: Vec<(u32, u32)>,
    candidates: Vec<Candidate>,
    key: String,
}

impl Memo {
    /// Makes it ready for a sentence: nothing is kept of another model, or too much. Places given before are not valid then.
    pub(super) fn begin(&mut self, mark: &Mark) {
        let same = self.of.as_ref().is_some_and(|of| Arc::ptr_eq(&of.0, &mark.0));
        if !same || self.words.len() > MOST || self.words.bytes() > MOST_BYTES {
            *self = Memo { of: Some(mark.clone()), ..Memo::default() };
        }
    }

    /// Where the candidates of a word of this shape are; `guess` appends them where they are not known.
    pub(super) fn place(
        &mut self,
        word: &str,
        shape: Shape,
        guess: impl FnOnce(&mut Vec<Candidate>),
    ) -> (u32, u32) {
        self.key.clear();
        self.key.push((b'A' + shape as u8) as char);
        self.key.push_str(word);
        let number = self.words.put(&self.key) as usize;
        if number == self.places.len() {
            let start = self.candidates.len() as u32;
            guess(&mut self.candidates);
            self.places.push((start, self.candidates.len() as u32));
        }
        self.places[number]
    }

    /// The candidates at a place.
    pub(super) fn candidates(&self, (start, end): (u32, u32)) -> &[Candidate] {
        &self.candidates[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tags::Tag;
    use super::*;

    #[test]
    fn a_word_is_guessed_once_for_a_shape_and_a_model() {
        let (one, other) = (Mark::default(), Mark::default());
        let mut memo = Memo::default();
        let mut guesses = 0;
        let mut ask = |memo: &mut Memo, mark: &Mark, shape| {
            memo.begin(mark);
            let place = memo.place("x", shape, |out| {
                guesses += 1;
                out.push(Candidate { tag: Tag(guesses), cost: 0 });
            });
            memo.candidates(place)[0].tag.0
        };
        assert_eq!(ask(&mut memo, &one, Shape::Capital), 1);
        assert_eq!(ask(&mut memo, &one, Shape::FirstCapital), 2);
        assert_eq!(ask(&mut memo, &one, Shape::Capital), 1);
        assert_eq!(ask(&mut memo, &other, Shape::Capital), 3);
        assert_eq!(ask(&mut memo, &one, Shape::Capital), 4);
    }

    #[test]
    fn it_is_bounded() {
        let (mark, mut memo) = (Mark::default(), Memo::default());
        for n in 0..3 * MOST {
            memo.begin(&mark);
            memo.place(&n.to_string(), Shape::Capital, |out| out.push(Candidate { tag: Tag(1), cost: 0 }));
            assert!(memo.places.len() <= MOST + 1 && memo.candidates.len() <= MOST + 1);
        }
    }
}
