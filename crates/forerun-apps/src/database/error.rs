//! What goes wrong with a database.

use std::fmt;

use postgres::error::SqlState;
use rusqlite::ErrorCode;

use crate::command::plain;

/// What goes wrong with a database.
#[derive(Debug)]
pub(crate) struct StoreError {
    pub(super) sentence: String,
    /// Whether it may pass: no connection, a lock.
    pub(super) passing: bool,
}

impl StoreError {
    /// What does not pass.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        StoreError { sentence: sentence.into(), passing: false }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(e: rusqlite::Error) -> Self {
        let passing =
            matches!(e.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked));
        let sentence = match e.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "no space is left there: make some, or name another database".into(),
            _ => e.to_string(),
        };
        StoreError { sentence, passing }
    }
}

impl From<postgres::Error> for StoreError {
    fn from(e: postgres::Error) -> Self {
        let Some(db) = e.as_db_error() else {
            // No answer of the server: it cannot be reached, or is gone.
            let source = std::error::Error::source(&e);
            let passing = e.is_closed() || source.is_some_and(|s| s.is::<std::io::Error>());
            let said = |s: &(dyn std::error::Error + 'static)| {
                s.downcast_ref::<std::io::Error>().map_or_else(|| s.to_string(), plain)
            };
            let why = source.map(|s| format!(": {}", said(s))).unwrap_or_default();
            return StoreError { sentence: format!("{e}{why}"), passing };
        };
        let state = db.code();
        let passing = state.code().starts_with("08")
            || [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
                SqlState::T_R_SERIALIZATION_FAILURE,
                SqlState::T_R_DEADLOCK_DETECTED,
            ]
            .contains(state);
        StoreError { sentence: format!("{} (SQLSTATE {})", db.message(), state.code()), passing }
    }
}
