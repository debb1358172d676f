//! A crawl under way, as those see it who run a job on its pages: how fast they come, and when the last one had.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use forerun_crawl::{Crawl, Limits, Manners, Page, Progress, Summary};

use super::pace::{Arrival, Asks, Pace, Seen};
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
    manners: Manners,
    /// The crawl, once it has begun.
    progress: Option<Progress>,
    /// What is known of the pace: all of it while few pages have come, and then what there was with the last of those.
    seen: Seen,
    /// Pages that came in this run and before it, and bytes of all of them.
    pages: (u64, u64),
    bytes: (u64, u64),
    /// As it is where the crawl cannot be looked at: before its beginning and after its end.
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
            manners: crawl.manners.clone(),
            progress: None,
            seen: Seen::default(),
            pages: (0, 0),
            bytes: (0, 0),
            summary: Summary { delay_s: crawl.manners.delay.as_secs_f64(), ..Summary::default() },
            ended_s: None,
        })))
    }

    /// This is the crawl.
    pub(super) fn of(&self, progress: Progress) {
        self.lock().progress = Some(progress);
    }

    /// A page came, in this run or in one before it.
    pub(super) fn came(&self, page: &Page, fresh: bool) {
        let mut watched = self.lock();
        match fresh {
            true => (watched.pages.0, watched.bytes.0) = (watched.pages.0 + 1, watched.bytes.0 + page.bytes),
            false => (watched.pages.1, watched.bytes.1) = (watched.pages.1 + 1, watched.bytes.1 + page.bytes),
        }
        if fresh && watched.seen.arrivals.len() < TOLD_BY {
            let arrival = Arrival::of(page, watched.began_unix_s);
            watched.seen.arrivals.push(arrival);
            if watched.seen.arrivals.len() == TOLD_BY {
                watched.look();
            }
        }
    }

    /// No more come.
    pub(super) fn ended(&self, so_far: Summary) {
        let mut watched = self.lock();
        watched.look();
        let seconds = watched.began.elapsed().as_secs_f64();
        (watched.summary, watched.ended_s, watched.progress) = (so_far, Some(seconds), None);
    }

    /// Seconds since it began.
    pub fn seconds(&self) -> f64 {
        self.lock().began.elapsed().as_secs_f64()
    }

    /// What the pages that have come tell of it.
    pub fn sampled(&self) -> Sampled {
        let mut watched = self.lock();
        if watched.seen.arrivals.len() < TOLD_BY {
            watched.look();
        }
        let summary = watched.progress.as_ref().map_or_else(|| watched.summary.clone(), Progress::so_far);
        let (pages, bytes) = (watched.pages.0 + watched.pages.1, watched.bytes.0 + watched.bytes.1);
        let pages = match (watched.ended_s, Pages::within(&watched.limits, pages, bytes)) {
            (Some(_), _) => Pages::All(pages),
            (None, Pages::All(most)) => Pages::AtMost(most),
            (None, pages) => pages,
        };
        let asks = Asks::of(&watched.limits, &watched.manners, summary.delay_s);
        let pace = Pace::of(&watched.seen, asks).unwrap_or(Pace::NONE);
        Sampled {
            fetched: (watched.pages.0, watched.bytes.0),
            requests: (
                summary.requests,
                watched.ended_s.unwrap_or_else(|| watched.began.elapsed().as_secs_f64()),
            ),
            there: watched.pages.1,
            done: watched.ended_s.is_some(),
            pages,
            failed: failures(&summary, pace.late),
            took_s: watched.ended_s,
            pace,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        // Every change is whole before anything in it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    /// Remembers what the crawl has seen until now, while it can be looked at.
    fn look(&mut self) {
        if let Some(progress) = &self.progress {
            self.seen.requests = progress.so_far().requests;
            self.seen.unanswered_s = progress.unanswered_s();
            self.seen.until_s = self.began.elapsed().as_secs_f64();
        }
    }
}
