//! Reading outcomes that `--json` wrote.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::Outcome;
use crate::file::{self, FileError, Problem};

impl Outcome {
    /// Reads the file of outcomes that `run --json` or `predict --json` wrote: a list of them, or
    /// a single one. Keys it does not know are passed over.
    ///
    /// # Errors
    /// The file cannot be read, or the line at which it is not what it should be.
    pub fn load(path: impl AsRef<Path>) -> Result<Vec<Outcome>, FileError> {
        let path = path.as_ref();
        Outcome::from_json(&file::contents(path)?, &path.display().to_string())
    }

    /// Reads outcomes from the contents of a file; `name` is what messages call it.
    ///
    /// # Errors
    /// The line at which it is not what it should be.
    pub fn from_json(text: &str, name: &str) -> Result<Vec<Outcome>, FileError> {
        match text.trim_start().chars().next() {
            Some('[') => parse(text, name),
            Some('{') => parse(text, name).map(|one| vec![one]),
            found => {
                let is = if found.is_none() { "the file is empty" } else { "this is not JSON" };
                let at = text.len() - text.trim_start().len();
                let message = format!(
                    "{is}: give a file of outcomes, as run --json FILE or predict --json FILE writes"
                );
                Err(FileError::wrong(name, vec![Problem::at(text, at..at + 1, message)]))
            }
        }
    }
}

fn parse<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, FileError> {
    serde_json::from_str(text).map_err(|e| {
        let begin: usize = text.split_inclusive('\n').take(e.line().saturating_sub(1)).map(str::len).sum();
        // serde_json counts bytes, and 0 for the end of a line.
        let at = begin + e.column().saturating_sub(1);
        let full = e.to_string();
        let what = full.rsplit_once(" at line ").map_or(full.as_str(), |(what, _)| what);
        let message = format!(
            "this is not a file of outcomes, as run --json FILE or predict --json FILE writes: {what}"
        );
        FileError::wrong(name, vec![Problem::at(text, at..at + 1, message)])
    })
}
