//! What a job was given to work on.

use serde::{Deserialize, Serialize};

/// What a job was given to work on, as far as it tells one input of the job from another: outcomes of different inputs are no
/// repetitions of each other. Ordered by size.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Input {
    /// Bytes of it, where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Files, tasks or rows of it, whatever the job counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// The input in a few words, such as `1 file, 400 MB of i32`.
    pub words: String,
}
