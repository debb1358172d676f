//! Learning contextual rules (Brill 1992) with scores that are kept up to date.
//!
//! Of every rule that would put something right, the words that it puts right and those that it puts wrong are
//! counted once; when a rule has been applied, only the words that can see a changed tag are counted anew (after
//! Ngai and Florian, *Transformation-Based Learning in the Fast Lane*, 2001). Rules that only later errors suggest
//! come in when everything is counted again, which happens after every few hundred rules.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::super::contextual::{Condition, ContextualRule, NO_WORD, Sentence, ValueKind, suffix};
use super::super::lexicon::Lexicon;
use super::super::shape::Shape;
use super::super::tags::{BOUNDARY, Tag};
use super::super::view::REACH;
use super::super::{Tagger, Workspace};
use super::corpus::Corpus;
use super::counts::Tagged;
use super::eval::shapes;
use super::templates::TEMPLATES;

/// After so many rules everything is counted again.
const EPOCH: usize = 500;

/// What tags a word may get.
#[derive(Clone, Copy, PartialEq)]
enum May {
    /// Any: it is unknown.
    Any,
    /// Those in this stretch of the list.
    These(u32, u32),
}

/// Held-out text with start tags. Sentences are side by side with room between them that is outside of both.
pub(crate) struct Text {
    words: Vec<u32>,
    suffixes: Vec<u32>,
    shapes: Vec<Shape>,
    tags: Vec<Tag>,
    truth: Vec<Tag>,
    may: Vec<May>,
    allowed: Vec<Tag>,
    boundary: u32,
}

/// Rules of the same conditions that change the same tag are linked; all of them are of one instance.
struct Candidate {
    from: Tag,
    to: Tag,
    good: u32,
    bad: u32,
    /// It did less good than its score said.
    banned: bool,
    instance: u32,
    next: u32,
}

struct Instance {
    template: u8,
    values: [u32; 3],
    rules: u32,
}

const NONE: u32 = u32::MAX;

#[derive(Default)]
struct Scores {
    by_key: HashMap<u64, u32, FxBuildHasher>,
    instances: Vec<Instance>,
    rules: Vec<Candidate>,
}

impl Text {
    pub(crate) fn new(corpus: &Corpus) -> Self {
        let mut text = Self {
            words: Vec::new(),
            suffixes: Vec::new(),
            shapes: Vec::new(),
            tags: Vec::new(),
            truth: Vec::new(),
            may: Vec::new(),
            allowed: Vec::new(),
            boundary: corpus.words.find(BOUNDARY).unwrap_or(NO_WORD),
        };
        text.gap();
        text
    }

    fn gap(&mut self) {
        for _ in 0..REACH {
            self.push(self.boundary, 0, Shape::Outside, [Tag::BOUNDARY; 2], May::These(0, 0));
        }
    }

    fn push(&mut self, word: u32, suffix: u32, shape: Shape, [tag, truth]: [Tag; 2], may: May) {
        self.words.push(word);
        self.suffixes.push(suffix);
        self.shapes.push(shape);
        self.tags.push(tag);
        self.truth.push(truth);
        self.may.push(may);
    }

    /// Adds sentences that the tagger has not seen, with the start tags that it gives them.
    pub(crate) fn add(&mut self, corpus: &Corpus, tagger: &Tagger, sentences: &[&Tagged]) {
        let mut space = Workspace::default();
        for sentence in sentences {
            let spelled = || sentence.iter().map(|&(word, _)| corpus.words.get(word));
            tagger.start(spelled(), &mut space);
            let shapes = shapes(spelled());
            for (i, &(word, truth)) in sentence.iter().enumerate() {
                let may = match tagger.known_candidates(&space, i) {
                    None => May::Any,
                    Some(list) => {
                        let start = self.allowed.len() as u32;
                        self.allowed.extend(list.iter().map(|c| c.tag));
                        May::These(start, self.allowed.len() as u32)
                    }
                };
                let suffix = suffix(corpus.words.get(word));
                self.push(word, suffix, shapes[i], [space.tags()[i], truth], may);
            }
            self.gap();
        }
    }

    /// How many words have a wrong tag.
    fn errors(&self) -> usize {
        self.tags.iter().zip(&self.truth).filter(|(a, b)| a != b).count()
    }

