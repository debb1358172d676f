//! What a thread does about one URL, without the state that threads share.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};
use url::Url;

use crate::fetch::{Answer, Client, Trouble};
use crate::frontier::Entry;
use crate::links::{base, links};
use crate::normal::normal;
use crate::page::Page;
use crate::retry::{back_off, may_pass, retry_after};
use crate::scope::{Outside, Scope};
use crate::settings::{Limits, Manners, Request};

/// What every thread needs to ask for pages, and nobody changes.
pub(crate) struct Visitor {
    pub(crate) client: Client,
    pub(crate) scope: Scope,
    pub(crate) request: Request,
    pub(crate) limits: Limits,
    pub(crate) manners: Manners,
    /// Whether the crawl is to stop.
    pub(crate) stop: Box<dyn Fn() -> bool + Send + Sync>,
}

/// What came of asking for a page.
pub(crate) enum Outcome {
    /// A page; its number and file are still to be given.
    Page { page: Box<Page>, content: Vec<u8>, hash: [u8; 32], links: Vec<Url>, left: BTreeMap<String, u64> },
    /// It leads to a URL within the scope.
    Redirect { status: u16, to: Url },
    /// It is not kept: a reason's name, and a sentence.
    Skipped(&'static str, String),
    /// It could not be had.
    Failed { why: String, status: Option<u16>, at_fault: Fault },
    /// To be asked for again after a time; the wait is for the whole host if it said so.
    Again { wait: Duration, host: bool, why: String },
    /// Left as it was, because the crawl is to stop.
    Stopped,
}

/// Who an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The page alone.
    Page,
    /// Perhaps the host.
    Host,
}

impl Visitor {
    /// Asks for a page once.
    pub(crate) fn visit(&self, entry: &Entry) -> Outcome {
        let (asked, began) = (SystemTime::now(), Instant::now());
        let answer = match self.client.get(&entry.url) {
            Ok(answer) => answer,
            Err(trouble) => return self.trouble(entry, trouble),
        };
        if let Some(location) = answer.location() {
            return self.redirect(entry, answer.status, &location);
        }
        if !(200..300).contains(&answer.status) {
            return self.refusal(entry, &answer);
        }
        let media_type = answer.media_type();
        if let Some(name) = media_type.as_deref().filter(|t| !self.wants(t)) {
            return Outcome::Skipped("type", format!("it is {}", excerpt(name)));
        }
        let (status, headers, charset) = (answer.status, headers(&answer), answer.charset());
        let content = match answer.body(self.limits.page_bytes, &*self.stop) {
            Ok(content) => content,
            Err(trouble) => return self.trouble(entry, trouble),
        };
        // What does not say what it is is what a browser would take it for, roughly.
        let media_type = media_type.unwrap_or_else(|| guess(&content).to_owned());
        if !self.wants(&media_type) {
            return Outcome::Skipped(
                "type",
                format!("it does not say what it is, and looks like {media_type}"),
            );
        }
        let hash: [u8; 32] = Sha256::digest(&content).into();
        let html = matches!(media_type.as_str(), "text/html" | "application/xhtml+xml");
        let (links, left) = if html { self.links(&content, entry) } else { Default::default() };
        let page = Box::new(Page {
            number: 0,
            url: entry.url.to_string(),
            depth: entry.depth,
            file: Default::default(),
            status,
            media_type,
            charset,
            bytes: content.len() as u64,
            sha256: hash.iter().map(|b| format!("{b:02x}")).collect(),
            asked_unix_s: asked.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64(),
            took_s: began.elapsed().as_secs_f64(),
            headers,
        });
        Outcome::Page { page, content, hash, links, left }
    }

    /// Whether a media type is asked for.
    fn wants(&self, media_type: &str) -> bool {
        self.request.types.iter().any(|wanted| match wanted.strip_suffix('*') {
            Some("*/") => true,
            Some(beginning) => media_type.starts_with(beginning),
            None => wanted.eq_ignore_ascii_case(media_type),
        })
    }

