//! `forerun crawl`: pages of web sites, kept in a directory.

use std::io::{self, Write as _};
use std::path::Path;

use forerun_crawl::{Limits, Summary};
use forerun_skeleton::Cancel;

use super::Context;
use crate::cli::CrawlArgs;
use crate::crawling::{self, Made};
use crate::error::{CliError, failed, request};
use crate::paths::Paths;
use crate::{file, text};

/// Errors that are shown to a person; `--json` and the journal have more.
const SHOWN: usize = 5;

/// Crawls, or goes on.
///
/// # Errors
/// What is wrong with the request; a crawl that got no page at all, or cannot write.
pub fn run(args: &CrawlArgs, context: &mut Context) -> Result<(), CliError> {
    Paths::new().prints("--print-files", args.print_files).check(&mut context.console, |_| false)?;
    let Context { console, interrupt, .. } = &*context;
    let crawl = crawling::crawl(&args.seeds, &args.how)?;
    let (limits, made) = (crawl.limits.clone(), Made::before(&args.out));
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
                Err(file::unwritten(Path::new("standard output"), &e))
            }
            _ => Ok(summary),
        }
    });
    bar.finish_and_clear();
    let summary = done?;
    say(&summary, &limits, args, context)?;
    console.data(&summary)?;
    match summary.pages {
        0 => {
            let kept = made.put_away(&summary);
            Err(failed(format!("no page was kept: {}", crawling::reason(&summary, kept))))
        }
        _ => Ok(()),
    }
}

/// Says what came of it.
fn say(summary: &Summary, limits: &Limits, args: &CrawlArgs, context: &Context) -> Result<(), CliError> {
    let console = &context.console;
    let mut kept = format!(
        "{}, {} in {}",
        text::plural(summary.pages, "page"),
        text::bytes(summary.bytes),
        file::shown(&args.out)
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
            text::plural(summary.redirects - summary.redirects_before, "redirect")
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
        let shown = summary.errors_now().iter().take(SHOWN);
        let mut lines: Vec<String> =
            shown.map(|e| format!("{}: {}", e.url, text::printable(&e.why))).collect();
        let before = match summary.failed_before {
            0 => String::new(),
            n if n == summary.failed => ", by earlier runs for good, and not asked for again".into(),
            n => format!("; {} of them by earlier runs for good, and not asked for again", text::count(n)),
        };
        lines.insert(0, format!("{} could not be had{before}", text::plural(summary.failed, "URL")));
        console.note("failed", &lines.join("\n"))?;
    }
    for host in &summary.hosts_left {
        console.say("left", &format!("{}: {}", host.host, text::printable(&host.why)))?;
    }
    crawling::left(summary, limits).map_or(Ok(()), |left| console.say("waiting", &left))
}
