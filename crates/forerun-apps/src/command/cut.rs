//! Cuts the inputs into tasks: several small files make one, a large one is cut at line ends.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::Source;

use super::coming::Coming;
use super::inputs::{InputFile, Inputs};
use super::scratch::plain;
use super::template::Takes;
use super::{argument, show};
use crate::{between, places};

/// Bytes of names given to one process: far below the least that any system allows, as `xargs` does.
pub(crate) const ROOM: u64 = 128 << 10;
/// Bytes read at a time to find the end of a line.
const LOOK: usize = 4 << 10;

/// How much goes into one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grain {
    /// Consecutive files share a task while they have at most so many bytes together.
    pub bytes: u64,
    /// And at most so many files.
    pub files: usize,
    /// Whether a file of more than `bytes` is cut at line ends into pieces of about that size.
    pub split_lines: bool,
}

impl Grain {
    /// Each file is a task.
    pub const ONE_FILE: Grain = Grain { bytes: 0, files: 1, split_lines: false };
}

/// What one task works on: some consecutive files, or a piece of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Extent {
    /// The first file, by its place in [`Inputs::files`].
    pub first: usize,
    /// Where in that file the piece starts, in bytes; 0 for whole files.
    pub start: u64,
    /// Number of files, at least 1.
    pub files: usize,
    /// Bytes in it.
    pub bytes: u64,
    /// Whether it is less than the whole file.
    pub piece: bool,
}

impl Extent {
    /// The places of its files.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.files
    }

    /// Both together, if `next` follows at once and neither or both are pieces.
    fn and(&self, next: &Extent) -> Option<Extent> {
        let bytes = self.bytes + next.bytes;
        match (self.piece, next.piece) {
            (false, false) if self.range().end == next.first => {
                Some(Extent { files: self.files + next.files, bytes, ..*self })
            }
            (true, true) if self.first == next.first && self.start + self.bytes == next.start => {
                Some(Extent { bytes, ..*self })
            }
            _ => None,
        }
    }

    /// Whether all of `other` is in it.
    pub(crate) fn covers(&self, other: &Extent) -> bool {
        if !self.piece {
            return self.first <= other.first && other.range().end <= self.range().end;
        }
        let end = |e: &Extent| e.start + e.bytes;
        other.piece && self.first == other.first && self.start <= other.start && end(other) <= end(self)
    }
}

/// The tasks of a run, in the order of the inputs but for those that are kept of a merge that commutes; clones share them.
#[derive(Debug, Clone)]
pub struct Tasks {
    files: Arc<[InputFile]>,
    list: Arc<[Extent]>,
    /// What comes after the list, and how it is cut.
    then: Option<(Arc<Coming>, Grain)>,
}

impl Tasks {
    /// Cuts `inputs` by `grain` for a map command that takes files as `takes` says
    /// ([`Commands::takes`](super::Commands::takes)). What is in `fixed` (sorted, made by an earlier cut) stays a
    /// task of its own, so that results that a pilot kept fit.
    ///
    /// Costs O(files), and for every cut within a file a read of at least 4 KiB.
    ///
    /// # Errors
    /// That the command takes names, where pieces have none; or that a file to be cut cannot be read.
    pub fn cut(inputs: &Inputs, grain: Grain, takes: Takes, fixed: &[Extent]) -> Result<Self, AppError> {
        if grain.split_lines && matches!(takes, Takes::Names | Takes::OneName) {
            return Err(AppError::new(
                "--split-lines gives pieces of files on standard input, but the map command takes file names: drop `{}` from it, or --split-lines",
            ));
        }
        let most_files = if takes == Takes::OneName { 1 } else { grain.files.max(1) };
        let mut cutter =
            Cutter { files: inputs.files(), grain, most_files, list: Vec::new(), open: None, room: 0 };
        let mut fixed = fixed.iter().copied().peekable();
        let mut at = 0;
        while at < inputs.files().len() {
            let mut held = Vec::new();
            while let Some(extent) = fixed.next_if(|e| e.first == at) {
                held.push(extent);
            }
            at += match held.first() {
                Some(whole) if !whole.piece => {
                    cutter.close();
                    cutter.list.push(*whole);
                    whole.files
                }
                Some(_) => {
                    cutter.round(at, &held)?;
                    1
                }
                None => {
                    cutter.file(at)?;
                    1
                }
            };
        }
        cutter.close();
        Ok(Tasks { files: inputs.shared(), list: cutter.list.into(), then: None })
    }

    /// These tasks and after them those made of what keeps coming of `inputs`, if anything does.
    pub(crate) fn then_coming(mut self, inputs: &Inputs, grain: Grain, takes: Takes) -> Self {
        let files = if takes == Takes::OneName { 1 } else { grain.files };
        self.then = inputs.coming().map(|coming| (coming.clone(), Grain { files, ..grain }));
        self
    }

    /// The same, those that are `kept` (sorted) where [`places`] says.
    pub(crate) fn arranged(mut self, kept: &[Extent], parts: usize) -> Self {
        let (kept, left): (Vec<Extent>, Vec<Extent>) =
            self.list.iter().partition(|extent| kept.binary_search(extent).is_ok());
        let before = places(kept.len(), left.len(), parts);
        self.list = between(kept, left, &before).0.into();
        self
    }

    /// The tasks.
    pub fn extents(&self) -> &[Extent] {
        &self.list
    }

    /// Task `index`, if there are so many.
    pub fn extent(&self, index: u64) -> Option<&Extent> {
        usize::try_from(index).ok().and_then(|i| self.list.get(i))
    }

