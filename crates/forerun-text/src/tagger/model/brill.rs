//! Brill's own three files: LEXICON, LEXICALRULEFILE and CONTEXTUALRULEFILE, as distributed with his tagger 1.14.
//!
//! They are applied as published: the most frequent tag of a known word; NNP or NN by the first letter, then the
//! lexical rules, for an unknown one; each contextual rule in turn, from left to right with immediate effect, never
//! giving a known word a tag that the lexicon does not list for it. Outside of a sentence is `STAART` on both sides.

use std::fs;
use std::path::Path;

use super::super::contextual::{Condition, ContextualRule, Feature, ValueKind};
use super::super::lexical::{LexicalRule, Pairs, Test};
use super::super::lexicon::{Candidate, Lexicon};
use super::super::tags::{MOST, Tag, TagSet};
use super::{Model, Start};
use crate::error::TextError;

/// The texts of Brill's files, with the names that errors give them.
#[derive(Clone, Copy, Debug)]
pub struct BrillFiles<'a> {
    /// `word tag tag …`, the most frequent tag first.
    pub lexicon: (&'a str, &'a str),
    /// Rules for unknown words, such as `NN ed fhassuf 2 VBN x`.
    pub lexical: (&'a str, &'a str),
    /// Contextual rules, such as `NN VB PREVTAG TO`.
    pub contextual: (&'a str, &'a str),
    /// Pairs of neighbouring words (BIGRAMS), for the rules that ask for them; may be empty.
    pub bigrams: (&'a str, &'a str),
}

impl Model {
    /// Reads Brill's files from a directory: LEXICON, LEXICALRULEFILE, CONTEXTUALRULEFILE, and BIGRAMS if it is
    /// there.
    ///
    /// # Errors
    /// If a file cannot be read, or a line of it is not as expected.
    pub fn brill_directory(directory: &Path) -> Result<Self, TextError> {
        let read = |name: &str| {
            let path = directory.join(name);
            let bytes = fs::read(&path).map_err(|e| TextError::unread(&path, &e))?;
            Ok::<_, TextError>((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
        };
        let [lexicon, lexical, contextual] =
            [read("LEXICON")?, read("LEXICALRULEFILE")?, read("CONTEXTUALRULEFILE")?];
        let bigrams = if directory.join("BIGRAMS").exists() { read("BIGRAMS")? } else { Default::default() };
        Self::brill(BrillFiles {
            lexicon: (&lexicon.0, &lexicon.1),
            lexical: (&lexical.0, &lexical.1),
            contextual: (&contextual.0, &contextual.1),
            bigrams: (&bigrams.0, &bigrams.1),
        })
    }

    /// Makes a model of the texts of Brill's files.
    ///
    /// # Errors
    /// If a line is not as expected.
    pub fn brill(files: BrillFiles<'_>) -> Result<Self, TextError> {
        let mut reader = Reader { tags: TagSet::default(), lexicon: Lexicon::default() };
        let (name, text) = files.lexicon;
        for (number, line) in text.lines().enumerate() {
            reader.word(line).map_err(|e| TextError::line(name, number + 1, e))?;
        }
        let other = reader.tag("NN").map_err(|e| TextError::line(name, 1, e))?;
        let capital = reader.tag("NNP").map_err(|e| TextError::line(name, 1, e))?;
        let mut pairs = Pairs::default();
        for line in files.bigrams.1.lines() {
            if let [left, right] = line.split_whitespace().collect::<Vec<_>>()[..] {
                pairs.put(left, right);
            }
        }
        let (name, text) = files.lexical;
        let mut lexical = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            lexical.push(reader.lexical(line).map_err(|e| TextError::line(name, number + 1, e))?);
        }
        let (name, text) = files.contextual;
        let mut contextual = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            contextual.push(reader.contextual(line).map_err(|e| TextError::line(name, number + 1, e))?);
        }
        let Reader { tags, lexicon } = reader;
        Ok(Self { tags, lexicon, start: Start::MostFrequent { capital, other }, lexical, pairs, contextual })
    }
}

struct Reader {
    tags: TagSet,
    lexicon: Lexicon,
}

impl Reader {
    fn tag(&mut self, name: &str) -> Result<Tag, String> {
        self.tags.put(name).ok_or_else(|| format!("tag {name} is one more than the {MOST} that there can be"))
    }

    fn word(&mut self, line: &str) -> Result<(), String> {
        let mut parts = line.split_whitespace();
        let Some(word) = parts.next() else { return Ok(()) };
        let mut candidates = Vec::new();
        for name in parts {
            candidates.push(Candidate { tag: self.tag(name)?, cost: 0 });
        }
        if candidates.is_empty() {
            return Err(format!("{word} has no tag: expected a word and its tags"));
        }
        // Of a word that is listed twice the first line counts.
        self.lexicon.push(word, &candidates);
        Ok(())
    }

