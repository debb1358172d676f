//! Queries × documents, cut into tasks.

use std::ops::Range;

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::Source;

/// Some queries and the documents to compare them with, by their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// The queries.
    pub queries: Range<usize>,
    /// The documents.
    pub documents: Range<usize>,
}

/// What a task works on: rows of the layout batch by batch, document by document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LsiInput(pub(super) Range<u64>);

/// The inputs of the tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LsiSource {
    layout: Layout,
    tasks: u64,
}

/// Queries in batches of about the same size, each with all documents: a row is a document for a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) queries: u64,
    pub(super) documents: u64,
    /// Most queries of a batch.
    pub(super) batch: u64,
    /// Bytes of a document's coordinates.
    pub(super) row: u64,
}

impl Layout {
    fn count(&self) -> u64 {
        self.queries.div_ceil(self.batch.max(1))
    }

    /// The queries of batch `batch`.
    fn queries_of(&self, batch: u64) -> Range<usize> {
        let first = |batch: u64| {
            (u128::from(self.queries) * u128::from(batch) / u128::from(self.count().max(1))) as usize
        };
        first(batch)..first(batch + 1)
    }

    /// The queries of every batch.
    pub(super) fn batches(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.count()).map(|batch| self.queries_of(batch))
    }

    fn rows(&self) -> u64 {
        self.count() * self.documents
    }

    /// Bytes of documents that are read, each once for every batch.
    pub(super) fn bytes(&self) -> u64 {
        self.rows() * self.row
    }

    /// The shards that these rows are, a batch each.
    pub(super) fn shards(&self, rows: Range<u64>) -> Vec<Shard> {
        let documents = self.documents.max(1);
        let mut shards = Vec::new();
        let mut at = rows.start;
        while at < rows.end {
            let batch = at / documents;
            let end = rows.end.min((batch + 1) * documents);
            let first = batch * documents;
            shards.push(Shard {
                queries: self.queries_of(batch),
                documents: (at - first) as usize..(end - first) as usize,
            });
            at = end;
        }
        shards
    }

    /// Tasks of at most `grain` bytes, but of at least a row each.
    pub(super) fn cut(self, grain: u64) -> LsiSource {
        let per_task = (grain / self.row.max(1)).max(1);
        LsiSource { layout: self, tasks: self.rows().div_ceil(per_task) }
    }
}

impl LsiSource {
    /// The rows of task `index`.
    fn range(&self, index: u64) -> Option<Range<u64>> {
        let at =
            |task: u64| (u128::from(self.layout.rows()) * u128::from(task) / u128::from(self.tasks)) as u64;
        (index < self.tasks).then(|| at(index)..at(index + 1))
    }

    /// What task `index` compares.
    pub fn shards(&self, index: u64) -> Vec<Shard> {
        self.range(index).map_or(Vec::new(), |rows| self.layout.shards(rows))
    }
}

impl Source for LsiSource {
    type Input = LsiInput;

    fn len(&self) -> Option<u64> {
        Some(self.tasks)
    }

    fn bytes(&self, index: u64) -> u64 {
        self.range(index).map_or(0, |rows| (rows.end - rows.start) * self.layout.row)
    }

    fn get(&self, index: u64) -> Result<Option<LsiInput>, AppError> {
        Ok(self.range(index).map(LsiInput))
    }
}