    fn may(&self, i: usize, tag: Tag) -> bool {
        match self.may[i] {
            May::Any => true,
            May::These(start, end) => self.allowed[start as usize..end as usize].contains(&tag),
        }
    }

    fn is_fixed(&self, i: usize) -> bool {
        matches!(self.may[i], May::These(start, end) if end - start < 2)
    }

    fn sentence(&self) -> Sentence<'_> {
        let Self { words, suffixes, shapes, tags, boundary, .. } = self;
        Sentence { words, suffixes, shapes, tags, boundary: *boundary }
    }

    /// Calls `each` with the key, template and values of every instance of a template at word `i`.
    fn instances(&self, i: usize, mut each: impl FnMut(u64, u8, [u32; 3])) {
        let sentence = self.sentence();
        // Rules that change different tags are never looked at together.
        let tag = self.tags[i];
        for (number, template) in TEMPLATES.iter().enumerate() {
            let mut values = [0_u32; 3];
            let mut range = None;
            for (slot, &feature) in template.iter().enumerate() {
                let (from, to) = feature.reach();
                values[slot] = sentence.value(feature, i, from);
                if to > from {
                    range = Some((slot, feature, from, to));
                }
            }
            each(key(number, tag, values), number as u8, values);
            let Some((slot, feature, from, to)) = range else { continue };
            let seen = |offset| sentence.value(feature, i, offset);
            for offset in from + 1..=to {
                values[slot] = seen(offset);
                if (from..offset).all(|before| seen(before) != values[slot]) {
                    each(key(number, tag, values), number as u8, values);
                }
            }
        }
    }

    /// Counts all rules that would put at least `least` words right.
    fn scores(&self, least: u32) -> Scores {
        let mut scores = Scores::default();
        for i in 0..self.tags.len() {
            let (tag, truth) = (self.tags[i], self.truth[i]);
            if tag != truth && self.may(i, truth) {
                self.instances(i, |key, template, values| {
                    scores.suggest(key, template, values, tag, truth);
                });
            }
        }
        scores.prune(least);
        for i in 0..self.tags.len() {
            if self.tags[i] == self.truth[i] {
                self.count(i, 1, &mut scores);
            }
        }
        scores
    }

    /// Adds word `i` to the counts of the rules that fit it, or takes it away.
    fn count(&self, i: usize, sign: i32, scores: &mut Scores) {
        if self.is_fixed(i) {
            return;
        }
        let (tag, truth) = (self.tags[i], self.truth[i]);
        self.instances(i, |key, _, _| {
            let Some(&instance) = scores.by_key.get(&key) else { return };
            let mut at = scores.instances[instance as usize].rules;
            while at != NONE {
                let rule = &mut scores.rules[at as usize];
                at = rule.next;
                if rule.from == tag && self.may(i, rule.to) {
                    if rule.to == truth {
                        rule.good = rule.good.wrapping_add_signed(sign);
                    } else if tag == truth {
                        rule.bad = rule.bad.wrapping_add_signed(sign);
                    }
                }
            }
        });
    }

    /// Learns at most `most` rules, each of which makes at least `least` words right, on balance.
    pub(crate) fn learn(
        mut self,
        most: usize,
        least: u32,
        progress: &mut dyn FnMut(&str),
    ) -> Vec<ContextualRule> {
        let mut rules: Vec<ContextualRule> = Vec::new();
        progress(&format!("{} of {} words are wrong", self.errors(), self.tags.len()));
        loop {
            let mut scores = self.scores(least);
            let before = rules.len();
            while rules.len() < most && rules.len() < before + EPOCH {
                let Some((number, rule)) = scores.best(least) else { break };
                if self.apply(&rule, least, &mut scores) {
                    rules.push(rule);
                } else {
                    scores.rules[number].banned = true;
                }
            }
            progress(&format!("{} contextual rules, {} words are wrong", rules.len(), self.errors()));
            if rules.len() < before + EPOCH / 20 || rules.len() == most {
                return rules;
            }
        }
    }

    /// Applies a rule from left to right and keeps the scores up to date. A rule that sees its own changes may
    /// do less good than its score says: then nothing is changed, and the answer is no.
    fn apply(&mut self, rule: &ContextualRule, least: u32, scores: &mut Scores) -> bool {
        let mut changed = Vec::new();
        for i in REACH..self.tags.len() - REACH {
            if self.tags[i] == rule.from && self.sentence().fits(rule, i) && self.may(i, rule.to) {
                self.tags[i] = rule.to;
                changed.push(i);
            }
        }
        let is = |tag: Tag| changed.iter().filter(|&&i| self.truth[i] == tag).count();
        let enough = is(rule.to) >= is(rule.from) + least as usize;
        changed.iter().for_each(|&i| self.tags[i] = rule.from);
        if enough {
            for i in changed {
                let around = i - REACH..=i + REACH;
                around.clone().for_each(|j| self.count(j, -1, scores));
                self.tags[i] = rule.to;
                around.for_each(|j| self.count(j, 1, scores));
            }
        }
        enough
    }
}

