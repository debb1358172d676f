//! Writes the page so that the file is whole or not there.

use std::fmt;
use std::path::{Path, PathBuf};

use forerun_platform::Outcome;
use forerun_platform::file::{is_standard_output, shown};

/// Why a report could not be written: one sentence that names the file and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteError {
    file: PathBuf,
    message: String,
}

impl WriteError {
    /// The file that could not be written.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", shown(&self.file), self.message)
    }
}

impl std::error::Error for WriteError {}

/// Writes the report of some outcomes to a file: first under another name in the same directory, then
/// renamed, so that a reader never sees half a page and a failure leaves what was there. `-` is standard
/// output; a device or a pipe is written to as it is.
///
/// # Errors
/// No outcomes, or a file that cannot be written there.
pub fn write(outcomes: &[Outcome], file: &Path) -> Result<(), WriteError> {
    let fail = |message: String| WriteError { file: file.into(), message };
    if outcomes.is_empty() {
        return Err(fail("not written, there are no outcomes to report; give at least one".into()));
    }
    let page = super::html(outcomes);
    let written = crate::file::replace(file, |to| to.write_all(page.as_bytes()).map(|()| true));
    written.map(drop).map_err(|e| match (is_standard_output(file), crate::error::reason(&e)) {
        (true, why) => {
            WriteError { file: "standard output".into(), message: format!("cannot be written: {why}") }
        }
        (false, why) => {
            fail(format!("cannot be written ({why}); give `-o` a file in a directory you may write to"))
        }
    })
}
