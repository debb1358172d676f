//! What can go wrong.

use std::fmt;
use std::path::Path;

use forerun_platform::FileError;

use crate::svd::SvdError;

/// Why there is no collection, model or list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LsiError {
    /// Lines of a file are wrong, or it cannot be read.
    File(FileError),
    /// The collection cannot be indexed so, or a file is not what it should be: a sentence.
    Request(String),
    /// No term occurs in as many documents as are asked for.
    NoTerms {
        /// Documents in which a term has to occur.
        least: u32,
        /// Documents that there are.
        documents: usize,
    },
    /// The matrix cannot be decomposed.
    Svd(SvdError),
}

impl LsiError {
    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        LsiError::File(FileError::unreadable(path, error))
    }

    pub(crate) fn file(path: &Path, what: impl fmt::Display) -> Self {
        LsiError::Request(format!("{}: {what}", path.display()))
    }
}

impl fmt::Display for LsiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LsiError::File(e) => e.fmt(f),
            LsiError::Request(what) => f.write_str(what),
            LsiError::NoTerms { documents: 0, .. } => f.write_str("there are no documents"),
            LsiError::NoTerms { least, documents } => write!(
                f,
                "no term occurs in {least} or more of {documents} document{}",
                if *documents == 1 { "" } else { "s" }
            ),
            LsiError::Svd(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for LsiError {}

impl From<FileError> for LsiError {
    fn from(e: FileError) -> Self {
        LsiError::File(e)
    }
}

impl From<SvdError> for LsiError {
    fn from(e: SvdError) -> Self {
        LsiError::Svd(e)
    }
}
