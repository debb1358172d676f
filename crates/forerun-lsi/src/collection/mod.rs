//! Collections: documents, queries, and which documents are relevant to which query.
//!
//! [`smart`] reads the form of the SMART system's test collections (Cranfield, MED, CISI, CACM), [`judgements`]
//! the forms that their relevance judgements come in, and [`directory`] finds these files where they lie together.

pub mod directory;
pub mod judgements;
pub mod smart;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::LsiError;

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// What it is called in its collection.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What it is called in its collection.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// The documents relevant to each query, by their identifiers.
pub type Relevant = BTreeMap<String, BTreeSet<String>>;

/// A test collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// The documents.
    pub documents: Vec<Document>,
    /// The queries.
    pub queries: Vec<Query>,
    /// The relevant documents of each query.
    pub relevant: Relevant,
    /// What a person should know of how it was read, a sentence each.
    pub notes: Vec<String>,
}

/// The queries of a file: in the SMART form where its first line begins an entry, else a query a line, named by the lines'
/// numbers; empty lines are none. Bytes that are no UTF-8 are replaced.
///
/// # Errors
/// The file cannot be read, or is in the SMART form and has lines of another.
pub fn queries(path: &Path) -> Result<Vec<Query>, LsiError> {
    let bytes = std::fs::read(path).map_err(|e| LsiError::unreadable(path, &e))?;
    if bytes.starts_with(b".I") {
        return smart::queries(path);
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    Ok(lines
        .map(|(number, line): (usize, &str)| Query { id: number.to_string(), text: line.into() })
        .collect())
}
