//! Latent semantic indexing: from a collection of documents to ranked lists.
//!
//! Documents ([`collection`]) become a weighted document-term matrix ([`weight`], [`Vocabulary`]), whose
//! truncated singular value decomposition ([`svd`]) gives every term and document k coordinates: a [`Model`]. A
//! query is folded in and compared with all documents by the cosine ([`ranking`]), as section V-B of
//! Kuntraruk et al. describes it: the query is T_kᵀq, a document a row of S_kD_k. [`evaluation`] says how
//! good the lists are where relevance judgements are known.
//!
//! ```
//! use forerun_lsi::{Document, Model, ModelOptions};
//!
//! let text = ["ships and boats at sea", "boats on the sea", "trees in a forest", "a forest of old trees"];
//! let documents: Vec<Document> =
//!     (1..).zip(text).map(|(id, text)| Document { id: id.to_string(), text: text.into() }).collect();
//! let mut options = ModelOptions::new(2);
//! options.least_documents = 1;
//! let model = Model::build(&documents, &options)?;
//! let best = &model.ranked(&["an old ship at sea"], 1, 1)[0][0];
//! assert_eq!(model.ids()[best.document as usize], "1");
//! # Ok::<(), forerun_lsi::LsiError>(())
//! ```
//!
//! The crate runs on the threads that it is told to use, knows nothing of ranks or jobs, and gives the same result for
//! the same seed on any number of threads.

#![forbid(missing_docs)]

pub mod collection;
mod error;
pub mod evaluation;
pub mod matrix;
mod model;
pub mod ranking;
pub mod svd;
mod text;
mod vocabulary;
pub mod weight;

pub use collection::{Collection, Document, Query};
pub use error::LsiError;
pub use model::{Model, ModelOptions, plain};
pub use text::Analysis;
pub use vocabulary::Vocabulary;
pub use weight::Weighting;
