//! From a document to its phrases.

use super::class::{Class, classes, refined};
use super::list::{Features, Occurrence};
use super::machine;
use crate::document::Document;
use crate::tagger::{Tagger, Workspace};
use crate::token::{Style, Tokens};

/// Finds the noun phrases of documents. It is not changed by that, so threads can share one.
#[derive(Clone, Debug)]
pub struct Extractor<'a> {
    tagger: &'a Tagger,
    classes: Vec<Class>,
    style: Style,
}

/// Room for one document, used again for the next.
#[derive(Debug, Default)]
pub struct Space {
    tokens: Tokens,
    tagging: Workspace,
    kinds: Vec<Class>,
    keys: String,
    found: Vec<(u32, u32, Occurrence)>,
}

impl<'a> Extractor<'a> {
    /// An extractor that tags with this tagger. Words are cut as the tagger's tagset expects: as in the Penn
    /// treebank if it has a tag for the possessive mark, else as in the Brown corpus.
    pub fn new(tagger: &'a Tagger) -> Self {
        let tags = &tagger.model().tags;
        let style = if tags.find("POS").is_some() { Style::Penn } else { Style::Brown };
        Self { tagger, classes: classes(tags), style }
    }

    /// The noun phrases of a document.
    pub fn phrases(&self, document: &Document) -> Features {
        self.phrases_in(document, &mut Space::default())
    }

    /// The noun phrases of a document, with room that is used again.
    pub fn phrases_in(&self, document: &Document, space: &mut Space) -> Features {
        let Space { tokens, tagging, kinds, keys, found } = space;
        keys.clear();
        found.clear();
        for field in &document.fields {
            self.each(&field.text, tokens, tagging, kinds, |tokens, kinds, first, end| {
                let from = keys.len() as u32;
                if !key(&field.text, tokens, kinds, first, end, keys) {
                    return;
                }
                let place = |at: u32| field.map.offset(&field.text, at as usize).character;
                let (first, last) = (tokens.all()[first], tokens.all()[end - 1]);
                // The end is that of the last character, wherever it came from.
                let length = field.text[first.start as usize..last.end as usize].chars().next_back();
                let length = length.map_or(0, |c| c.len_utf8() as u32);
                let occurrence = Occurrence {
                    field: field.number,
                    start: place(first.start),
                    end: place(last.end - length) + u64::from(length > 0),
                };
                found.push((from, keys.len() as u32, occurrence));
            });
        }
        let spelled = |f: &(u32, u32, Occurrence)| &keys[f.0 as usize..f.1 as usize];
        found.sort_unstable_by(|a, b| spelled(a).cmp(spelled(b)).then(a.2.cmp(&b.2)));
        let mut features = Features::default();
        for group in found.chunk_by(|a, b| spelled(a) == spelled(b)) {
            features.keys.push_str(spelled(&group[0]));
            features.occurrences.extend(group.iter().map(|f| f.2));
            features.ends.push((features.keys.len() as u32, features.occurrences.len() as u32));
        }
        features
    }

    /// The noun phrases of a text, as they are written and in their order; of each where it begins and ends in
    /// bytes, and its key.
    pub fn in_text(&self, text: &str) -> Vec<(std::ops::Range<usize>, String)> {
        let Space { mut tokens, mut tagging, mut kinds, .. } = Space::default();
        let mut list = Vec::new();
        self.each(text, &mut tokens, &mut tagging, &mut kinds, |tokens, kinds, first, end| {
            let mut out = String::new();
            if !key(text, tokens, kinds, first, end, &mut out) {
                return;
            }
            let bytes = tokens.all()[first].start as usize..tokens.all()[end - 1].end as usize;
            list.push((bytes, out));
        });
        list
    }

    /// Calls `found` with the first and the end token of each phrase; classes are of the tokens of its sentence,
    /// and `kinds[0]` is the class of token `first`.
    fn each(
        &self,
        text: &str,
        tokens: &mut Tokens,
        tagging: &mut Workspace,
        kinds: &mut Vec<Class>,
        mut found: impl FnMut(&Tokens, &[Class], usize, usize),
    ) {
        tokens.read(text, self.style);
        for sentence in 0..tokens.sentences() {
            let range = tokens.sentence(sentence);
            let start = range.start;
            self.tagger.tag_into(range.clone().map(|i| tokens.form(text, i)), tagging);
            kinds.clear();
            kinds.extend(tagging.tags().iter().zip(range).map(|(tag, i)| {
                let class = self.classes[tag.index()];
                refined(class, tokens.form(text, i))
            }));
            machine::phrases(
                kinds.len(),
                |i| kinds[i],
                |first, end| {
                    found(tokens, &kinds[first..end], start + first, start + end);
                },
            );
        }
    }
}

/// Appends the key of a phrase: its words in lower case with one space between, without determiners inside, and
/// without the possessive ending of the last word. Whether anything is left: an ending alone is no phrase.
fn key(text: &str, tokens: &Tokens, kinds: &[Class], first: usize, end: usize, out: &mut String) -> bool {
    let from = out.len();
    for (i, kind) in (first..end).zip(kinds) {
        if *kind == Class::Determiner {
            continue;
        }
        if out.len() > from && *kind != Class::PossessiveMark && *kind != Class::Comma {
            out.push(' ');
        }
        let form = tokens.form(text, i);
        if form.is_ascii() {
            out.extend(form.bytes().map(|b| b.to_ascii_lowercase() as char));
        } else {
            out.push_str(&form.to_lowercase());
        }
    }
    if kinds.last() == Some(&Class::Possessive) {
        let word = &out[from..];
        let less = word.strip_suffix("'s").or_else(|| word.strip_suffix('\'')).unwrap_or(word).len();
        let less = word[..less].trim_end().len();
        out.truncate(from + less);
    }
    out.len() > from
}
