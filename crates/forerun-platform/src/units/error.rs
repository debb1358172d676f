//! What is wrong with a quantity that cannot be read.

use std::fmt;

/// The kind of fault in a written quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnitErrorKind {
    /// It does not begin with a number.
    NotANumber,
    /// The number is infinite, no number, or too large or too small to compute with.
    NotFinite,
    /// The number is negative.
    Negative,
    /// A number alone.
    MissingUnit,
    /// The unit is none of this quantity.
    UnknownUnit,
    /// The unit means different things to different people.
    AmbiguousUnit,
    /// It is not a whole number of bytes.
    NotWhole,
}

/// Why a written quantity cannot be read; displays as one sentence that says what to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    kind: UnitErrorKind,
    message: String,
}

impl UnitError {
    pub(crate) fn new(kind: UnitErrorKind, message: String) -> Self {
        UnitError { kind, message }
    }

    /// The kind of fault.
    pub fn kind(&self) -> UnitErrorKind {
        self.kind
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnitError {}
