//! Matching queries with the documents of a model of latent semantic indexing, as a reduction (sections V-B and VII of
//! Kuntraruk et al.).
//!
//! A task compares some queries with a shard of the documents and gives the best documents of the shard for each ([`Lists`]);
//! merging takes the best of both for every query. What is to be done is queries × documents; it is laid out query batch by query
//! batch, document by document, and can be cut anywhere ([`LsiSource`]), so that a task is a shard for a batch of queries, or, where
//! the grain is large, several batches.
//!
//! Where complete lists go is a [`Store`]: a [`RunFile`] in the form of TREC, or the tables of a database ([`RankingTable`], described in
//! `table.rs`). Cosines do not depend on the
//! cut, equal ones are in the order of the documents, and merging the same list twice changes nothing: so the result is the
//! same to the last bit whatever strategy, grain and number of ranks.

mod job;
mod lists;
mod source;
mod store;
mod table;

pub use job::{LsiJob, LsiOptions, Matching};
pub use lists::Lists;
pub use source::{LsiInput, LsiSource, Shard};
pub use store::{Record, RunFile, Store};
pub use table::RankingTable;
