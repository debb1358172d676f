//! A crawl under way, as those see it who run a job on its pages: how fast they come, and when the last one had.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use forerun_crawl::{Crawl, Limits, Page, Summary};

use super::pace::{Arrival, Pace};
use super::sample::{Pages, Sampled, failures};

/// Pages that the pace is told from: the first that come.
const TOLD_BY: usize = 256;

/// What is known of a crawl so far; clones share it.
#[derive(Debug, Clone)]
pub struct Watch(Arc<Mutex<Watched>>);

#[derive(Debug)]
struct Watched {
    began: Instant,
    began_unix_s: f64,
    limits: Limits,
    connections: usize,
    /// What the first pages tell of the pace.
    arrivals: Vec<Arrival>,
    /// Requests that those took.
    told_by: u64,
    /// Pages that came in this run and before it, and bytes of all of them.
    pages: (u64, u64),
    bytes: (u64, u64),
    /// As it was with the last of `arrivals`, or at the end.
    summary: Summary,
    ended_s: Option<f64>,
}

impl Watch {
    /// Watches a crawl that begins now.
    pub fn begin(crawl: &Crawl) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Watch(Arc::new(Mutex::new(Watched {
            began: Instant::now(),
            began_unix_s: now.as_secs_f64(),
            limits: crawl.limits.clone(),
            connections: crawl.manners.connections,
            arrivals: Vec::new(),
            told_by: 0,
            pages: (0, 0),
            bytes: (0, 0),
            summary: Summary { delay_s: crawl.manners.delay.as_secs_f64(), ..Summary::default() },
            ended_s: None,
        })))
    }

    /// A page came, in this run or in one before it.
    pub(super) fn came(&self, page: &Page, fresh: bool, so_far: impl FnOnce() -> Summary) {
        let mut watched = self.lock();
        match fresh {
            true => (watched.pages.0, watched.bytes.0) = (watched.pages.0 + 1, watched.bytes.0 + page.bytes),
            false => (watched.pages.1, watched.bytes.1) = (watched.pages.1 + 1, watched.bytes.1 + page.bytes),
        }
        if fresh && watched.arrivals.len() < TOLD_BY {
            let arrival = Arrival::of(page, watched.began_unix_s);
            watched.arrivals.push(arrival);
            watched.summary = so_far();
            watched.told_by = watched.summary.requests;
        }
    }

    /// No more come.
    pub(super) fn ended(&self, so_far: Summary) {
        let mut watched = self.lock();
        let seconds = watched.began.elapsed().as_secs_f64();
        (watched.summary, watched.ended_s) = (so_far, Some(seconds));
    }

    /// Seconds since it began.
    pub fn seconds(&self) -> f64 {
        self.lock().began.elapsed().as_secs_f64()
    }

    /// What the pages that have come tell of it.
    pub fn sampled(&self) -> Sampled {
        let watched = self.lock();
        let (told_by, Summary { requests, delay_s, .. }) = (watched.told_by, &watched.summary);
        let (requests, delay_s) = (*requests, *delay_s);
        let (pages, bytes) = (watched.pages.0 + watched.pages.1, watched.bytes.0 + watched.bytes.1);
        let pages = match (watched.ended_s, Pages::within(&watched.limits, pages, bytes)) {
            (Some(_), _) => Pages::All(pages),
            (None, Pages::All(most)) => Pages::AtMost(most),
            (None, pages) => pages,
        };
        Sampled {
            fetched: (watched.pages.0, watched.bytes.0),
            requests: (requests, watched.ended_s.unwrap_or_else(|| watched.began.elapsed().as_secs_f64())),
            there: watched.pages.1,
            done: watched.ended_s.is_some(),
            pages,
            failed: failures(&watched.summary),
            took_s: watched.ended_s,
            pace: Pace::of(watched.arrivals.clone(), told_by, watched.connections, delay_s)
                .unwrap_or(Pace::NONE),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        // Every change is whole before anything in it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
