//! Why there is no prediction.

use std::fmt;

/// A request that no prediction can be made for: a sentence with what is wrong and what would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError(pub(crate) String);

impl ModelError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        ModelError(what.into())
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ModelError {}
