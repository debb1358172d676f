//! The crawl itself: its threads, and the pages as they come.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::CrawlError;
use crate::fetch::Client;
use crate::frontier::Next;
use crate::journal::{self, Lines, Record};
use crate::page::{Page, Store};
use crate::scope::Scope;
use crate::settings::{Limits, Manners, Request};
use crate::state::State;
use crate::summary::Summary;
use crate::visit::{Outcome, Visitor};

/// How often those who wait look whether the crawl is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// How long a stopped crawl waits for requests on their way, from when it was noticed.
const GRACE: Duration = Duration::from_millis(500);

/// A crawl that is to be.
#[derive(Clone, Debug)]
pub struct Crawl {
    /// What is wanted.
    pub request: Request,
    /// How far it goes.
    pub limits: Limits,
    /// How it behaves.
    pub manners: Manners,
}

/// What came of waiting for a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Come {
    /// It is there.
    Page(Box<Page>),
    /// None yet.
    NotYet,
    /// No more come: nothing is left, or the crawl was stopped or is broken, which [`Crawler::finish`] tells.
    End,
}

/// A crawl under way: an iterator over its pages, first those that earlier runs kept and then new ones, each as soon as
/// it is there. When `ahead` pages wait to be taken, nothing more is asked for.
///
/// What waits is descriptions; contents are in files and not in memory. Beside them it holds a page for each thread
/// and the frontier.
#[derive(Debug)]
pub struct Crawler {
    shared: Arc<Shared>,
    pages: Option<Receiver<Page>>,
    threads: Vec<JoinHandle<()>>,
    before: Option<Lines>,
    dir: PathBuf,
    began: Instant,
    /// When the stop was noticed.
    stopped: Option<Instant>,
}

/// A look at a crawl under way, for others than whoever takes its pages; clones look at the same one.
#[derive(Clone, Debug)]
pub struct Progress {
    shared: Arc<Shared>,
    began: Instant,
}