    fn lexical(&mut self, line: &str) -> Result<LexicalRule, String> {
        let parts: Vec<&str> = line.split_whitespace().collect();
        let keyword = |n: usize| parts.get(n).copied().unwrap_or_default();
        // With `f` before its name, a test is made only of words that have the tag in front.
        let (from, x, name, rest) = match keyword(2).strip_prefix('f') {
            Some(name) => (Some(self.tag(keyword(0))?), keyword(1), name, 3),
            None => (None, keyword(0), keyword(1), 2),
        };
        let x = x.to_owned();
        let (test, counted) = match name {
            "haspref" => (Test::Prefix(x), true),
            "hassuf" => (Test::Suffix(x), true),
            "addpref" => (Test::AddPrefix(x), true),
            "addsuf" => (Test::AddSuffix(x), true),
            "deletepref" => (Test::DeletePrefix(x), true),
            "deletesuf" => (Test::DeleteSuffix(x), true),
            "char" => (Test::Has(x), false),
            "goodleft" => (Test::LeftOf(x), false),
            "goodright" => (Test::RightOf(x), false),
            _ => {
                return Err(format!("expected a lexical rule such as `NN ed fhassuf 2 VBN x`, not `{line}`"));
            }
        };
        let to = parts.get(rest + usize::from(counted));
        let to = to.ok_or_else(|| format!("`{line}` does not say which tag the word gets"))?;
        Ok(LexicalRule { from, test, to: self.tag(to)? })
    }

    fn contextual(&mut self, line: &str) -> Result<ContextualRule, String> {
        use Feature as F;
        let parts: Vec<&str> = line.split_whitespace().collect();
        let [from, to, name, ref values @ ..] = parts[..] else {
            return Err(format!("expected a contextual rule such as `NN VB PREVTAG TO`, not `{line}`"));
        };
        let features: &[Feature] = match name.to_ascii_uppercase().as_str() {
            "PREVTAG" => &[F::TagBefore],
            "NEXTTAG" => &[F::TagAfter],
            "PREV2TAG" => &[F::TagTwoBefore],
            "NEXT2TAG" => &[F::TagTwoAfter],
            "PREV1OR2TAG" => &[F::TagInTwoBefore],
            "NEXT1OR2TAG" => &[F::TagInTwoAfter],
            "PREV1OR2OR3TAG" => &[F::TagInThreeBefore],
            "NEXT1OR2OR3TAG" => &[F::TagInThreeAfter],
            "CURWD" => &[F::Word],
            "PREVWD" => &[F::WordBefore],
            "NEXTWD" => &[F::WordAfter],
            "PREV2WD" => &[F::WordTwoBefore],
            "NEXT2WD" => &[F::WordTwoAfter],
            "PREV1OR2WD" => &[F::WordInTwoBefore],
            "NEXT1OR2WD" => &[F::WordInTwoAfter],
            "PREV1OR2OR3WD" => &[F::WordInThreeBefore],
            "NEXT1OR2OR3WD" => &[F::WordInThreeAfter],
            "SURROUNDTAG" => &[F::TagBefore, F::TagAfter],
            "PREVBIGRAM" => &[F::TagTwoBefore, F::TagBefore],
            "NEXTBIGRAM" => &[F::TagAfter, F::TagTwoAfter],
            "LBIGRAM" => &[F::WordBefore, F::Word],
            "RBIGRAM" => &[F::Word, F::WordAfter],
            "WDPREVTAG" => &[F::TagBefore, F::Word],
            "WDNEXTTAG" => &[F::Word, F::TagAfter],
            "WDAND2AFT" => &[F::Word, F::WordTwoAfter],
            "WDAND2BFR" => &[F::WordTwoBefore, F::Word],
            "WDAND2TAGAFT" => &[F::Word, F::TagTwoAfter],
            "WDAND2TAGBFR" => &[F::TagTwoBefore, F::Word],
            _ => return Err(format!("{name} is no kind of contextual rule that Brill's tagger knows")),
        };
        if values.len() < features.len() {
            return Err(format!("{name} needs {} values, `{line}` has {}", features.len(), values.len()));
        }
        let mut conditions = Vec::new();
        for (&feature, value) in features.iter().zip(values) {
            let value = match feature.kind() {
                ValueKind::Word => self.lexicon.name(value),
                _ => u32::from(self.tag(value)?.0),
            };
            conditions.push(Condition { feature, value });
        }
        let (from, to) = (self.tag(from)?, self.tag(to)?);
        conditions.sort();
        Ok(ContextualRule { from, to, conditions })
    }
}
