//! Merging many runs of numbers, some of them on disk, in one pass.
//!
//! A balanced binary tree of two-way merges whose nodes hand each other blocks that stay in the
//! cache, so that the branch-free loop of [`super::merge()`] does all the work. That is faster than
//! a loser tree, whose every element waits for a chain of dependent comparisons, and it is the
//! idea of the lazy funnel (Brodal and Fagerberg, *Cache Oblivious Distribution Sweeping*, 2002,
//! section 2) with one size of buffer. Cost: ⌈lg k⌉ moves an element in cache for k runs.

use forerun_skeleton::AppError;

use super::element::Element;
use super::merge::{merge_into, merge_path};
use super::sorted::Supply;
use super::spill::{Extent, Spill};
use crate::pieces::PIECE;

/// Largest buffer of an inner node, in bytes: several fit in a second-level cache.
const NODE: usize = 64 << 10;

/// Merges `runs` and gives the result to `out` block by block; a block may be changed by it.
pub(super) fn merge<T: Element>(
    runs: &[Supply<'_, Vec<T>>],
    spill: &Spill,
    buffer: usize,
    mut out: impl FnMut(&mut [T]) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let width = size_of::<T>();
    let room = (buffer / width).max(1);
    let leaves = runs.iter().map(|run| match run {
        Supply::Memory(run) => Leaf::Memory(run.as_slice()),
        Supply::Disk(extent) => Leaf::Disk(*extent),
    });
    let mut root = Stream::over(leaves.collect(), room);
    // The root writes straight into a block that is still in the cache when it is taken.
    let mut block = vec![T::zeroed(); room.min(PIECE / width)];
    loop {
        let n = root.fill(spill, &mut block)?;
        if n == 0 {
            return Ok(());
        }
        out(&mut block[..n])?;
    }
}

/// A sorted run, in memory as an `M` or on disk.
#[derive(Debug)]
pub(crate) enum Leaf<M> {
    Memory(M),
    Disk(Extent),
}

/// Gives sorted elements. What lies in memory is borrowed or owned: `M` is a slice, or has one.
#[derive(Debug)]
pub(crate) enum Stream<M, T> {
    Empty,
    Memory(M, usize),
    Disk { extent: Extent, offset: u64 },
    Merge(Box<[Ahead<M, T>; 2]>),
}

/// A stream and those of its elements that were taken from it but not merged yet.
#[derive(Debug)]
pub(crate) struct Ahead<M, T> {
    stream: Stream<M, T>,
    block: Vec<T>,
    at: usize,
    end: usize,
}

impl<M: AsRef<[T]>, T: Element> Stream<M, T> {
    /// Merges `leaves`, with buffers of `room` elements for what is on disk.
    pub(crate) fn over(leaves: Vec<Leaf<M>>, room: usize) -> Self {
        Stream::tree(leaves, room, room.clamp(1, NODE / size_of::<T>()))
    }

    fn tree(mut leaves: Vec<Leaf<M>>, leaf: usize, node: usize) -> Self {
        if leaves.len() > 1 {
            let right = leaves.split_off(leaves.len() / 2);
            let side = |leaves: Vec<Leaf<M>>| {
                let room = if leaves.len() == 1 { leaf } else { node };
                Ahead::new(Stream::tree(leaves, leaf, node), room)
            };
            return Stream::Merge(Box::new([side(leaves), side(right)]));
        }
        match leaves.pop() {
            None => Stream::Empty,
            Some(Leaf::Memory(run)) => Stream::Memory(run, 0),
            Some(Leaf::Disk(extent)) => Stream::Disk { extent, offset: 0 },
        }
    }

    /// Writes the next elements to `out` and returns how many: 0 only at the end.
    pub(crate) fn fill(&mut self, spill: &Spill, out: &mut [T]) -> Result<usize, AppError> {
        match self {
            Stream::Empty => Ok(0),
            Stream::Memory(run, at) => {
                let rest = &run.as_ref()[*at..];
                let n = rest.len().min(out.len());
                out[..n].copy_from_slice(&rest[..n]);
                *at += n;
                Ok(n)
            }
            Stream::Disk { extent, offset } => {
                let left = ((extent.length - *offset) as usize) / size_of::<T>();
                let n = left.min(out.len());
                let bytes = bytemuck::cast_slice_mut(&mut out[..n]);
                spill.take(*extent, *offset, bytes)?;
                *offset += bytes.len() as u64;
                Ok(n)
            }
            Stream::Merge(sides) => {
                let [left, right] = &mut **sides;
                let mut done = 0;
                while done < out.len() {
                    let (a, b) = (left.look(spill)?, right.look(spill)?);
                    let (from_a, from_b) = mergeable(a, b, out.len() - done);
                    let n = from_a + from_b;
                    if n == 0 {
                        break;
                    }
                    merge_into(&a[..from_a], &b[..from_b], &mut out[done..done + n]);
                    left.take(from_a);
                    right.take(from_b);
                    done += n;
                }
                Ok(done)
            }
        }
    }
}

/// How many elements of `a` and of `b` can be merged knowing only these, at most `room`. An empty
/// side has ended.
fn mergeable<T: Element>(a: &[T], b: &[T], room: usize) -> (usize, usize) {
    let (Some(last_a), Some(last_b)) = (a.last(), b.last()) else {
        return (a.len().min(room), b.len().min(room));
    };
    // Nothing above the smaller of the two last elements is known to be next.
    let (a, b) = if last_a <= last_b {
        (a, &b[..b.partition_point(|x| x < last_a)])
    } else {
        (&a[..a.partition_point(|x| x <= last_b)], b)
    };
    let n = room.min(a.len() + b.len());
    let i = merge_path(a, b, n);
    (i, n - i)
}

impl<M: AsRef<[T]>, T: Element> Ahead<M, T> {
    fn new(stream: Stream<M, T>, room: usize) -> Self {
        // What lies in memory is looked at where it is.
        let room = if matches!(stream, Stream::Memory(..)) { 0 } else { room };
        Ahead { stream, block: vec![T::zeroed(); room], at: 0, end: 0 }
    }

    /// The next elements; none only at the end.
    fn look(&mut self, spill: &Spill) -> Result<&[T], AppError> {
        if !matches!(self.stream, Stream::Memory(..)) && self.at == self.end {
            self.at = 0;
            self.end = self.stream.fill(spill, &mut self.block)?;
        }
        Ok(match &self.stream {
            Stream::Memory(run, at) => &run.as_ref()[*at..],
            _ => &self.block[self.at..self.end],
        })
    }

    /// Removes the next `n` elements, which [`Ahead::look`] has shown.
    fn take(&mut self, n: usize) {
        match &mut self.stream {
            Stream::Memory(_, at) => *at += n,
            _ => self.at += n,
        }
    }
}
