//! Where features are kept: tables of a database.
//!
//! # Tables
//! | table | a row | columns |
//! |---|---|---|
//! | `about` | a property of the database | `key` (`format`, `model`, `fields`), `value` |
//! | `field` | a field of documents | `number`, `name` |
//! | `file` | a file or page | `id`, `name` (absolute path, or URL), `bytes` and `modified` (ns since 1970; of a page what its server says, else 0) when it was read, `documents`, `skipped` (why, if it was); `bytes` is null while it is to be done |
//! | `document` | a document | `file`, `part` (from 1), `id` (within the file), `phrases` (occurrences), `left_out` |
//! | `phrase` | a phrase: the dictionary | `phrase`, `frequency`, `documents` |
//! | `occurrence` | a phrase in a document | `phrase`, `file`, `part`, `frequency`, `places` |
//!
//! `places` is a JSON array of `[field, start, end]`, in characters of the original file. In PostgreSQL the tables are in
//! the schema `forerun_features`.
//!
//! # Exactly once
//! Sets of results, those of a moment together, are one transaction: documents, occurrences, what is added to the dictionary (by `ON CONFLICT`), and
//! that the files are done. What a killed run had committed is done, the rest is not there, and the next run does it.
//! Identifiers of files are given in the order of their names before anything else is written; those of pages, which
//! are not known then, follow from their URLs and are 2⁶² or more. Files that are no longer in a directory that the run was
//! given are taken out before, with all that came of them. So the tables do not tell how often a run was interrupted, nor in which order its results came.

mod postgres;
mod sqlite;

use forerun_skeleton::AppError;
use forerun_text::phrase::Occurrence;

use super::batch::Batch;
use super::files::Ids;
use super::page;

pub use crate::database::Database;
pub(super) use crate::database::StoreError;
pub(super) use sqlite::LOG;

/// The format of the tables.
pub(super) const FORMAT: &str = "1";

impl Database {
    /// Does something with a database that is there; `None` if there is none. Makes none, and tries once.
    pub(super) fn look<T>(
        &self,
        act: impl FnOnce(&mut dyn Store) -> Result<T, StoreError>,
    ) -> Result<Option<T>, AppError> {
        let looked =
            self.connect(false).and_then(|store| store.map(|mut store| act(&mut *store)).transpose());
        looked.map_err(|e| AppError::new(format!("{self}: {e}")))
    }

    /// Connects, and makes what is not there.
    pub(super) fn made(&self) -> Result<Connection, StoreError> {
        self.connect(true)?.ok_or_else(|| StoreError::new("it is not there"))
    }

    /// Connects; `None` if nothing is there and nothing is to be made.
    fn connect(&self, make: bool) -> Result<Option<Connection>, StoreError> {
        match self {
            Database::Sqlite(path) => sqlite::connect(path, make),
            Database::Postgres(config) => postgres::connect(config).map(Some),
        }
    }
}

impl StoreError {
    pub(super) fn other_format(format: &str) -> Self {
        Self::new(format!("its tables have format {format}, this build has {FORMAT}: name another database"))
    }

    pub(super) fn other_model() -> Self {
        Self::new(
            "its phrases were found with another model: give that with --model, or name another database",
        )
    }

    pub(super) fn other_fields() -> Self {
        Self::new(
            "its fields are of other elements: give the same file with --fields, or name another database",
        )
    }

    fn same_identifier(page: &str) -> Self {
        Self::new(format!(
            "the page {page} has the identifier of another one: crawl it into a database of its own"
        ))
    }

    pub(super) fn gone() -> Self {
        Self::new("files are taken out of it while they are put in: let nothing else change it")
    }
}

/// A file as the database has it.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) id: i64,
    pub(super) name: String,
    /// Size and time of change when it was read, if it was.
    pub(super) read: Option<(i64, i64)>,
    /// Whether it was passed over.
    pub(super) skipped: bool,
}

/// A phrase, how often it occurs, and in how many documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// The phrase.
    pub phrase: String,
    /// Occurrences in all documents.
    pub frequency: i64,
    /// Documents that have it.
    pub documents: i64,
}

