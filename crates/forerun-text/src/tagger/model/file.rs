//! The file of a model.
//!
//! `FRTAGGER`, the version (1) and a check of the rest, eight bytes each; then numbers in base 128, in this order:
//! tags; words of the lexicon in ascending order, each with its candidates; transitions; endings; lexical rules;
//! contextual rules. A reader refuses other versions and whatever is damaged.

use std::fs;
use std::path::Path;

use super::super::contextual::{Condition, ContextualRule, Feature, NO_WORD, ValueKind};
use super::super::guess::Guesser;
use super::super::lexical::{LexicalRule, Pairs, Test};
use super::super::lexicon::{Candidate, Lexicon};
use super::super::tags::{BOUNDARY, Tag, TagSet};
use super::super::transitions::Transitions;
use super::bytes::{Reader, Writer, check};
use super::{Model, Start};
use crate::error::TextError;

const MAGIC: &[u8; 8] = b"FRTAGGER";
const VERSION: u64 = 1;
const HEAD: usize = 24;

impl Model {
    /// Reads a model from its file, or [Brill's files](Self::brill_directory) from a directory.
    ///
    /// # Errors
    /// If the file cannot be read, is no model, of another version, or damaged; as for Brill's files.
    pub fn load(path: &Path) -> Result<Self, TextError> {
        if path.is_dir() {
            return Self::brill_directory(path);
        }
        let bytes = fs::read(path).map_err(|e| TextError::unread(path, &e))?;
        Self::from_bytes(&bytes, &path.display().to_string())
    }

    /// Writes the model's file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), TextError> {
        fs::write(path, self.to_bytes())
            .map_err(|e| TextError::new(format!("cannot write the model {}: {e}", path.display())))
    }

    /// The bytes of the model's file. The same model gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.number(self.tags.len() as u64 - 1);
        self.tags.iter().skip(1).for_each(|(_, name)| w.string(name));
        let numbers = write_lexicon(&mut w, &self.lexicon);
        match &self.start {
            Start::MostFrequent { capital, other } => {
                [0, capital.0, other.0].into_iter().for_each(|n| w.number(u64::from(n)));
            }
            Start::InContext { transitions, guesser } => {
                w.number(1);
                write_transitions(&mut w, transitions);
                write_guesser(&mut w, guesser);
            }
        }
        w.number(self.lexical.len() as u64);
        self.lexical.iter().for_each(|rule| write_lexical(&mut w, rule));
        w.number(self.pairs.len() as u64);
        self.pairs.iter().for_each(|pair| w.string(pair));
        w.number(self.contextual.len() as u64);
        for rule in &self.contextual {
            let head = [u64::from(rule.from.0), u64::from(rule.to.0), rule.conditions.len() as u64];
            head.into_iter().for_each(|n| w.number(n));
            for c in &rule.conditions {
                w.number(c.feature as u64);
                // Words are numbered in the order of the file; 0 is a word that no lexicon has.
                let word = || numbers.get(c.value as usize).map_or(0, |&n| u64::from(n) + 1);
                w.number(if c.feature.kind() == ValueKind::Word { word() } else { u64::from(c.value) });
            }
        }
        let mut file = MAGIC.to_vec();
        file.extend(VERSION.to_le_bytes());
        file.extend(check(&w.0).to_le_bytes());
        file.extend(w.0);
        file
    }

    /// Reads the bytes of a model's file, which errors call `name`.
    ///
    /// # Errors
    /// If they are no model, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, TextError> {
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        if !bytes.starts_with(MAGIC) {
            return Err(TextError::new(format!(
                "{name} is no tagger's model: expected a file that begins with FRTAGGER"
            )));
        }
        match word(8) {
            Some(VERSION) => {}
            other => {
                let other = other.map_or("none".to_owned(), |v| v.to_string());
                return Err(TextError::new(format!(
                    "{name} has version {other} and this program reads version {VERSION}: train it again"
                )));
            }
        }
        let mut r = Reader { name, bytes, at: HEAD };
        if word(16) != bytes.get(HEAD..).map(check) {
            return Err(r.wrong("its check does not fit"));
        }
        let mut tags = TagSet::default();
        for _ in 0..r.count("a number of tags")? {
            let tag = r.string()?;
            tags.put(tag).ok_or_else(|| r.wrong("there are too many tags"))?;
        }
        let lexicon = read_lexicon(&mut r, tags.len())?;
        let start = match r.number()? {
            0 => Start::MostFrequent { capital: tag(&mut r, tags.len())?, other: tag(&mut r, tags.len())? },
            _ => Start::InContext {
                transitions: Box::new(read_transitions(&mut r, tags.len())?),
                guesser: Box::new(read_guesser(&mut r, tags.len())?),
            },
        };
        let lexical = (0..r.count("a number of rules")?)
            .map(|_| read_lexical(&mut r, tags.len()))
            .collect::<Result<_, _>>()?;
        let mut pairs = Pairs::default();
        for _ in 0..r.count("a number of pairs")? {
            let (left, right) = r.string()?.split_once(' ').ok_or_else(|| r.wrong("a pair is one word"))?;
            pairs.put(left, right);
        }
        let mut contextual = Vec::new();
        for _ in 0..r.count("a number of rules")? {
            let (from, to) = (tag(&mut r, tags.len())?, tag(&mut r, tags.len())?);
            let mut conditions = Vec::new();
            for _ in 0..r.below(4, "a number of conditions")? {
                let feature = Feature::ALL[r.below(Feature::ALL.len(), "a feature")?];
                let value = match feature.kind() {
                    ValueKind::Word => match r.below(lexicon.len() + 1, "a word")? {
                        0 => NO_WORD,
                        n => n as u32 - 1,
                    },
                    ValueKind::Tag => u32::from(tag(&mut r, tags.len())?.0),
                    ValueKind::Plain => r.below(1 << 24, "a value")? as u32,
                };
                conditions.push(Condition { feature, value });
            }
            contextual.push(ContextualRule { from, to, conditions });
        }
        Ok(Self { tags, lexicon, start, lexical, pairs, contextual })
    }
}

