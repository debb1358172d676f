//! Merging many runs of lines, some of them on disk, in one pass.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use forerun_skeleton::AppError;

use super::number;
use super::run::Lines;
use crate::sort::sorted::{Supply, Write};
use crate::sort::spill::{Extent, Spill};

/// Merges `runs`, with buffers of about `buffer` bytes a run, and writes the lines.
pub(super) fn merge(
    runs: &[Supply<'_, Lines>],
    spill: &Spill,
    buffer: usize,
    out: &mut Write<'_>,
) -> Result<(), AppError> {
    let mut heap = BinaryHeap::with_capacity(runs.len());
    for run in runs {
        let mut reader = Reader::new(run, buffer);
        if reader.advance(spill)? {
            heap.push(Next(reader));
        }
    }
    let mut block = Vec::with_capacity(buffer + 256);
    while let Some(mut next) = heap.peek_mut() {
        block.extend_from_slice(next.0.line());
        block.push(b'\n');
        if block.len() >= buffer {
            out(&block)?;
            block.clear();
        }
        if !next.0.advance(spill)? {
            std::collections::binary_heap::PeekMut::pop(next);
        }
    }
    out(&block)
}

/// A run and the line of it that is next.
struct Reader<'a> {
    from: From<'a>,
    key: u64,
    /// Where the line begins in the text, and its length without the newline.
    line: (usize, usize),
}

enum From<'a> {
    Memory { lines: &'a Lines, index: usize },
    Disk { extent: Extent, offset: u64, text: Vec<u8>, room: usize },
}

impl<'a> Reader<'a> {
    fn new(run: &Supply<'a, Lines>, buffer: usize) -> Self {
        let from = match run {
            Supply::Memory(lines) => From::Memory { lines, index: 0 },
            Supply::Disk(extent) => {
                From::Disk { extent: *extent, offset: 0, text: Vec::new(), room: buffer.max(64) }
            }
        };
        Reader { from, key: 0, line: (0, usize::MAX) }
    }

    fn line(&self) -> &[u8] {
        let text = match &self.from {
            From::Memory { lines, .. } => &lines.text,
            From::Disk { text, .. } => text,
        };
        &text[self.line.0..][..self.line.1]
    }

    /// Goes to the next line; `false` if there is none.
    fn advance(&mut self, spill: &Spill) -> Result<bool, AppError> {
        // Before the first line, the length is such that this is its start.
        let mut start = self.line.0 + self.line.1.wrapping_add(1);
        match &mut self.from {
            From::Memory { lines, index } => {
                let Some(&key) = lines.keys.get(*index) else { return Ok(false) };
                self.key = key;
                self.line = (start, lines.lengths[*index] as usize - 1);
                *index += 1;
            }
            From::Disk { extent, offset, text, room } => {
                let length = loop {
                    if let Some(n) = text[start..].iter().position(|&c| c == b'\n') {
                        break n;
                    }
                    let more = (extent.length - *offset).min(*room as u64);
                    if more == 0 {
                        return Ok(false);
                    }
                    text.drain(..start);
                    start = 0;
                    let kept = text.len();
                    text.resize(kept + more as usize, 0);
                    spill.take(*extent, *offset, &mut text[kept..])?;
                    *offset += more;
                };
                self.line = (start, length);
                self.key = number::key(&text[start..start + length])
                    .ok_or_else(|| AppError::new("a sorted run on disk was changed while it was merged"))?;
            }
        }
        Ok(true)
    }
}

/// A reader in a heap: the greatest is the one whose line is next.
struct Next<'a>(Reader<'a>);

impl Ord for Next<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        number::order((other.0.key, other.0.line()), (self.0.key, self.0.line()))
    }
}

impl PartialOrd for Next<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next<'_> {}
