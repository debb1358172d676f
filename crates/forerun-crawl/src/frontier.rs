//! The frontier: the URLs that are to be asked for, and those that are known.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use url::Url;

use crate::host::{Host, Leave};
use crate::robots::Robots;

/// A URL that is to be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// In normal form.
    pub(crate) url: Url,
    /// Links between a seed and it.
    pub(crate) depth: u32,
    /// Redirects in a row that led to it.
    pub(crate) hops: u32,
    /// How often it was asked for.
    pub(crate) tries: u32,
}

/// What was found of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    New,
    /// It was known; nothing changes.
    Known,
    /// It was waiting at a greater depth.
    Nearer,
    /// Too many URLs are known.
    Full,
}

/// What a thread is to do next.
#[derive(Debug)]
pub(crate) enum Next {
    /// Ask for a page.
    Page(usize, Entry),
    /// Ask for the robots.txt of a host, by way of this URL.
    Robots(usize, Url),
    /// Record that a URL must not be asked for: `robots` or `address`, and the reason.
    Refused(Entry, &'static str, String),
    /// Wait, until a time or until something changes.
    Wait(Option<Instant>),
    /// Nothing is left, and nothing can come any more.
    End,
}

/// Where a known URL is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Waiting { host: usize, at: (u32, u64) },
    Taken,
}

/// The URLs of a crawl. A known URL is kept as 128 bits of its SHA-256: that two of a million share them has a chance
/// of 10⁻²⁷.
#[derive(Debug)]
pub(crate) struct Frontier {
    hosts: Vec<Host>,
    names: HashMap<String, usize>,
    known: HashMap<u128, Place>,
    /// How many pages are being asked for, by depth.
    flying: BTreeMap<u32, usize>,
    in_flight: usize,
    asking: usize,
    next: u64,
    most: usize,
    /// Whether a page waits until none of smaller depth is open, so that depths are those of shortest paths.
    level_by_level: bool,
}

/// 128 bits of the SHA-256 of a URL.
fn fingerprint(url: &Url) -> u128 {
    let digest: [u8; 32] = Sha256::digest(url.as_str().as_bytes()).into();
    digest[..16].iter().fold(0, |sum, &b| sum << 8 | u128::from(b))
}

impl Frontier {
    /// An empty frontier for `most` URLs.
    pub(crate) fn new(most: usize, level_by_level: bool) -> Self {
        Self {
            hosts: Vec::new(),
            names: HashMap::new(),
            known: HashMap::new(),
            flying: BTreeMap::new(),
            in_flight: 0,
            asking: 0,
            next: 0,
            most,
            level_by_level,
        }
    }

    /// Adds a URL that was found.
    pub(crate) fn add(&mut self, url: Url, depth: u32, hops: u32) -> Added {
        let fingerprint = fingerprint(&url);
        let place = self.known.get(&fingerprint).copied();
        let added = match place {
            Some(Place::Waiting { host, at }) if depth < at.0 => {
                // It is in the queue unless it waits for another try: then it has its depth.
                if self.hosts[host].queue.remove(&at).is_none() {
                    return Added::Known;
                }
                Added::Nearer
            }
            Some(_) => return Added::Known,
            None if self.known.len() >= self.most => return Added::Full,
            None => Added::New,
        };
        let host = self.host(&url);
        let at = (depth, self.next);
        self.next += 1;
        self.known.insert(fingerprint, Place::Waiting { host, at });
        self.hosts[host].queue.insert(at, Entry { url, depth, hops, tries: 0 });
        added
    }

    /// Takes a URL away that is done with, by an earlier run; gives it, if it was waiting.
    pub(crate) fn strike(&mut self, url: &Url) -> Option<Entry> {
        match self.known.insert(fingerprint(url), Place::Taken) {
            Some(Place::Waiting { host, at }) => self.hosts[host].queue.remove(&at),
            _ => None,
        }
    }

    /// Adds URLs that earlier runs could not have. They are asked for after all others, those of smaller depth first, so
    /// that what does not answer is not in the way of what nobody asked for yet.
    pub(crate) fn retry(&mut self, mut failed: Vec<Entry>) {
        failed.sort_by(|a, b| (a.depth, &a.url).cmp(&(b.depth, &b.url)));
        for entry in failed {
            let host = self.host(&entry.url);
            let at = (if self.level_by_level { entry.depth } else { u32::MAX }, self.next);
            self.next += 1;
            self.known.insert(fingerprint(&entry.url), Place::Waiting { host, at });
            self.hosts[host].queue.insert(at, entry);
        }
    }

    /// What to do now. `more` is whether another page may be asked for.
    pub(crate) fn next(&mut self, now: Instant, delay: Duration, connections: usize, more: bool) -> Next {
        if !more {
            return if self.in_flight + self.asking > 0 { Next::Wait(None) } else { Next::End };
        }
        let deepest = if self.level_by_level { self.least_depth() } else { u32::MAX };
        let soonest = (0..self.hosts.len()).filter_map(|h| {
            // A host without robots.txt is asked for it first, by one thread.
            let at = self.hosts[h].next_at(deepest, connections)?;
            Some((at, h))
        });
        let Some((at, host)) = soonest.min() else {
            let busy = self.in_flight + self.asking > 0;
            return if busy { Next::Wait(None) } else { Next::End };
        };
        if at > now {
            return Next::Wait(Some(at));
        }
        self.take(host, now, delay)
    }

