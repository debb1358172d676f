//! A few pages of a crawl, fetched as politely as all of them would be: what a plan and a prediction are made from.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use forerun_apps::features::InputFile;
use forerun_crawl::{Crawl, Page};
use forerun_platform::Interval;
use tempfile::TempDir;

use super::pace::{Arrival, Pace};
use super::{input, reason};
use crate::error::{CliError, failed, request};
use crate::execute::stop_if_interrupted;
use crate::signals::Interrupt;
use crate::text;

/// Pages that are asked for, at most.
const PAGES: u64 = 64;
/// Time after which two pages are enough, and one is.
const TIME: (Duration, Duration) = (Duration::from_secs(8), Duration::from_secs(30));
/// Pages that are predicted for where their number is not known.
const ROUND: u64 = 1000;

/// The sample: its pages, which are there as long as it is.
#[derive(Debug)]
pub struct Sample {
    /// The pages, as inputs of a job.
    pub inputs: Vec<InputFile>,
    /// What it tells of the crawl.
    pub crawl: Sampled,
    /// Where the pages are, if nobody asked for them to be kept.
    _directory: Option<TempDir>,
}

/// How many pages the crawl will keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// So many: the sample has them all.
    All(u64),
    /// So many, if the site has as many: a limit of the crawl.
    AtMost(u64),
    /// Nobody knows.
    Unknown,
}

/// What a sample tells of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// Pages that were fetched, and their bytes.
    pub fetched: (u64, u64),
    /// Requests that it took, and seconds.
    pub requests: (u64, f64),
    /// Pages that are there and need not be fetched by the run.
    pub there: u64,
    /// How many pages there will be.
    pub pages: Pages,
    /// How fast they come.
    pub pace: Pace,
}

impl Sampled {
    /// For how many pages is predicted.
    pub fn count(&self) -> u64 {
        match self.pages {
            Pages::All(n) | Pages::AtMost(n) => n,
            Pages::Unknown => ROUND,
        }
    }

    /// Pages a second that come, without an end where all are there.
    pub fn rate(&self) -> f64 {
        if self.count() > self.there { self.pace.pages_per_s } else { f64::INFINITY }
    }

    /// How long the crawl takes.
    pub fn time(&self) -> Interval {
        self.pace.of_pages(self.count().saturating_sub(self.there))
    }

    /// What was seen, in a line.
    pub fn seen(&self) -> String {
        let Pace { pages_per_s, wait_s, hosts, .. } = self.pace;
        if self.fetched.0 == 0 {
            return format!("nothing is left to fetch: {} there already", text::plural(self.there, "page"));
        }
        let ((pages, bytes), (requests, seconds)) = (self.fetched, self.requests);
        let there = match self.there {
            0 => String::new(),
            there => format!("; {} there already", text::plural(there, "page")),
        };
        format!(
            "a sample of {}, {}, by {} in {}; a page takes {} to come, and {} pages/s come from {}{there}",
            text::plural(pages, "page"),
            text::bytes(bytes),
            text::plural(requests, "request"),
            text::seconds(seconds),
            text::seconds(wait_s),
            text::digits(pages_per_s),
            text::plural(hosts as u64, "host")
        )
    }

    /// What is to be known of the number of pages, if anything is.
    pub fn of_their_number(&self) -> Option<String> {
        match self.pages {
            Pages::All(_) => None,
            Pages::AtMost(n) => Some(format!(
                "the crawl ends at {} by its limits, and sooner if the site has fewer",
                text::plural(n, "page")
            )),
            Pages::Unknown => Some(format!(
                "how many pages there are is not known before all were fetched: {} are taken; --pages N predicts for N, \
                 and has a run end there",
                text::count(ROUND)
            )),
        }
    }
}

