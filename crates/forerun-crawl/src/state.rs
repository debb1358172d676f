//! What threads share and change: the frontier, the journal, and what came of the crawl so far.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use url::Url;

use crate::ask::NoRules;
use crate::error::CrawlError;
use crate::frontier::{Added, Entry, Frontier, Next};
use crate::journal::{Journal, Record};
use crate::page::{Page, Store};
use crate::retry::may_pass;
use crate::robots::Robots;
use crate::settings::{Limits, Manners, Request};
use crate::summary::{Failure, HostLeft, Summary};
use crate::visit::{Fault, Outcome};

/// The state of a crawl. Everything that is done goes to the journal before it counts.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) frontier: Frontier,
    pub(crate) summary: Summary,
    /// Why the crawl cannot go on.
    pub(crate) broken: Option<CrawlError>,
    journal: Option<Journal>,
    store: Store,
    /// The SHA-256 of every page that is kept.
    contents: HashSet<[u8; 32]>,
    next_number: u64,
    limits: Limits,
    manners: Manners,
}

impl State {
    /// The state of a new crawl in `dir`, or of the one there as far as it came. Gives also the length of the
    /// journal that was read.
    pub(crate) fn open(
        dir: &Path,
        request: &Request,
        seeds: Vec<Url>,
        limits: &Limits,
        manners: &Manners,
    ) -> Result<(Self, u64), CrawlError> {
        let store = Store::open(dir)?;
        if !crate::journal::path(dir).exists() && !store.is_empty()? {
            return Err(CrawlError::new(format!(
                "{} has pages and no journal of a crawl: take another directory",
                dir.display()
            )));
        }
        let mut state = State {
            frontier: Frontier::new(limits.urls, request.depth.is_some()),
            summary: Summary::default(),
            broken: None,
            journal: None,
            store,
            contents: HashSet::new(),
            next_number: 0,
            limits: limits.clone(),
            manners: manners.clone(),
        };
        for seed in seeds {
            state.frontier.add(seed, 0, 0);
        }
        let mut failed = HashMap::new();
        let (journal, end) = Journal::open(dir, request, |record| state.replay(record, dir, &mut failed))?;
        state.frontier.retry(failed.into_values().collect());
        state.store.tidy(state.next_number)?;
        state.journal = Some(journal);
        state.summary.pages_before = state.summary.pages;
        state.summary.failed_before = state.summary.failed;
        state.summary.redirects_before = state.summary.redirects;
        Ok((state, end))
    }

