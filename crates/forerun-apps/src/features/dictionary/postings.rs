//! Where one phrase occurs, as bytes.
//!
//! ```text
//! postings   frequency  documents  first document  [last document, if there are several]  list
//! list       occurrences  (step to the next document  occurrences)*
//! occurrences  count  (step of the field  start  length)*
//! ```
//! A document is its file and its part; a step is what is added to the file, and the part, as a difference where the
//! file is the same. The last document is there so that lists that follow each other are put together without
//! reading either. A multiset of occurrences has one form, so the order of merging does not show.

use forerun_text::phrase::Occurrence;

use super::DocumentNumber;
use super::varint::{put, skip, take};

/// Where a phrase occurs.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'d> {
    frequency: u64,
    documents: u64,
    first: DocumentNumber,
    last: DocumentNumber,
    list: &'d [u8],
}

impl<'d> Postings<'d> {
    /// Reads the head of what [`write`] and [`merge`] wrote.
    pub(super) fn read(mut bytes: &'d [u8]) -> Self {
        let (frequency, documents) = (take(&mut bytes), take(&mut bytes));
        let first = DocumentNumber { file: take(&mut bytes), part: take(&mut bytes) };
        let last = if documents > 1 { step(first, &mut bytes) } else { first };
        Postings { frequency, documents, first, last, list: bytes }
    }

    /// How often it occurs in all documents.
    pub fn frequency(&self) -> u64 {
        self.frequency
    }

    /// In how many documents it occurs.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The documents in order, with the occurrences in each.
    pub fn iter(&self) -> Documents<'d> {
        Documents { left: self.documents, next: self.first, list: self.list }
    }

    fn head(&self, out: &mut Vec<u8>) {
        put(self.frequency, out);
        put(self.documents, out);
        put(self.first.file, out);
        put(self.first.part, out);
        if self.documents > 1 {
            put_step(self.first, self.last, out);
        }
    }
}

/// Goes through the documents of a phrase.
#[derive(Debug, Clone)]
pub struct Documents<'d> {
    left: u64,
    next: DocumentNumber,
    list: &'d [u8],
}

impl<'d> Documents<'d> {
    /// The next document, whose occurrences replace what is in `occurrences`.
    pub fn next_into(&mut self, occurrences: &mut Vec<Occurrence>) -> Option<DocumentNumber> {
        let (document, mut group) = self.next()?;
        read_group(&mut group, occurrences);
        Some(document)
    }
}

impl<'d> Iterator for Documents<'d> {
    /// The document, and its occurrences as bytes.
    type Item = (DocumentNumber, &'d [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 || self.list.is_empty() {
            return None;
        }
        self.left -= 1;
        let all = self.list;
        let numbers = take(&mut self.list).saturating_mul(3);
        skip(&mut self.list, numbers);
        let found = (self.next, &all[..all.len() - self.list.len()]);
        if self.left > 0 {
            self.next = step(self.next, &mut self.list);
        }
        Some(found)
    }
}

fn step(from: DocumentNumber, bytes: &mut &[u8]) -> DocumentNumber {
    let (files, part) = (take(bytes), take(bytes));
    let part = if files == 0 { from.part.wrapping_add(part) } else { part };
    DocumentNumber { file: from.file.wrapping_add(files), part }
}

/// The step from one document to a later one.
fn put_step(from: DocumentNumber, to: DocumentNumber, out: &mut Vec<u8>) {
    put(to.file.wrapping_sub(from.file), out);
    put(if to.file == from.file { to.part.wrapping_sub(from.part) } else { to.part }, out);
}

fn read_group(bytes: &mut &[u8], occurrences: &mut Vec<Occurrence>) {
    occurrences.clear();
    let count = take(bytes);
    let (mut field, mut start) = (0u16, 0u64);
    for _ in 0..count {
        if bytes.is_empty() {
            break;
        }
        let fields = take(bytes) as u16;
        start = if fields == 0 { start } else { 0 }.wrapping_add(take(bytes));
        field = field.wrapping_add(fields);
        occurrences.push(Occurrence { field, start, end: start.wrapping_add(take(bytes)) });
    }
}

/// Occurrences in order.
fn put_group(occurrences: &[Occurrence], out: &mut Vec<u8>) {
    put(occurrences.len() as u64, out);
    let (mut field, mut start) = (0, 0);
    for o in occurrences {
        put(u64::from(o.field - field), out);
        put(o.start - if o.field == field { start } else { 0 }, out);
        put(o.end.saturating_sub(o.start), out);
        (field, start) = (o.field, o.start);
    }
}

/// Writes the postings of one document, whose occurrences are in order, or appends them to a `list` of earlier ones.
pub(super) struct Writer {
    of: Postings<'static>,
    list: Vec<u8>,
}

impl Writer {
    pub(super) fn new() -> Self {
        let none = DocumentNumber { file: 0, part: 0 };
        Writer {
            of: Postings { frequency: 0, documents: 0, first: none, last: none, list: &[] },
            list: Vec::new(),
        }
    }

    fn document(&mut self, document: DocumentNumber) {
        if self.of.documents == 0 {
            self.of.first = document;
        } else {
            put_step(self.of.last, document, &mut self.list);
        }
        self.of.documents += 1;
        self.of.last = document;
    }

    /// Appends a document, later than those before, with its occurrences in order.
    pub(super) fn add(&mut self, document: DocumentNumber, occurrences: &[Occurrence]) {
        self.document(document);
        self.of.frequency += occurrences.len() as u64;
        put_group(occurrences, &mut self.list);
    }

    fn copy(&mut self, (document, group): (DocumentNumber, &[u8])) {
        self.document(document);
        self.list.extend_from_slice(group);
    }

    /// Appends what was written to `out`, and begins anew.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.of.head(out);
        out.append(&mut self.list);
        self.of.documents = 0;
        self.of.frequency = 0;
    }
}

/// Appends the postings of both.
pub(super) fn merge(left: &[u8], right: &[u8], writer: &mut Writer, out: &mut Vec<u8>) {
    let (left, right) = (Postings::read(left), Postings::read(right));
    let (left, right) = if right.first < left.first { (right, left) } else { (left, right) };
    let frequency = left.frequency.saturating_add(right.frequency);
    if left.last < right.first {
        let documents = left.documents.saturating_add(right.documents);
        Postings { frequency, documents, first: left.first, last: right.last, list: &[] }.head(out);
        out.extend_from_slice(left.list);
        put_step(left.last, right.first, out);
        out.extend_from_slice(right.list);
        return;
    }
    let (mut of_left, mut of_right) = (left.iter().peekable(), right.iter().peekable());
    let (mut here, mut there) = (Vec::new(), Vec::new());
    while let (Some(l), Some(r)) = (of_left.peek(), of_right.peek()) {
        if l.0 == r.0 {
            read_group(&mut &l.1[..], &mut here);
            read_group(&mut &r.1[..], &mut there);
            here.append(&mut there);
            here.sort_unstable();
            writer.add(l.0, &here);
            of_left.next();
            of_right.next();
        } else {
            let next = if l.0 < r.0 { of_left.next() } else { of_right.next() };
            next.into_iter().for_each(|group| writer.copy(group));
        }
    }
    of_left.chain(of_right).for_each(|group| writer.copy(group));
    writer.of.frequency = frequency;
    writer.finish(out);
}
