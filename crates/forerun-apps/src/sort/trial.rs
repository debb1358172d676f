//! What a run's way to the disk and back costs, tried without a run.

use std::ops::Range;

use forerun_skeleton::AppError;

use super::budget::Lease;
use super::desk::Desk;
use super::finish::{merge_again, merged_at_once, read_at_once};
use super::job::SortJob;
use super::run::for_element;
use super::sorted::{Form, Sorted};
use super::spill::{Extent, Spill};
use crate::Spilling;

/// Most bytes of a run that is tried: what is written at once costs by the byte.
const MOST: u64 = 8 << 20;

/// Runs that are merged at most, and bytes of each: a level of merging takes as long whatever there are more, and what buffers take to be
/// made shows little.
const MERGED: (u64, u64) = (16, 128 << 10);

/// Bytes like those of a sorted run, which go to a file beside that of the sort's runs and come back
/// as runs do when they are merged. The file is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct SpillTrial<'j> {
    job: &'j SortJob,
    spill: Spill,
    run: Vec<u8>,
    buffer: Vec<u8>,
    written: Vec<Extent>,
    gathered: Vec<Extent>,
    _lease: Lease,
}

impl<'j> SpillTrial<'j> {
    pub(crate) fn new(job: &'j SortJob, bytes: Option<u64>) -> Self {
        let desk = job.desk();
        let task = bytes.unwrap_or_else(|| job.largest_grain()).min(job.bytes()).max(1);
        let buffer = read_at_once(desk, job.bytes().div_ceil(task));
        let bytes = task.min(MOST);
        // Written to once: memory that was never touched is no run.
        let run = vec![1; bytes as usize];
        let buffer = vec![1; buffer.min(run.len())];
        let _lease = desk.budget.lease((run.len() + buffer.len()) as u64);
        let spill = desk.spill.another();
        SpillTrial { job, spill, run, buffer, written: Vec::new(), gathered: Vec::new(), _lease }
    }
}

impl Spilling for SpillTrial<'_> {
    fn bytes(&self) -> u64 {
        self.run.len() as u64
    }

    fn write(&mut self) -> Result<(), AppError> {
        let extent = self.spill.write(self.bytes(), |out| out(&self.run))?;
        self.written.push(extent);
        Ok(())
    }

    fn read(&mut self) -> Result<(), AppError> {
        let Some(extent) = self.written.pop() else { return Ok(()) };
        let mut at = 0;
        while at < extent.length {
            let n = (extent.length - at).min(self.buffer.len() as u64);
            self.spill.take(extent, at, &mut self.buffer[..n as usize])?;
            at += n;
        }
        Ok(())
    }
    fn gather(&mut self) -> Result<Option<(u64, u64)>, AppError> {
        let (most, each) = MERGED;
        let runs = merged_at_once(self.job.desk()).min(most);
        let parts = (0..runs).map(|run| {
            let at = run as f64 / (runs - 1).max(1) as f64;
            self.job.sample(at, each.min(self.run.len() as u64)).range()
        });
        let spill = &self.spill;
        self.gathered = for_element!(self.job.element(), R => sorted::<R>(self.job.desk(), spill, parts))?;
        let bytes = self.gathered.iter().map(|extent| extent.length).sum();
        Ok(Some((bytes, self.gathered.len() as u64)))
    }

    fn merge(&mut self) -> Result<(), AppError> {
        let runs = std::mem::take(&mut self.gathered);
        // As the end reads them, with room for as many.
        let buffer = self.buffer.len().min(read_at_once(self.job.desk(), runs.len() as u64));
        for_element!(self.job.element(), R => merge_again::<R>(&self.spill, &runs, buffer)).map(drop)
    }
}

/// Sorts each of the ranges, one after the other, to `spill`.
fn sorted<R: Sorted>(
    desk: &Desk,
    spill: &Spill,
    ranges: impl Iterator<Item = Range<u64>>,
) -> Result<Vec<Extent>, AppError> {
    let mut extents = Vec::new();
    for range in ranges {
        desk.go_on()?;
        let _lease = desk.budget.lease(R::need(&desk.files, range.end - range.start, true));
        if let Some(run) = R::read(&desk.files, range, u64::MAX)?
            && run.bytes() > 0
        {
            extents.push(spill.write(run.bytes(), |out| run.write(Form::Spill, out))?);
        }
    }
    Ok(extents)
}
