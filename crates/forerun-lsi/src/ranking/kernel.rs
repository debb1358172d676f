//! Cosines of many queries with the documents of a shard.
//!
//! A cosine is summed coordinate by coordinate, whatever documents and queries stand beside it: so it is the same to the last
//! bit however documents are cut into shards and queries into batches.

use pulp::{Simd, WithSimd};

use super::{Best, Folded, Hit};

/// Queries that are compared at a time: a multiple of all register widths.
pub(super) const STRIPE: usize = 32;
/// Documents that are compared at a time.
const TOGETHER: usize = 4;
/// Hits kept of a query before they are thinned, in multiples of what is wanted.
const SLACK: usize = 4;

/// Compares all queries with `documents`, unit vectors of which the first is document `first`.
pub(crate) fn matched(
    queries: &Folded,
    documents: &[f32],
    rank: usize,
    first: u32,
    most: usize,
) -> Vec<Best> {
    assert_eq!(queries.values.len(), rank * queries.width, "queries of another model");
    pulp::Arch::new().dispatch(Matching { queries, documents, rank, first, most })
}

struct Matching<'a> {
    queries: &'a Folded,
    documents: &'a [f32],
    rank: usize,
    first: u32,
    most: usize,
}

impl WithSimd for Matching<'_> {
    type Output = Vec<Best>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<Best> {
        let Matching { queries, documents, rank, first, most } = self;
        let mut kept: Vec<Kept> = (0..queries.queries).map(|_| Kept::default()).collect();
        let mut scores = vec![0.0f32; TOGETHER * queries.width];
        for (group, rows) in documents.chunks(TOGETHER * rank.max(1)).enumerate() {
            let count = rows.len() / rank.max(1);
            let mut vectors: [&[f32]; TOGETHER] = [&rows[..rank]; TOGETHER];
            for (vector, row) in vectors.iter_mut().zip(rows.chunks_exact(rank)) {
                *vector = row;
            }
            let mut at = 0;
            while at < queries.width {
                stripe(simd, queries, vectors, at, &mut scores);
                at += 2 * S::F32_LANES;
            }
            for (member, scores) in scores.chunks_exact(queries.width.max(1)).take(count).enumerate() {
                let document = first + (group * TOGETHER + member) as u32;
                for (kept, &score) in kept.iter_mut().zip(scores) {
                    if score >= kept.least {
                        kept.take(Hit { score, document }, most);
                    }
                }
            }
        }
        kept.into_iter().map(|kept| Best::of(kept.hits, most)).collect()
    }
}

/// The scores of two registers of queries, from `at` on, with several documents.
#[inline(always)]
fn stripe<S: Simd>(simd: S, queries: &Folded, vectors: [&[f32]; TOGETHER], at: usize, scores: &mut [f32]) {
    let lanes = S::F32_LANES;
    let mut sums = [[simd.splat_f32s(0.0); 2]; TOGETHER];
    for (coordinate, row) in queries.values.chunks_exact(queries.width).enumerate() {
        let (pair, _) = S::as_simd_f32s(&row[at..at + 2 * lanes]);
        let (Some(&a), Some(&b)) = (pair.first(), pair.get(1)) else { continue };
        for (sums, vector) in sums.iter_mut().zip(vectors) {
            let x = simd.splat_f32s(vector[coordinate]);
            sums[0] = simd.mul_add_e_f32s(x, a, sums[0]);
            sums[1] = simd.mul_add_e_f32s(x, b, sums[1]);
        }
    }
    for (sums, scores) in sums.iter().zip(scores.chunks_exact_mut(queries.width)) {
        let (out, _) = S::as_mut_simd_f32s(&mut scores[at..at + 2 * lanes]);
        out.copy_from_slice(sums);
    }
}

/// Hits of one query, among them the best ones.
struct Kept {
    hits: Vec<Hit>,
    /// A score below this is not among the best.
    least: f32,
}

impl Default for Kept {
    fn default() -> Self {
        Kept { hits: Vec::new(), least: f32::NEG_INFINITY }
    }
}

impl Kept {
    fn take(&mut self, hit: Hit, most: usize) {
        self.hits.push(hit);
        if self.hits.len() > SLACK * most.max(1) {
            self.hits.select_nth_unstable_by(most.saturating_sub(1), Hit::order);
            self.hits.truncate(most);
            self.least = self.hits.last().map_or(f32::INFINITY, |hit| hit.score);
        }
    }
}
