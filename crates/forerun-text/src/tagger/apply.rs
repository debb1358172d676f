//! Applying contextual rules in their order without trying every rule at every word.
//!
//! Rules are found by the tag that they change and their most selective condition. Each sentence keeps a heap of
//! (rule, word) that may fit, the earliest rule first. When a rule changes a tag, only the words that can see it
//! are looked up again, and only for rules that are not over yet. That gives what going through all rules, each
//! from left to right over the sentence with immediate effect, gives (property tests say so).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashTable;

use super::contextual::{Condition, ContextualRule, Feature};
use super::tags::Tag;
use super::view::{COLUMNS, Column, Names, REACH, View, WINDOW, cells};

/// Bits of the filter that says where nothing is to be found, at most; fewer only if they are enough to be exact.
const FILTER: usize = 1 << 20;

/// Rules by what they are found by.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleIndex {
    rules: Vec<Rule>,
    tests: Vec<Test>,
    /// For each tag, where to look for rules that change it.
    probes: Vec<Vec<Probe>>,
    /// Whether there is a rule for a number of a column and a probe: the bits of a number are side by side.
    filter: Vec<u64>,
    table: HashTable<Slot>,
    /// Those of a slot side by side and ascending.
    entries: Vec<Entry>,
}

/// A rule with its conditions in `tests`, that by which it is found first.
#[derive(Clone, Copy, Debug)]
struct Rule {
    from: Tag,
    to: Tag,
    start: u32,
    end: u32,
}

/// That one of `rows` numbers of the window, the first at `cell`, is this.
#[derive(Clone, Copy, Debug)]
struct Test {
    cell: u8,
    rows: u8,
    value: u32,
}

/// A number of the window by which rules may be found.
#[derive(Clone, Copy, Debug)]
struct Probe {
    cell: u8,
    /// The bit of value v is `bit` + v · `stride`.
    stride: u32,
    bit: u32,
    /// Of a tag and a feature.
    key: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    start: u32,
    end: u32,
}

/// A rule and its second condition, or one that always holds.
#[derive(Clone, Copy, Debug)]
struct Entry {
    rule: u32,
    second: Option<Test>,
}

/// Rules and words that may fit, the earliest first: the rule's number above the word's.
pub(crate) type Agenda = BinaryHeap<Reverse<u64>>;

fn key(from: Tag, feature: Feature) -> u32 {
    u32::from(from.0) << 8 | feature as u32
}

#[inline]
fn mix(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 29
}

impl Test {
    fn new(names: &Names, condition: &Condition) -> Option<Self> {
        let (cell, rows) = cells(condition.feature);
        Some(Self { cell, rows, value: names.value(Column::of(condition.feature), condition.value)? })
    }

    #[inline]
    fn holds(self, window: &[u32; WINDOW]) -> bool {
        let first = usize::from(self.cell);
        (0..usize::from(self.rows)).any(|row| window.get(first + row * COLUMNS) == Some(&self.value))
    }
}

