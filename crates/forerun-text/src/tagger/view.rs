//! A sentence as contextual rules see it: what they ask for as small numbers, side by side.
//!
//! Values that no rule names are 0, so that rules need not be looked for there. Each word has a row of numbers, one a
//! [`Column`], and a rule sees the rows of [`REACH`] words to each side.

use rustc_hash::FxHashMap;

use super::contextual::{ContextualRule, Feature, NO_WORD, suffix};
use super::lexicon::Lexicon;
use super::shape::Shape;
use super::tags::{BOUNDARY, Tag};

/// How far a rule sees, in words.
pub(crate) const REACH: usize = 3;

/// What is seen of each word.
pub(super) const COLUMNS: usize = 5;

/// The numbers that a rule sees.
pub(super) const WINDOW: usize = (2 * REACH + 1) * COLUMNS;

/// What a feature looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Column {
    Word,
    Suffix3,
    Suffix2,
    Shape,
    Tag,
}

impl Column {
    pub(super) const fn of(feature: Feature) -> Self {
        match feature {
            Feature::Suffix3 => Self::Suffix3,
            Feature::Suffix2 => Self::Suffix2,
            Feature::Shape | Feature::ShapeBefore | Feature::ShapeAfter => Self::Shape,
            _ => match feature.kind() {
                super::contextual::ValueKind::Word => Self::Word,
                _ => Self::Tag,
            },
        }
    }
}

/// Where a feature looks: the first number of the window, and how many rows.
pub(super) fn cells(feature: Feature) -> (u8, u8) {
    let (from, to) = feature.reach();
    let row = (REACH as isize + from) as usize;
    ((row * COLUMNS + Column::of(feature) as usize) as u8, (to - from + 1) as u8)
}

/// What is seen of a word by itself: its row but for the tag, and its shape within a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    word: u32,
    suffix3: u32,
    suffix2: u32,
    pub(super) shape: Shape,
}

/// Numbers for what rules name.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// Of each word of the lexicon.
    words: Vec<u32>,
    /// Of all others.
    no_word: u32,
    suffixes: [FxHashMap<u32, u32>; 2],
    /// How many numbers each column has.
    sizes: [usize; COLUMNS],
    outside: [u32; COLUMNS],
}

impl Names {
    pub(super) fn new(rules: &[ContextualRule], lexicon: &Lexicon, tags: usize) -> Self {
        let mut names = Self {
            words: vec![0; lexicon.len()],
            no_word: 0,
            suffixes: Default::default(),
            sizes: [1, 1, 1, Shape::COUNT, tags],
            outside: [0, 0, 0, Shape::Outside as u32, u32::from(Tag::BOUNDARY.0)],
        };
        for condition in rules.iter().flat_map(|rule| &rule.conditions) {
            let column = Column::of(condition.feature);
            let next = names.sizes[column as usize] as u32;
            let number = match column {
                Column::Word if condition.value == NO_WORD => &mut names.no_word,
                Column::Word => match names.words.get_mut(condition.value as usize) {
                    Some(number) => number,
                    None => continue,
                },
                Column::Suffix3 => names.suffixes[0].entry(condition.value).or_default(),
                Column::Suffix2 => names.suffixes[1].entry(condition.value).or_default(),
                Column::Shape | Column::Tag => continue,
            };
            if *number == 0 {
                *number = next;
                names.sizes[column as usize] += 1;
            }
        }
        names.outside[0] = lexicon.find(BOUNDARY).map_or(names.no_word, |n| names.words[n as usize]);
        names
    }

    /// How many numbers a column has.
    pub(super) fn size(&self, column: Column) -> usize {
        self.sizes[column as usize]
    }

    /// The number of what a condition asks for; `None` if no word has it.
    pub(super) fn value(&self, column: Column, value: u32) -> Option<u32> {
        match column {
            Column::Word if value == NO_WORD => Some(self.no_word),
            Column::Word => self.words.get(value as usize).copied(),
            Column::Suffix3 => self.suffixes[0].get(&value).copied(),
            Column::Suffix2 => self.suffixes[1].get(&value).copied(),
            Column::Shape | Column::Tag => ((value as usize) < self.size(column)).then_some(value),
        }
    }

    /// What is seen of a word, whose number is given if the lexicon has it.
    pub(super) fn seen(&self, word: &str, number: Option<u32>) -> Seen {
        let last = suffix(word);
        let named = |n: usize, value: u32| self.suffixes[n].get(&value).copied().unwrap_or(0);
        Seen {
            word: number.map_or(self.no_word, |n| self.words[n as usize]),
            suffix3: named(0, last),
            suffix2: named(1, last & 0xffff),
            shape: Shape::of(word, false),
        }
    }
}

/// The rows of a sentence, with those of what is outside before and after.
#[derive(Debug, Default)]
pub(super) struct View(Vec<u32>);

impl View {
    /// Begins a sentence.
    pub(super) fn begin(&mut self, names: &Names) {
        self.0.clear();
        self.outside(names);
    }

    fn outside(&mut self, names: &Names) {
        (0..REACH).for_each(|_| self.0.extend_from_slice(&names.outside));
    }

    /// Appends a word, which has this shape here and no tag yet.
    #[inline]
    pub(super) fn push(&mut self, seen: Seen, shape: Shape) {
        self.0.extend_from_slice(&[seen.word, seen.suffix3, seen.suffix2, shape as u32, 0]);
    }

    /// Ends the sentence, whose words have these tags.
    pub(super) fn end(&mut self, names: &Names, tags: &[Tag]) {
        for (row, tag) in self.0.chunks_exact_mut(COLUMNS).skip(REACH).zip(tags) {
            row[Column::Tag as usize] = u32::from(tag.0);
        }
        self.outside(names);
    }

    pub(super) fn set_tag(&mut self, i: usize, tag: Tag) {
        self.0[(i + REACH) * COLUMNS + Column::Tag as usize] = u32::from(tag.0);
    }

    /// What a rule sees from word `i`.
    #[inline]
    pub(super) fn window(&self, i: usize) -> &[u32; WINDOW] {
        self.0[i * COLUMNS..].first_chunk().expect("a sentence that has been ended")
    }
}
