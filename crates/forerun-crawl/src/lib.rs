//! A polite crawler that feeds a pipeline just in time.
//!
//! A crawl begins at its seeds and follows links, on several threads. Its pages come from an iterator as soon as they
//! are there, and wait in files: memory holds a page for each thread, and the frontier (some 100 bytes and a URL for
//! each that waits, some 70 bytes for each that is known).
//!
//! ```no_run
//! use forerun_crawl::Crawl;
//!
//! let mut crawl = Crawl::new(vec!["https://example.org/docs/".into()]);
//! crawl.request.below = true;
//! crawl.limits.pages = 1_000;
//! let mut pages = crawl.start("crawled".as_ref(), || false)?;
//! while let Some(page) = pages.next() {
//!     println!("{} {}", page.path(pages.dir()).display(), page.url);
//! }
//! let summary = pages.finish()?;
//! println!("{} pages, {} failed", summary.pages, summary.failed);
//! # Ok::<(), forerun_crawl::CrawlError>(())
//! ```
//!
//! # What it keeps to
//!
//! - **Where it goes.** Only to allowed hosts, which each redirect is checked for again: a redirect is a URL like one that
//!   a link gives, at the same depth. Only to public addresses, unless the request says otherwise: all addresses of a name are
//!   checked when it is looked up, and the connection is made to what was checked ([`is_public`]). Proxies are not used.
//! - **What hosts ask for.** robots.txt by RFC 9309, with `*`, `$` and Crawl-delay: a status of 4xx means that
//!   all is allowed, and while the file cannot be had for another reason nothing is asked of the host. `nofollow` in pages. Retry-After
//!   and status 429 or 503 hold all requests to the host. A delay between requests, from the start of one to that of the next, and a
//!   number of connections: a host that takes longer than the delay to answer is asked again meanwhile, until its connections are busy.
//! - **What a page may take.** Bytes before and after decoding (gzip and brotli), time from the look-up to the last byte, the
//!   length of its URL, redirects in a row, tries. What is over is recorded and the crawl goes on.
//! - **Once.** A URL is asked for once, in normal form, and a page with the content of another is not kept and not followed.
//! - **Depth.** With a limit of depth, pages are asked for level by level, so that which are within it does not depend on
//!   who was faster.
//!
//! # Going on
//!
//! Everything that is done is a line of `journal.jsonl` in the crawl's directory, with the URLs that were new in it. A crawl that was
//! stopped or killed goes on from it: [`Crawl::start`] with the same request and directory. What was recorded is not
//! asked for again, unless it failed in a way that may have passed (no answer, status 503), and then after all else; what was on its
//! way is, and so is each host's robots.txt. The iterator first gives the pages that are there.
//! A page is in `pages/`, decoded, as `NUMBER.html` or whatever it is; the journal has its URL, headers, time and SHA-256.
//! The end of a process loses nothing; if the machine ends, a page whose file was lost is asked for again.
//!
//! # What it does not do
//!
//! Scripts are not run, forms not sent, cookies not kept, sitemaps not read. Links within text in an encoding that is neither
//! like ASCII nor UTF-16 are not found.

#![forbid(missing_docs)]

mod address;
mod ask;
mod crawler;
mod decode;
mod error;
mod fetch;
mod frontier;
mod host;
mod journal;
mod links;
mod normal;
mod page;
mod retry;
mod robots;
mod scope;
mod settings;
mod state;
mod summary;
mod visit;

pub use address::is_public;
pub use crawler::{Come, Crawl, Crawler, Progress};
pub use error::CrawlError;
pub use page::Page;
pub use settings::{Hosts, Limits, Manners, Request};
pub use summary::{Failure, HostLeft, Summary};
