//! What can be wrong with a file.

use std::fmt;
use std::io;
use std::path::Path;

/// A file that cannot be used, in one sentence that names it and says what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    sentence: String,
}

impl TextError {
    /// An error that reads as this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into() }
    }

    /// A file that could not be read.
    pub(crate) fn unread(path: &Path, why: &io::Error) -> Self {
        let name = path.display();
        Self::new(match why.kind() {
            io::ErrorKind::NotFound => format!("{name} does not exist: check its name"),
            io::ErrorKind::IsADirectory => format!("{name} is a directory, where a file is expected"),
            _ => format!("cannot read {name}: {why}"),
        })
    }

    /// A line of a file that is not as expected.
    pub(crate) fn line(file: &str, line: usize, what: impl fmt::Display) -> Self {
        Self::new(format!("{file}:{line}: {what}"))
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for TextError {}
