//! Crawls as they are asked for on the command line, and their pages as inputs of a job.

mod both;
mod pace;
mod sample;
mod watch;

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use forerun_apps::features::{InputFile, Pages};
use forerun_crawl::{Crawl, Crawler, Hosts, Limits, Page, Summary};
use forerun_skeleton::AppError;

use crate::cli::CrawlOptions;
use crate::error::{CliError, request as refused};
use crate::file::shown;
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
    if how.tries == Some(0) {
        return Err(refused("--tries 0: a page is asked for at least once"));
    }
    limits.pages = how.pages.unwrap_or(u64::MAX);
    // What is not given is as the crawler has it.
    if let Some(most) = &how.max_page {
        limits.page_bytes = size("--max-page", most)?;
    }
    if let Some(total) = &how.max_total {
        limits.total_bytes = size("--max-total", total)?;
    }
    if let Some(timeout) = &how.timeout {
        limits.time = time("--timeout", timeout)?;
    }
    let nothing = [
        (limits.page_bytes == 0, "--max-page", &how.max_page),
        (limits.total_bytes == 0, "--max-total", &how.max_total),
        (limits.time.is_zero(), "--timeout", &how.timeout),
    ];
    for (nothing, option, asked) in nothing {
        if let (true, Some(asked)) = (nothing, asked) {
            return Err(refused(format!("{option} {asked}: no page can be had within that")));
        }
    }
    limits.tries = how.tries.unwrap_or(limits.tries);
    if let Some(delay) = &how.delay {
        manners.delay = time("--delay", delay)?;
    }
    manners.connections = how.connections.unwrap_or(manners.connections);
    manners.threads = how.threads.unwrap_or(manners.threads);
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
    if let Some(error) = summary.errors_now().first().or(summary.errors.first()) {
        return format!("{}: {}", error.url, text::printable(&error.why));
    }
    match summary.skipped.keys().next().map(String::as_str) {
        Some("address") => {
            "its host is at an address that is not public; --allow-private lets the crawl go there".to_owned()
        }
        Some(why) => {
            let more = if kept { "; journal.jsonl says more" } else { "" };
            let first = summary.skipped_first.as_ref().map_or(String::new(), |(url, detail)| {
                format!(": {}: {}", text::printable(url), text::printable(detail))
            });
            format!("what was found was skipped ({why}){first}{more}")
        }
        None => "the crawl was stopped before the first".to_owned(),
    }
}

/// The directory of a crawl, which is removed where the crawl made it and nothing came of that.
#[derive(Debug)]
pub struct Made {
    dir: PathBuf,
    fresh: bool,
}

impl Made {
    /// Of a crawl in `dir` that is to begin.
    pub fn before(dir: &Path) -> Self {
        Made { dir: dir.to_owned(), fresh: !dir.exists() }
    }

    /// Removes it if the crawl is over, made it, and kept no page; gives whether it is still there.
    pub fn put_away(&self, summary: &Summary) -> bool {
        let none = summary.pages == 0 && summary.waiting == 0;
        !(none && self.fresh && std::fs::remove_dir_all(&self.dir).is_ok())
    }
}

/// The pages of a crawl as inputs of a job, each as soon as it is there.
pub struct Site {
    crawler: Crawler,
    dir: PathBuf,
    made: Made,
    limits: Limits,
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
        let (limits, made) = (crawl.limits.clone(), Made::before(dir));
        let crawler = crawl.start(dir, stop).map_err(|e| AppError::new(e.to_string()))?;
        watch.of(crawler.progress());
        let before = crawler.so_far().pages_before;
        Ok(Site { crawler, dir: dir.to_owned(), made, limits, watch, before })
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
        self.watch.came(&page, page.number >= self.before);
        Some(input(page, &self.dir))
    }
}

impl Pages for Site {
    fn end(self: Box<Self>) -> Result<Vec<String>, AppError> {
        let summary = self.crawler.finish().map_err(|e| AppError::new(e.to_string()))?;
        if summary.pages == 0 {
            let kept = self.made.put_away(&summary);
            return Err(AppError::new(format!("no page was kept: {}", reason(&summary, kept))));
        }
        Ok(said(&summary, &self.limits, &self.dir))
    }
}

/// What came of a crawl, in sentences.
fn said(summary: &Summary, limits: &Limits, dir: &Path) -> Vec<String> {
    let pages = text::plural(summary.pages, "page");
    let mut kept = format!("the crawl kept {pages}, {} in {}", text::bytes(summary.bytes), shown(dir));
    if !summary.skipped.is_empty() {
        let skipped: Vec<String> =
            summary.skipped.iter().map(|(why, n)| format!("{why} {}", text::count(*n))).collect();
        kept.push_str(&format!("; skipped: {}", skipped.join(", ")));
    }
    let mut said = vec![kept];
    if let Some(first) = summary.errors_now().first() {
        let failed = summary.failed - summary.failed_before;
        let urls = text::plural(failed, "URL");
        let why = text::printable(&first.why);
        let more = match failed {
            1 => ("", String::new()),
            _ => ("first ", format!("; {} has all", shown(dir.join("journal.jsonl")))),
        };
        said.push(format!("{urls} could not be had, {}{}: {why}{}", more.0, first.url, more.1));
    }
    if summary.failed_before > 0 {
        let urls = text::plural(summary.failed_before, "URL");
        let were = if summary.failed_before == 1 { "was" } else { "were" };
        said.push(format!(
            "{urls} could not be had by earlier runs for good, and {were} not asked for again"
        ));
    }
    for host in &summary.hosts_left {
        said.push(format!("{} was left alone: {}", host.host, text::printable(&host.why)));
    }
    said.extend(left(summary, limits).map(|left| format!("to be asked for: {left}")));
    said
}

/// How many URLs a crawl within these limits leaves, and how it goes on; `None` where it leaves none.
pub fn left(summary: &Summary, limits: &Limits) -> Option<String> {
    let urls = text::plural(summary.waiting, "URL");
    let ended = |by: &str, option: &str| {
        format!("{urls}; the crawl ends at {by}, and the same command with a larger {option} goes on")
    };
    match summary {
        Summary { waiting: 0, .. } => None,
        Summary { pages, .. } if *pages >= limits.pages => {
            Some(ended(&text::plural(limits.pages, "page"), "--pages"))
        }
        Summary { bytes, .. } if *bytes >= limits.total_bytes => {
            Some(ended(&text::bytes(limits.total_bytes), "--max-total"))
        }
        _ => Some(format!("{urls}; the same command again goes on")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_earlier_runs_could_not_have_is_counted_as_it_is() {
        let limits = Limits::default();
        let of = |failed| Summary { failed, failed_before: failed, ..Summary::default() };
        let said = |failed| said(&of(failed), &limits, Path::new("d")).join("\n");
        assert!(
            said(1).contains("1 URL could not be had by earlier runs for good, and was not asked"),
            "{}",
            said(1)
        );
        assert!(
            said(2).contains("2 URLs could not be had by earlier runs for good, and were not asked"),
            "{}",
            said(2)
        );
        assert!(!said(0).contains("could not"), "{}", said(0));
    }
}
