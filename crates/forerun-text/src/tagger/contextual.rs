//! The third level: rules that look at a word's neighbours.
//!
//! Brill, *A Simple Rule-Based Part of Speech Tagger*, 1992, and the templates of his `CONTEXTUALRULEFILE`. Every
//! template is a conjunction of at most three [`Condition`]s.

use super::shape::Shape;
use super::tags::Tag;

/// No word: one that no rule can name.
pub(crate) const NO_WORD: u32 = u32::MAX;

/// What a condition looks at. Offsets are in words from the one that is to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Feature {
    /// The word itself (`CURWD`).
    Word,
    /// The word before (`PREVWD`).
    WordBefore,
    /// The word after (`NEXTWD`).
    WordAfter,
    /// The word two before.
    WordTwoBefore,
    /// The word two after.
    WordTwoAfter,
    /// The last three bytes of the word.
    Suffix3,
    /// The last two bytes of the word.
    Suffix2,
    /// The tag before (`PREVTAG`).
    TagBefore,
    /// The tag after (`NEXTTAG`).
    TagAfter,
    /// The tag two before (`PREV2TAG`).
    TagTwoBefore,
    /// The tag two after (`NEXT2TAG`).
    TagTwoAfter,
    /// The tag three before.
    TagThreeBefore,
    /// The tag three after.
    TagThreeAfter,
    /// One of the two words before (`PREV1OR2WD`).
    WordInTwoBefore,
    /// One of the two words after (`NEXT1OR2WD`).
    WordInTwoAfter,
    /// One of the three words before (`PREV1OR2OR3WD`).
    WordInThreeBefore,
    /// One of the three words after (`NEXT1OR2OR3WD`).
    WordInThreeAfter,
    /// One of the two tags before (`PREV1OR2TAG`).
    TagInTwoBefore,
    /// One of the two tags after (`NEXT1OR2TAG`).
    TagInTwoAfter,
    /// One of the three tags before (`PREV1OR2OR3TAG`).
    TagInThreeBefore,
    /// One of the three tags after (`NEXT1OR2OR3TAG`).
    TagInThreeAfter,
    /// The word's shape.
    Shape,
    /// The shape of the word before.
    ShapeBefore,
    /// The shape of the word after.
    ShapeAfter,
}

/// What kind of value a feature has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A word's number in the lexicon.
    Word,
    /// A tag.
    Tag,
    /// Bytes of a suffix, or a [`Shape`].
    Plain,
}

impl Feature {
    /// All, the most selective first: the first of a rule's features is the one that it is found by.
    pub const ALL: [Self; 24] = [
        Self::Word,
        Self::WordBefore,
        Self::WordAfter,
        Self::WordTwoBefore,
        Self::WordTwoAfter,
        Self::Suffix3,
        Self::Suffix2,
        Self::TagBefore,
        Self::TagAfter,
        Self::TagTwoBefore,
        Self::TagTwoAfter,
        Self::TagThreeBefore,
        Self::TagThreeAfter,
        Self::WordInTwoBefore,
        Self::WordInTwoAfter,
        Self::WordInThreeBefore,
        Self::WordInThreeAfter,
        Self::TagInTwoBefore,
        Self::TagInTwoAfter,
        Self::TagInThreeBefore,
        Self::TagInThreeAfter,
        Self::Shape,
        Self::ShapeBefore,
        Self::ShapeAfter,
    ];

    /// The offsets that it looks at, from the first to the last.
    pub const fn reach(self) -> (isize, isize) {
        match self {
            Self::Word | Self::Suffix3 | Self::Suffix2 | Self::Shape => (0, 0),
            Self::WordBefore | Self::TagBefore | Self::ShapeBefore => (-1, -1),
            Self::WordAfter | Self::TagAfter | Self::ShapeAfter => (1, 1),
            Self::WordTwoBefore | Self::TagTwoBefore => (-2, -2),
            Self::WordTwoAfter | Self::TagTwoAfter => (2, 2),
            Self::TagThreeBefore => (-3, -3),
            Self::TagThreeAfter => (3, 3),
            Self::WordInTwoBefore | Self::TagInTwoBefore => (-2, -1),
            Self::WordInTwoAfter | Self::TagInTwoAfter => (1, 2),
            Self::WordInThreeBefore | Self::TagInThreeBefore => (-3, -1),
            Self::WordInThreeAfter | Self::TagInThreeAfter => (1, 3),
        }
    }

