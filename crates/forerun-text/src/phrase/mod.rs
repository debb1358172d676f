//! Noun phrases of documents: found by a finite-state machine over tags, with normalised keys, counted, and with
//! the field and offset of each.
//!
//! What is a noun phrase here is written in the guideline beside the tests (`tests/gold/GUIDELINE.md`); the machine
//! is drawn in `machine.rs`.

mod class;
mod extract;
mod list;
mod machine;

pub use class::Class;
pub use extract::{Extractor, Space};
pub use list::{Feature, Features, Occurrence};
