//! A few pages of a crawl, fetched as politely as all of them would be: what a plan and a prediction are made from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use forerun_apps::features::InputFile;
use forerun_crawl::{Come, Crawl, Crawler, Limits, Page, Summary};
use forerun_platform::Interval;
use forerun_skeleton::Cancel;
use tempfile::TempDir;

use super::pace::{Arrival, Asks, Pace, Seen};
use super::{input, reason};
use crate::error::{CliError, failed, request};
use crate::execute::stop_if_interrupted;
use crate::signals::Interrupt;
use crate::text;

/// Pages that are asked for, at most.
const PAGES: u64 = 64;
/// Time after which two pages are enough, or that no server answers; and after which whatever came is.
const TIME: (Duration, Duration) = (Duration::from_secs(8), Duration::from_secs(30));
/// How often is looked whether the time is over.
const LOOK: Duration = Duration::from_millis(50);
/// Pages that are predicted for where their number is not known.
const ROUND: u64 = 1000;

/// Reasons of requests that failed that are named.
const REASONS: usize = 3;

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
    /// Whether nothing is left to fetch.
    pub done: bool,
    /// How many requests failed, and why, in a line; if any did.
    pub failed: Option<String>,
    /// Seconds that all of the crawl took, where that is known.
    pub took_s: Option<f64>,
    /// How fast pages come.
    pub pace: Pace,
}

impl Pages {
    /// How many a crawl within these limits will keep, of which so many pages of so many bytes are known: all are, or
    /// how many the limits allow.
    pub(super) fn within(limits: &Limits, pages: u64, bytes: u64) -> Self {
        let mean = (bytes / pages.max(1)).max(1);
        let by_bytes = match limits.total_bytes {
            u64::MAX => u64::MAX,
            total => total.div_ceil(mean),
        };
        match limits.pages.min(by_bytes) {
            most if pages >= most => Pages::All(pages),
            u64::MAX => Pages::Unknown,
            most => Pages::AtMost(most),
        }
    }
}

/// How many requests failed and why, and how many are late without an answer, in a line: `3 of 76 requests failed: HTTP status 404
/// (2), HTTP status 503 (1); 2 have no answer yet`.
pub(super) fn failures(of: &Summary, late: usize) -> Option<String> {
    let late = late as u64;
    let requests = text::plural(of.requests + late, "request");
    let without =
        |of| format!("{}{of} {} no answer yet", text::count(late), if late == 1 { "has" } else { "have" });
    match (of_failed(of), late) {
        (failed, 0) => failed,
        (None, _) => Some(without(format!(" of {requests}"))),
        (Some(failed), _) => Some(format!("{failed}; {}", without(String::new()))),
    }
}