impl RuleIndex {
    pub(crate) fn new(rules: &[ContextualRule], names: &Names, tags: usize) -> Self {
        let mut index = Self { probes: vec![Vec::new(); tags], ..Self::default() };
        let mut keyed: Vec<(u64, Feature, u32)> = Vec::new();
        for (n, rule) in rules.iter().enumerate() {
            let mut conditions: Vec<&Condition> = rule.conditions.iter().collect();
            conditions.sort_by_key(|c| c.feature);
            let start = index.tests.len();
            index.tests.extend(conditions.iter().map_while(|c| Test::new(names, c)));
            let end = index.tests.len();
            // A rule without conditions is none, and one with a condition that never holds is never found.
            if let [first, ..] = index.tests[start..]
                && end - start == conditions.len()
            {
                let feature = conditions[0].feature;
                keyed.push((
                    u64::from(key(rule.from, feature)) << 32 | u64::from(first.value),
                    feature,
                    n as u32,
                ));
            }
            index.rules.push(Rule { from: rule.from, to: rule.to, start: start as u32, end: end as u32 });
        }
        keyed.sort_unstable_by_key(|&(key, _, n)| (key, n));
        index.filter(names, &keyed);
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            let (key, start) = (group[0].0, index.entries.len() as u32);
            for &(_, _, rule) in group {
                let Rule { start, end, .. } = index.rules[rule as usize];
                let second = index.tests[start as usize..end as usize].get(1).copied();
                index.entries.push(Entry { rule, second });
            }
            let slot = Slot { key, start, end: index.entries.len() as u32 };
            index.table.insert_unique(mix(key), slot, |s| mix(s.key));
        }
        index
    }

    /// Makes the probes of each tag, and the filter: for each column a table of numbers by (tag, feature).
    fn filter(&mut self, names: &Names, keyed: &[(u64, Feature, u32)]) {
        let mut features: Vec<(u32, Feature)> =
            keyed.iter().map(|&(k, feature, _)| ((k >> 32) as u32, feature)).collect();
        features.dedup();
        let of = |column| features.iter().filter(move |(_, feature)| Column::of(*feature) == column);
        let mut bits = 0_usize;
        for column in [Column::Word, Column::Suffix3, Column::Suffix2, Column::Shape, Column::Tag] {
            let stride = of(column).count();
            for (n, &(key, feature)) in of(column).enumerate() {
                let (cell, rows) = cells(feature);
                let probe = |row: u8| Probe {
                    cell: cell + row * COLUMNS as u8,
                    stride: stride as u32,
                    bit: bits.wrapping_add(n) as u32,
                    key,
                };
                self.probes[(key >> 8) as usize].extend((0..rows).map(probe));
            }
            bits = bits.saturating_add(stride * names.size(column));
        }
        self.filter = vec![0; bits.next_power_of_two().clamp(64, FILTER) / 64];
        for &(k, _, _) in keyed {
            let key = (k >> 32) as u32;
            if let Some(probe) = self.probes[(key >> 8) as usize].iter().find(|p| p.key == key) {
                let (at, bit) = self.bit(probe, k as u32);
                self.filter[at] |= 1 << bit;
            }
        }
    }

    #[inline]
    fn bit(&self, probe: &Probe, value: u32) -> (usize, u32) {
        let bit = value.wrapping_mul(probe.stride).wrapping_add(probe.bit);
        ((bit / 64) as usize & (self.filter.len() - 1), bit % 64)
    }

    /// Puts the rules from number `least` on that fit word `i` now, and may change it, on the agenda.
    #[inline]
    fn look_up(&self, from: Tag, window: &[u32; WINDOW], least: u32, mut fits: impl FnMut(u32)) {
        for probe in &self.probes[from.index()] {
            let Some(&value) = window.get(usize::from(probe.cell)) else { continue };
            let (at, bit) = self.bit(probe, value);
            if self.filter[at] >> bit & 1 == 0 {
                continue;
            }
            let key = u64::from(probe.key) << 32 | u64::from(value);
            let Some(slot) = self.table.find(mix(key), |s| s.key == key) else { continue };
            for entry in &self.entries[slot.start as usize..slot.end as usize] {
                if entry.rule >= least
                    && entry.second.is_none_or(|test| test.holds(window))
                    && self.tests(entry.rule).skip(2).all(|test| test.holds(window))
                {
                    fits(entry.rule);
                }
            }
        }
    }

    fn tests(&self, rule: u32) -> impl Iterator<Item = &Test> {
        let Rule { start, end, .. } = self.rules[rule as usize];
        self.tests[start as usize..end as usize].iter()
    }

    /// Applies all rules in their order. `may` says whether a word may get a tag; of words that may get none but the
    /// one they have, `fixed` saves the looking up.
    pub(crate) fn apply(
        &self,
        view: &mut View,
        fixed: impl Fn(usize) -> bool,
        may: impl Fn(usize, Tag) -> bool,
        tags: &mut [Tag],
        agenda: &mut Agenda,
    ) {
        agenda.clear();
        let look_up = |view: &View, i: usize, from: Tag, least: u32, agenda: &mut Agenda| {
            self.look_up(from, view.window(i), least, |rule| {
                if may(i, self.rules[rule as usize].to) {
                    agenda.push(Reverse(u64::from(rule) << 32 | i as u64));
                }
            });
        };
        for (i, &tag) in tags.iter().enumerate() {
            if !fixed(i) {
                look_up(view, i, tag, 0, agenda);
            }
        }
        while let Some(Reverse(next)) = agenda.pop() {
            let (n, i) = ((next >> 32) as u32, next as u32 as usize);
            let Rule { from, to, .. } = self.rules[n as usize];
            if tags[i] != from || !self.tests(n).all(|test| test.holds(view.window(i))) {
                continue;
            }
            tags[i] = to;
            view.set_tag(i, to);
            let seen = tags.iter().enumerate().take(i + REACH + 1).skip(i.saturating_sub(REACH));
            for (other, &tag) in seen {
                if !fixed(other) {
                    // The rule itself goes on to the right; where it has been, it is over.
                    let least = if other > i { n } else { n + 1 };
                    look_up(view, other, tag, least, agenda);
                }
            }
        }
    }
}