/// A document that has a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The document's file.
    pub file: String,
    /// What identifies it there.
    pub id: String,
    /// Occurrences in it.
    pub frequency: i64,
    /// Where: a JSON array of `[field, start, end]`.
    pub places: String,
}

/// Sums over all tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Files that were read.
    pub files: i64,
    /// Files that were passed over.
    pub skipped: i64,
    /// Documents.
    pub documents: i64,
    /// Different phrases.
    pub phrases: i64,
}

/// A connection, of either kind.
pub(super) type Connection = Box<dyn Store>;

/// A connection to a database.
pub(super) trait Store: Send {
    /// The value of `key` in `about`, if there are tables; an error if there are others.
    fn about(&mut self, key: &str) -> Result<Option<String>, StoreError>;

    /// Makes the tables where they are not there, with these properties and names of fields; `temporary` ones are of this connection alone.
    fn create(
        &mut self,
        about: &[(&str, &str)],
        fields: &[String],
        temporary: bool,
    ) -> Result<(), StoreError>;

    /// All files.
    fn files(&mut self) -> Result<Vec<Stored>, StoreError>;

    /// Adds files of these names that are not there, in this order, with identifiers from the largest on.
    fn register(&mut self, names: &[&str]) -> Result<(), StoreError>;

    /// Takes all that came of these files out of the tables, as if they had not been read.
    fn forget(&mut self, files: &[i64]) -> Result<(), StoreError>;

    /// Takes these files themselves out as well.
    fn remove(&mut self, files: &[i64]) -> Result<(), StoreError>;

    /// Stores a set whose files have these identifiers, unless it is stored already.
    fn put(&mut self, batch: &Batch, ids: &Ids) -> Result<(), StoreError>;

    /// Adds pages, by identifier and name, that are not there.
    fn enrol(&mut self, pages: &[(i64, String)]) -> Result<(), StoreError>;

    /// The names of the fields, by their numbers.
    fn fields(&mut self) -> Result<Vec<String>, StoreError>;

    /// The most frequent phrases.
    fn top(&mut self, limit: i64) -> Result<Vec<Phrase>, StoreError>;

    /// A phrase.
    fn phrase(&mut self, phrase: &str) -> Result<Option<Phrase>, StoreError>;

    /// The most frequent phrases that have these words among theirs, in this order and side by side, and others.
    fn containing(&mut self, words: &str, limit: i64) -> Result<Vec<Phrase>, StoreError>;

    /// The documents that have a phrase, those that have it most often first.
    fn occurrences(&mut self, phrase: &str, limit: i64) -> Result<Vec<Found>, StoreError>;

    /// Sums.
    fn totals(&mut self) -> Result<Totals, StoreError>;

    /// Leaves the database as it is to be found.
    fn close(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Of a set: how many of its files are done. All: it is stored. Some: another run does the same.
fn is_stored(done: u64, files: usize) -> Result<bool, StoreError> {
    match done {
        0 => Ok(false),
        n if n == files as u64 => Ok(true),
        _ => Err(StoreError::new("another run stores the same files in this database: let one of them end")),
    }
}

/// A number as databases have them.
fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Occurrences as a JSON array.
fn places(occurrences: &[Occurrence]) -> String {
    let list: Vec<String> =
        occurrences.iter().map(|o| format!("[{},{},{}]", o.field, o.start, o.end)).collect();
    format!("[{}]", list.join(","))
}

/// A pattern for `LIKE … ESCAPE '\'`: phrases that have these words, and others.
fn pattern(words: &str) -> String {
    let escaped: String = words
        .chars()
        .flat_map(|c| matches!(c, '%' | '_' | '\\').then_some('\\').into_iter().chain([c]))
        .collect();
    format!("% {escaped} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_json() {
        let at = |field, start| Occurrence { field, start, end: start + 4 };
        assert_eq!(places(&[at(0, 1), at(2, 30)]), "[[0,1,5],[2,30,34]]");
        assert_eq!(pattern("50% a_b"), "% 50\\% a\\_b %");
    }
}
