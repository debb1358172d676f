//! What a process is given on its standard input.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::AsFd;
use std::path::Path;

use forerun_skeleton::AppError;
use rustix::io::Errno;

use super::output::{Body, Output};
use super::scratch::plain;
use super::show;
use crate::seen::LEAVE;

/// Bytes read from a file at a time.
const BLOCK: u64 = 64 << 10;

/// Bytes written before the process's other pipes, its limits and the cancel flags are looked at.
const TURN: usize = 1 << 20;

/// A part of what is fed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    Bytes(&'a [u8]),
    Whole(&'a Path),
    Piece { path: &'a Path, start: u64, bytes: u64 },
}

impl<'a> Part<'a> {
    pub(crate) fn of(output: &'a Output) -> Self {
        match &output.body {
            Body::Memory(bytes) => Part::Bytes(bytes),
            Body::File { file, .. } => Part::Whole(file.path()),
        }
    }
}

/// Opens a file to read from.
pub(crate) fn open(path: &Path) -> Result<File, AppError> {
    File::open(path).map_err(|e| AppError::new(format!("cannot open {}: {}", show::path(path), plain(&e))))
}

fn unreadable(path: &Path, e: &io::Error) -> AppError {
    AppError::new(format!("cannot read {}: {}", show::path(path), plain(e)))
}

/// How far a write to the process went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fed {
    /// The pipe is full, or it is time to look at the other ends.
    Some,
    /// All is written, or the process does not want any more.
    All,
}

/// Writes parts one after the other into a pipe that does not block.
pub(crate) struct Feeder<'a> {
    parts: std::vec::IntoIter<Part<'a>>,
    now: Now<'a>,
}

enum Now<'a> {
    Nothing,
    Bytes(&'a [u8]),
    File { path: &'a Path, file: File, left: Option<u64>, block: Vec<u8>, at: usize, len: usize },
}

impl<'a> Feeder<'a> {
    pub(crate) fn new(parts: Vec<Part<'a>>) -> Self {
        Feeder { parts: parts.into_iter(), now: Now::Nothing }
    }

    /// Writes as much as the pipe takes, and not much more than [`TURN`] bytes.
    pub(crate) fn write(&mut self, to: impl AsFd) -> Result<Fed, AppError> {
        let mut written = 0;
        while written < TURN {
            let ready = self.ready()?;
            if ready.is_empty() {
                match self.next()? {
                    true => continue,
                    false => return Ok(Fed::All),
                }
            }
            match rustix::io::write(&to, ready) {
                Ok(n) => {
                    written += n;
                    self.advance(n);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(Fed::Some),
                // The process has closed its standard input: it has read what it wants.
                Err(Errno::PIPE) => return Ok(Fed::All),
                Err(e) => return Err(AppError::new(format!("cannot write to the process: {e}"))),
            }
        }
        Ok(Fed::Some)
    }

    /// What is to be written next of the present part; empty at its end.
    fn ready(&mut self) -> Result<&[u8], AppError> {
        match &mut self.now {
            Now::Nothing => Ok(&[]),
            Now::Bytes(bytes) => Ok(bytes),
            Now::File { path, file, left, block, at, len } => {
                if at == len {
                    let most = left.unwrap_or(BLOCK).min(BLOCK);
                    *at = 0;
                    *len = file.read(&mut block[..most as usize]).map_err(|e| unreadable(path, &e))?;
                    if let Some(left) = left {
                        if *len == 0 && *left > 0 {
                            return Err(AppError::new(format!(
                                "{} became shorter while it was being read: {LEAVE}",
                                show::path(path)
                            )));
                        }
                        *left -= *len as u64;
                    }
                }
                Ok(&block[*at..*len])
            }
        }
    }

    fn advance(&mut self, n: usize) {
        match &mut self.now {
            Now::Nothing => {}
            Now::Bytes(bytes) => *bytes = &bytes[n..],
            Now::File { at, .. } => *at += n,
        }
    }

    /// Goes on to the next part, if there is one.
    fn next(&mut self) -> Result<bool, AppError> {
        let Some(part) = self.parts.next() else { return Ok(false) };
        self.now = match part {
            Part::Bytes(bytes) => Now::Bytes(bytes),
            Part::Whole(path) => Now::file(path, open(path)?, None),
            Part::Piece { path, start, bytes } => {
                let mut file = open(path)?;
                file.seek(SeekFrom::Start(start)).map_err(|e| unreadable(path, &e))?;
                Now::file(path, file, Some(bytes))
            }
        };
        Ok(true)
    }
}

impl<'a> Now<'a> {
    fn file(path: &'a Path, file: File, left: Option<u64>) -> Self {
        Now::File { path, file, left, block: vec![0; BLOCK as usize], at: 0, len: 0 }
    }
}
