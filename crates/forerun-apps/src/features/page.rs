//! Pages of the web as inputs: what a crawl gives, and what they are called in the database.

use forerun_skeleton::AppError;
use sha2::{Digest as _, Sha256};

use super::batch::Batch;
use super::coming::Due;
use super::files::{Files, Ids};
use super::inputs::InputFile;
use super::job::{FeatureOptions, FeaturesJob, lock};
use super::ready::{due, prepared};

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

impl FeaturesJob {
    /// Looks at the model and the database, before any page is fetched for them.
    ///
    /// # Errors
    /// As [`FeaturesJob::open`], but for the inputs.
    pub fn check(options: &FeatureOptions) -> Result<(), AppError> {
        prepared(options).map(drop)
    }

    /// As [`FeaturesJob::open`], for pages of which `more` may come, to plan for and to predict: such a job is not run. All are
    /// tried if they are a sample; if they are all there will be, those that the database has are left out.
    ///
    /// # Errors
    /// As [`FeaturesJob::open`].
    pub fn of_sample(
        options: FeatureOptions,
        mut pages: Vec<InputFile>,
        more: bool,
    ) -> Result<Self, AppError> {
        let (tagger, model, stored) = prepared(&options)?;
        let all = pages.len();
        pages.retain(|page| more || matches!(due(&stored, page), Due::New | Due::Again));
        let first = pages.len();
        let mut job = Self::with(options, (Files::new(pages), first), (tagger, model));
        (job.already, job.open, job.sampled) = (all - first, more, true);
        Ok(job)
    }

    /// Whether inputs are pages.
    pub(super) fn is_of_pages(&self) -> bool {
        self.sampled || self.coming.is_some() || self.listed.is_some()
    }

    pub(super) fn ids(&self) -> Ids {
        match self.is_of_pages() {
            true => Ids::Pages(self.app.files().clone()),
            false => Ids::Given(lock(&self.ids).clone()),
        }
    }

    /// Identifiers for a rehearsal, and the names that have them by their places: all files are new there.
    pub(super) fn rehearsal_ids(&self) -> (Ids, Vec<String>) {
        match self.is_of_pages() {
            true => (self.ids(), Vec::new()),
            false => (Ids::Given((1..=self.first as i64).collect()), self.names()),
        }
    }

    /// Of a result the pages, by identifier and name; none where inputs are files.
    ///
    /// # Errors
    /// That they are in no list.
    pub(super) fn pages_of(&self, stored: &Batch) -> Result<Vec<(i64, String)>, AppError> {
        if !self.is_of_pages() {
            return Ok(Vec::new());
        }
        if let (Some(listed), Some(last)) = (&self.listed, stored.files.iter().map(|f| f.file).max()) {
            listed.catch_up(last)?;
        }
        let name = |place: u64| Some(self.files().get(usize::try_from(place).ok()?)?.name.clone());
        let names = stored.files.iter().filter_map(|f| name(f.file));
        Ok(names.map(|name| (identifier(&name), name)).collect())
    }

    /// Of these pages those that the database has and that are done again.
    pub(super) fn done_again(&self, pages: &[(i64, String)]) -> Vec<i64> {
        let ids = pages.iter().map(|(id, _)| *id);
        match (&self.coming, &self.listed) {
            (Some(coming), _) => coming.again(ids),
            (_, Some(listed)) => listed.again(ids),
            _ => Vec::new(),
        }
    }
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
