//! The ranked lists of some queries.

use std::collections::BTreeMap;

use forerun_lsi::ranking::{Best, Hit};
use forerun_skeleton::{AppError, Message, Wire};

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

/// For each query its place, the number of its hits, and of each hit document and cosine.
impl Wire for Lists {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        let lists: Vec<(u32, Vec<(u32, u32)>)> = self
            .iter()
            .map(|(query, hits)| (query, hits.iter().map(|h| (h.document, h.score.to_bits())).collect()))
            .collect();
        lists.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let lists: Vec<(u32, Vec<(u32, u32)>)> = Wire::decode(bytes)?;
        let hit = |(document, bits)| Hit { document, score: f32::from_bits(bits) };
        let list = |hits: Vec<_>| Best::of(hits.into_iter().map(hit).collect(), usize::MAX);
        Ok(Lists(lists.into_iter().map(|(query, hits)| (query, list(hits))).collect()))
    }
}
