//! Merging many runs of lines, some of them on disk, in one pass.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use forerun_skeleton::AppError;

use super::number;
use super::run::Lines;
use crate::sort::sorted::{Supply, Write};
use crate::sort::spill::{Extent, Spill};
use crate::sort::tree::Leaf;

/// Merges `runs`, with buffers of about `buffer` bytes a run, and writes the lines.
pub(super) fn merge(
    runs: &[Supply<'_, Lines>],
    spill: &Spill,
    buffer: usize,
    out: &mut Write<'_>,
) -> Result<(), AppError> {
    let leaves = runs.iter().map(|run| match run {
        Supply::Memory(lines) => Leaf::Memory(*lines),
        Supply::Disk(extent) => Leaf::Disk(*extent),
    });
    let mut merger = Merger::over(leaves.collect(), spill, buffer)?;
    let mut block = Vec::with_capacity(buffer + 256);
    while let Some((_, line)) = merger.peek() {
        block.extend_from_slice(line);
        block.push(b'\n');
        if block.len() >= buffer {
            out(&block)?;
            block.clear();
        }
        merger.advance(spill)?;
    }
    out(&block)
}

/// Runs of lines, in memory as an `M` or on disk, from which the least line is taken one by one.
#[derive(Debug)]
pub(crate) struct Merger<M>(BinaryHeap<Next<M>>);

impl<M: AsRef<Lines>> Merger<M> {
    /// Begins to merge `leaves`, with buffers of about `buffer` bytes for what is on disk.
    pub(crate) fn over(leaves: Vec<Leaf<M>>, spill: &Spill, buffer: usize) -> Result<Self, AppError> {
        let mut heap = BinaryHeap::with_capacity(leaves.len());
        for leaf in leaves {
            let mut reader = Reader::new(leaf, buffer);
            if reader.advance(spill)? {
                heap.push(Next(reader));
            }
        }
        Ok(Merger(heap))
    }

    /// The least line and its key; none at the end.
    pub(crate) fn peek(&self) -> Option<(u64, &[u8])> {
        self.0.peek().map(|next| (next.0.key, next.0.line()))
    }

    /// Goes to the next line.
    pub(crate) fn advance(&mut self, spill: &Spill) -> Result<(), AppError> {
        if let Some(mut next) = self.0.peek_mut()
            && !next.0.advance(spill)?
        {
            PeekMut::pop(next);
        }
        Ok(())
    }
}

/// A run and the line of it that is next.
#[derive(Debug)]
struct Reader<M> {
    from: From<M>,
    key: u64,
    /// Where the line begins in the text, and its length without the newline.
    line: (usize, usize),
}

#[derive(Debug)]
enum From<M> {
    Memory { lines: M, index: usize },
    Disk { extent: Extent, offset: u64, text: Vec<u8>, room: usize },
}

impl<M: AsRef<Lines>> Reader<M> {
    fn new(leaf: Leaf<M>, buffer: usize) -> Self {
        let from = match leaf {
            Leaf::Memory(lines) => From::Memory { lines, index: 0 },
            Leaf::Disk(extent) => From::Disk { extent, offset: 0, text: Vec::new(), room: buffer.max(64) },
        };
        Reader { from, key: 0, line: (0, usize::MAX) }
    }

    fn line(&self) -> &[u8] {
        let text = match &self.from {
            From::Memory { lines, .. } => &lines.as_ref().text,
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
                let lines = lines.as_ref();
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
#[derive(Debug)]
struct Next<M>(Reader<M>);

impl<M: AsRef<Lines>> Ord for Next<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        number::order((other.0.key, other.0.line()), (self.0.key, self.0.line()))
    }
}

impl<M: AsRef<Lines>> PartialOrd for Next<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M: AsRef<Lines>> PartialEq for Next<M> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<M: AsRef<Lines>> Eq for Next<M> {}
