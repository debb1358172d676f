//! Tasks and merges within the memory budget.

use std::ops::Range;

use forerun_skeleton::{AppError, Cancel};

use super::budget::{Budget, Lease};
use super::files::Files;
use super::run::Parts;
use super::sorted::{Form, Sorted, Supply};
use super::spill::{Extent, Spill};

/// Buffer of a run when two in memory are merged to disk, in bytes.
const BUFFER: usize = 256 << 10;

/// What tasks and merges work with.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) files: Files,
    pub(crate) spill: Spill,
    pub(crate) budget: Budget,
    pub(crate) ranks: u64,
    pub(crate) width: u64,
    pub(crate) merge_threads: usize,
    pub(crate) cancel: Cancel,
}

impl Desk {
    /// Fails if the sort was cancelled.
    pub(crate) fn go_on(&self) -> Result<(), AppError> {
        if self.cancel.is_cancelled() { Err(AppError::new("the sort was cancelled")) } else { Ok(()) }
    }

    /// Bytes of memory that one rank may work in at most.
    pub(crate) fn share(&self) -> u64 {
        self.budget.limit() / self.ranks
    }

    /// Bytes of input that a rank may always read and sort, whatever the others hold: a
    /// sixteenth of its share, which the budget leaves room for.
    fn floor<R: Sorted>(&self) -> u64 {
        let worst = R::need(&self.files, 1 << 20, true) >> 20;
        self.align(self.share() / 16 / worst.max(1)).max(64)
    }

    fn align(&self, bytes: u64) -> u64 {
        bytes - bytes % self.width
    }

    /// Reads and sorts a range.
    pub(crate) fn task<R: Sorted>(&self, range: Range<u64>) -> Result<Parts<R>, AppError> {
        let mut parts = Parts::default();
        let mut at = range.start;
        while at < range.end {
            self.go_on()?;
            let (bytes, run, lease) = self.piece::<R>(at..range.end)?;
            if bytes == range.end - range.start {
                return self.settle(run, lease);
            }
            // Where the range does not fit there is no use in keeping a part of it.
            parts.disk.extend(self.spill(&run)?);
            at += bytes;
        }
        Ok(parts)
    }

    /// Reads and sorts as much of the beginning of `rest` as there is memory for.
    fn piece<R: Sorted>(&self, rest: Range<u64>) -> Result<(u64, R, Lease), AppError> {
        let floor = self.floor::<R>();
        let mut bytes = rest.end - rest.start;
        loop {
            let range = rest.start..rest.start + bytes;
            if bytes <= floor {
                let lease = self.budget.lease(R::need(&self.files, bytes, true));
                let run = R::read(&self.files, range, u64::MAX)?
                    .ok_or_else(|| AppError::new("a piece of the input is too large to be sorted"))?;
                return Ok((bytes, run, lease));
            }
            let need = R::need(&self.files, bytes, false);
            if need <= self.share()
                && let Some(lease) = self.budget.try_lease(need)
                && let Some(run) = R::read(&self.files, range, need)?
            {
                return Ok((bytes, run, lease));
            }
            bytes = self.align(bytes / 2).max(floor);
        }
    }

    /// Keeps a run in memory if it may rest there, else spills it.
    pub(crate) fn settle<R: Sorted>(&self, run: R, mut lease: Lease) -> Result<Parts<R>, AppError> {
        lease.resize(run.footprint());
        if run.bytes() == 0 {
            Ok(Parts::default())
        } else if lease.try_rest() {
            Ok(Parts { memory: Some((run, lease)), disk: Vec::new() })
        } else {
            Ok(Parts { memory: None, disk: self.spill(&run)?.into_iter().collect() })
        }
    }

    fn spill<R: Sorted>(&self, run: &R) -> Result<Option<Extent>, AppError> {
        if run.bytes() == 0 {
            return Ok(None);
        }
        self.spill.write(run.bytes(), |out| run.write(Form::Spill, out)).map(Some)
    }

    /// Merges what is in memory, to memory or to disk; joins the lists of what is on disk.
    pub(crate) fn merge<R: Sorted>(
        &self,
        mut left: Parts<R>,
        mut right: Parts<R>,
    ) -> Result<Parts<R>, AppError> {
        self.go_on()?;
        let mut merged = match (left.memory.take(), right.memory.take()) {
            (Some((a, x)), Some((b, y))) => {
                if let Some(lease) = self.budget.try_lease(a.footprint() + b.footprint()) {
                    let run = R::merge(&a, &b, self.merge_threads)?;
                    drop((a, b, x, y));
                    self.settle(run, lease)?
                } else {
                    let buffer = BUFFER.min((self.share() / 32) as usize);
                    let runs = [Supply::Memory(&a), Supply::Memory(&b)];
                    let extent = self.spill.write(a.bytes() + b.bytes(), |out| {
                        R::write_merged(&runs, &self.spill, buffer, Form::Spill, out)
                    })?;
                    Parts { memory: None, disk: vec![extent] }
                }
            }
            (memory, None) | (None, memory) => Parts { memory, disk: Vec::new() },
        };
        merged.disk.append(&mut left.disk);
        merged.disk.append(&mut right.disk);
        Ok(merged)
    }
}