/// Fetches a sample of the crawl into `keep`, from where a run goes on, or where that is not given into a directory of which
/// nothing is left.
///
/// # Errors
/// Why no page comes; a directory that cannot be used; interrupted.
pub fn sample(crawl: Crawl, keep: Option<&Path>, interrupt: &Interrupt) -> Result<Sample, CliError> {
    let directory = match keep {
        Some(_) => None,
        None => {
            let made = tempfile::Builder::new().prefix(".forerun-").tempdir();
            Some(made.map_err(|e| failed(format!("no directory can be made for a sample of pages: {e}")))?)
        }
    };
    let dir: PathBuf = match (keep, &directory) {
        (Some(keep), _) => keep.to_owned(),
        (None, Some(made)) => made.path().to_owned(),
        (None, None) => std::env::temp_dir(),
    };
    let (limits, manners) = (crawl.limits.clone(), crawl.manners.clone());
    let (began, since) = (Instant::now(), SystemTime::now());
    let fresh = Arc::new(AtomicU64::new(0));
    let stop = {
        let (fresh, cancel) = (fresh.clone(), interrupt.cancel().clone());
        move || {
            let (fresh, passed) = (fresh.load(Ordering::Relaxed), began.elapsed());
            let enough = fresh >= PAGES || (fresh > 1 && passed >= TIME.0) || (fresh > 0 && passed >= TIME.1);
            enough || cancel.is_cancelled()
        }
    };
    let mut of_sample = crawl;
    // None is fetched that the sample does not take.
    of_sample.manners.ahead = 1;
    if keep.is_none() {
        of_sample.limits.pages = limits.pages.min(PAGES);
    }
    let mut crawler = of_sample.start(&dir, stop).map_err(request)?;
    let before = crawler.so_far().pages_before;
    let mut pages: Vec<Page> = Vec::new();
    for page in crawler.by_ref() {
        fresh.fetch_add(u64::from(page.number >= before), Ordering::Relaxed);
        pages.push(page);
    }
    let summary = crawler.finish().map_err(failed)?;
    stop_if_interrupted(interrupt)?;
    if pages.is_empty() {
        return Err(failed(format!("no page was kept: {}", reason(&summary))));
    }
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let of_now = |p: &&Page| p.number >= before;
    let arrivals: Vec<Arrival> = pages.iter().filter(of_now).map(|p| arrival(p, since)).collect();
    // Where nothing is left to fetch, no time goes into it.
    let none = Pace { pages_per_s: f64::INFINITY, error: 0.0, first_s: 0.0, wait_s: 0.0, hosts: 0 };
    let pace = Pace::of(arrivals, manners.connections, manners.delay.as_secs_f64());
    let bytes: u64 = pages.iter().map(|p| p.bytes).sum();
    let mean = (bytes / pages.len() as u64).max(1);
    let by_bytes = match limits.total_bytes {
        u64::MAX => u64::MAX,
        total => total.div_ceil(mean),
    };
    let most = limits.pages.min(by_bytes);
    let crawl = Sampled {
        fetched: (
            pages.iter().filter(of_now).count() as u64,
            pages.iter().filter(of_now).map(|p| p.bytes).sum(),
        ),
        requests: (summary.requests, summary.seconds),
        there: if keep.is_some() { summary.pages } else { 0 },
        pages: match most {
            _ if summary.complete || summary.pages >= most => Pages::All(summary.pages),
            u64::MAX => Pages::Unknown,
            most => Pages::AtMost(most),
        },
        pace: pace.unwrap_or(none),
    };
    let inputs = pages.into_iter().map(|page| input(page, &dir)).collect();
    Ok(Sample { inputs, crawl, _directory: directory })
}

fn arrival(page: &Page, since: f64) -> Arrival {
    // The third slash of a URL ends its host.
    let host = page.url.match_indices('/').nth(2).map_or(&*page.url, |(at, _)| &page.url[..at]);
    Arrival { host: host.into(), asked_s: (page.asked_unix_s - since).max(0.0), took_s: page.took_s }
}