    /// The extent that consecutive tasks make together, if they do: whole files, or neighbouring
    /// pieces of one.
    pub fn joined(&self, tasks: Range<u64>) -> Option<Extent> {
        let list = self.list.get(usize::try_from(tasks.start).ok()?..usize::try_from(tasks.end).ok()?)?;
        let (first, rest) = list.split_first()?;
        rest.iter().try_fold(*first, |all, next| all.and(next))
    }

    /// Files of the tasks from `task` on, of those that are known.
    fn files_from(&self, task: usize) -> usize {
        self.list.get(task..).unwrap_or_default().iter().map(|extent| extent.files).sum()
    }

    /// The inputs of task `index`, for messages: `a.txt`, `a.txt and 12 more`, `a.txt from byte 4096`;
    /// empty where it is not known any more.
    pub fn describe(&self, index: u64) -> String {
        let come = || {
            let (coming, _) = self.then.as_ref()?;
            coming.describe(index.checked_sub(self.list.len() as u64)?)
        };
        match self.extent(index) {
            Some(extent) => describe(&self.files, extent),
            None => come().unwrap_or_default(),
        }
    }
}

impl Source for Tasks {
    type Input = Extent;

    fn len(&self) -> Option<u64> {
        self.then.is_none().then_some(self.list.len() as u64)
    }

    fn bytes(&self, index: u64) -> u64 {
        usize::try_from(index).ok().and_then(|i| self.list.get(i)).map_or(0, |e| e.bytes)
    }

    fn get(&self, index: u64) -> Result<Option<Extent>, AppError> {
        match (self.extent(index), &self.then) {
            (Some(_), Some((coming, _))) if !coming.takes(index, |task| self.files_from(task)) => Ok(None),
            (Some(extent), _) => Ok(Some(*extent)),
            (None, Some((coming, grain))) => coming.get(index - self.list.len() as u64, *grain),
            (None, None) => Ok(None),
        }
    }
}

/// The files of `extent`, for messages.
pub(crate) fn describe(files: &[InputFile], extent: &Extent) -> String {
    if extent.piece {
        let name = show::path(&files[extent.first].path);
        format!("{name} from byte {}", extent.start)
    } else {
        names(&files[extent.first].path, extent.files)
    }
}

/// So many files, the first of which is `first`, for messages.
pub(crate) fn names(first: &Path, files: usize) -> String {
    let name = show::path(first);
    if files > 1 { format!("{name} and {} more", files - 1) } else { name }
}

struct Cutter<'a> {
    files: &'a [InputFile],
    grain: Grain,
    most_files: usize,
    list: Vec<Extent>,
    /// The task that more files may join.
    open: Option<Extent>,
    /// Bytes that its names take as arguments.
    room: u64,
}

impl Cutter<'_> {
    fn close(&mut self) {
        self.list.extend(self.open.take());
    }

    fn file(&mut self, at: usize) -> Result<(), AppError> {
        let file = &self.files[at];
        if self.grain.split_lines && file.bytes > self.grain.bytes.max(1) {
            return self.round(at, &[]);
        }
        let room = argument::room(&file.path);
        if let Some(open) = &mut self.open
            && open.files < self.most_files
            && open.bytes + file.bytes <= self.grain.bytes
            && self.room + room <= ROOM
        {
            open.files += 1;
            open.bytes += file.bytes;
            self.room += room;
        } else {
            self.close();
            self.open = Some(Extent { first: at, start: 0, files: 1, bytes: file.bytes, piece: false });
            self.room = room;
        }
        Ok(())
    }

    /// Cuts one file round the pieces of it that are held.
    fn round(&mut self, at: usize, held: &[Extent]) -> Result<(), AppError> {
        self.close();
        let file = &self.files[at];
        let opened = super::feed::open(&file.path)?;
        let mut from = 0;
        for piece in held {
            self.lines(at, &opened, from..piece.start)?;
            self.list.push(*piece);
            from = piece.start + piece.bytes;
        }
        self.lines(at, &opened, from..file.bytes)
    }

    /// Cuts `range` of a file, which begins and ends at line ends, into pieces of nearly one size.
    fn lines(&mut self, at: usize, file: &File, range: Range<u64>) -> Result<(), AppError> {
        let size = range.end.saturating_sub(range.start);
        let pieces = size.div_ceil(self.grain.bytes.max(1));
        let mut start = range.start;
        for piece in 1..=pieces {
            let ideal = range.start + (u128::from(size) * u128::from(piece) / u128::from(pieces)) as u64;
            let end = if piece == pieces {
                range.end
            } else if ideal <= start {
                continue;
            } else {
                line_end(file, &self.files[at].path, ideal - 1)?.min(range.end)
            };
            if end > start {
                let whole = end - start == self.files[at].bytes;
                self.list.push(Extent { first: at, start, files: 1, bytes: end - start, piece: !whole });
                start = end;
            }
        }
        Ok(())
    }
}

/// The place behind the first line end at or after `from`; a large number if there is none.
fn line_end(file: &File, path: &Path, from: u64) -> Result<u64, AppError> {
    let mut block = [0; LOOK];
    let mut at = from;
    loop {
        let read = file.read_at(&mut block, at).map_err(|e| {
            AppError::new(format!("cannot read the input {}: {}", show::path(path), plain(&e)))
        })?;
        if let Some(i) = block[..read].iter().position(|&b| b == b'\n') {
            return Ok(at + i as u64 + 1);
        }
        if read == 0 {
            return Ok(u64::MAX);
        }
        at += read as u64;
    }
}
