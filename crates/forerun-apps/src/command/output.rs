//! What a program wrote: the partial result of a reduction by commands.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use forerun_skeleton::{AppError, Message};

use super::scratch::ScratchFile;
use super::show;
use crate::pieces;

/// The standard output of a program, in memory if it is small, else in a temporary file.
#[derive(Debug)]
pub struct Output {
    pub(crate) body: Body,
    pub(crate) origin: Origin,
}

/// The files that a result comes from, from the first to the last, for messages.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    places: Range<usize>,
    first: Arc<Path>,
    last: Arc<Path>,
}

impl Origin {
    /// Their places among the inputs.
    pub(crate) fn places(&self) -> Range<usize> {
        self.places.clone()
    }

    /// The files at `places`, of which the first and the last are given.
    pub(crate) fn new(places: Range<usize>, first: &Path, last: &Path) -> Self {
        let first: Arc<Path> = first.into();
        let last = if *first == *last { first.clone() } else { last.into() };
        Origin { places, first, last }
    }

    /// Both together.
    pub(crate) fn with(&self, other: &Origin) -> Origin {
        let (a, b) = (self, other);
        let (from, first) = if a.places.start <= b.places.start { (a, &a.first) } else { (b, &b.first) };
        let (to, last) = if a.places.end >= b.places.end { (a, &a.last) } else { (b, &b.last) };
        Origin { places: from.places.start..to.places.end, first: first.clone(), last: last.clone() }
    }

    /// `results of a`, `results of 3 files from a to c`.
    pub(crate) fn describe(&self) -> String {
        match self.places.len() {
            1 => format!("results of {}", show::path(&self.first)),
            n => {
                format!("results of {n} files from {} to {}", show::path(&self.first), show::path(&self.last))
            }
        }
    }
}

/// Where the bytes are.
#[derive(Debug)]
pub(crate) enum Body {
    Memory(Vec<u8>),
    File { file: ScratchFile, bytes: u64 },
}

impl Body {
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Body::Memory(bytes) => bytes.len() as u64,
            Body::File { bytes, .. } => *bytes,
        }
    }
}

impl Output {
    /// Whether it is in memory, rather than in a temporary file.
    pub fn in_memory(&self) -> bool {
        matches!(self.body, Body::Memory(_))
    }

    /// Copies it to `to`, in blocks.
    ///
    /// # Errors
    /// That of reading the temporary file or of writing.
    pub fn copy_to(&self, to: &mut impl Write) -> io::Result<()> {
        match &self.body {
            Body::Memory(bytes) => pieces::write_all(to, bytes),
            Body::File { file, .. } => io::copy(&mut File::open(file.path())?, to).map(drop),
        }
    }

    /// Its bytes, all in memory.
    ///
    /// # Errors
    /// That the temporary file cannot be read, with its name.
    pub fn to_vec(&self) -> Result<Vec<u8>, AppError> {
        match &self.body {
            Body::Memory(bytes) => Ok(bytes.clone()),
            Body::File { file, .. } => std::fs::read(file.path())
                .map_err(|e| AppError::new(format!("cannot read {}: {e}", show::path(file.path())))),
        }
    }
}

impl Message for Output {
    fn bytes(&self) -> u64 {
        self.body.bytes()
    }
}