    /// Takes a record of an earlier run. A URL that failed in a way that may have passed is among `failed` until another
    /// record tells more of it.
    fn replay(
        &mut self,
        record: Record,
        dir: &Path,
        failed: &mut HashMap<String, Entry>,
    ) -> Result<(), CrawlError> {
        let url = |text: &str| {
            Url::parse(text)
                .map_err(|e| CrawlError::new(format!("the journal has {text}, which is no URL: {e}")))
        };
        match record {
            Record::Crawl { .. } => {}
            Record::Page { page, links, left } => {
                self.next_number = self.next_number.max(page.number + 1);
                self.summary.leave(&left);
                for link in links {
                    self.frontier.add(url(&link)?, page.depth + 1, 0);
                }
                // A page whose file was lost is asked for again.
                if page.is_there(dir) {
                    failed.remove(&page.url);
                    self.frontier.strike(&url(&page.url)?);
                    self.keep(&page, hash(&page.sha256));
                }
            }
            Record::Redirect { url: from, depth, hops, to, .. } => {
                failed.remove(&from);
                self.frontier.strike(&url(&from)?);
                self.summary.redirects += 1;
                if let Some(to) = to {
                    self.frontier.add(url(&to)?, depth, hops + 1);
                }
            }
            Record::Skipped { url: of, why, .. } => {
                failed.remove(&of);
                self.frontier.strike(&url(&of)?);
                self.summary.skip(&why);
            }
            Record::Failed { url: of, why, status, tries, passing } => {
                let entry = self.frontier.strike(&url(&of)?);
                match passing.unwrap_or(status.is_none_or(may_pass)) {
                    true => failed.extend(entry.map(|entry| (of, entry))),
                    false => {
                        failed.remove(&of);
                        self.summary.fail(Failure { url: of, why, status, tries });
                    }
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, page: &Page, hash: Option<[u8; 32]>) {
        self.summary.pages += 1;
        self.summary.bytes += page.bytes;
        self.contents.extend(hash);
    }

    /// What a thread is to do now.
    pub(crate) fn next(&mut self, now: Instant) -> Next {
        let flying = self.frontier.in_flight() as u64;
        let more =
            self.summary.pages + flying < self.limits.pages && self.summary.bytes < self.limits.total_bytes;
        self.frontier.next(now, self.manners.delay, self.manners.connections, more)
    }

    /// Records that a URL must not be asked for.
    pub(crate) fn refused(&mut self, entry: &Entry, why: &str, detail: String) -> Result<(), CrawlError> {
        let first = || (entry.url.to_string(), detail.clone());
        self.summary.skipped_first.get_or_insert_with(first);
        self.write(&Record::Skipped { url: entry.url.to_string(), why: why.to_owned(), detail })?;
        self.summary.skip(why);
        Ok(())
    }

    /// Takes what came of asking for a host's robots.txt.
    pub(crate) fn learn(&mut self, host: usize, rules: Result<Robots, NoRules>, requests: u64) {
        self.summary.requests += requests;
        let (now, delay) = (Instant::now(), self.manners.delay);
        if let Err(NoRules::Refused(why)) = &rules {
            self.summary.trouble(why);
        }
        match rules {
            Ok(robots) => self.frontier.learn(host, Ok(robots), now, delay),
            Err(NoRules::Address(why)) => self.frontier.learn(host, Err(why), now, Duration::ZERO),
            Err(NoRules::Refused(why)) => self.frontier.refuse(host, Some(why)),
            Err(NoRules::Stopped) => self.frontier.refuse(host, None),
        }
    }

    /// Takes what came of asking for a page, the draft of whose file is there. Gives the page if it is kept.
    pub(crate) fn take(
        &mut self,
        host: usize,
        entry: Entry,
        outcome: Outcome,
        draft: Option<PathBuf>,
    ) -> Result<Option<Page>, CrawlError> {
        if self.is_closed() {
            return Ok(None);
        }
        self.summary.requests += 1;
        let most = self.limits.host_failures;
        let url = entry.url.to_string();
        match outcome {
            Outcome::Page { page, hash, links, left, .. } => {
                self.frontier.done(host, &entry);
                self.frontier.judge(host, None, most);
                self.page(*page, hash, links, left, draft)
            }
            Outcome::Redirect { status, to } => {
                let target = to.to_string();
                self.frontier.done(host, &entry);
                self.frontier.judge(host, None, most);
                let added = self.frontier.add(to, entry.depth, entry.hops + 1);
                let to = matches!(added, Added::New | Added::Nearer).then_some(target);
                let (depth, hops) = (entry.depth, entry.hops);
                self.write(&Record::Redirect { url, status, depth, hops, to })?;
                self.summary.redirects += 1;
                Ok(None)
            }
            Outcome::Skipped(why, detail) => {
                self.frontier.done(host, &entry);
                self.frontier.judge(host, None, most);
                self.refused(&entry, why, detail).map(|()| None)
            }
            Outcome::Failed { why, status, at_fault } => {
                self.summary.trouble(&why);
                self.frontier.done(host, &entry);
                self.frontier.judge(
                    host,
                    Some(&why).filter(|_| at_fault == Fault::Host).map(String::as_str),
                    most,
                );
                let failure = Failure { url, why, status, tries: entry.tries + 1 };
                let Failure { url, why, status, tries } = failure.clone();
                let passing = Some(at_fault == Fault::Host);
                self.write(&Record::Failed { url, why, status, tries, passing })?;
                self.summary.fail(failure);
                Ok(None)
            }
            Outcome::Again { wait, host: of_host, why } => {
                self.summary.trouble(&why);
                let at = Instant::now() + wait;
                self.frontier.again(host, Entry { tries: entry.tries + 1, ..entry }, at);
                if of_host {
                    self.frontier.hold(host, at);
                }
                self.frontier.judge(host, Some(&why), most);
                Ok(None)
            }
            Outcome::Stopped => {
                self.frontier.again(host, entry, Instant::now());
                Ok(None)
            }
        }
    }

    fn page(
        &mut self,
        mut page: Page,
        hash: [u8; 32],
        links: Vec<Url>,
        mut left: BTreeMap<String, u64>,
        draft: Option<PathBuf>,
    ) -> Result<Option<Page>, CrawlError> {
        if self.contents.contains(&hash) {
            let detail = "another page has the same content".to_owned();
            self.write(&Record::Skipped { url: page.url, why: "duplicate".to_owned(), detail })?;
            self.summary.skip("duplicate");
            return Ok(None);
        }
        let Some(draft) = draft else { return Ok(None) };
        page.number = self.next_number;
        page.file = self.store.keep(&draft, page.number, &page.media_type)?;
        self.next_number += 1;
        let mut found = Vec::new();
        for link in links {
            let text = link.to_string();
            match self.frontier.add(link, page.depth + 1, 0) {
                Added::New | Added::Nearer => found.push(text),
                Added::Known => {}
                Added::Full => *left.entry("full".to_owned()).or_default() += 1,
            }
        }
        let record = Record::Page { page, links: found, left };
        self.write(&record)?;
        let Record::Page { page, left, .. } = record else { return Ok(None) };
        self.summary.leave(&left);
        self.keep(&page, Some(hash));
        Ok(Some(page))
    }

    pub(crate) fn draft(&self) -> &Store {
        &self.store
    }

    fn write(&mut self, record: &Record) -> Result<(), CrawlError> {
        match &mut self.journal {
            Some(journal) => journal.write(record),
            None => Err(CrawlError::new("the crawl has ended")),
        }
    }

    /// Whether nothing is taken any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.journal.is_none()
    }

    /// Ends it: nothing is written from now on. Gives what came of the crawl.
    pub(crate) fn close(&mut self) -> Result<Summary, CrawlError> {
        if let Some(journal) = self.journal.take() {
            journal.sync()?;
        }
        Ok(self.so_far())
    }

    /// What came of the crawl so far.
    pub(crate) fn so_far(&self) -> Summary {
        let left = self.frontier.given_up();
        let hosts_left: Vec<HostLeft> =
            left.map(|(host, why)| HostLeft { host: host.to_owned(), why: why.to_owned() }).collect();
        let waiting = self.frontier.waiting();
        let delay_s = self.frontier.delay(self.manners.delay).as_secs_f64();
        Summary { hosts_left, waiting, delay_s, complete: waiting == 0, ..self.summary.clone() }
    }
}

/// The bytes of a hash in hexadecimal.
fn hash(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(hash)
}
