//! The vector space without reduction, to be compared with.

use super::ModelOptions;
use super::build::{count, counts};
use crate::Document;
use crate::matrix::Sparse;
use crate::ranking::{Best, Hit};
use crate::weight::weigh;

/// Queries that are compared at a time.
const BATCH: usize = 64;

/// The `most` documents with the largest cosines to each query in the weighted vector space itself, best first.
///
/// Cost: 2 · stored values · queries operations.
pub fn plain<S: AsRef<str>>(
    documents: &[Document],
    queries: &[S],
    most: usize,
    options: &ModelOptions,
) -> Vec<Vec<Hit>> {
    let (vocabulary, mut matrix) = count(documents, options);
    let weights = options.weighting.global(&matrix);
    weigh(&mut matrix, options.weighting, &weights);
    let rows = queries.iter().map(|query| counts(&options.analysis, query.as_ref(), &vocabulary));
    let mut asked = Sparse::from_rows(vocabulary.terms().len(), rows);
    weigh(&mut asked, options.weighting, &weights);
    let mut lists = Vec::with_capacity(queries.len());
    for first in (0..queries.len()).step_by(BATCH) {
        let width = BATCH.min(queries.len() - first);
        let mut block = vec![0.0; matrix.columns() * width];
        for query in 0..width {
            let (terms, values) = asked.row(first + query);
            for (&term, &value) in terms.iter().zip(values) {
                block[term as usize * width + query] = value;
            }
        }
        let mut scores = vec![0.0; matrix.rows() * width];
        matrix.multiply(&block, width, &mut scores, options.svd.threads);
        lists.extend((0..width).map(|query| {
            let of = (0u32..).zip(scores.iter().skip(query).step_by(width));
            let hits = of.map(|(document, &score)| Hit { score: score as f32, document }).collect();
            Best::of(hits, most).into_hits()
        }));
    }
    lists
}
