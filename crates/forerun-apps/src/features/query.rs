//! What a person asks a database of features.

use forerun_skeleton::AppError;

use super::store::{Database, Found, Phrase, StoreError, Totals};

/// A database of features, to be asked.
#[derive(Debug)]
pub struct Query {
    database: Database,
}

/// Words that do not begin a phrase, and are left out inside of one: articles, demonstratives, possessive pronouns, quantifiers.
const DETERMINERS: [&str; 29] = [
    "a", "all", "an", "any", "both", "each", "either", "every", "her", "his", "its", "many", "my", "neither",
    "no", "our", "several", "some", "such", "that", "the", "their", "these", "this", "those", "what",
    "which", "whose", "your",
];

/// What there is of a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// What was looked for: the words as they were written, or without what the dictionary leaves out.
    pub key: String,
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

    /// A phrase, written in any case and with any spaces, and the phrases that contain it; at most `limit` of each. Where
    /// there is nothing under these words, what the dictionary leaves out is left out: articles and other determiners, and
    /// the possessive ending of the last word.
    ///
    /// # Errors
    /// As [`Query::top`]; a phrase without a word.
    pub fn search(&self, phrase: &str, limit: u32) -> Result<Answer, AppError> {
        let words: Vec<String> = phrase.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Err(AppError::new("the phrase is empty: give at least a word of it"));
        }
        let as_written = words.join(" ");
        let bare = bare(&words);
        let limit = i64::from(limit);
        self.ask(|store| {
            let mut of = |key: &str| -> Result<Answer, StoreError> {
                Ok(Answer {
                    key: key.to_owned(),
                    phrase: store.phrase(key)?,
                    found: store.occurrences(key, limit)?,
                    containing: store.containing(key, limit)?,
                    fields: store.fields()?,
                })
            };
            let answer = of(&as_written)?;
            if !answer.is_empty() || bare.is_empty() || bare == as_written {
                return Ok(answer);
            }
            let other = of(&bare)?;
            Ok(if other.is_empty() { answer } else { other })
        })
    }
}

impl Answer {
    fn is_empty(&self) -> bool {
        self.phrase.is_none() && self.containing.is_empty()
    }
}

/// Words, in lower case, as a phrase of the dictionary is spelled: without determiners, and without the possessive ending of the last.
fn bare(words: &[String]) -> String {
    let mut kept: Vec<&str> = words.iter().map(String::as_str).filter(|w| !DETERMINERS.contains(w)).collect();
    if let Some(last) = kept.last_mut() {
        let ending = ["'s", "’s", "'", "’"].iter().find_map(|ending| last.strip_suffix(ending));
        *last = ending.unwrap_or(last);
    }
    kept.join(" ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn a_phrase_is_asked_for_as_the_dictionary_spells_it() {
        let of = |text: &str| bare(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        for (asked, key) in [
            ("the cluster", "cluster"),
            ("an old machine", "old machine"),
            ("all of these", "of"),
            ("end of the war", "end of war"),
            ("her committee's", "committee"),
            ("processors'", "processors"),
            ("committee's report", "committee's report"),
            ("the 's", ""),
            ("the", ""),
        ] {
            assert_eq!(of(asked), key, "{asked}");
        }
    }
}
