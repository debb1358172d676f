//! Text: documents and their fields, tokens, Brill's tagger and its trainer, noun phrases.
#![forbid(missing_docs)]

pub mod token;
mod error;
pub mod tagger;
pub mod words;

pub use error::TextError;