    /// The links of a page that may be followed, each once, and how many may not, by reason.
    fn links(&self, content: &[u8], entry: &Entry) -> (Vec<Url>, BTreeMap<String, u64>) {
        let found = links(content);
        let base = base(&found, &entry.url);
        let (mut urls, mut seen, mut left) = (Vec::new(), HashSet::new(), BTreeMap::new());
        let mut leave = |why: &str, n: u64| *left.entry(why.to_owned()).or_default() += n;
        if found.nofollow > 0 {
            leave("nofollow", found.nofollow);
        }
        for link in &found.links {
            let url = match normal(link, Some(&base)) {
                Ok(url) => url,
                Err(unusable) => {
                    leave(unusable.name(), 1);
                    continue;
                }
            };
            match self.scope.check(&url) {
                Err(Outside::Host) => leave("host", 1),
                Err(Outside::Path) => leave("path", 1),
                Ok(()) if self.request.depth.is_some_and(|most| entry.depth >= most) => leave("depth", 1),
                Ok(()) => {
                    if seen.insert(url.clone()) {
                        urls.push(url);
                    }
                }
            }
        }
        (urls, left)
    }

    fn redirect(&self, entry: &Entry, status: u16, location: &str) -> Outcome {
        let skipped = |why: String| Outcome::Skipped("redirects", why);
        if entry.hops >= self.limits.redirects {
            return skipped(format!("more than {} redirects in a row led to it", self.limits.redirects));
        }
        match normal(location, Some(&entry.url)) {
            Ok(to) => match self.scope.check(&to) {
                Ok(()) => Outcome::Redirect { status, to },
                Err(_) => {
                    skipped(format!("it leads to {}, where the crawl does not go", excerpt(to.as_str())))
                }
            },
            Err(_) => skipped(format!("it leads to {}, which cannot be asked for", excerpt(location))),
        }
    }

    /// What to do about a status that is not of success.
    fn refusal(&self, entry: &Entry, answer: &Answer) -> Outcome {
        let status = answer.status;
        let why = format!("HTTP status {status}");
        if !may_pass(status) {
            return Outcome::Failed { why, status: Some(status), at_fault: Fault::Page };
        }
        let stated = answer.retry_after().and_then(|h| retry_after(&h, SystemTime::now()));
        match stated {
            Some(wait) if wait > self.limits.wait => {
                let why = format!("{why}, which asks to wait {} s", wait.as_secs());
                Outcome::Failed { why, status: Some(status), at_fault: Fault::Host }
            }
            _ if entry.tries + 1 >= self.limits.tries => {
                Outcome::Failed { why, status: Some(status), at_fault: Fault::Host }
            }
            _ => {
                // A server that is too busy is too busy for all.
                let host = stated.is_some() || matches!(status, 429 | 503);
                let own = back_off(self.manners.back_off, entry.tries + 1, self.limits.wait);
                Outcome::Again { wait: stated.unwrap_or_default().max(own), host, why }
            }
        }
    }

    fn trouble(&self, entry: &Entry, trouble: Trouble) -> Outcome {
        match trouble {
            Trouble::Address(why) => Outcome::Skipped("address", why),
            Trouble::Large(most) => Outcome::Skipped("large", format!("it has more than {most} bytes")),
            Trouble::Stopped => Outcome::Stopped,
            Trouble::Lasting(why) => Outcome::Failed { why, status: None, at_fault: Fault::Page },
            Trouble::Passing(why) if entry.tries + 1 >= self.limits.tries => {
                Outcome::Failed { why, status: None, at_fault: Fault::Host }
            }
            Trouble::Passing(why) => {
                let wait = back_off(self.manners.back_off, entry.tries + 1, self.limits.wait);
                Outcome::Again { wait, host: false, why }
            }
        }
    }
}

/// The headers of an answer. Bytes that are no text are replaced.
fn headers(answer: &Answer) -> Vec<(String, String)> {
    let text = |v: &[u8]| String::from_utf8_lossy(v).into_owned();
    answer.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}

/// What a page is that does not say so.
fn guess(content: &[u8]) -> &'static str {
    let head = &content[..content.len().min(512)];
    match head.trim_ascii_start() {
        head if head.contains(&0) && !head.starts_with(b"\xff\xfe") && !head.starts_with(b"\xfe\xff") => {
            "application/octet-stream"
        }
        head if head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).starts_with(b"<") => "text/html",
        _ => "text/plain",
    }
}

/// What a server wrote, short enough for a sentence.
fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_say_what_it_is_is_guessed() {
        assert_eq!(guess(b" \n<p>"), "text/html");
        assert_eq!(guess(b"\xef\xbb\xbf<!doctype html>"), "text/html");
        assert_eq!(guess(b"words"), "text/plain");
        assert_eq!(guess(b"\x7fELF\0\0"), "application/octet-stream");
        assert_eq!(guess(b""), "text/plain");
    }
}
