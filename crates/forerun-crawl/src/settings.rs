//! What a crawl is asked to do.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Where a crawl may go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hosts {
    /// The hosts of the seeds, with or without `www.` before them.
    OfSeeds,
    /// These domains and everything below them; `name:port` for a port that is not the scheme's own.
    Domains(Vec<String>),
}

/// What a crawl is asked for. Two crawls with equal requests want the same pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Where to begin.
    pub seeds: Vec<String>,
    /// The hosts that are allowed.
    pub hosts: Hosts,
    /// Only pages in the directory of a seed, or below it.
    pub below: bool,
    /// Links that may lie between a seed and a page, at most.
    pub depth: Option<u32>,
    /// Media types that are kept, such as `text/html`; `text/*` and `*/*` are patterns.
    pub types: Vec<String>,
    /// Whether private, loopback and other addresses that are not public may be reached.
    pub allow_private: bool,
}

impl Request {
    /// A request for what can be read, from these seeds, on their hosts.
    pub fn new(seeds: Vec<String>) -> Self {
        let types = ["text/html", "application/xhtml+xml", "text/plain", "text/xml", "application/xml"];
        Self {
            seeds,
            hosts: Hosts::OfSeeds,
            below: false,
            depth: None,
            types: types.map(str::to_owned).to_vec(),
            allow_private: false,
        }
    }
}

/// How far a crawl goes, and what a page may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Pages that are kept, all runs of the crawl together.
    pub pages: u64,
    /// Bytes of a page, as they come and decoded: each at most.
    pub page_bytes: u64,
    /// Bytes of all pages together, decoded; the page that reaches it is the last.
    pub total_bytes: u64,
    /// Time for a request, from looking up its host to the last byte.
    pub time: Duration,
    /// URLs that are remembered. Links beyond are left and counted. Each takes some 100 bytes and its own length.
    pub urls: usize,
    /// Redirects in a row.
    pub redirects: u32,
    /// Requests for a page that fails in a way that may pass, at most.
    pub tries: u32,
    /// The longest time that a server may ask to wait; beyond it the page is given up.
    pub wait: Duration,
    /// Requests that fail in a row after which a host is left alone, for this run.
    pub host_failures: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: u64::MAX,
            page_bytes: 8 << 20,
            total_bytes: u64::MAX,
            time: Duration::from_secs(30),
            urls: 1_000_000,
            redirects: 10,
            tries: 3,
            wait: Duration::from_secs(120),
            host_failures: 10,
        }
    }
}

/// How a crawl behaves towards hosts.
#[derive(Clone, Debug)]
pub struct Manners {
    /// What the crawler says that it is; its robots.txt token is what comes before the first `/` or space.
    pub user_agent: String,
    /// Time between the starts of two requests to a host, at least; a longer Crawl-delay goes before it.
    pub delay: Duration,
    /// Requests to a host at the same time.
    pub connections: usize,
    /// Requests to all hosts at the same time: the crawl's threads.
    pub threads: usize,
    /// The wait before the second try, doubled before each further one.
    pub back_off: Duration,
    /// Pages that wait for whoever takes them, at most; threads wait when there are as many.
    pub ahead: usize,
}

impl Default for Manners {
    fn default() -> Self {
        Self {
            user_agent: concat!("forerun/", env!("CARGO_PKG_VERSION")).to_owned(),
            delay: Duration::from_secs(1),
            connections: 2,
            threads: 8,
            back_off: Duration::from_secs(1),
            ahead: 64,
        }
    }
}
