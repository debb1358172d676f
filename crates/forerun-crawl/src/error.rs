//! Why a crawl cannot begin or go on.

use std::fmt;
use std::io;
use std::path::Path;

/// A crawl that cannot begin or go on, in one sentence. A page that cannot be had is not such an error: it is
/// recorded, and the crawl goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlError {
    sentence: String,
}

impl CrawlError {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into() }
    }

    /// Something that could not be done to a file.
    pub(crate) fn file(what: &str, path: &Path, why: &io::Error) -> Self {
        Self::new(format!("cannot {what} {}: {why}", path.display()))
    }
}

impl fmt::Display for CrawlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for CrawlError {}
