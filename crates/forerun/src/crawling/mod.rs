//! Crawls as they are asked for on the command line, and their pages as inputs of a job.

mod pace;
mod sample;

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use forerun_apps::features::{InputFile, Pages};
use forerun_crawl::{Crawl, Crawler, Hosts, Page, Summary};
use forerun_skeleton::AppError;

use crate::cli::CrawlOptions;
use crate::error::CliError;
use crate::jobs::{size, time};
use crate::text;

pub use pace::Pace;
pub use sample::{Pages as HowMany, Sample, Sampled, sample};

/// The crawl that is asked for.
///
/// # Errors
/// An option that cannot be read.
pub fn crawl(seeds: &[String], how: &CrawlOptions) -> Result<Crawl, CliError> {
    let mut crawl = Crawl::new(seeds.to_vec());
    let Crawl { request, limits, manners } = &mut crawl;
    if let Some(domains) = &how.domains {
        request.hosts = Hosts::Domains(domains.clone());
    }
    if let Some(types) = &how.types {
        request.types = types.iter().map(|t| t.trim().to_ascii_lowercase()).collect();
    }
    (request.below, request.depth, request.allow_private) = (how.below, how.depth, how.allow_private);
    limits.pages = how.pages.unwrap_or(u64::MAX);
    limits.page_bytes = size("--max-page", &how.max_page)?;
    if let Some(total) = &how.max_total {
        limits.total_bytes = size("--max-total", total)?;
    }
    limits.time = time("--timeout", &how.timeout)?;
    limits.tries = how.tries;
    manners.delay = time("--delay", &how.delay)?;
    (manners.connections, manners.threads) = (how.connections, how.threads);
    if let Some(user_agent) = &how.user_agent {
        manners.user_agent.clone_from(user_agent);
    }
    Ok(crawl)
}

/// Why there is no page.
pub fn reason(summary: &Summary) -> String {
    if let Some(host) = summary.hosts_left.first() {
        return format!("{}: {}", host.host, text::printable(&host.why));
    }
    if let Some(error) = summary.errors.first() {
        return format!("{}: {}", error.url, text::printable(&error.why));
    }
    match summary.skipped.keys().next().map(String::as_str) {
        Some("address") => {
            "its host is at an address that is not public; --allow-private lets the crawl go there".to_owned()
        }
        Some(why) => format!("what was found was skipped ({why}); journal.jsonl says more"),
        None => "the crawl was stopped before the first".to_owned(),
    }
}

/// The pages of a crawl as inputs of a job, each as soon as it is there.
pub struct Site {
    crawler: Crawler,
    dir: PathBuf,
}

impl Site {
    /// Begins the crawl, or goes on with it, in `dir`, until `stop` says so.
    ///
    /// # Errors
    /// A request that cannot be met; a directory that cannot be used.
    pub fn start(
        crawl: Crawl,
        dir: &Path,
        stop: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Self, AppError> {
        let crawler = crawl.start(dir, stop).map_err(|e| AppError::new(e.to_string()))?;
        Ok(Site { crawler, dir: dir.to_owned() })
    }
}

/// A page of a crawl in `dir` as an input.
fn input(page: Page, dir: &Path) -> InputFile {
    let since = page.modified().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    InputFile {
        path: page.path(dir),
        bytes: page.bytes,
        modified: since.and_then(|d| i64::try_from(d.as_nanos()).ok()).unwrap_or(0),
        name: page.url,
        encoding: page.charset,
    }
}

impl Iterator for Site {
    type Item = InputFile;

    fn next(&mut self) -> Option<InputFile> {
        let page = self.crawler.next()?;
        Some(input(page, &self.dir))
    }
}

impl Pages for Site {
    fn end(self: Box<Self>) -> Result<Vec<String>, AppError> {
        let summary = self.crawler.finish().map_err(|e| AppError::new(e.to_string()))?;
        if summary.pages == 0 {
            return Err(AppError::new(format!("no page was kept: {}", reason(&summary))));
        }
        Ok(said(&summary, &self.dir))
    }
}

/// What came of a crawl, in sentences.
fn said(summary: &Summary, dir: &Path) -> Vec<String> {
    let pages = text::plural(summary.pages, "page");
    let mut kept = format!("the crawl kept {pages}, {} in {}", text::bytes(summary.bytes), dir.display());
    if !summary.skipped.is_empty() {
        let skipped: Vec<String> =
            summary.skipped.iter().map(|(why, n)| format!("{why} {}", text::count(*n))).collect();
        kept.push_str(&format!("; skipped: {}", skipped.join(", ")));
    }
    let mut said = vec![kept];
    if let Some(first) = summary.errors.first() {
        let urls = text::plural(summary.failed, "URL");
        let why = text::printable(&first.why);
        said.push(format!("{urls} could not be had, first {}: {why}; journal.jsonl has all", first.url));
    }
    for host in &summary.hosts_left {
        said.push(format!("{} was left alone: {}", host.host, text::printable(&host.why)));
    }
    if summary.waiting > 0 {
        let urls = text::plural(summary.waiting, "URL");
        said.push(format!("{urls} to be asked for are left; the same command again goes on"));
    }
    said
}
