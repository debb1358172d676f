//! What a person asks a database of features.

use forerun_skeleton::AppError;

use super::store::{Database, Found, Phrase, StoreError, Totals};

/// A database of features, to be asked.
#[derive(Debug)]
pub struct Query {
    database: Database,
}

/// What there is of a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The phrase itself, if it is there.
    pub phrase: Option<Phrase>,
    /// Documents that have it, those that have it most often first.
    pub found: Vec<Found>,
    /// The most frequent phrases that contain it.
    pub containing: Vec<Phrase>,
    /// Names of the fields, by the numbers in `places`.
    pub fields: Vec<String>,
}

impl Query {
    /// Asks `database`.
    pub fn new(database: Database) -> Self {
        Query { database }
    }

    fn ask<T>(
        &self,
        act: impl FnOnce(&mut dyn super::store::Store) -> Result<T, StoreError>,
    ) -> Result<T, AppError> {
        let none =
            || AppError::new(format!("{} has no features: forerun run features writes them", self.database));
        let answer = self.database.look(|store| match store.about("format")? {
            Some(format) if format == super::store::FORMAT => act(store).map(Some),
            Some(format) => Err(StoreError::other_format(&format)),
            None => Ok(None),
        })?;
        answer.flatten().ok_or_else(none)
    }

    /// The most frequent phrases, at most `limit`.
    ///
    /// # Errors
    /// A database that is not there or has no features.
    pub fn top(&self, limit: u32) -> Result<(Totals, Vec<Phrase>), AppError> {
        self.ask(|store| Ok((store.totals()?, store.top(limit.into())?)))
    }

    /// A phrase, written in any case and with any spaces, and the phrases that contain it; at most `limit` of each.
    ///
    /// # Errors
    /// As [`Query::top`].
    pub fn search(&self, phrase: &str, limit: u32) -> Result<Answer, AppError> {
        let words: Vec<String> = phrase.split_whitespace().map(str::to_lowercase).collect();
        let key = words.join(" ");
        self.ask(|store| {
            Ok(Answer {
                phrase: store.phrase(&key)?,
                found: store.occurrences(&key, limit.into())?,
                containing: store.containing(&key, limit.into())?,
                fields: store.fields()?,
            })
        })
    }
}
