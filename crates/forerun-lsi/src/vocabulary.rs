//! The terms of a collection.

use std::collections::HashMap;

/// The terms of a collection, in alphabetical order, with the number of documents that each occurs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    terms: Vec<String>,
    documents: Vec<u32>,
    places: HashMap<String, u32>,
}

impl Vocabulary {
    /// A vocabulary of terms in alphabetical order and the number of documents of each.
    pub(crate) fn new(terms: Vec<String>, documents: Vec<u32>) -> Self {
        let places = (0..).zip(&terms).map(|(place, term)| (term.clone(), place)).collect();
        Vocabulary { terms, documents, places }
    }

    /// The terms.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The number of documents that each term occurs in.
    pub fn documents(&self) -> &[u32] {
        &self.documents
    }

    /// The place of a term among the terms.
    pub fn find(&self, term: &str) -> Option<u32> {
        self.places.get(term).copied()
    }
}
