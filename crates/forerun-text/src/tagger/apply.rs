//! Applying contextual rules in their order without trying every rule at every word.
//!
//! Rules are found by the tag that they change and their most selective condition. Each sentence keeps a heap of
//! (rule, word) that may fit, the earliest rule first. When a rule changes a tag, only the words that can see it
//! are looked up again, and only for rules that are not over yet. That gives what going through all rules, each
//! from left to right over the sentence with immediate effect, gives (a property test says so).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashTable;

use super::contextual::{ContextualRule, Feature, Sentence};
use super::shape::Shape;
use super::tags::Tag;

/// How far a rule sees, in words.
pub(crate) const REACH: usize = 3;

/// Bits of the filter that says where nothing is to be found.
const FILTER: usize = 1 << 16;

/// Rules by what they are found by.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleIndex {
    /// For each tag, the features by which rules that change it are found.
    features: Vec<Vec<Feature>>,
    filter: Vec<u64>,
    table: HashTable<Slot>,
    /// Numbers of rules, those of a slot side by side and ascending.
    rules: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    start: u32,
    end: u32,
}

/// Rules and words that may fit, the earliest first.
pub(crate) type Agenda = BinaryHeap<Reverse<(u32, u32)>>;

fn key(from: Tag, feature: Feature, value: u32) -> u64 {
    u64::from(from.0) << 40 | (feature as u64) << 32 | u64::from(value)
}

#[inline]
fn mix(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 29
}

impl RuleIndex {
    pub(crate) fn new(rules: &[ContextualRule], tags: usize) -> Self {
        let mut keyed: Vec<(u64, u32)> = rules
            .iter()
            .enumerate()
            .filter_map(|(n, rule)| {
                let first = rule.conditions.iter().min_by_key(|c| c.feature)?;
                Some((key(rule.from, first.feature, first.value), n as u32))
            })
            .collect();
        keyed.sort_unstable();
        let mut index =
            Self { features: vec![Vec::new(); tags], filter: vec![0; FILTER / 64], ..Self::default() };
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            let key = group[0].0;
            let start = index.rules.len() as u32;
            index.rules.extend(group.iter().map(|&(_, n)| n));
            let slot = Slot { key, start, end: index.rules.len() as u32 };
            let hash = mix(key);
            index.table.insert_unique(hash, slot, |s| mix(s.key));
            let bit = hash as usize % FILTER;
            index.filter[bit / 64] |= 1 << (bit % 64);
            let features = &mut index.features[(key >> 40) as usize];
            let feature = Feature::ALL[(key >> 32 & 0xff) as usize];
            if !features.contains(&feature) {
                features.push(feature);
            }
        }
        index
    }

    /// Puts the rules from number `least` on that fit word `i` now on the agenda.
    fn look_up(
        &self,
        rules: &[ContextualRule],
        sentence: Sentence<'_>,
        i: usize,
        least: u32,
        agenda: &mut Agenda,
    ) {
        let from = sentence.tags[i];
        for &feature in &self.features[from.index()] {
            let (left, right) = feature.reach();
            for offset in left..=right {
                let key = key(from, feature, sentence.value(feature, i, offset));
                let hash = mix(key);
                let bit = hash as usize % FILTER;
                if self.filter[bit / 64] >> (bit % 64) & 1 == 0 {
                    continue;
                }
                if let Some(slot) = self.table.find(hash, |s| s.key == key) {
                    let list = &self.rules[slot.start as usize..slot.end as usize];
                    for &n in &list[list.partition_point(|&n| n < least)..] {
                        if sentence.fits(&rules[n as usize], i) {
                            agenda.push(Reverse((n, i as u32)));
                        }
                    }
                }
            }
        }
    }
}

/// The words of a sentence without their tags.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Untagged<'a> {
    pub words: &'a [u32],
    pub suffixes: &'a [u32],
    pub shapes: &'a [Shape],
    pub boundary: u32,
}

impl<'a> Untagged<'a> {
    pub(crate) fn with<'b>(self, tags: &'b [Tag]) -> Sentence<'b>
    where
        'a: 'b,
    {
        let Self { words, suffixes, shapes, boundary } = self;
        Sentence { words, suffixes, shapes, tags, boundary }
    }
}

/// Applies all rules in their order. `may` says whether a word may get a tag; of words that may get none but the
/// one they have, `fixed` saves the looking up.
pub(crate) fn apply(
    rules: &[ContextualRule],
    index: &RuleIndex,
    sentence: Untagged<'_>,
    fixed: impl Fn(usize) -> bool,
    may: impl Fn(usize, Tag) -> bool,
    tags: &mut [Tag],
    agenda: &mut Agenda,
) {
    agenda.clear();
    for i in 0..tags.len() {
        if !fixed(i) {
            index.look_up(rules, sentence.with(tags), i, 0, agenda);
        }
    }
    while let Some(Reverse((n, at))) = agenda.pop() {
        let (rule, i) = (&rules[n as usize], at as usize);
        if !sentence.with(tags).fits(rule, i) || !may(i, rule.to) {
            continue;
        }
        tags[i] = rule.to;
        for other in i.saturating_sub(REACH)..(i + REACH + 1).min(tags.len()) {
            if !fixed(other) {
                // The rule itself goes on to the right; where it has been, it is over.
                let least = if other > i { n } else { n + 1 };
                index.look_up(rules, sentence.with(tags), other, least, agenda);
            }
        }
    }
}
