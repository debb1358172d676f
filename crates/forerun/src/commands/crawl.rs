//! `forerun crawl`: pages of web sites, kept in a directory.

use std::io::{self, Write as _};
use std::time::Duration;

use forerun_crawl::{Crawl, Hosts, Summary};
use forerun_platform::{Bytes, Seconds};
use forerun_skeleton::Cancel;

use super::Context;
use crate::cli::CrawlArgs;
use crate::error::{CliError, failed, request};
use crate::text;

/// Errors that are shown to a person; `--json` and the journal have more.
const SHOWN: usize = 5;

/// Crawls, or goes on.
///
/// # Errors
/// What is wrong with the request; a crawl that got no page at all, or cannot write.
pub fn run(args: &CrawlArgs, context: &mut Context) -> Result<(), CliError> {
    if args.print_files {
        context.console.keep_stdout_free()?;
    }
    let Context { console, interrupt, .. } = &*context;
    let crawl = crawl(args)?;
    let stop = Cancel::new();
    interrupt.closes(stop.clone());
    let cancel = interrupt.cancel().clone();
    let bar = console.bar(None, "pages");
    let done = interrupt.busy(|| {
        let stops = move || stop.is_cancelled() || cancel.is_cancelled();
        let mut crawler = crawl.start(&args.out, stops).map_err(request)?;
        let mut printed = Ok(());
        for page in crawler.by_ref() {
            bar.inc(1);
            if args.print_files {
                printed = writeln!(io::stdout().lock(), "{}", page.path(&args.out).display());
                if printed.is_err() {
                    break;
                }
            }
        }
        let summary = crawler.finish().map_err(failed)?;
        match printed {
            // Whoever reads has had enough: so has the crawl.
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                Err(failed(format!("standard output could not be written: {e}")))
            }
            _ => Ok(summary),
        }
    });
    bar.finish_and_clear();
    let summary = done?;
    say(&summary, args, context)?;
    console.data(&summary)?;
    match summary.pages {
        0 => Err(failed(format!("no page was kept: {}", reason(&summary)))),
        _ => Ok(()),
    }
}

/// The crawl that is asked for.
fn crawl(args: &CrawlArgs) -> Result<Crawl, CliError> {
    let mut crawl = Crawl::new(args.seeds.clone());
    let Crawl { request, limits, manners } = &mut crawl;
    if let Some(domains) = &args.domains {
        request.hosts = Hosts::Domains(domains.clone());
    }
    if let Some(types) = &args.types {
        request.types = types.iter().map(|t| t.trim().to_ascii_lowercase()).collect();
    }
    (request.below, request.depth, request.allow_private) = (args.below, args.depth, args.allow_private);
    limits.pages = args.pages.unwrap_or(u64::MAX);
    limits.page_bytes = size("--max-page", &args.max_page)?;
    if let Some(total) = &args.max_total {
        limits.total_bytes = size("--max-total", total)?;
    }
    limits.time = time("--timeout", &args.timeout)?;
    limits.tries = args.tries;
    manners.delay = time("--delay", &args.delay)?;
    (manners.connections, manners.threads) = (args.connections, args.threads);
    if let Some(user_agent) = &args.user_agent {
        manners.user_agent.clone_from(user_agent);
    }
    Ok(crawl)
}

fn time(option: &str, text: &str) -> Result<Duration, CliError> {
    let seconds: Seconds = text.parse().map_err(|e| request(format!("{option} {text}: {e}")))?;
    Duration::try_from_secs_f64(seconds.0).map_err(|e| request(format!("{option} {text}: {e}")))
}

fn size(option: &str, text: &str) -> Result<u64, CliError> {
    let bytes: Bytes = text.parse().map_err(|e| request(format!("{option} {text}: {e}")))?;
    Ok(bytes.0)
}

/// Says what came of it.
fn say(summary: &Summary, args: &CrawlArgs, context: &Context) -> Result<(), CliError> {
    let console = &context.console;
    let mut kept = format!(
        "{}, {} in {}",
        text::plural(summary.pages, "page"),
        text::bytes(summary.bytes),
        args.out.display()
    );
    if summary.pages_before > 0 {
        kept.push_str(&format!("; {} of them from before", text::count(summary.pages_before)));
    }
    console.say("kept", &kept)?;
    console.note(
        "asked",
        &format!(
            "{} in {}, {}",
            text::plural(summary.requests, "request"),
            text::seconds(summary.seconds),
            text::plural(summary.redirects, "redirect")
        ),
    )?;
    let list = |reasons: &std::collections::BTreeMap<String, u64>| {
        reasons.iter().map(|(why, n)| format!("{why} {}", text::count(*n))).collect::<Vec<_>>().join(", ")
    };
    if !summary.skipped.is_empty() {
        console.note("skipped", &list(&summary.skipped))?;
    }
    if !summary.links_left.is_empty() {
        console.note("links", &format!("not followed: {}", list(&summary.links_left)))?;
    }
    if summary.failed > 0 {
        let shown = summary.errors.iter().take(SHOWN);
        let mut lines: Vec<String> =
            shown.map(|e| format!("{}: {}", e.url, text::printable(&e.why))).collect();
        lines.insert(0, format!("{} could not be had", text::plural(summary.failed, "URL")));
        console.note("failed", &lines.join("\n"))?;
    }
    for host in &summary.hosts_left {
        console.say("left", &format!("{}: {}", host.host, text::printable(&host.why)))?;
    }
    if summary.waiting > 0 {
        console.say(
            "waiting",
            &format!("{}; the same command again goes on", text::plural(summary.waiting, "URL")),
        )?;
    }
    Ok(())
}

/// Why there is no page.
fn reason(summary: &Summary) -> String {
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
