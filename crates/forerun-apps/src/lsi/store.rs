//! Where ranked lists go.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use forerun_lsi::ranking::written;
use forerun_platform::file::is_standard_output;
use forerun_skeleton::{AppError, Cancel};

use crate::Erased;
use crate::command::show;
use crate::sort::output::Output;

/// A document in the list of a query, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record<'a> {
    /// The query's name.
    pub query: &'a str,
    /// The document's name.
    pub document: &'a str,
    /// The place in the list, from 1.
    pub rank: usize,
    /// The cosine.
    pub score: f32,
}

/// Takes complete ranked lists: a file, a database. It gets them once, at the end, query by query and best first; a store whose key
/// is (query, document) may as well be given the same records again, and is left as it was.
pub trait Store: Send + Sync {
    /// Stores all of them, or nothing; returns where they are, in a few words.
    ///
    /// # Errors
    /// A sentence that names the place.
    fn store(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<String, AppError>;

    /// Does the same work to where nobody sees it, for a pilot; what it returns is what is left to throw away.
    ///
    /// # Errors
    /// As for [`Store::store`].
    fn rehearse(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<Erased, AppError>;

    /// As [`ReductionJob::replaces`](crate::ReductionJob::replaces).
    fn replaces(&self) -> u64 {
        0
    }
}

/// A run file in the form of TREC, a line a record: `QUERY Q0 DOCUMENT RANK SCORE forerun`.
#[derive(Debug)]
pub struct RunFile(Output);

impl RunFile {
    /// The file of this name, or standard output for none and for `-`; checked, but nothing is written yet.
    ///
    /// # Errors
    /// A sentence that says what is in the way.
    pub fn open(path: Option<&Path>, cancel: &Cancel) -> Result<Self, AppError> {
        Ok(RunFile(match path.filter(|path| !is_standard_output(path)) {
            Some(path) => Output::check(path, &std::env::temp_dir(), cancel)?,
            None => Output::standard(std::env::temp_dir(), cancel.clone()),
        }))
    }
}

impl Store for RunFile {
    fn store(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<String, AppError> {
        let mut count = 0;
        self.0.write(|file, error| {
            count = write(file, records).map_err(|e| error(&e))?;
            Ok(())
        })?;
        Ok(format!("{} in {}", show::count(count, "document"), show::path(self.0.path())))
    }

    fn rehearse(&self, records: &mut dyn Iterator<Item = Record<'_>>) -> Result<Erased, AppError> {
        let tried = self.0.rehearse(|file, error| write(file, records).map(drop).map_err(|e| error(&e)));
        tried.map(Erased::new)
    }

    fn replaces(&self) -> u64 {
        self.0.replaces()
    }
}

/// Writes the records and gives their number.
fn write(file: &File, records: &mut dyn Iterator<Item = Record<'_>>) -> io::Result<u64> {
    let mut out = BufWriter::new(file);
    let mut count = 0;
    for Record { query, document, rank, score } in records {
        writeln!(out, "{query} Q0 {document} {rank} {} forerun", written(score, 6))?;
        count += 1;
    }
    out.flush()?;
    Ok(count)
}
