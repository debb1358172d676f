//! Which URLs a crawl may ask for.

use std::collections::HashSet;

use url::Url;

use crate::error::CrawlError;
use crate::normal::normal;
use crate::settings::{Hosts, Request};

/// A host and, where it is not the scheme's own, a port.
type Place = (String, Option<u16>);

/// Which URLs may be asked for, by host, port and path.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Allowed as they are.
    exact: HashSet<Place>,
    /// Allowed with everything below.
    domains: Vec<Place>,
    /// Paths of which one must begin a URL's path at its place; any if there are none.
    below: Vec<(Place, String)>,
}

/// Why a URL is not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Host,
    Path,
}

impl Scope {
    /// The scope of a request, and its seeds in normal form.
    pub(crate) fn new(request: &Request) -> Result<(Self, Vec<Url>), CrawlError> {
        let mut seeds = Vec::new();
        for seed in &request.seeds {
            let url = normal(seed, None).map_err(|_| {
                CrawlError::new(format!(
                    "{seed} is not a URL to begin with: it needs http:// or https://, a host, and no user's name"
                ))
            })?;
            seeds.push(url);
        }
        if seeds.is_empty() {
            return Err(CrawlError::new("a crawl needs a URL to begin with, such as https://host/path/"));
        }
        let mut scope = Scope { exact: HashSet::new(), domains: Vec::new(), below: Vec::new() };
        match &request.hosts {
            Hosts::OfSeeds => scope.exact.extend(seeds.iter().map(place)),
            Hosts::Domains(domains) => {
                for domain in domains {
                    // A URL's parser also knows names in other scripts, and numbers for addresses.
                    let url = normal(&format!("http://{domain}/"), None).ok().filter(|u| u.path() == "/");
                    let url = url.ok_or_else(|| {
                        CrawlError::new(format!(
                            "{domain} is not a domain: a name is expected, such as example.org"
                        ))
                    })?;
                    scope.domains.push(place(&url));
                }
            }
        }
        if let Some(seed) = seeds.iter().find(|s| !scope.has_host(s)) {
            return Err(CrawlError::new(format!("{seed} is in none of the domains: add its own to them")));
        }
        if request.below {
            scope.below = seeds.iter().map(|s| (place(s), directory(s).to_owned())).collect();
        }
        Ok((scope, seeds))
    }

    /// Whether a URL in normal form may be asked for.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Outside> {
        if !self.has_host(url) {
            return Err(Outside::Host);
        }
        let place = place(url);
        let below = |(at, path): &(Place, String)| *at == place && url.path().starts_with(path.as_str());
        if self.below.is_empty() || self.below.iter().any(below) { Ok(()) } else { Err(Outside::Path) }
    }

    /// Whether a URL's host and port are allowed, whatever its path: so for robots.txt.
    pub(crate) fn has_host(&self, url: &Url) -> bool {
        let (host, port) = place(url);
        self.exact.contains(&(host.clone(), port))
            || self.domains.iter().any(|(domain, at)| {
                let above = host.strip_suffix(domain.as_str());
                *at == port && above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            })
    }
}

/// The host without `www.`, and the port.
fn place(url: &Url) -> Place {
    let host = url.host_str().unwrap_or_default();
    // The two schemes' own ports count as one place: sites send from one to the other.
    (host.strip_prefix("www.").unwrap_or(host).to_owned(), url.port())
}

/// A path up to its last `/`.
fn directory(url: &Url) -> &str {
    let path = url.path();
    &path[..path.rfind('/').map_or(0, |at| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(seeds: &[&str], hosts: Hosts, below: bool) -> Scope {
        let request = Request { hosts, below, ..Request::new(seeds.iter().map(|s| s.to_string()).collect()) };
        Scope::new(&request).expect("a scope").0
    }

    fn allows(scope: &Scope, url: &str) -> bool {
        scope.check(&normal(url, None).expect(url)).is_ok()
    }

    #[test]
    fn a_site_is_its_host_and_port() {
        let s = scope(&["http://example.org/a/"], Hosts::OfSeeds, false);
        assert!(allows(&s, "https://www.example.org/b"));
        for url in [
            "http://example.org:8080/",
            "http://sub.example.org/",
            "http://example.org.evil/",
            "http://xexample.org/",
        ] {
            assert!(!allows(&s, url), "{url}");
        }
    }

    #[test]
    fn a_domain_is_everything_below_it_and_nothing_that_ends_alike() {
        let s = scope(
            &["http://example.org/"],
            Hosts::Domains(vec!["Example.org".into(), "b.net:81".into()]),
            false,
        );
        assert!(allows(&s, "http://a.b.example.org/"));
        assert!(allows(&s, "http://x.b.net:81/"));
        for url in ["http://notexample.org/", "http://b.net/", "http://example.org:81/"] {
            assert!(!allows(&s, url), "{url}");
        }
    }

    #[test]
    fn below_is_the_directory_of_a_seed() {
        let s = scope(&["http://a.org/docs/index.html"], Hosts::OfSeeds, true);
        assert!(allows(&s, "http://a.org/docs/x/y"));
        assert!(!allows(&s, "http://a.org/doc"));
        assert!(!allows(&s, "http://a.org/docs/../secret"));
    }

    #[test]
    fn seeds_that_cannot_be_are_refused() {
        for seed in ["ftp://a/", "a.org", "http://me@a.org/"] {
            assert!(Scope::new(&Request::new(vec![seed.into()])).is_err(), "{seed}");
        }
        let elsewhere = Request {
            hosts: Hosts::Domains(vec!["b.org".into()]),
            ..Request::new(vec!["http://a.org".into()])
        };
        assert!(Scope::new(&elsewhere).is_err());
    }
}
