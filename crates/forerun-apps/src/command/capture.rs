//! Keeps what a process writes: all of its standard output, the end of its standard error.

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;

use forerun_skeleton::AppError;
use rustix::buffer::spare_capacity;
use rustix::io::Errno;

use super::output::Body;
use super::scratch::{Scratch, ScratchFile};
use crate::pieces;

/// Bytes that a first read may give.
const FIRST: usize = 4 << 10;
/// Bytes read at a time into the temporary file; a pipe holds no more by default.
const BLOCK: usize = 64 << 10;
/// Bytes kept of standard error.
const TAIL: usize = 4 << 10;

/// How a read from a pipe went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    Some,
    End,
}

/// Collects standard output, in memory up to a limit and then in a temporary file.
pub(crate) struct Capture<'a> {
    scratch: &'a Arc<Scratch>,
    keep: u64,
    buffer: Vec<u8>,
    spill: Option<(File, ScratchFile)>,
    bytes: u64,
}

impl<'a> Capture<'a> {
    pub(crate) fn new(scratch: &'a Arc<Scratch>, keep: u64) -> Self {
        Capture { scratch, keep, buffer: Vec::new(), spill: None, bytes: 0 }
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads once what is there.
    pub(crate) fn read(&mut self, from: impl AsFd) -> Result<Read, AppError> {
        let least = if self.buffer.is_empty() { FIRST } else { self.buffer.len().min(BLOCK) };
        if self.buffer.capacity() - self.buffer.len() < least / 2 {
            self.buffer.reserve(least);
        }
        let n = match rustix::io::read(from, spare_capacity(&mut self.buffer)) {
            Ok(0) => return Ok(Read::End),
            Ok(n) => n as u64,
            Err(Errno::INTR | Errno::AGAIN) => return Ok(Read::Some),
            Err(e) => return Err(AppError::new(format!("cannot read from the process: {e}"))),
        };
        self.bytes += n;
        if self.spill.is_some() || self.buffer.len() as u64 > self.keep {
            self.write_out()?;
        }
        Ok(Read::Some)
    }

    fn write_out(&mut self) -> Result<(), AppError> {
        if self.spill.is_none() {
            self.spill = Some(self.scratch.file()?);
        }
        if let Some((file, _)) = &mut self.spill {
            pieces::write_all(file, &self.buffer).map_err(|e| self.scratch.trouble(&e))?;
        }
        self.buffer.clear();
        self.buffer.shrink_to(BLOCK);
        self.buffer.reserve(BLOCK);
        Ok(())
    }

    /// What was collected.
    pub(crate) fn finish(mut self) -> Body {
        match self.spill {
            Some((_, file)) => Body::File { file, bytes: self.bytes },
            None => {
                self.buffer.shrink_to_fit();
                Body::Memory(self.buffer)
            }
        }
    }
}

/// Keeps the last bytes of standard error.
#[derive(Default)]
pub(crate) struct Tail {
    bytes: VecDeque<u8>,
}

impl Tail {
    /// Reads once what is there.
    pub(crate) fn read(&mut self, from: impl AsFd) -> Result<Read, AppError> {
        let mut block = [0; TAIL];
        match rustix::io::read(from, &mut block) {
            Ok(0) => Ok(Read::End),
            Ok(n) => {
                self.bytes.extend(&block[..n]);
                self.bytes.drain(..self.bytes.len().saturating_sub(TAIL));
                Ok(Read::Some)
            }
            Err(Errno::INTR | Errno::AGAIN) => Ok(Read::Some),
            Err(e) => Err(AppError::new(format!("cannot read from the process: {e}"))),
        }
    }

    /// The last bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes.into()
    }
}