    fn take(&mut self, h: usize, now: Instant, delay: Duration) -> Next {
        let host = &mut self.hosts[h];
        host.wake(now);
        let Some(head) = host.queue.first_entry() else { return Next::Wait(Some(now)) };
        if matches!(host.leave, Leave::Unknown) {
            let url = head.get().url.clone();
            host.leave = Leave::Asking;
            self.asking += 1;
            return Next::Robots(h, url);
        }
        let entry = head.remove();
        self.known.insert(fingerprint(&entry.url), Place::Taken);
        let refused = match &host.leave {
            Leave::Forbidden(why) => Some(("address", why.clone())),
            Leave::Known(robots) if !robots.allow(&entry.url) => {
                Some(("robots", "robots.txt excludes it".to_owned()))
            }
            _ => None,
        };
        if let Some((why, detail)) = refused {
            return Next::Refused(entry, why, detail);
        }
        host.in_flight += 1;
        host.ready = now + host.delay(delay);
        self.in_flight += 1;
        *self.flying.entry(entry.depth).or_default() += 1;
        Next::Page(h, entry)
    }

    /// Says what a host's robots.txt lets the crawl do, or that its address is forbidden.
    pub(crate) fn learn(
        &mut self,
        host: usize,
        leave: Result<Robots, String>,
        now: Instant,
        delay: Duration,
    ) {
        self.asking -= 1;
        let host = &mut self.hosts[host];
        host.leave = leave.map_or_else(Leave::Forbidden, Leave::Known);
        host.ready = host.ready.max(now + host.delay(delay));
    }

    /// Leaves a host alone whose robots.txt could not be had, or asks too much; without a reason, it was not asked.
    pub(crate) fn refuse(&mut self, host: usize, why: Option<String>) {
        self.asking -= 1;
        self.hosts[host].leave = Leave::Unknown;
        self.hosts[host].given_up = why;
    }

    /// An entry is done with.
    pub(crate) fn done(&mut self, host: usize, entry: &Entry) {
        self.in_flight -= 1;
        self.hosts[host].in_flight -= 1;
        if let Some(n) = self.flying.get_mut(&entry.depth) {
            *n -= 1;
            if *n == 0 {
                self.flying.remove(&entry.depth);
            }
        }
    }

    /// An entry is to be asked for again, not before a time.
    pub(crate) fn again(&mut self, h: usize, entry: Entry, at: Instant) {
        self.done(h, &entry);
        let place = (entry.depth, self.next);
        self.next += 1;
        self.known.insert(fingerprint(&entry.url), Place::Waiting { host: h, at: place });
        self.hosts[h].later.push((at, place, entry));
    }

    /// Nothing is asked of a host before a time.
    pub(crate) fn hold(&mut self, host: usize, until: Instant) {
        self.hosts[host].ready = self.hosts[host].ready.max(until);
    }

    /// Counts a request that failed for the network's or the server's sake (`true`), or one that did not. After so many
    /// in a row the host is left alone.
    pub(crate) fn judge(&mut self, host: usize, failed: Option<&str>, most: u32) {
        let Some(why) = failed else {
            self.hosts[host].failures = 0;
            return;
        };
        self.hosts[host].failures += 1;
        if self.hosts[host].failures >= most && self.hosts[host].given_up.is_none() {
            self.hosts[host].given_up =
                Some(format!("{most} requests in a row failed, the last with: {why}"));
        }
    }

    /// The least depth of what is open: waiting at a host that is not left alone, or in flight.
    fn least_depth(&self) -> u32 {
        let waiting = self.hosts.iter().filter(|h| h.given_up.is_none()).filter_map(Host::least_depth);
        waiting.chain(self.flying.keys().next().copied()).min().unwrap_or(u32::MAX)
    }

    /// The longest time between two requests to a host.
    pub(crate) fn delay(&self, least: Duration) -> Duration {
        self.hosts.iter().map(|h| h.delay(least)).max().unwrap_or(least)
    }

    /// URLs that are still to be asked for.
    pub(crate) fn waiting(&self) -> u64 {
        let waiting: usize = self.hosts.iter().map(|h| h.queue.len() + h.later.len()).sum();
        (waiting + self.in_flight) as u64
    }

    /// Pages that are being asked for.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Hosts that were left alone, and why.
    pub(crate) fn given_up(&self) -> impl Iterator<Item = (&str, &str)> {
        self.hosts.iter().filter_map(|h| Some((h.name.as_str(), h.given_up.as_deref()?)))
    }

    fn host(&mut self, url: &Url) -> usize {
        let name = &url[..url::Position::BeforePath];
        if let Some(&host) = self.names.get(name) {
            return host;
        }
        self.hosts.push(Host::new(name.to_owned(), Instant::now()));
        self.names.insert(name.to_owned(), self.hosts.len() - 1);
        self.hosts.len() - 1
    }
}