struct Shared {
    /// When each thread sent the request for a page whose answer it waits for.
    asked: Mutex<HashMap<usize, Instant>>,
    state: Mutex<State>,
    changed: Condvar,
    visitor: Visitor,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Crawl {
    /// A crawl from these URLs, with usual limits and manners.
    pub fn new(seeds: Vec<String>) -> Self {
        Self { request: Request::new(seeds), limits: Limits::default(), manners: Manners::default() }
    }

    /// Looks at what is asked for, without asking anybody for anything.
    ///
    /// # Errors
    /// A request that cannot be met.
    pub fn check(&self) -> Result<(), CrawlError> {
        let Crawl { request, manners, .. } = self;
        Scope::new(request)?;
        if manners.threads == 0 || manners.connections == 0 {
            return Err(CrawlError::new("a crawl needs one thread and one connection at least"));
        }
        if !manners.user_agent.bytes().all(|b| (b' '..=b'~').contains(&b)) || manners.user_agent.is_empty() {
            return Err(CrawlError::new(
                "the user agent has to be of printable ASCII, such as name/1.0 (+URL)",
            ));
        }
        Ok(())
    }

    /// Begins, or goes on with the crawl that is in `dir`. It ends early when `stop` says so: pages that are on their
    /// way are then left for the next run.
    ///
    /// # Errors
    /// A request that cannot be met; a directory that cannot be used, is in use, or has another crawl in it.
    pub fn start(
        self,
        dir: &Path,
        stop: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Crawler, CrawlError> {
        self.check()?;
        let Crawl { request, limits, manners } = self;
        let (scope, seeds) = Scope::new(&request)?;
        let (state, end) = State::open(dir, &request, seeds, &limits, &manners)?;
        let before = if state.summary.pages > 0 { Some(Lines::new(&journal::path(dir), end)?) } else { None };
        let client =
            Client::new(&manners.user_agent, limits.time, manners.connections, request.allow_private);
        let (threads, ahead) = (manners.threads, manners.ahead);
        let visitor = Visitor { client, scope, request, limits, manners, stop: Box::new(stop) };
        let shared = Arc::new(Shared {
            asked: Mutex::default(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            visitor,
        });
        let (to, pages) = sync_channel(ahead);
        let mut crawler = Crawler {
            shared,
            pages: Some(pages),
            threads: Vec::new(),
            before,
            dir: dir.to_owned(),
            began: Instant::now(),
            stopped: None,
        };
        for number in 0..threads {
            let (shared, to) = (Arc::clone(&crawler.shared), to.clone());
            let thread = thread::Builder::new().name(format!("crawl {number}"));
            let handle = thread
                .spawn(move || shared.work(number, &to))
                .map_err(|e| CrawlError::new(format!("a thread cannot be started: {e}")))?;
            crawler.threads.push(handle);
        }
        Ok(crawler)
    }
}

impl Crawler {
    /// The directory of the crawl, which pages' files are relative to.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What came of the crawl so far.
    pub fn so_far(&self) -> Summary {
        self.progress().so_far()
    }

    /// A look at it that goes on while others take its pages.
    pub fn progress(&self) -> Progress {
        Progress { shared: Arc::clone(&self.shared), began: self.began }
    }

    /// Ends the crawl, wherever it is, and says what came of it.
    ///
    /// # Errors
    /// What made it impossible to go on: a file that could not be written or read.
    pub fn finish(mut self) -> Result<Summary, CrawlError> {
        self.end();
        let mut state = self.shared.lock();
        let summary = state.close()?;
        match state.broken.take() {
            Some(broken) => Err(broken),
            None => Ok(Summary { seconds: self.began.elapsed().as_secs_f64(), ..summary }),
        }
    }

    /// Ends the threads. Those that do not answer in time are left to themselves: their journal is closed.
    fn end(&mut self) {
        self.pages = None;
        self.shared.changed.notify_all();
        let until = *self.stopped.get_or_insert_with(Instant::now) + GRACE;
        while self.threads.iter().any(|t| !t.is_finished()) && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.shared.lock().close();
        for thread in self.threads.drain(..).filter(JoinHandle::is_finished) {
            // A thread's panic was caught inside it.
            let _ = thread.join();
        }
    }

    /// The next page, if it is there within `wait`.
    pub fn next_within(&mut self, wait: Duration) -> Come {
        if let Some(page) = self.before() {
            return Come::Page(Box::new(page));
        }
        let until = Instant::now() + wait;
        loop {
            let Some(pages) = &self.pages else { return Come::End };
            let left = until.saturating_duration_since(Instant::now());
            match pages.recv_timeout(left.min(LOOK)) {
                Ok(page) => return Come::Page(Box::new(page)),
                Err(RecvTimeoutError::Disconnected) => return Come::End,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if (self.shared.visitor.stop)() && self.stopped.get_or_insert_with(Instant::now).elapsed() > GRACE
            {
                return Come::End;
            }
            if Instant::now() >= until {
                return Come::NotYet;
            }
        }
    }

    /// The next page of an earlier run.
    fn before(&mut self) -> Option<Page> {
        let lines = self.before.as_mut()?;
        loop {
            match lines.next_record() {
                Ok(Some(Record::Page { page, .. })) if page.is_there(&self.dir) => return Some(page),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(e) => {
                    self.shared.lock().broken.get_or_insert(e);
                    break;
                }
            }
        }
        self.before = None;
        None
    }
}

impl Progress {
    /// What came of the crawl so far.
    pub fn so_far(&self) -> Summary {
        Summary { seconds: self.began.elapsed().as_secs_f64(), ..self.shared.lock().so_far() }
    }

    /// How long each request for a page has taken that is not answered yet, in seconds.
    pub fn unanswered_s(&self) -> Vec<f64> {
        self.shared.asked().values().map(|at| at.elapsed().as_secs_f64()).collect()
    }
}

impl Iterator for Crawler {
    type Item = Page;

    /// The next page; waits until there is one. None when nothing is left, the crawl was stopped or is broken, which
    /// [`Crawler::finish`] tells.
    fn next(&mut self) -> Option<Page> {
        loop {
            match self.next_within(LOOK) {
                Come::Page(page) => return Some(*page),
                Come::NotYet => {}
                Come::End => return None,
            }
        }
    }
}

impl Drop for Crawler {
    fn drop(&mut self) {
        if self.pages.is_some() {
            self.end();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Whoever panicked beside it said so in it, and nothing is written after that.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<usize, Instant>> {
        self.asked.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The life of a thread.
    fn work(&self, thread: usize, to: &SyncSender<Page>) {
        let worked = catch_unwind(AssertUnwindSafe(|| self.pages(thread, to)));
        let broken = match worked {
            Ok(Ok(())) => None,
            Ok(Err(e)) => Some(e),
            Err(_) => Some(CrawlError::new("a thread of the crawl panicked")),
        };
        if let Some(broken) = broken {
            let mut state = self.lock();
            if !state.is_closed() {
                state.broken.get_or_insert(broken);
            }
        }
        self.changed.notify_all();
    }

    fn pages(&self, thread: usize, to: &SyncSender<Page>) -> Result<(), CrawlError> {
        while let Some(next) = self.next() {
            let kept = match next {
                Next::Robots(host, url) => {
                    let (rules, requests) = self.visitor.robots(&url);
                    self.lock().learn(host, rules, requests);
                    None
                }
                Next::Refused(entry, why, detail) => {
                    self.lock().refused(&entry, why, detail)?;
                    None
                }
                Next::Page(host, entry) => {
                    self.asked().insert(thread, Instant::now());
                    let outcome = self.visitor.visit(&entry);
                    self.asked().remove(&thread);
                    let draft = match &outcome {
                        Outcome::Page { content, .. } => Some(self.draft(thread, content)?),
                        _ => None,
                    };
                    self.lock().take(host, entry, outcome, draft)?
                }
                Next::Wait(_) | Next::End => None,
            };
            self.changed.notify_all();
            if let Some(page) = kept
                && to.send(page).is_err()
            {
                // Nobody takes pages any more.
                return Ok(());
            }
        }
        Ok(())
    }

    fn draft(&self, thread: usize, content: &[u8]) -> Result<PathBuf, CrawlError> {
        let store: Store = self.lock().draft().clone();
        store.draft(thread, content)
    }

    /// Waits for something to do; None at the end.
    fn next(&self) -> Option<Next> {
        let mut state = self.lock();
        loop {
            if state.broken.is_some() || state.is_closed() || (self.visitor.stop)() {
                return None;
            }
            let now = Instant::now();
            let until = match state.next(now) {
                Next::Wait(until) => until,
                Next::End => return None,
                next => return Some(next),
            };
            let wait = until.map_or(LOOK, |at| at.saturating_duration_since(now).min(LOOK));
            let waited = self.changed.wait_timeout(state, wait.max(Duration::from_millis(1)));
            state = waited.unwrap_or_else(|e| e.into_inner()).0;
        }
    }
}
