//! Matching queries with documents, and ranked lists.

mod best;
mod kernel;

pub use self::best::{Best, Hit, written};
pub(crate) use self::kernel::matched;

/// Queries folded into the space of a model: unit vectors, laid out so that a coordinate of many queries is read at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Folded {
    queries: usize,
    /// Queries rounded up, so that registers are full.
    width: usize,
    /// A row a coordinate, a column a query.
    values: Vec<f32>,
}

impl Folded {
    /// Queries given by their vectors of `rank` coordinates.
    pub(crate) fn new(rank: usize, vectors: Vec<Vec<f32>>) -> Self {
        let width = vectors.len().next_multiple_of(kernel::STRIPE);
        let mut values = vec![0.0; rank * width];
        for (query, vector) in vectors.iter().enumerate() {
            for (coordinate, &value) in vector.iter().enumerate() {
                values[coordinate * width + query] = value;
            }
        }
        Folded { queries: vectors.len(), width, values }
    }

    /// Number of queries.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// Whether nothing of a query is in the space: none of its words is known, and every document is as far from it.
    pub fn is_nothing(&self, query: usize) -> bool {
        self.values.iter().skip(query).step_by(self.width.max(1)).all(|&coordinate| coordinate == 0.0)
    }
}