fn tag(r: &mut Reader<'_>, tags: usize) -> Result<Tag, TextError> {
    Ok(Tag(r.below(tags, "a tag")? as u16))
}

fn write_candidates(w: &mut Writer, list: &[Candidate]) {
    w.number(list.len() as u64);
    for c in list {
        w.number(u64::from(c.tag.0));
        w.number(u64::from(c.cost));
    }
}

fn read_candidates(r: &mut Reader<'_>, tags: usize, list: &mut Vec<Candidate>) -> Result<(), TextError> {
    list.clear();
    for _ in 0..r.below(256, "a number of candidates")? {
        let tag = tag(r, tags)?;
        list.push(Candidate { tag, cost: r.below(1 << 16, "a cost")? as u16 });
    }
    Ok(())
}

/// Writes the words in ascending order; gives the number there of each word of the lexicon.
fn write_lexicon(w: &mut Writer, lexicon: &Lexicon) -> Vec<u32> {
    let mut order: Vec<u32> = (0..lexicon.len() as u32).collect();
    order.sort_by_key(|&n| lexicon.word(n));
    let mut numbers = vec![0; order.len()];
    w.number(order.len() as u64);
    let mut before = "";
    for (number, &n) in order.iter().enumerate() {
        numbers[n as usize] = number as u32;
        w.front(before, lexicon.word(n));
        before = lexicon.word(n);
        write_candidates(w, lexicon.candidates(n));
    }
    numbers
}

fn read_lexicon(r: &mut Reader<'_>, tags: usize) -> Result<Lexicon, TextError> {
    let (mut lexicon, mut word, mut list) = (Lexicon::default(), String::new(), Vec::new());
    for _ in 0..r.count("a number of words")? {
        r.front(&mut word)?;
        read_candidates(r, tags, &mut list)?;
        lexicon.push(&word, &list).ok_or_else(|| r.wrong("a word comes twice"))?;
    }
    if lexicon.is_empty() {
        lexicon.name(BOUNDARY);
    }
    Ok(lexicon)
}

fn write_transitions(w: &mut Writer, t: &Transitions) {
    t.pairs().iter().for_each(|&cost| w.number(u64::from(cost)));
    w.number(t.triples().len() as u64);
    let mut before = 0;
    for (triple, cost) in t.triples() {
        let key = triple.iter().fold(0, |key, tag| key * t.tags() as u64 + u64::from(tag.0));
        w.number(key - before);
        w.number(u64::from(*cost));
        before = key;
    }
}

