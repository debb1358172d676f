//! Crawls as they are asked for on the command line, and their pages as inputs of a job.

mod both;
mod pace;
mod sample;
mod watch;

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use forerun_apps::features::{InputFile, Pages};
use forerun_crawl::{Crawl, Crawler, Hosts, Page, Summary};
use forerun_skeleton::AppError;

use crate::cli::CrawlOptions;
use crate::error::{CliError, request as refused};
use crate::jobs::{size, time};
use crate::text;

pub use both::{Begins, Both, rate};
pub use pace::Pace;
pub use sample::{Pages as HowMany, Sample, Sampled, sample};
pub use watch::Watch;

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
    if how.pages == Some(0) {
        return Err(refused("--pages 0: a crawl keeps at least 1 page"));
    }
    if how.tries == 0 {
        return Err(refused("--tries 0: a page is asked for at least once"));
    }
    limits.pages = how.pages.unwrap_or(u64::MAX);
    limits.page_bytes = size("--max-page", &how.max_page)?;
    if let Some(total) = &how.max_total {
        limits.total_bytes = size("--max-total", total)?;
    }
    limits.time = time("--timeout", &how.timeout)?;
    let nothing = [
        (limits.page_bytes == 0, "--max-page", &how.max_page),
        (limits.total_bytes == 0, "--max-total", how.max_total.as_ref().unwrap_or(&how.max_page)),
        (limits.time.is_zero(), "--timeout", &how.timeout),
    ];
    if let Some((_, option, asked)) = nothing.into_iter().find(|(nothing, ..)| *nothing) {
        return Err(refused(format!("{option} {asked}: no page can be had within that")));
    }
    limits.tries = how.tries;
    manners.delay = time("--delay", &how.delay)?;
    (manners.connections, manners.threads) = (how.connections, how.threads);
    if let Some(user_agent) = &how.user_agent {
        manners.user_agent.clone_from(user_agent);
    }
    Ok(crawl)
}

/// Why there is no page; `kept` is whether the journal is.
pub fn reason(summary: &Summary, kept: bool) -> String {
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
        Some(why) => {
            let more = if kept { "; journal.jsonl says more" } else { "" };
            format!("what was found was skipped ({why}){more}")
        }
        None => "the crawl was stopped before the first".to_owned(),
    }
}

/// The pages of a crawl as inputs of a job, each as soon as it is there.
pub struct Site {
    crawler: Crawler,
    dir: PathBuf,
    watch: Watch,
    /// Pages that earlier runs kept.
    before: u64,
}

impl Site {
    /// Begins the crawl, or goes on with it, in `dir`, until `stop` says so.
    ///
    /// # Errors
    /// A request that cannot be met; a directory that cannot be used.
    pub fn start(
        crawl: Crawl,
        dir: &Path,
        watch: Watch,
        stop: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Result<Self, AppError> {
        let crawler = crawl.start(dir, stop).map_err(|e| AppError::new(e.to_string()))?;
        let before = crawler.so_far().pages_before;
        Ok(Site { crawler, dir: dir.to_owned(), watch, before })
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
        let Some(page) = self.crawler.next() else {
            self.watch.ended(self.crawler.so_far());
            return None;
        };
        self.watch.came(&page, page.number >= self.before, || self.crawler.so_far());
        Some(input(page, &self.dir))
    }
}

impl Pages for Site {
    fn end(self: Box<Self>) -> Result<Vec<String>, AppError> {
        let summary = self.crawler.finish().map_err(|e| AppError::new(e.to_string()))?;
        if summary.pages == 0 {
            return Err(AppError::new(format!("no page was kept: {}", reason(&summary, true))));
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
        let more = if summary.failed > 1 { ("first ", "; journal.jsonl has all") } else { ("", "") };
        said.push(format!("{urls} could not be had, {}{}: {why}{}", more.0, first.url, more.1));
    }
    for host in &summary.hosts_left {
        said.push(format!("{} was left alone: {}", host.host, text::printable(&host.why)));
    }
    if summary.waiting > 0 {
        let urls = text::plural(summary.waiting, "URL");
        let are = if summary.waiting == 1 { "is" } else { "are" };
        said.push(format!("{urls} to be asked for {are} left; the same command again goes on"));
    }
    said
}
