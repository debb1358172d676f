//! What `forerun crawl` takes.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{count, number};

/// What `crawl` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
The pages are kept in DIR/pages, decoded, and what is known of them (URL, headers, time, SHA-256)
in DIR/journal.jsonl, with everything that was left out and why. The same command again goes on
where it was, whether it was stopped by Ctrl-C or killed; it asks once more for what failed in a way
that may have passed (no answer, HTTP status 503), and for nothing else twice. Another command needs
another DIR, unless nothing was kept. robots.txt is kept to. Ctrl-C ends a crawl with
status 0; what is left is said, and --json has \"complete\": false.

Examples:
  forerun crawl https://example.org/docs/ -o docs --below --depth 3
  count words while pages still come:
    forerun crawl http://127.0.0.1:8000/ -o site --allow-private --delay '0 s' --print-files |
      forerun reduce --map \"awk '{n+=NF}END{print n}' {}\" --merge \"awk '{n+=\\$1}END{print n}'\" \\
        --files-from -")]
pub struct CrawlArgs {
    /// Where to begin.
    #[arg(required = true, value_name = "URL")]
    pub seeds: Vec<String>,
    /// The directory of the crawl, made if it is not there.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Where it goes, and how.
    #[command(flatten)]
    pub how: CrawlOptions,
    /// Print the file of each page on standard output as soon as it is there.
    #[arg(long)]
    pub print_files: bool,
}

/// Where a crawl goes, and how it behaves.
#[derive(Debug, Clone, PartialEq, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Crawl")]
pub struct CrawlOptions {
    /// Links between a URL to begin with and a page, at most; without it, any number.
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Pages to keep, at most, such as 10000 or 1e4; without it, all.
    #[arg(long, value_name = "N", value_parser = count)]
    pub pages: Option<u64>,
    /// Stay on the hosts of the URLs to begin with (www. before one or not): so without --domains.
    #[arg(long, conflicts_with = "domains")]
    pub same_site: bool,
    /// Go to these domains and all below them, and to no other; NAME:PORT for a port of its own.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub domains: Option<Vec<String>>,
    /// Only what is in the directory of a URL to begin with, or below it.
    #[arg(long)]
    pub below: bool,
    /// Media types to keep; text/* and */* are patterns. Without it: HTML, XML and plain text.
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    pub types: Option<Vec<String>>,
    /// Time between the starts of two requests to a host, however long each takes; a longer Crawl-delay of its robots.txt goes
    /// before it [default: 1 s]
    #[arg(long, value_name = "TIME")]
    pub delay: Option<String>,
    /// Requests to a host at the same time [default: 2]
    #[arg(long, value_name = "N", value_parser = number)]
    pub connections: Option<usize>,
    /// Requests at the same time, to all hosts [default: 8]
    #[arg(long, value_name = "N", value_parser = number)]
    pub threads: Option<usize>,
    /// Time for a page, from looking up its host to its last byte [default: 30 s]
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// Requests for a page that fails in a way that may pass, at most [default: 3]
    #[arg(long, value_name = "N")]
    pub tries: Option<u32>,
    /// Size of a page, as it comes and decoded, at most [default: 8 MiB]
    #[arg(long, value_name = "SIZE")]
    pub max_page: Option<String>,
    /// Size of all pages; the page that reaches it is the last.
    #[arg(long, value_name = "SIZE")]
    pub max_total: Option<String>,
    /// Go to private and loopback addresses too; without it they are refused, whatever name leads there.
    #[arg(long)]
    pub allow_private: bool,
    /// What to call oneself; robots.txt is read for what comes before the first `/` or space.
    #[arg(long, value_name = "TEXT")]
    pub user_agent: Option<String>,
}

impl CrawlOptions {
    /// The first of the options that is given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.depth.is_some(), "--depth"),
            (self.pages.is_some(), "--pages"),
            (self.same_site, "--same-site"),
            (self.domains.is_some(), "--domains"),
            (self.below, "--below"),
            (self.types.is_some(), "--types"),
            (self.delay.is_some(), "--delay"),
            (self.connections.is_some(), "--connections"),
            (self.threads.is_some(), "--threads"),
            (self.timeout.is_some(), "--timeout"),
            (self.tries.is_some(), "--tries"),
            (self.max_page.is_some(), "--max-page"),
            (self.max_total.is_some(), "--max-total"),
            (self.allow_private, "--allow-private"),
            (self.user_agent.is_some(), "--user-agent"),
        ];
        given.into_iter().find_map(|(given, option)| given.then_some(option))
    }
}