    /// What its values are.
    pub const fn kind(self) -> ValueKind {
        match self {
            Self::Word
            | Self::WordBefore
            | Self::WordAfter
            | Self::WordTwoBefore
            | Self::WordTwoAfter
            | Self::WordInTwoBefore
            | Self::WordInTwoAfter
            | Self::WordInThreeBefore
            | Self::WordInThreeAfter => ValueKind::Word,
            Self::TagBefore
            | Self::TagAfter
            | Self::TagTwoBefore
            | Self::TagTwoAfter
            | Self::TagThreeBefore
            | Self::TagThreeAfter
            | Self::TagInTwoBefore
            | Self::TagInTwoAfter
            | Self::TagInThreeBefore
            | Self::TagInThreeAfter => ValueKind::Tag,
            Self::Suffix3 | Self::Suffix2 | Self::Shape | Self::ShapeBefore | Self::ShapeAfter => {
                ValueKind::Plain
            }
        }
    }
}

/// That a feature has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition {
    /// What is looked at.
    pub feature: Feature,
    /// What it must be: a word's number, a tag's, a suffix's last bytes, a shape.
    pub value: u32,
}

/// A contextual rule: a word tagged `from` becomes `to` where all conditions hold and the word may have `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextualRule {
    /// The tag that is changed.
    pub from: Tag,
    /// What it becomes.
    pub to: Tag,
    /// One to three conditions, the most selective first.
    pub conditions: Vec<Condition>,
}

/// One sentence as rules see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sentence<'a> {
    /// Numbers of the words in the lexicon, or [`NO_WORD`].
    pub words: &'a [u32],
    /// The last three bytes of each word.
    pub suffixes: &'a [u32],
    pub shapes: &'a [Shape],
    pub tags: &'a [Tag],
    /// The number of the word that stands for what is outside.
    pub boundary: u32,
}

impl Sentence<'_> {
    fn at<T: Copy>(list: &[T], i: usize, offset: isize, outside: T) -> T {
        i.checked_add_signed(offset).and_then(|i| list.get(i)).copied().unwrap_or(outside)
    }

    /// The value of a feature of one offset, looked at from word `i`, at this offset of its reach.
    pub(crate) fn value(&self, feature: Feature, i: usize, offset: isize) -> u32 {
        match feature {
            Feature::Suffix3 => self.suffixes[i],
            Feature::Suffix2 => self.suffixes[i] & 0xffff,
            Feature::Shape | Feature::ShapeBefore | Feature::ShapeAfter => {
                Self::at(self.shapes, i, offset, Shape::Outside) as u32
            }
            _ => match feature.kind() {
                ValueKind::Word => Self::at(self.words, i, offset, self.boundary),
                _ => u32::from(Self::at(self.tags, i, offset, Tag::BOUNDARY).0),
            },
        }
    }

    /// Whether the condition holds at word `i`.
    pub(crate) fn holds(&self, condition: &Condition, i: usize) -> bool {
        let (from, to) = condition.feature.reach();
        (from..=to).any(|offset| self.value(condition.feature, i, offset) == condition.value)
    }

    /// Whether the rule changes the tag of word `i`, its candidates aside.
    pub(crate) fn fits(&self, rule: &ContextualRule, i: usize) -> bool {
        self.tags[i] == rule.from && rule.conditions.iter().all(|c| self.holds(c, i))
    }
}

/// The last three bytes of a word as one number, the last byte lowest.
pub(crate) fn suffix(word: &str) -> u32 {
    word.as_bytes().iter().rev().take(3).enumerate().fold(0, |sum, (n, &b)| sum | u32::from(b) << (8 * n))
}
