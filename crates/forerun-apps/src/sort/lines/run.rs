//! Sorted lines in memory.

use std::ops::Range;

use forerun_skeleton::wire::garbled;
use forerun_skeleton::{AppError, memory};

use super::{merge, number, read};
use crate::sort::files::Files;
use crate::sort::sorted::{Form, Sorted, Supply, Write};
use crate::sort::spill::Spill;

/// Sorted lines: their text, each with its newline, and for each its key and length.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(super) text: Vec<u8>,
    pub(super) keys: Vec<u64>,
    /// Bytes of each line, the newline included.
    pub(super) lengths: Vec<u32>,
}

/// A line of a text that is not sorted yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) key: u64,
    pub(super) start: u32,
    /// Without the newline.
    pub(super) length: u32,
}

impl Lines {
    /// Memory, for each line, of [`Record`] and of what [`Lines`] keeps beside its text.
    pub(super) const PER_LINE: u64 = 16 + Self::RESTING;
    /// Memory, for each line, beside its text.
    const RESTING: u64 = 12;

    fn with_room(text: usize, lines: usize) -> Result<Self, AppError> {
        Ok(Lines { text: memory::room(text)?, keys: memory::room(lines)?, lengths: memory::room(lines)? })
    }

    /// Sorts the lines of `text`.
    pub(super) fn sort(text: &[u8], mut records: Vec<Record>) -> Result<Self, AppError> {
        let line = |r: &Record| (r.key, &text[r.start as usize..][..r.length as usize]);
        records.sort_unstable_by(|a, b| number::order(line(a), line(b)));
        let mut sorted = Lines::with_room(text.len(), records.len())?;
        for record in &records {
            sorted.push(line(record));
        }
        Ok(sorted)
    }

    /// The lines that begin in `range`: from where to where they are.
    pub(crate) fn whole(files: &Files, range: Range<u64>) -> Result<Range<u64>, AppError> {
        read::whole(files, range)
    }

    /// Sorts the lines of `range`, one of [`Lines::whole`] lines, which `fetch` puts into buffers
    /// one after the other; `None` if that is too much.
    pub(crate) fn sort_range(
        files: &Files,
        range: Range<u64>,
        mut fetch: impl FnMut(&mut [u8]),
    ) -> Result<Option<Self>, AppError> {
        read::sort(files, range, u64::MAX, |_, buffer| {
            fetch(buffer);
            Ok(())
        })
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Line `index`, which begins at byte `start` of the text, with its key.
    pub(crate) fn at(&self, index: usize, start: usize) -> (u64, &[u8]) {
        (self.keys[index], &self.text[start..start + self.lengths[index] as usize - 1])
    }

    /// The order of two lines with their keys.
    pub(crate) fn order(a: (u64, &[u8]), b: (u64, &[u8])) -> std::cmp::Ordering {
        number::order(a, b)
    }

    /// Adds a line after all others.
    pub(crate) fn push(&mut self, (key, line): (u64, &[u8])) {
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        self.keys.push(key);
        self.lengths.push(line.len() as u32 + 1);
    }

    /// The lines in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut rest = self.text.as_slice();
        self.keys.iter().zip(&self.lengths).map(move |(&key, &length)| {
            let (line, later) = rest.split_at(length as usize);
            rest = later;
            (key, &line[..line.len() - 1])
        })
    }
}

impl AsRef<Lines> for Lines {
    fn as_ref(&self) -> &Lines {
        self
    }
}

impl Sorted for Lines {
    type Unit = u8;

    fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    fn footprint(&self) -> u64 {
        (self.text.capacity() + 8 * self.keys.capacity() + 4 * self.lengths.capacity()) as u64
    }

    fn need(files: &Files, bytes: u64, worst: bool) -> u64 {
        // The shortest line is a digit and a newline.
        let lines = if worst { bytes.div_ceil(2) } else { bytes / files.line_bytes().max(2) };
        2 * bytes + Self::PER_LINE * (lines + 1)
    }

    fn resting(files: &Files, bytes: u64) -> u64 {
        bytes + Self::RESTING * (bytes / files.line_bytes().max(2) + 1)
    }

    fn read(files: &Files, range: Range<u64>, room: u64) -> Result<Option<Self>, AppError> {
        read::sort(files, read::whole(files, range)?, room, |segment, buffer| segment.read(buffer))
    }

    fn merge(left: &Self, right: &Self, _: usize) -> Result<Self, AppError> {
        let mut merged =
            Lines::with_room(left.text.len() + right.text.len(), left.keys.len() + right.keys.len())?;
        let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
        while let (Some(&x), Some(&y)) = (a.peek(), b.peek()) {
            if number::order(x, y).is_le() {
                merged.push(x);
                a.next();
            } else {
                merged.push(y);
                b.next();
            }
        }
        a.chain(b).for_each(|line| merged.push(line));
        Ok(merged)
    }

    fn write(&self, _: Form, out: &mut Write<'_>) -> Result<(), AppError> {
        out(&self.text)
    }

    fn into_units(self) -> Vec<u8> {
        self.text
    }

    fn of_units(text: Vec<u8>) -> Result<Self, AppError> {
        let (mut keys, mut lengths) = (Vec::new(), Vec::new());
        for line in text.split_inclusive(|&c| c == b'\n') {
            let key = line.strip_suffix(b"\n").and_then(number::key);
            keys.push(key.ok_or_else(|| garbled("a sorted run of lines"))?);
            lengths.push(line.len() as u32);
        }
        Ok(Lines { text, keys, lengths })
    }

    fn write_merged(
        runs: &[Supply<'_, Self>],
        spill: &Spill,
        buffer: usize,
        _: Form,
        out: &mut Write<'_>,
    ) -> Result<(), AppError> {
        merge::merge(runs, spill, buffer, out)
    }
}
