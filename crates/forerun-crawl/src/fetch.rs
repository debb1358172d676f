//! One request and its answer.

use std::error::Error as _;
use std::io::{self, Read};
use std::time::Duration;

use ureq::Agent;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;
use url::Url;

use crate::address::{Forbidden, Guarded};
use crate::decode::{Coding, decoded};
use crate::error::plain;

/// Asks for pages.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    agent: Agent,
}

/// What came back before the body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: ureq::Body,
}

/// Why there is no page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The host's address must not be reached.
    Address(String),
    /// The network or the server failed; another try may succeed.
    Passing(String),
    /// Another try will fare no better.
    Lasting(String),
    /// More bytes than a page may have.
    Large(u64),
    /// The crawl is to stop.
    Stopped,
}

impl Client {
    pub(crate) fn new(user_agent: &str, time: Duration, connections: usize, allow_private: bool) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Each hop is a request of its own, so that it is checked like any other.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A proxy would look up names itself, past the check of addresses.
            .proxy(None)
            .user_agent(user_agent)
            .accept("text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5")
            // Decoded here and not by the client, within a limit.
            .accept_encoding("gzip, br")
            .timeout_global(Some(time))
            .max_idle_connections_per_host(connections)
            .build();
        let resolver = Guarded { allow_private, inner: DefaultResolver::default() };
        Self { agent: Agent::with_parts(config, DefaultConnector::default(), resolver) }
    }

    /// Sends a request and waits for the head of its answer.
    pub(crate) fn get(&self, url: &Url) -> Result<Answer, Trouble> {
        let response = self.agent.get(url.as_str()).call().map_err(trouble)?;
        let (parts, body) = response.into_parts();
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }
}

impl Answer {
    /// The media type without its parameters, in lower case.
    pub(crate) fn media_type(&self) -> Option<String> {
        let value = text(&self.headers, CONTENT_TYPE.as_str())?;
        let name = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Some(name).filter(|n| !n.is_empty())
    }

    /// The encoding that the media type states.
    pub(crate) fn charset(&self) -> Option<String> {
        let value = text(&self.headers, CONTENT_TYPE.as_str())?;
        let stated = value
            .split(';')
            .skip(1)
            .filter_map(|p| p.split_once('='))
            .find(|(k, _)| k.trim().eq_ignore_ascii_case("charset"));
        stated.map(|(_, v)| v.trim().trim_matches(['"', '\'']).to_ascii_lowercase()).filter(|v| !v.is_empty())
    }

    /// Where a redirect leads.
    pub(crate) fn location(&self) -> Option<String> {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
            .then(|| text(&self.headers, LOCATION.as_str()))
            .flatten()
    }

    pub(crate) fn retry_after(&self) -> Option<String> {
        text(&self.headers, RETRY_AFTER.as_str())
    }

    /// Reads the body, of at most so many bytes before and after decoding.
    pub(crate) fn body(self, most: u64, stop: &dyn Fn() -> bool) -> Result<Vec<u8>, Trouble> {
        let coding =
            Coding::of(text(&self.headers, CONTENT_ENCODING.as_str()).as_deref()).map_err(|name| {
                Trouble::Lasting(format!("its content is encoded as {name}, which was not asked for"))
            })?;
        if self.body.content_length().is_some_and(|length| length > most) {
            return Err(Trouble::Large(most));
        }
        let raw = self.body.into_with_config().limit(u64::MAX).reader();
        decoded(Stoppable { raw, stop }, coding, most)
    }
}

/// A header's value. Bytes that are no text are replaced.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned())
}

/// Ends with an error when the crawl is to stop.
struct Stoppable<'a, R> {
    raw: R,
    stop: &'a dyn Fn() -> bool,
}

/// That a read ended for the crawl is to stop.
#[derive(Debug)]
struct StoppedHere;

impl std::fmt::Display for StoppedHere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for StoppedHere {}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if (self.stop)() {
            return Err(io::Error::other(StoppedHere));
        }
        self.raw.read(into)
    }
}

/// What an error of reading means. The client's own errors come wrapped.
pub(crate) fn read_trouble(e: io::Error) -> Trouble {
    let inner = e.get_ref();
    if inner.is_some_and(|i| i.is::<StoppedHere>()) {
        return Trouble::Stopped;
    }
    if inner.is_some_and(|i| i.is::<ureq::Error>()) {
        return trouble(ureq::Error::from(e));
    }
    match e.kind() {
        io::ErrorKind::UnexpectedEof => Trouble::Passing("the connection ended before the page did".into()),
        _ => Trouble::Passing(format!("reading it failed: {}", plain(&e))),
    }
}

fn trouble(e: ureq::Error) -> Trouble {
    use ureq::Error as E;
    match e {
        E::Io(io) => match io.get_ref().and_then(|i| i.downcast_ref::<Forbidden>()) {
            Some(forbidden) => Trouble::Address(forbidden.to_string()),
            None if io.kind() == io::ErrorKind::UnexpectedEof => {
                Trouble::Passing("the connection ended before the page did".into())
            }
            None => Trouble::Passing(plain(&io)),
        },
        E::Timeout(_) => Trouble::Passing("the time for a page ran out".into()),
        E::HostNotFound => Trouble::Passing("no address of its host was found".into()),
        E::ConnectionFailed => Trouble::Passing("no connection could be made".into()),
        E::BadUri(why) => Trouble::Lasting(format!("it cannot be asked for: {why}")),
        E::Tls(why) => Trouble::Lasting(format!("no secure connection: {why}")),
        e => {
            let cause = e.source().map(|s| format!(": {s}")).unwrap_or_default();
            Trouble::Lasting(format!("{e}{cause}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_has_no_number() {
        // ECONNREFUSED, ECONNRESET, EHOSTUNREACH.
        for (number, said) in
            [(111, "Connection refused"), (104, "Connection reset by peer"), (113, "No route to host")]
        {
            let e = || io::Error::from_raw_os_error(number);
            assert_eq!(trouble(ureq::Error::Io(e())), Trouble::Passing(said.into()));
            assert_eq!(read_trouble(e()), Trouble::Passing(format!("reading it failed: {said}")));
        }
    }
}
