//! Pages of the web as inputs: what a crawl gives, and what they are called in the database.

use forerun_skeleton::AppError;
use sha2::{Digest as _, Sha256};

use super::inputs::InputFile;

/// Pages that come while the job runs, as files that are there and named by their URLs.
pub trait Pages: Iterator<Item = InputFile> + Send {
    /// Ends it, and says what is to be known of it in sentences.
    ///
    /// # Errors
    /// Why it could not go on, or that there was nothing.
    fn end(self: Box<Self>) -> Result<Vec<String>, AppError>;
}

/// Identifiers from here on are of pages; those of files are below.
pub(super) const FIRST: i64 = 1 << 62;

/// The identifier of a page: it follows from its URL alone, so that the database does not tell in which order pages
/// came. (62 bits of SHA-256; that two of a million pages have the same is one in ten million, and is noticed.)
pub(super) fn identifier(url: &str) -> i64 {
    let digest = Sha256::digest(url.as_bytes());
    let first = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    FIRST | (first >> 2) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_beyond_those_of_files_and_the_same_everywhere() {
        // SHA-256 of "abc" begins ba7816bf 8f01cfea (FIPS 180-4).
        assert_eq!(identifier("abc"), FIRST | (0xba78_16bf_8f01_cfea_u64 >> 2) as i64);
        assert!(identifier("http://a/") >= FIRST);
    }
}
