//! Putting documents together from what the readers of markup find.

use super::config::Config;
use super::entity::reference;
use super::offsets::OffsetMap;
use super::{Document, Field};

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Document,
    Field(u16),
    LeftOut,
    Id,
}

/// Elements inside of a line; all others end a paragraph, and so do fields.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "mark", "q", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
    "tt", "u", "var", "wbr",
];

fn is_inline(name: &str) -> bool {
    INLINE.iter().any(|n| n.eq_ignore_ascii_case(name))
}

/// Elements open at once of those that mean something; deeper ones are taken as text of the last.
const DEEPEST: usize = 256;

/// Receives tags and text in the order of the file, and gives documents away.
pub(super) struct Builder<'a> {
    source: &'a str,
    config: &'a Config,
    give: &'a mut dyn FnMut(Document),
    /// How many bytes of the file precede the text; `None` if they are others.
    bytes_after: Option<usize>,
    open: Vec<(String, Role)>,
    fields: Vec<(String, OffsetMap)>,
    id: String,
    number: usize,
    left_out: Option<String>,
    /// Where text is taken from at the moment.
    into: Option<usize>,
    /// Characters before a byte of the source, both going up.
    counted: (usize, u64),
    /// Where the document at hand begins, and whether the file has elements that begin documents.
    began: usize,
    many: bool,
    pending_break: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        source: &'a str,
        config: &'a Config,
        bytes_after: Option<usize>,
        give: &'a mut dyn FnMut(Document),
    ) -> Self {
        let map = || (String::new(), OffsetMap::new(bytes_after.is_some()));
        let fields = config.fields.iter().map(|_| map()).collect();
        let mut builder = Self {
            source,
            config,
            give,
            bytes_after,
            open: Vec::new(),
            fields,
            id: String::new(),
            number: 0,
            left_out: None,
            into: None,
            counted: (0, 0),
            began: 0,
            many: false,
            pending_break: false,
        };
        builder.place();
        builder
    }

    fn role(&self, name: &str) -> Option<Role> {
        let is = |list: &[String]| list.iter().any(|n| n.eq_ignore_ascii_case(name));
        if is(&self.config.documents) {
            return Some(Role::Document);
        }
        if let Some(n) = self.config.fields.iter().position(|f| is(&f.elements)) {
            return Some(Role::Field(n as u16));
        }
        match () {
            () if is(&self.config.left_out) => Some(Role::LeftOut),
            () if is(&self.config.ids) => Some(Role::Id),
            () => None,
        }
    }

    /// Decides where text goes: an element that is left out hides all inside.
    fn place(&mut self) {
        self.into = match self.open.iter().rev().find(|(_, role)| *role != Role::Document) {
            _ if self.open.iter().any(|(_, role)| matches!(role, Role::LeftOut | Role::Id)) => None,
            Some((_, Role::Field(n))) => Some(usize::from(*n)),
            _ => self.config.rest,
        };
    }

    /// A start tag that begins at byte `at`. `attribute` gives the value of an attribute by its name.
    pub(super) fn start(&mut self, name: &str, at: usize, attribute: impl Fn(&str) -> Option<String>) {
        let role = self.role(name);
        // What becomes a field is taken out of the line.
        self.pending_break |= !is_inline(name) || matches!(role, Some(Role::Field(_) | Role::Document));
        let Some(role) = role else { return };
        if role == Role::Document {
            self.finish(at);
            self.many = true;
            self.open.clear();
            self.id = self.config.ids.iter().find_map(|name| attribute(name)).unwrap_or_default();
        }
        if self.open.len() < DEEPEST {
            self.open.push((name.to_owned(), role));
            self.place();
        }
    }

    /// An end tag that ends at byte `end`.
    pub(super) fn end(&mut self, name: &str, end: usize) {
        self.pending_break |= !is_inline(name);
        if let Some(n) = self.open.iter().rposition(|(open, _)| open.eq_ignore_ascii_case(name)) {
            let role = self.open[n].1;
            let document = role == Role::Document;
            self.pending_break |= matches!(role, Role::Field(_));
            self.open.truncate(n);
            if document {
                self.finish(end);
            }
            self.place();
        }
    }

    fn count(&mut self, byte: usize) -> u64 {
        if let Some(part) = self.source.get(self.counted.0..byte) {
            self.counted = (byte, self.counted.1 + part.chars().count() as u64);
        }
        self.counted.1
    }

    /// Text of the source with references in it.
    pub(super) fn text(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let part = &self.source[at..end];
            let amp = memchr::memchr(b'&', part.as_bytes()).unwrap_or(part.len());
            self.plain(at, at + amp);
            at += amp;
            if at < end {
                let found = reference(&self.source[at..end]);
                let len = found.as_ref().map_or(1, |(len, _)| *len);
                match found {
                    Some((_, decoded)) => self.put(at, &decoded, false),
                    None => self.plain(at, at + 1),
                }
                at += len;
            }
        }
    }

    /// Text of the source as it stands.
    pub(super) fn plain(&mut self, start: usize, end: usize) {
        let source = self.source;
        if start < end {
            self.put(start, &source[start..end], true);
        }
    }

    fn put(&mut self, at: usize, text: &str, follows: bool) {
        if self.open.iter().any(|(_, role)| *role == Role::Id) {
            self.id.push_str(text);
            return;
        }
        let Some(into) = self.into else { return };
        // Offsets into a field are 32 bits wide.
        let longest = self.config.longest.min(1 << 30);
        if at - self.began > longest {
            self.left_out
                .get_or_insert_with(|| format!("what follows the first {longest} bytes of the document"));
            return;
        }
        let character = self.count(at);
        let byte = (at + self.bytes_after.unwrap_or(0)) as u64;
        let (field, map) = &mut self.fields[into];
        if std::mem::take(&mut self.pending_break) && !field.is_empty() {
            map.stand(field.len(), byte, character);
            field.push_str("\n\n");
        }
        if follows {
            map.follow(field.len(), byte, character, text);
        } else {
            map.stand(field.len(), byte, character);
        }
        field.push_str(text);
    }

    /// Gives the document at hand away, if there is one; the next begins at byte `at`.
    pub(super) fn finish(&mut self, at: usize) {
        let mut document = Document { left_out: self.left_out.take(), ..Document::default() };
        for (number, (text, map)) in self.fields.iter_mut().enumerate() {
            if text.chars().all(char::is_whitespace) {
                text.clear();
            }
            let new = OffsetMap::new(self.bytes_after.is_some());
            let (text, map) = (std::mem::take(text), std::mem::replace(map, new));
            if !text.is_empty() {
                let name = self.config.fields[number].name.clone();
                document.fields.push(Field { number: number as u16, name, text, map });
            }
        }
        let id = std::mem::take(&mut self.id);
        let inside = self.open.iter().any(|(_, role)| *role == Role::Document);
        self.began = at;
        if document.fields.is_empty() && id.trim().is_empty() && !inside {
            return;
        }
        self.number += 1;
        document.id = if id.trim().is_empty() { self.number.to_string() } else { id.trim().to_owned() };
        (self.give)(document);
    }
}
