//! Sorted blocks in memory or on disk, merged a packet at a time, and packets of several ranks.

use std::ops::Range;

use forerun_skeleton::wire::{Incoming, Outgoing, put_pods};
use forerun_skeleton::{AppError, Wire, memory};

use crate::sort::budget::Lease;
use crate::sort::element::Element;
use crate::sort::files::Files;
use crate::sort::lines::{LineMerger, Lines};
use crate::sort::sorted::Sorted;
use crate::sort::spill::Spill;
use crate::sort::tree::{Leaf, Stream};

/// A run in memory with its place in the budget.
#[derive(Debug)]
pub(crate) struct Held<R> {
    run: R,
    _lease: Lease,
}

impl<R> Held<R> {
    pub(crate) fn new((run, lease): (R, Lease)) -> Self {
        Held { run, _lease: lease }
    }
}

impl<T> AsRef<[T]> for Held<Vec<T>> {
    fn as_ref(&self) -> &[T] {
        &self.run
    }
}

impl AsRef<Lines> for Held<Lines> {
    fn as_ref(&self) -> &Lines {
        &self.run
    }
}

/// Runs that are read apart from being sorted, and merged in parts.
pub(crate) trait InParts: Sorted + Sized + Send + 'static {
    /// What was read of a range of the input.
    type Raw: Send;
    /// Runs that are being merged.
    type Merger: Send;

    /// Reads the elements that begin in `range`.
    ///
    /// # Errors
    /// A sentence that names the file.
    fn load(files: &Files, range: Range<u64>) -> Result<Self::Raw, AppError>;

    /// Sorts what was read.
    fn sorted(files: &Files, raw: Self::Raw) -> Result<Self, AppError>;

    /// Bytes of what was read.
    fn raw_bytes(raw: &Self::Raw) -> u64;

    /// Appends what was read to `out`, for another process.
    ///
    /// # Errors
    /// None, as it is in memory.
    fn put_raw(raw: &Self::Raw, out: &mut Vec<u8>) -> Result<(), AppError>;

    /// Gives what was read to a message, for another process.
    ///
    /// # Errors
    /// None, as it is in memory.
    fn give_raw(raw: Self::Raw, out: &mut Outgoing) -> Result<(), AppError>;

    /// Takes what was read by another process.
    ///
    /// # Errors
    /// That the message has nothing of the kind.
    fn take_raw(from: &mut Incoming<'_>) -> Result<Self::Raw, AppError>;

    /// Begins to merge runs, with buffers of about `buffer` bytes for those on disk.
    fn merger(leaves: Vec<Leaf<Held<Self>>>, spill: &Spill, buffer: usize) -> Result<Self::Merger, AppError>;

    /// The next `bytes` bytes of the merged runs, or a little more.
    fn take(merger: &mut Self::Merger, spill: &Spill, bytes: u64) -> Result<Self, AppError>;

    /// Number of elements.
    fn elements(&self) -> usize;

    /// Merges the beginnings of `parts`, of each what is left from its mark on, as far as can be
    /// told from these: until one of them ends, or about `bytes` bytes are there. Moves the marks.
    fn merge_parts(parts: &mut [(&Self, &mut Mark)], spill: &Spill, bytes: u64) -> Result<Self, AppError>;
}

/// How much of a packet is merged already: elements, and bytes of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) elements: usize,
    pub(crate) bytes: usize,
}

impl<T: Element> InParts for Vec<T> {
    type Raw = Vec<T>;
    type Merger = Stream<Held<Vec<T>>, T>;

    fn load(files: &Files, range: Range<u64>) -> Result<Vec<T>, AppError> {
        let mut run = memory::zeroed::<T>((range.end - range.start) as usize / size_of::<T>())?;
        files.read(range, bytemuck::cast_slice_mut(&mut run))?;
        Ok(run)
    }

    fn sorted(_: &Files, mut raw: Vec<T>) -> Result<Self, AppError> {
        T::decode(&mut raw);
        memory::check::<T>(raw.len() * T::SCRATCH as usize)?;
        T::sort(&mut raw);
        Ok(raw)
    }

    fn raw_bytes(raw: &Vec<T>) -> u64 {
        raw.bytes()
    }

    fn put_raw(raw: &Vec<T>, out: &mut Vec<u8>) -> Result<(), AppError> {
        raw.len().encode(out)?;
        put_pods(raw, out);
        Ok(())
    }

    fn give_raw(raw: Vec<T>, out: &mut Outgoing) -> Result<(), AppError> {
        out.vector(raw)
    }

    fn take_raw(from: &mut Incoming<'_>) -> Result<Vec<T>, AppError> {
        from.vector()
    }

    fn merger(leaves: Vec<Leaf<Held<Self>>>, _: &Spill, buffer: usize) -> Result<Self::Merger, AppError> {
        Ok(Stream::over(leaves, (buffer / size_of::<T>()).max(1)))
    }

