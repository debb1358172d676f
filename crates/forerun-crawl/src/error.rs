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
        let said = plain(why);
        let why = match why.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "no space is left there: make some, or name another directory"
            }
            _ => &said,
        };
        Self::new(format!("cannot {what} {}: {why}", path.display()))
    }
}

/// What the system says, without its number, which is of no use to a person.
pub(crate) fn plain(e: &io::Error) -> String {
    e.to_string().split(" (os error").next().unwrap_or_default().to_owned()
}

impl fmt::Display for CrawlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for CrawlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_said_without_its_number() {
        let said = |number| {
            CrawlError::file("write", Path::new("d/f"), &io::Error::from_raw_os_error(number)).to_string()
        };
        // ENOSPC, EACCES.
        assert_eq!(
            said(28),
            "cannot write d/f: no space is left there: make some, or name another directory"
        );
        assert_eq!(said(13), "cannot write d/f: Permission denied");
    }
}
