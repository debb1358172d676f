//! A host: what is asked of it, and when.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::frontier::Entry;
use crate::robots::Robots;

/// What is known of a host's robots.txt.
#[derive(Debug)]
pub(crate) enum Leave {
    /// Nobody asked.
    Unknown,
    /// A thread is asking.
    Asking,
    Known(Robots),
    /// Its address must not be reached; the reason.
    Forbidden(String),
}

/// A scheme, a name and a port, with the URLs that wait for them.
#[derive(Debug)]
pub(crate) struct Host {
    /// As it is written in URLs.
    pub(crate) name: String,
    /// By depth, and then in the order in which they were found.
    pub(crate) queue: BTreeMap<(u32, u64), Entry>,
    /// Those that have to wait, with the time and their place in the queue.
    pub(crate) later: Vec<(Instant, (u32, u64), Entry)>,
    /// A URL that it excludes is found when it is at the head of the queue.
    pub(crate) leave: Leave,
    /// When the next request may be sent.
    pub(crate) ready: Instant,
    pub(crate) in_flight: usize,
    /// Requests in a row that failed.
    pub(crate) failures: u32,
    /// Why nothing is asked of it any more in this run.
    pub(crate) given_up: Option<String>,
}

impl Host {
    pub(crate) fn new(name: String, now: Instant) -> Self {
        Host {
            name,
            queue: BTreeMap::new(),
            later: Vec::new(),
            leave: Leave::Unknown,
            ready: now,
            in_flight: 0,
            failures: 0,
            given_up: None,
        }
    }

    /// Puts those whose time has come back into the queue.
    pub(crate) fn wake(&mut self, now: Instant) {
        for (_, place, entry) in self.later.extract_if(.., |(at, ..)| *at <= now) {
            self.queue.insert(place, entry);
        }
    }

    /// When something may be asked of it, if there is something of at most this depth.
    pub(crate) fn next_at(&self, deepest: u32, connections: usize) -> Option<Instant> {
        if self.given_up.is_some() || self.in_flight >= connections || matches!(self.leave, Leave::Asking) {
            return None;
        }
        let head =
            self.queue.first_key_value().filter(|((depth, _), _)| *depth <= deepest).map(|_| self.ready);
        let later = self.later.iter().filter(|(_, (depth, _), _)| *depth <= deepest);
        let later = later.map(|(at, ..)| (*at).max(self.ready)).min();
        head.into_iter().chain(later).min()
    }

    /// The time between two requests.
    pub(crate) fn delay(&self, least: Duration) -> Duration {
        match &self.leave {
            Leave::Known(robots) => robots.delay().unwrap_or_default().max(least),
            _ => least,
        }
    }

    /// The least depth at which a URL waits.
    pub(crate) fn least_depth(&self) -> Option<u32> {
        let head = self.queue.first_key_value().map(|((depth, _), _)| *depth);
        head.into_iter().chain(self.later.iter().map(|(_, (depth, _), _)| *depth)).min()
    }
}
