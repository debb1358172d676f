//! Text with one decimal number a line.
//!
//! A line is `[+-] digits [. digits]`, with a digit on at least one side of the point; blanks
//! around it (and a carriage return) belong to its spelling, not to its value. Numbers of any
//! length are compared exactly. Lines of equal value (`1`, `01`, `1.0`) are ordered by their
//! bytes, so that the order is total and merging commutes; it is the order of
//! `LC_ALL=C sort -n` for lines without a plus sign. Every line is written as it was read,
//! followed by a newline. A blank line, or one that is no number, is an error.

mod merge;
mod number;
mod read;
mod run;

pub(crate) use merge::Merger as LineMerger;
pub(crate) use run::Lines;
