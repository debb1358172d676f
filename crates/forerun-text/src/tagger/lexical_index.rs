//! Lexical rules made ready: of an unknown word only those are tried that it can pass by its ends and its shape, and what
//! several of them look up is looked up once.

use std::cell::OnceCell;

use super::lexical::{LexicalRule, Pairs, Test};
use super::lexicon::Lexicon;
use super::shape::Shape;
use super::tags::Tag;

/// For each first byte, last byte and shape of a word, and each tag that it may have so far, a bit for every rule: whether such a
/// word can pass it and is changed by it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LexicalIndex {
    /// Numbers that the bits of all rules take.
    width: usize,
    by_first: Vec<u64>,
    by_last: Vec<u64>,
    by_shape: Vec<u64>,
    by_tag: Vec<u64>,
}

/// Byte values.
const BYTES: usize = 256;

/// What rules look up of a word, each at most once.
#[derive(Default)]
struct LookedUp {
    lower: OnceCell<Option<Tag>>,
    tail: OnceCell<Option<Tag>>,
    head: OnceCell<Option<Tag>>,
}

impl LexicalIndex {
    /// Of rules about so many tags.
    pub(crate) fn new(rules: &[LexicalRule], tags: usize) -> Self {
        let width = rules.len().div_ceil(64);
        let table = |rows: usize, fits: &dyn Fn(&LexicalRule, usize) -> bool| {
            let mut bits = vec![0u64; rows * width];
            for row in 0..rows {
                for (n, _) in rules.iter().enumerate().filter(|(_, rule)| fits(rule, row)) {
                    bits[row * width + n / 64] |= 1 << (n % 64);
                }
            }
            bits
        };
        let is = |byte: Option<&u8>, row: usize| byte.is_none_or(|&b| usize::from(b) == row);
        Self {
            width,
            by_first: table(BYTES, &|rule, row| is(prefix(&rule.test).as_bytes().first(), row)),
            by_last: table(BYTES, &|rule, row| is(suffix(&rule.test).as_bytes().last(), row)),
            by_shape: table(Shape::COUNT, &|rule, row| match rule.test {
                Test::Shape(shape) => usize::from(shape) == row,
                _ => true,
            }),
            by_tag: table(tags, &|rule, row| {
                rule.from.is_none_or(|from| from.index() == row) && rule.to.index() != row
            }),
        }
    }

    /// Applies `rules`, those that this was made of, in their order to an unknown word that starts with the tag `first`. Gives
    /// the tag that it ends with, and the number of the last rule that changed it. Costs one test a rule that the word can
    /// pass by its ends and its shape, and whose tag fits.
    ///
    /// # Panics
    /// If `first` is not among the tags.
    pub(crate) fn apply(
        &self,
        rules: &[LexicalRule],
        word: &str,
        first: Tag,
        shape: Shape,
        lexicon: &Lexicon,
        pairs: &Pairs,
    ) -> (Tag, Option<usize>) {
        let (mut tag, mut by) = (first, None);
        let row = |table: &'_ [u64], row: usize, at: usize| table[row * self.width + at];
        let end = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
        let (begins, ends) = (end(word.as_bytes().first()), end(word.as_bytes().last()));
        let known = LookedUp::default();
        let is = |word: &str| lexicon.first_tag(word);
        for at in 0..self.width {
            let can = row(&self.by_first, begins, at)
                & row(&self.by_last, ends, at)
                & row(&self.by_shape, shape as usize, at);
            let mut left = can & row(&self.by_tag, tag.index(), at);
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let n = at * 64 + bit as usize;
                let rule = &rules[n];
                let passes = match &rule.test {
                    Test::LowerIs(tag) => {
                        shape.has_case()
                            && *known.lower.get_or_init(|| is(&word.to_lowercase())) == Some(*tag)
                    }
                    Test::TailIs(tag) => {
                        let tail = || word.rsplit_once('-').and_then(|(_, tail)| is(tail));
                        *known.tail.get_or_init(tail) == Some(*tag)
                    }
                    Test::HeadIs(tag) => {
                        let head = || word.split_once('-').and_then(|(head, _)| is(head));
                        *known.head.get_or_init(head) == Some(*tag)
                    }
                    test => test.passes(word, shape, lexicon, pairs),
                };
                if passes {
                    (tag, by) = (rule.to, Some(n));
                    // Of the rules after this one those that change its tag.
                    left = can & row(&self.by_tag, tag.index(), at) & !(u64::MAX >> (63 - bit));
                }
            }
        }
        (tag, by)
    }
}

/// What a word must begin with to pass.
fn prefix(test: &Test) -> &str {
    match test {
        Test::Prefix(x) | Test::DeletePrefix(x) | Test::RestIs(x, _) => x,
        _ => "",
    }
}

/// What a word must end with to pass.
fn suffix(test: &Test) -> &str {
    match test {
        Test::Suffix(x) | Test::DeleteSuffix(x) | Test::StemIs(x, _) => x,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lexicon::Candidate;
    use super::*;

    /// What is meant: every rule in its order.
    fn apply(
        rules: &[LexicalRule],
        word: &str,
        first: Tag,
        shape: Shape,
        lexicon: &Lexicon,
        pairs: &Pairs,
    ) -> (Tag, Option<usize>) {
        let (mut tag, mut by) = (first, None);
        for (n, rule) in rules.iter().enumerate() {
            if rule.from.is_none_or(|from| from == tag)
                && rule.to != tag
                && rule.test.passes(word, shape, lexicon, pairs)
            {
                (tag, by) = (rule.to, Some(n));
            }
        }
        (tag, by)
    }

    fn tags() -> impl Strategy<Value = Tag> {
        (1u16..4).prop_map(Tag)
    }

    fn tests() -> impl Strategy<Value = Test> {
        let x = "[abé-]{0,2}";
        prop_oneof![
            x.prop_map(Test::Prefix),
            x.prop_map(Test::Suffix),
            x.prop_map(Test::AddPrefix),
            x.prop_map(Test::AddSuffix),
            x.prop_map(Test::DeletePrefix),
            x.prop_map(Test::DeleteSuffix),
            x.prop_map(Test::Has),
            (x, tags()).prop_map(|(x, tag)| Test::StemIs(x, tag)),
            (x, tags()).prop_map(|(x, tag)| Test::RestIs(x, tag)),
            tags().prop_map(Test::LowerIs),
            tags().prop_map(Test::TailIs),
            tags().prop_map(Test::HeadIs),
            (0..Shape::COUNT as u8).prop_map(Test::Shape),
        ]
    }

    proptest! {
        #[test]
        fn it_gives_what_trying_every_rule_gives(
            rules in prop::collection::vec(
                (prop::option::of(tags()), tests(), tags())
                    .prop_map(|(from, test, to)| LexicalRule { from, test, to }),
                0..150,
            ),
            known in prop::collection::vec(("[abé-]{0,3}", tags()), 0..12),
            words in prop::collection::vec("[aAbé-]{0,4}", 1..8),
            first in tags(),
        ) {
            let mut lexicon = Lexicon::default();
            for (word, tag) in known {
                lexicon.push(&word, &[Candidate { tag, cost: 0 }]);
            }
            let (index, pairs) = (LexicalIndex::new(&rules, 4), Pairs::default());
            for word in words {
                let shape = Shape::of(&word, false);
                prop_assert_eq!(
                    index.apply(&rules, &word, first, shape, &lexicon, &pairs),
                    apply(&rules, &word, first, shape, &lexicon, &pairs)
                );
            }
        }
    }
}
