//! The ranked lists of some queries.

use std::collections::BTreeMap;

use forerun_lsi::ranking::{Best, Hit};
use forerun_skeleton::Message;

/// The best documents found so far for some queries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lists(BTreeMap<u32, Best>);

impl Lists {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a list of a query (by its place), and keeps the best `most`.
    pub fn add(&mut self, query: u32, best: Best, most: usize) {
        self.0.entry(query).or_default().merge(best, most);
    }

    /// Takes in all lists of `other`, and keeps the best `most` of each query. Associative, commutative and idempotent.
    ///
    /// Cost: one pass over the lists of the queries that both have; those of `other` that this has not are moved.
    pub fn merge(&mut self, mut other: Lists, most: usize) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        for (query, best) in other.0 {
            self.add(query, best, most);
        }
    }

    /// The queries, by their places, with their lists.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[Hit])> {
        self.0.iter().map(|(&query, best)| (query, best.hits()))
    }
}

impl Message for Lists {
    /// A word and a length for each query, a cosine and a document for each hit.
    fn bytes(&self) -> u64 {
        self.0.values().map(|best| 8 + 8 * best.hits().len() as u64).sum()
    }
}