fn read_transitions(r: &mut Reader<'_>, tags: usize) -> Result<Transitions, TextError> {
    let mut pairs = Vec::with_capacity(tags * tags);
    for _ in 0..tags * tags {
        pairs.push(r.below(1 << 16, "a cost")? as u16);
    }
    let (mut triples, mut key) = (Vec::new(), 0);
    for n in 0..r.count("a number of triples")? {
        let step = r.below(tags.pow(3) - key, "a triple")?;
        if step == 0 && n > 0 {
            return Err(r.wrong("a triple comes twice"));
        }
        key += step;
        let part = |n: usize| Tag((n % tags) as u16);
        triples.push((
            [part(key / tags / tags), part(key / tags), part(key)],
            r.below(1 << 16, "a cost")? as u16,
        ));
    }
    Ok(Transitions::new(tags, pairs, triples))
}

fn write_guesser(w: &mut Writer, g: &Guesser) {
    g.prior.iter().for_each(|&cost| w.number(u64::from(cost)));
    let mut order: Vec<u32> = (0..g.endings.len() as u32).collect();
    order.sort_by_key(|&n| g.endings.get(n));
    w.number(order.len() as u64);
    let mut before = "";
    for n in order {
        w.front(before, g.endings.get(n));
        before = g.endings.get(n);
        write_candidates(w, &g.of_ending[n as usize]);
    }
    w.number(g.of_rule.len() as u64);
    g.of_rule.iter().for_each(|list| write_candidates(w, list));
}

fn read_guesser(r: &mut Reader<'_>, tags: usize) -> Result<Guesser, TextError> {
    let mut g = Guesser::default();
    for _ in 0..tags {
        g.prior.push(r.below(1 << 16, "a cost")? as u16);
    }
    let (mut ending, mut list) = (String::new(), Vec::new());
    for n in 0..r.count("a number of endings")? {
        r.front(&mut ending)?;
        if g.endings.put(&ending) as usize != n {
            return Err(r.wrong("an ending comes twice"));
        }
        read_candidates(r, tags, &mut list)?;
        g.of_ending.push(list.clone());
    }
    for _ in 0..r.count("a number of rules")? {
        read_candidates(r, tags, &mut list)?;
        g.of_rule.push(list.clone());
    }
    Ok(g)
}

fn write_lexical(w: &mut Writer, rule: &LexicalRule) {
    w.number(rule.from.map_or(0, |tag| u64::from(tag.0) + 1));
    w.number(u64::from(rule.to.0));
    let (kind, string, number) = match &rule.test {
        Test::Prefix(x) => (0, Some(x), None),
        Test::Suffix(x) => (1, Some(x), None),
        Test::AddPrefix(x) => (2, Some(x), None),
        Test::AddSuffix(x) => (3, Some(x), None),
        Test::DeletePrefix(x) => (4, Some(x), None),
        Test::DeleteSuffix(x) => (5, Some(x), None),
        Test::Has(x) => (6, Some(x), None),
        Test::LeftOf(x) => (7, Some(x), None),
        Test::RightOf(x) => (8, Some(x), None),
        Test::StemIs(x, tag) => (9, Some(x), Some(tag.0)),
        Test::RestIs(x, tag) => (10, Some(x), Some(tag.0)),
        Test::LowerIs(tag) => (11, None, Some(tag.0)),
        Test::TailIs(tag) => (12, None, Some(tag.0)),
        Test::HeadIs(tag) => (13, None, Some(tag.0)),
        Test::Shape(shape) => (14, None, Some(u16::from(*shape))),
    };
    w.number(kind);
    string.iter().for_each(|x| w.string(x));
    number.iter().for_each(|&n| w.number(u64::from(n)));
}

fn read_lexical(r: &mut Reader<'_>, tags: usize) -> Result<LexicalRule, TextError> {
    let from = r.below(tags + 1, "a tag")?.checked_sub(1).map(|n| Tag(n as u16));
    let to = tag(r, tags)?;
    let kind = r.below(15, "a test")?;
    let x = if kind < 11 { r.string()?.to_owned() } else { String::new() };
    let test = match kind {
        0 => Test::Prefix(x),
        1 => Test::Suffix(x),
        2 => Test::AddPrefix(x),
        3 => Test::AddSuffix(x),
        4 => Test::DeletePrefix(x),
        5 => Test::DeleteSuffix(x),
        6 => Test::Has(x),
        7 => Test::LeftOf(x),
        8 => Test::RightOf(x),
        9 => Test::StemIs(x, tag(r, tags)?),
        10 => Test::RestIs(x, tag(r, tags)?),
        11 => Test::LowerIs(tag(r, tags)?),
        12 => Test::TailIs(tag(r, tags)?),
        13 => Test::HeadIs(tag(r, tags)?),
        _ => Test::Shape(r.below(256, "a shape")? as u8),
    };
    Ok(LexicalRule { from, test, to })
}
