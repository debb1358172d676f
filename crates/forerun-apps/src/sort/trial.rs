//! What a run's way to the disk and back costs, tried without a run.

use forerun_skeleton::AppError;

use super::budget::Lease;
use super::finish::read_at_once;
use super::job::SortJob;
use super::spill::{Extent, Spill};
use crate::Spilling;

/// Most bytes of a run that is tried: what is written at once costs by the byte.
const MOST: u64 = 8 << 20;

/// Bytes like those of a sorted run, which go to a file beside that of the sort's runs and come back
/// as runs do when they are merged. The file is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct SpillTrial {
    spill: Spill,
    run: Vec<u8>,
    buffer: Vec<u8>,
    written: Vec<Extent>,
    _lease: Lease,
}

impl SpillTrial {
    pub(crate) fn new(job: &SortJob, bytes: Option<u64>) -> Self {
        let desk = job.desk();
        let task = bytes.unwrap_or_else(|| job.largest_grain()).min(job.bytes()).max(1);
        let buffer = read_at_once(desk, job.bytes().div_ceil(task));
        let bytes = task.min(MOST);
        // Written to once: memory that was never touched is no run.
        let run = vec![1; bytes as usize];
        let buffer = vec![1; buffer.min(run.len())];
        let _lease = desk.budget.lease((run.len() + buffer.len()) as u64);
        SpillTrial { spill: desk.spill.another(), run, buffer, written: Vec::new(), _lease }
    }
}

impl Spilling for SpillTrial {
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
}
