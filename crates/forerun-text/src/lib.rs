//! Text: documents and their fields, tokens, Brill's tagger and its trainer, noun phrases.
//!
//! The three parts of feature extraction in section V-A of Kuntraruk et al.: input, part-of-speech tagging, and
//! noun phrases of maximal length with their frequency, field and character offset.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use forerun_text::document::{Config, read_file};
//! use forerun_text::phrase::{Extractor, Space};
//! use forerun_text::tagger::Tagger;
//!
//! let tagger = Tagger::load(Path::new("models/brown.frtagger"))?;
//! let extractor = Extractor::new(&tagger);
//! let mut space = Space::default();
//! read_file(Path::new("reut2-000.sgm"), 1 << 30, &Config::collections(), &mut |document| {
//!     for feature in extractor.phrases_in(&document, &mut space).iter() {
//!         println!("{} {} {}", document.id, feature.key, feature.occurrences.len());
//!     }
//! })?;
//! # Ok::<(), forerun_text::TextError>(())
//! ```
//!
//! What is guaranteed: no text and no file makes anything panic; the same text gives the same result on every
//! machine (costs are whole numbers); taggers and extractors are not changed by use and can be shared by threads.
//!
//! What is not: that text in other languages than that of the model is tagged sensibly.
#![forbid(missing_docs)]

pub mod document;
mod error;
pub mod phrase;
pub mod tagger;
pub mod token;
pub mod words;

pub use error::TextError;