impl Scores {
    fn suggest(&mut self, key: u64, template: u8, values: [u32; 3], from: Tag, to: Tag) {
        let instance = *self.by_key.entry(key).or_insert_with(|| {
            self.instances.push(Instance { template, values, rules: NONE });
            self.instances.len() as u32 - 1
        });
        let mut at = self.instances[instance as usize].rules;
        while at != NONE {
            let rule = &mut self.rules[at as usize];
            if rule.from == from && rule.to == to {
                rule.good += 1;
                return;
            }
            at = rule.next;
        }
        let next = self.instances[instance as usize].rules;
        self.instances[instance as usize].rules = self.rules.len() as u32;
        self.rules.push(Candidate { from, to, good: 1, bad: 0, banned: false, instance, next });
    }

    /// Forgets the rules that put fewer words right.
    fn prune(&mut self, least: u32) {
        let old = std::mem::take(self);
        let mut kept: Vec<Instance> = Vec::new();
        let mut numbers = vec![NONE; old.instances.len()];
        for mut rule in old.rules {
            if rule.good < least {
                continue;
            }
            let number = &mut numbers[rule.instance as usize];
            if *number == NONE {
                *number = kept.len() as u32;
                let Instance { template, values, .. } = old.instances[rule.instance as usize];
                kept.push(Instance { template, values, rules: NONE });
            }
            let instance = &mut kept[*number as usize];
            (rule.instance, rule.next) = (*number, instance.rules);
            instance.rules = self.rules.len() as u32;
            self.rules.push(rule);
        }
        let renumbered = old.by_key.into_iter().map(|(key, n)| (key, numbers[n as usize]));
        self.by_key = renumbered.filter(|&(_, n)| n != NONE).collect();
        self.instances = kept;
    }

    /// The rule that puts most right on balance; of equal ones the simplest, then the first.
    fn best(&self, least: u32) -> Option<(usize, ContextualRule)> {
        let gain = |rule: &Candidate| i64::from(rule.good) - i64::from(rule.bad);
        let mut best: Option<(usize, &Candidate)> = None;
        let size =
            |rule: &Candidate| TEMPLATES[self.instances[rule.instance as usize].template as usize].len();
        for (n, rule) in
            self.rules.iter().enumerate().filter(|(_, r)| gain(r) >= i64::from(least) && !r.banned)
        {
            let better = match best {
                None => true,
                Some((_, b)) => gain(rule) > gain(b) || gain(rule) == gain(b) && size(rule) < size(b),
            };
            if better {
                best = Some((n, rule));
            }
        }
        let (number, &Candidate { from, to, instance, .. }) = best?;
        let Instance { template, values, .. } = self.instances[instance as usize];
        let conditions = TEMPLATES[template as usize]
            .iter()
            .zip(values)
            .map(|(&feature, value)| Condition { feature, value })
            .collect();
        Some((number, ContextualRule { from, to, conditions }))
    }
}

fn key(template: usize, from: Tag, values: [u32; 3]) -> u64 {
    // Distinct by 64 bits; two instances that met in one key would only be counted together.
    values.iter().fold((template as u64 + 1) << 16 | u64::from(from.0), |hash, &value| {
        let mixed = (hash ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    })
}

/// The rules with the words of the corpus numbered as the lexicon numbers them.
pub(crate) fn renumbered(
    corpus: &Corpus,
    mut rules: Vec<ContextualRule>,
    lexicon: &mut Lexicon,
) -> Vec<ContextualRule> {
    for condition in rules.iter_mut().flat_map(|rule| &mut rule.conditions) {
        if condition.feature.kind() == ValueKind::Word {
            let word = if condition.value == NO_WORD { BOUNDARY } else { corpus.words.get(condition.value) };
            condition.value = lexicon.name(word);
        }
    }
    rules
}
