//! Where features are kept: tables of a database.
//!
//! # Tables
//! | table | a row | columns |
//! |---|---|---|
//! | `about` | a property of the database | `key` (`format`, `model`), `value` |
//! | `field` | a field of documents | `number`, `name` |
//! | `file` | a file | `id`, `name` (absolute path), `bytes` and `modified` (ns since 1970) when it was read, `documents`, `skipped` (why, if it was); `bytes` is null while it is to be done |
//! | `document` | a document | `file`, `part` (from 1), `id` (within the file), `phrases` (occurrences), `left_out` |
//! | `phrase` | a phrase: the dictionary | `phrase`, `frequency`, `documents` |
//! | `occurrence` | a phrase in a document | `phrase`, `file`, `part`, `frequency`, `places` |
//!
//! `places` is a JSON array of `[field, start, end]`, in characters of the original file. In PostgreSQL the tables are in
//! the schema `forerun_features`.
//!
//! # Exactly once
//! A set of results is one transaction: documents, occurrences, what is added to the dictionary (by `ON CONFLICT`), and
//! that the files are done. What a killed run had committed is done, the rest is not there, and the next run does it.
//! Identifiers of files are given in the order of their names before anything else is written. So the tables do not
//! tell how often a run was interrupted, nor in which order its results came.

mod postgres;
mod session;
mod sqlite;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ::postgres::Config;
use forerun_skeleton::AppError;
use forerun_text::phrase::Occurrence;

use super::batch::Batch;
use crate::command::show;

pub(super) use self::session::Session;

/// The format of the tables.
pub(super) const FORMAT: &str = "1";

/// A database, by its address: `sqlite:FILE` or only `FILE`, or `postgres://USER@HOST/NAME`.
#[derive(Clone)]
pub enum Database {
    /// A file of SQLite.
    Sqlite(PathBuf),
    /// A database of a PostgreSQL server.
    Postgres(Box<Config>),
}

impl FromStr for Database {
    type Err = AppError;

    fn from_str(address: &str) -> Result<Self, AppError> {
        let expected = "expected sqlite:FILE or postgres://USER@HOST/NAME";
        if address.starts_with("postgres://") || address.starts_with("postgresql://") {
            let config = Config::from_str(address).map_err(|e| {
                AppError::new(format!("the address of the database is not understood ({e}): {expected}"))
            })?;
            return Ok(Database::Postgres(Box::new(config)));
        }
        match address.strip_prefix("sqlite:").unwrap_or(address) {
            "" => Err(AppError::new(format!("the address of the database is empty: {expected}"))),
            other if other.contains("://") => {
                Err(AppError::new(format!("there is no database of the kind {other}: {expected}")))
            }
            file => Ok(Database::Sqlite(file.into())),
        }
    }
}

/// The address without what is secret.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Database::Sqlite(path) => f.write_str(&show::path(path)),
            Database::Postgres(config) => {
                let host = match config.get_hosts().first() {
                    Some(::postgres::config::Host::Tcp(host)) => host.clone(),
                    #[cfg(unix)]
                    Some(::postgres::config::Host::Unix(path)) => show::path(path),
                    None => String::new(),
                };
                let name = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
                write!(f, "the PostgreSQL database {name} on {host}")
            }
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Database {
    /// The file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Database::Sqlite(path) => Some(path),
            Database::Postgres(_) => None,
        }
    }

    /// Does something with a database that is there; `None` if there is none. Makes none, and tries once.
    pub(super) fn look<T>(
        &self,
        act: impl FnOnce(&mut dyn Store) -> Result<T, StoreError>,
    ) -> Result<Option<T>, AppError> {
        let looked =
            self.connect(false).and_then(|store| store.map(|mut store| act(&mut *store)).transpose());
        looked.map_err(|e| AppError::new(format!("{self}: {}", e.sentence)))
    }

    /// Connects; `None` if nothing is there and nothing is to be made.
    fn connect(&self, make: bool) -> Result<Option<Box<dyn Store>>, StoreError> {
        match self {
            Database::Sqlite(path) => sqlite::connect(path, make),
            Database::Postgres(config) => postgres::connect(config).map(Some),
        }
    }
}

/// The directory that a file is in.
pub(super) fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What goes wrong with a database.
#[derive(Debug)]
pub(super) struct StoreError {
    sentence: String,
    /// Whether it may pass: no connection, a lock.
    passing: bool,
}

impl StoreError {
    fn new(sentence: impl Into<String>) -> Self {
        StoreError { sentence: sentence.into(), passing: false }
    }

    pub(super) fn other_format(format: &str) -> Self {
        Self::new(format!("its tables have format {format}, this build has {FORMAT}: name another database"))
    }

    pub(super) fn other_model() -> Self {
        Self::new(
            "its phrases were found with another model: give that with --model, or name another database",
        )
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

/// A connection to a database.
pub(super) trait Store: Send {
    /// The value of `key` in `about`, if there are tables; an error if there are others.
    fn about(&mut self, key: &str) -> Result<Option<String>, StoreError>;

    /// Makes the tables where they are not there; `temporary` ones are of this connection alone.
    fn create(&mut self, model: &str, fields: &[String], temporary: bool) -> Result<(), StoreError>;

    /// All files.
    fn files(&mut self) -> Result<Vec<Stored>, StoreError>;

    /// Adds files of these names that are not there, in this order, with identifiers from the largest on.
    fn register(&mut self, names: &[&str]) -> Result<(), StoreError>;

    /// Takes all that came of these files out of the tables, as if they had not been read.
    fn forget(&mut self, files: &[i64]) -> Result<(), StoreError>;

    /// Stores a set whose files have these identifiers, unless it is stored already.
    fn put(&mut self, batch: &Batch, ids: &[i64]) -> Result<(), StoreError>;

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

/// The identifier of a file of the input.
fn id(ids: &[i64], file: u64) -> Result<i64, StoreError> {
    let found = usize::try_from(file).ok().and_then(|n| ids.get(n));
    found.copied().ok_or_else(|| StoreError::new("a result is of a file that is not among the inputs"))
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
    fn addresses_are_read_and_secrets_not_shown() {
        let of = |text: &str| text.parse::<Database>();
        assert_eq!(of("sqlite:a b.db").unwrap().file(), Some(Path::new("a b.db")));
        assert_eq!(of("dir/x.db").unwrap().file(), Some(Path::new("dir/x.db")));
        let server = of("postgres://me:secret@host:99/name").unwrap();
        assert_eq!(server.to_string(), "the PostgreSQL database name on host");
        assert!(!format!("{server:?}").contains("secret"));
        for bad in ["", "sqlite:", "mysql://x/y", "postgres://host:port/x"] {
            assert!(of(bad).unwrap_err().to_string().contains("expected sqlite:FILE"), "{bad}");
        }
    }

    #[test]
    fn places_are_json() {
        let at = |field, start| Occurrence { field, start, end: start + 4 };
        assert_eq!(places(&[at(0, 1), at(2, 30)]), "[[0,1,5],[2,30,34]]");
        assert_eq!(pattern("50% a_b"), "% 50\\% a\\_b %");
    }
}
