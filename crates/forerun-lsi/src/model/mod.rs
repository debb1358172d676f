//! A collection in its reduced space, against which queries are matched.

mod build;
mod file;
mod format;
mod numbers;
mod plain;

pub use self::plain::plain;

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use self::numbers::Numbers;
use crate::ranking::{Best, Folded, Hit, matched};
use crate::svd::SvdOptions;
use crate::{Analysis, Vocabulary, Weighting};

/// How to make a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelOptions {
    /// How text becomes terms.
    pub analysis: Analysis,
    /// How terms are weighted.
    pub weighting: Weighting,
    /// Terms in fewer documents than this are left out.
    pub least_documents: u32,
    /// How many dimensions, and how they are found.
    pub svd: SvdOptions,
}

impl ModelOptions {
    /// So many dimensions at most, terms of at least two documents, and otherwise the defaults.
    pub fn new(rank: usize) -> Self {
        ModelOptions {
            analysis: Analysis::default(),
            weighting: Weighting::default(),
            least_documents: 2,
            svd: SvdOptions::new(rank),
        }
    }
}

/// What a query must be treated like, and what the model was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) analysis: Analysis,
    pub(crate) weighting: Weighting,
    pub(crate) least_documents: u32,
    pub(crate) tolerance: f64,
    pub(crate) seed: u64,
}

/// A collection in its reduced space: T_k, S_k and S_kD_k, with the vocabulary and the documents' names. Copies share what they
/// hold, so that all ranks of a process use one; of T_k and S_kD_k of a file all processes of a host do.
#[derive(Debug, Clone)]
pub struct Model(Arc<Parts>);

/// What a model holds.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) about: About,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) ids: Vec<String>,
    /// Of every term.
    pub(crate) weights: Vec<f64>,
    pub(crate) values: Vec<f64>,
    /// T_k, a row a term.
    pub(crate) terms: Numbers,
    /// S_kD_k, a row a document, each divided by its length.
    pub(crate) documents: Numbers,
}

impl Model {
    pub(crate) fn of(parts: Parts) -> Self {
        Model(Arc::new(parts))
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    /// The number of dimensions, k.
    pub fn rank(&self) -> usize {
        self.0.values.len()
    }

    /// The singular values, falling.
    pub fn values(&self) -> &[f64] {
        &self.0.values
    }

    /// The names of the documents.
    pub fn ids(&self) -> &[String] {
        &self.0.ids
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.0.vocabulary
    }

    /// How the model weighs terms.
    pub fn weighting(&self) -> Weighting {
        self.0.about.weighting
    }

    /// How text becomes terms.
    pub fn analysis(&self) -> Analysis {
        self.0.about.analysis
    }

    /// Bytes of a document's coordinates.
    pub fn document_bytes(&self) -> u64 {
        4 * self.rank() as u64
    }

    /// Folds queries in: each becomes the unit vector along T_kᵀq. A query without a known term is a zero vector, and
    /// as near to one document as to any other.
    pub fn fold<S: AsRef<str>>(&self, queries: &[S]) -> Folded {
        let rank = self.rank();
        let vectors = queries.iter().map(|query| {
            let mut sum = vec![0.0f64; rank];
            for (term, count) in build::counts(&self.0.about.analysis, query.as_ref(), &self.0.vocabulary) {
                let weight = self.0.about.weighting.local(count) * self.0.weights[term as usize];
                let row = &self.0.terms[term as usize * rank..(term as usize + 1) * rank];
                for (sum, &coordinate) in sum.iter_mut().zip(row) {
                    *sum += weight * f64::from(coordinate);
                }
            }
            unit(&sum)
        });
        Folded::new(rank, vectors.collect())
    }

    /// The `most` documents of `shard` (places among the documents) with the largest cosines to each query. The cosine of a query
    /// and a document is the same whatever the shard.
    ///
    /// Cost: 2 · documents · queries · k operations.
    ///
    /// # Panics
    /// `shard` reaches beyond the documents, or the queries were folded by a model of another k.
    pub fn matched(&self, queries: &Folded, shard: Range<usize>, most: usize) -> Vec<Best> {
        let rank = self.rank();
        let documents = &self.0.documents[shard.start * rank..shard.end * rank];
        matched(queries, documents, rank, shard.start as u32, most)
    }

    /// The `most` best documents for each query, best first, on `threads` threads.
    pub fn ranked<S: AsRef<str>>(&self, queries: &[S], most: usize, threads: usize) -> Vec<Vec<Hit>> {
        let folded = self.fold(queries);
        let count = self.ids().len();
        let threads = threads.clamp(1, count.max(1));
        let shards: Vec<Range<usize>> =
            (0..threads).map(|t| count * t / threads..count * (t + 1) / threads).collect();
        let parts: Vec<Vec<Best>> = std::thread::scope(|scope| {
            let run = |shard: Range<usize>| {
                let folded = &folded;
                scope.spawn(move || self.matched(folded, shard, most))
            };
            let handles: Vec<_> = shards.into_iter().map(run).collect();
            handles.into_iter().map(|h| h.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        });
        let mut merged = vec![Best::default(); queries.len()];
        for part in parts {
            for (merged, best) in merged.iter_mut().zip(part) {
                merged.merge(best, most);
            }
        }
        merged.into_iter().map(Best::into_hits).collect()
    }
}

/// The vector divided by its length; zero where it has none.
pub(crate) fn unit(vector: &[f64]) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let scale = if length > 0.0 { length.recip() } else { 0.0 };
    vector.iter().map(|x| (x * scale) as f32).collect()
}
