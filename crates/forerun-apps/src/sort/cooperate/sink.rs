//! Writing the result.

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{Piece, Sink};
use tempfile::NamedTempFile;

use super::app::SortedPacket;
use super::held::InParts;
use crate::pieces;
use crate::seen::LEAVE;
use crate::sort::job::SortJob;
use crate::sort::sorted::Form;

/// The output as far as it is written, under a name of its own.
#[derive(Debug)]
pub(crate) struct PacketSink<'a> {
    job: &'a SortJob,
    written: Written,
}

/// A complete result that does not have its name yet; it is gone when this is dropped.
#[derive(Debug)]
pub struct Written {
    file: NamedTempFile,
    bytes: u64,
    spilled_before: u64,
}

impl Written {
    /// Bytes of the result.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that the sort had spilled before the run that wrote this.
    pub(super) fn spilled_before(&self) -> u64 {
        self.spilled_before
    }

    pub(super) fn into_file(self) -> NamedTempFile {
        self.file
    }
}

impl<'a> PacketSink<'a> {
    /// For a run before which the sort had spilled so many bytes.
    pub(super) fn open(job: &'a SortJob, spilled_before: u64) -> Result<Self, AppError> {
        let file = job.output_file().begin()?;
        Ok(PacketSink { job, written: Written { file, bytes: 0, spilled_before } })
    }
}

impl<R: InParts> Sink<SortedPacket<R>> for PacketSink<'_> {
    type Out = Written;

    fn accept(&mut self, piece: Piece<SortedPacket<R>>) -> Result<(), AppError> {
        self.job.desk().go_on()?;
        let (written, output) = (&mut self.written, self.job.output_file());
        piece.value.0.write(Form::File, &mut |bytes| {
            written.bytes += bytes.len() as u64;
            pieces::write_all(written.file.as_file_mut(), bytes).map_err(|e| output.error(&e))
        })
    }

    fn close(self) -> Result<Written, AppError> {
        let expected = self.job.bytes();
        if self.job.element().width() > 1 && self.written.bytes != expected {
            return Err(AppError::new(format!(
                "{} bytes of {expected} were written: an input was changed while it was being read: {LEAVE}",
                self.written.bytes
            )));
        }
        Ok(self.written)
    }
}
