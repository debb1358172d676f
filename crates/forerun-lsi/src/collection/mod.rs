//! Collections: documents, queries, and which documents are relevant to which query.
//!
//! [`smart`] reads the form of the SMART system's test collections (Cranfield, MED, CISI, CACM), [`judgements`]
//! the forms that their relevance judgements come in, and [`directory`] finds these files where they lie together.

pub mod directory;
pub mod judgements;
pub mod smart;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use forerun_platform::FileError;
use forerun_platform::file::{bytes, lenient, named};

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

/// A file's text, in which bytes that are no UTF-8 are replaced.
fn text(path: &Path) -> Result<String, LsiError> {
    let bytes = bytes(path).map_err(|e| LsiError::unreadable(path, &e))?;
    let replaced = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    lenient(bytes, replaced).map_err(|why| FileError::foreign(&named(path), why).into())
}

/// The queries of a file: in the SMART form where its first line begins an entry, else a query a line, named by the lines'
/// numbers; empty lines are none. Bytes that are no UTF-8 are replaced.
///
/// # Errors
/// The file cannot be read, is no text, or is in the SMART form and has lines of another.
pub fn queries(path: &Path) -> Result<Vec<Query>, LsiError> {
    let text = text(path)?;
    if text.starts_with(".I") {
        return smart::queries_in(path, &text);
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    Ok(lines
        .map(|(number, line): (usize, &str)| Query { id: number.to_string(), text: line.into() })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_has_no_documents_queries_or_judgements() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let noise: Vec<u8> = (0..3000u32).map(|i| (i * i * 7 + i / 3) as u8 | 1).collect();
        let begun = [b".I 1\n.W\n", &noise[..]].concat();
        for bytes in [&noise[..], &begun, b"a query\0\n"] {
            std::fs::write(&path, bytes).unwrap();
            let said = |e: Option<LsiError>| e.map(|e| e.to_string()).unwrap_or_default();
            for said in [
                said(queries(&path).err()),
                said(smart::queries(&path).err()),
                said(smart::documents(&path, smart::FIELDS).err()),
                said(judgements::read(&path).err()),
            ] {
                assert!(said.contains("f is not text") && said.lines().count() == 1, "{said}");
            }
        }
        std::fs::write(&path, b"trees of K\xf6nigsberg\n").unwrap();
        assert_eq!(queries(&path).unwrap().len(), 1);
    }
}
