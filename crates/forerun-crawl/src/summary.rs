//! What came of a crawl.

use std::collections::BTreeMap;

use serde::Serialize;

/// How many errors a summary lists; the journal has all.
const LISTED: usize = 1_000;

/// How many reasons of requests that failed are told apart.
const KINDS: usize = 100;

/// What came of a crawl, all its runs together unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Pages that are kept.
    pub pages: u64,
    /// Of these, those of earlier runs.
    pub pages_before: u64,
    /// Bytes of the pages that are kept.
    pub bytes: u64,
    /// Redirects.
    pub redirects: u64,
    /// Of these, those of earlier runs.
    pub redirects_before: u64,
    /// URLs that were not kept, by reason: `robots`, `address`, `type`, `large`, `duplicate` (the content is that of
    /// another page), `redirects` (too many in a row, or to where the crawl must not go).
    pub skipped: BTreeMap<String, u64>,
    /// The first of them in this run, and a sentence that says more.
    #[serde(skip)]
    pub skipped_first: Option<(String, String)>,
    /// Links that were not followed, by reason: `host`, `path`, `depth`, `scheme`, `not-a-url`, `credentials`,
    /// `long-url`, `nofollow`, `full` (too many URLs).
    pub links_left: BTreeMap<String, u64>,
    /// URLs that could not be had. Those that earlier runs could not have and that may be there by now are asked for again, and
    /// are waiting until then.
    pub failed: u64,
    /// Of these, those of earlier runs.
    pub failed_before: u64,
    /// The first thousand of them, those of earlier runs first.
    pub errors: Vec<Failure>,
    /// Hosts left alone in this run, and why. Their URLs are asked for in the next one.
    pub hosts_left: Vec<HostLeft>,
    /// URLs that are still to be asked for.
    pub waiting: u64,
    /// Requests of this run, those for robots.txt and repeated ones with them.
    pub requests: u64,
    /// Of these, those that failed, by reason: also where another try got the page.
    pub troubles: BTreeMap<String, u64>,
    /// Seconds between the starts of two requests to a host, at least: the longest time that settings or a robots.txt
    /// asked for in this run.
    pub delay_s: f64,
    /// Seconds that this run took.
    pub seconds: f64,
    /// Whether nothing is left to do: no URL is waiting.
    pub complete: bool,
}

/// A URL that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The URL.
    pub url: String,
    /// Why, in a few words.
    pub why: String,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// How often it was asked for.
    pub tries: u32,
}

/// A host that was left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostLeft {
    /// Scheme, name and port.
    pub host: String,
    /// Why.
    pub why: String,
}

impl Summary {
    /// Those of [`errors`](Self::errors) that are of this run.
    pub fn errors_now(&self) -> &[Failure] {
        let before = usize::try_from(self.failed_before).unwrap_or(usize::MAX);
        self.errors.get(before..).unwrap_or_default()
    }

    pub(crate) fn skip(&mut self, why: &str) {
        *self.skipped.entry(why.to_owned()).or_default() += 1;
    }

    pub(crate) fn leave(&mut self, left: &BTreeMap<String, u64>) {
        for (why, n) in left {
            *self.links_left.entry(why.clone()).or_default() += n;
        }
    }

    /// Counts a request that failed.
    pub(crate) fn trouble(&mut self, why: &str) {
        let full = self.troubles.len() >= KINDS && !self.troubles.contains_key(why);
        let why = if full { "other reasons" } else { why };
        *self.troubles.entry(why.to_owned()).or_default() += 1;
    }

    pub(crate) fn fail(&mut self, failure: Failure) {
        self.failed += 1;
        if self.errors.len() < LISTED {
            self.errors.push(failure);
        }
    }
}