    fn take(merger: &mut Self::Merger, spill: &Spill, bytes: u64) -> Result<Self, AppError> {
        let mut out = vec![T::zeroed(); (bytes as usize / size_of::<T>()).max(1)];
        let mut done = 0;
        while done < out.len() {
            match merger.fill(spill, &mut out[done..])? {
                0 => break,
                n => done += n,
            }
        }
        out.truncate(done);
        Ok(out)
    }

    fn elements(&self) -> usize {
        self.len()
    }

    fn merge_parts(parts: &mut [(&Self, &mut Mark)], spill: &Spill, bytes: u64) -> Result<Self, AppError> {
        let most = (bytes as usize / size_of::<T>()).max(1);
        let mut rest: Vec<&[T]> = parts.iter().map(|(run, mark)| &run[mark.elements..]).collect();
        // Nothing above the least of the last elements is known to be next.
        let mut bound = rest.iter().filter_map(|r| r.last()).min().copied();
        while let Some(to) = bound {
            rest.iter_mut().for_each(|r| *r = &r[..r.partition_point(|x| *x <= to)]);
            let count: usize = rest.iter().map(|r| r.len()).sum();
            // Too many: only what is at most the middle of the longest, if that leaves fewer.
            let longest = rest.iter().copied().max_by_key(|r| r.len()).unwrap_or_default();
            bound = (count > most).then(|| longest[longest.len() / 2]).filter(|middle| *middle < to);
        }
        let count: usize = rest.iter().map(|r| r.len()).sum();
        for ((_, mark), r) in parts.iter_mut().zip(&rest) {
            mark.elements += r.len();
        }
        let leaves = rest.into_iter().filter(|r| !r.is_empty()).map(Leaf::Memory).collect();
        let mut merged = memory::zeroed::<T>(count)?;
        // Nodes hand each other blocks: element by element, four parts took forty times as long as two.
        Stream::over(leaves, count.max(1)).fill(spill, &mut merged)?;
        Ok(merged)
    }
}

impl InParts for Lines {
    type Raw = (Range<u64>, Vec<u8>);
    type Merger = LineMerger<Held<Lines>>;

    fn load(files: &Files, range: Range<u64>) -> Result<Self::Raw, AppError> {
        let range = Lines::whole(files, range)?;
        let mut text = memory::zeroed((range.end - range.start) as usize)?;
        files.read(range.clone(), &mut text)?;
        Ok((range, text))
    }

    fn sorted(files: &Files, (range, text): Self::Raw) -> Result<Self, AppError> {
        let mut rest = text.as_slice();
        let fetched = Lines::sort_range(files, range, |buffer| {
            let (now, later) = rest.split_at(buffer.len());
            buffer.copy_from_slice(now);
            rest = later;
        })?;
        fetched
            .ok_or_else(|| AppError::new("a block of lines is too large to be sorted: take smaller blocks"))
    }

    fn raw_bytes(raw: &Self::Raw) -> u64 {
        raw.1.len() as u64
    }

    fn put_raw((range, text): &Self::Raw, out: &mut Vec<u8>) -> Result<(), AppError> {
        (range.start, range.end).encode(out)?;
        text.encode(out)
    }

    fn give_raw((range, text): Self::Raw, out: &mut Outgoing) -> Result<(), AppError> {
        (range.start, range.end).encode(&mut out.bytes)?;
        out.vector(text)
    }

    fn take_raw(from: &mut Incoming<'_>) -> Result<Self::Raw, AppError> {
        let (start, end) = Wire::decode(&mut from.bytes)?;
        Ok((start..end, from.vector()?))
    }

    fn merger(leaves: Vec<Leaf<Held<Self>>>, spill: &Spill, buffer: usize) -> Result<Self::Merger, AppError> {
        LineMerger::over(leaves, spill, buffer)
    }

    fn take(merger: &mut Self::Merger, spill: &Spill, bytes: u64) -> Result<Self, AppError> {
        let mut out = Lines::default();
        while out.bytes() < bytes
            && let Some(line) = merger.peek()
        {
            out.push(line);
            merger.advance(spill)?;
        }
        Ok(out)
    }

    fn elements(&self) -> usize {
        self.len()
    }

    fn merge_parts(parts: &mut [(&Self, &mut Mark)], _: &Spill, bytes: u64) -> Result<Self, AppError> {
        let mut out = Lines::default();
        // The first part that ends may be followed by lines that come next.
        while out.bytes() < bytes && parts.iter().all(|(run, mark)| mark.elements < run.len()) {
            let least = parts.iter_mut().min_by(|a, b| {
                Lines::order(a.0.at(a.1.elements, a.1.bytes), b.0.at(b.1.elements, b.1.bytes))
            });
            let Some((run, mark)) = least else { break };
            let line = run.at(mark.elements, mark.bytes);
            out.push(line);
            mark.elements += 1;
            mark.bytes += line.1.len() + 1;
        }
        Ok(out)
    }
}