fn of_failed(of: &Summary) -> Option<String> {
    let failed: u64 = of.troubles.values().sum();
    let mut by_number: Vec<(&String, &u64)> = of.troubles.iter().collect();
    by_number.sort_by(|a, b| b.1.cmp(a.1));
    let mut why: Vec<String> = by_number
        .iter()
        .take(REASONS)
        .map(|(why, n)| format!("{} ({})", text::printable(why), text::count(**n)))
        .collect();
    if by_number.len() > REASONS {
        why.push("and others".into());
    }
    let requests = text::plural(of.requests.max(failed), "request");
    (failed > 0).then(|| format!("{} of {requests} failed: {}", text::count(failed), why.join(", ")))
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
        if self.done { f64::INFINITY } else { self.pace.pages_per_s }
    }

    /// How long the crawl takes until so many pages are there.
    pub fn time_of(&self, pages: u64) -> Interval {
        match self.took_s {
            Some(all) => Interval::around(all, 0.0),
            None => self.pace.of_pages(pages.saturating_sub(self.there)),
        }
    }

    /// What was seen, in a line.
    pub fn seen(&self) -> String {
        let Pace { pages_per_s, wait_s, hosts, .. } = self.pace;
        if self.fetched.0 == 0 {
            return format!("nothing is left to fetch: {} there already", text::plural(self.there, "page"));
        }
        let ((pages, bytes), (requests, seconds)) = (self.fetched, self.requests);
        let there = match (self.there, self.there - pages.min(self.there)) {
            (0, _) => String::new(),
            (_, 0) if pages == 1 => "; it is kept for a run to go on from".into(),
            (_, 0) => "; they are kept for a run to go on from".into(),
            (_, before) => format!("; {} there already", text::plural(before, "page")),
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

/// Whether a sample that has so many pages takes no longer.
fn is_over(passed: Duration, fresh: u64, crawler: &Crawler) -> bool {
    if passed < TIME.0 {
        return false;
    }
    let silent = || {
        let so_far = crawler.so_far();
        so_far.requests <= so_far.troubles.values().sum()
    };
    passed >= TIME.1 || fresh > 1 || (fresh == 0 && silent())
}

/// Why a sample whose time was over has no page.
fn silence(summary: &Summary) -> String {
    match failures(summary, 0) {
        Some(failures) => {
            format!("{failures}, and a sample takes no longer than {}", text::seconds(summary.seconds))
        }
        None if summary.requests == 0 => format!("there was no answer in {}", text::seconds(summary.seconds)),
        None => format!("none came in {}; forerun run waits for longer", text::seconds(summary.seconds)),
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
    let enough = Cancel::new();
    let stop = {
        let (enough, cancel) = (enough.clone(), interrupt.cancel().clone());
        move || enough.is_cancelled() || cancel.is_cancelled()
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
    let (mut fresh, mut stopped) = (0, None);
    loop {
        match crawler.next_within(LOOK) {
            Come::Page(page) => {
                fresh += u64::from(page.number >= before);
                pages.push(*page);
            }
            Come::NotYet => {}
            Come::End => break,
        }
        if !enough.is_cancelled() && (fresh >= PAGES || is_over(began.elapsed(), fresh, &crawler)) {
            // Stopping it gives up what is not answered.
            stopped = Some((crawler.progress().unanswered_s(), began.elapsed().as_secs_f64()));
            enough.cancel();
        }
    }
    let (unanswered_s, until_s) = stopped.unwrap_or_else(|| (Vec::new(), began.elapsed().as_secs_f64()));
    let summary = crawler.finish().map_err(failed)?;
    stop_if_interrupted(interrupt)?;
    if pages.is_empty() {
        let why = match enough.is_cancelled() {
            true => silence(&summary),
            false => reason(&summary, keep.is_some()),
        };
        return Err(failed(format!("no page was kept: {why}")));
    }
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let of_now = |p: &&Page| p.number >= before;
    let arrivals: Vec<Arrival> = pages.iter().filter(of_now).map(|p| Arrival::of(p, since)).collect();
    let seen = Seen { arrivals, requests: summary.requests, unanswered_s, until_s };
    let pace = Pace::of(&seen, Asks::of(&limits, &manners, summary.delay_s));
    let bytes: u64 = pages.iter().map(|p| p.bytes).sum();
    let known = match Pages::within(&limits, pages.len() as u64, bytes) {
        _ if summary.complete => Pages::All(summary.pages),
        known => known,
    };
    // What the sample has all of takes a run as long, which fetches it again unless it was kept.
    let all = matches!(known, Pages::All(_));
    let crawl = Sampled {
        fetched: (
            pages.iter().filter(of_now).count() as u64,
            pages.iter().filter(of_now).map(|p| p.bytes).sum(),
        ),
        requests: (summary.requests, summary.seconds),
        there: if keep.is_some() { summary.pages } else { 0 },
        pages: known,
        done: all && keep.is_some(),
        failed: failures(&summary, pace.map_or(0, |pace| pace.late)),
        took_s: all.then_some(if keep.is_some() { 0.0 } else { summary.seconds }),
        pace: pace.unwrap_or(Pace::NONE),
    };
    let inputs = pages.into_iter().map(|page| input(page, &dir)).collect();
    Ok(Sample { inputs, crawl, _directory: directory })
}
