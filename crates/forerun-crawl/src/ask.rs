//! Asking for a host's robots.txt.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use url::Url;

use crate::fetch::{Answer, Trouble};
use crate::normal::normal;
use crate::retry::{back_off, retry_after};
use crate::robots::{MOST, Robots, Rules, token};
use crate::visit::Visitor;

/// Redirects of robots.txt that are followed: five, by RFC 9309 (section 2.3.1.2).
const HOPS: u32 = 5;

/// Why there are no rules.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoRules {
    /// The host's address must not be reached.
    Address(String),
    /// The file could not be had, or asks for too much: nothing is allowed (RFC 9309, section 2.3.1.4).
    Refused(String),
    /// The crawl is to stop.
    Stopped,
}

/// Why one try gave no rules.
enum Try {
    /// Another may, after a wait.
    Again(String, Duration),
    Never(NoRules),
}

impl Visitor {
    /// Asks for the robots.txt of the host of `page`, again where that may help. Gives also how many requests it took.
    pub(crate) fn robots(&self, page: &Url) -> (Result<Robots, NoRules>, u64) {
        let mut requests = 0;
        for tries in 1.. {
            let (why, wait) = match self.robots_once(page, &mut requests) {
                Ok(robots) => return (self.bearable(robots), requests),
                Err(Try::Never(no)) => return (Err(no), requests),
                Err(Try::Again(why, wait)) => (why, wait),
            };
            if tries >= self.limits.tries || wait > self.limits.wait {
                return (Err(NoRules::Refused(format!("its robots.txt cannot be had: {why}"))), requests);
            }
            if !self.sleep(wait.max(back_off(self.manners.back_off, tries, self.limits.wait))) {
                break;
            }
        }
        (Err(NoRules::Stopped), requests)
    }

    fn robots_once(&self, page: &Url, requests: &mut u64) -> Result<Robots, Try> {
        let refused =
            |why: &str| Try::Never(NoRules::Refused(format!("its robots.txt cannot be had: {why}")));
        let mut url = page.join("/robots.txt").map_err(|_| refused("it has no URL"))?;
        for hop in 0..=HOPS {
            if hop > 0 && !self.sleep(self.manners.delay) {
                return Err(Try::Never(NoRules::Stopped));
            }
            *requests += 1;
            let answer = self.client.get(&url).map_err(trouble)?;
            let Some(location) = answer.location() else { return self.rules(answer) };
            url = normal(&location, Some(&url)).map_err(|_| refused("it leads to what is no URL"))?;
            if !self.scope.has_host(&url) {
                return Err(refused("it leads to a host where the crawl does not go"));
            }
        }
        // Too many in a row count as no file.
        Ok(Robots::Everything)
    }

    fn rules(&self, answer: Answer) -> Result<Robots, Try> {
        match answer.status {
            200..300 => {
                let file = answer.body(MOST, &*self.stop).map_err(trouble)?;
                Ok(Robots::Rules(Rules::read(&file, token(&self.manners.user_agent))))
            }
            // Told to come more slowly is not told that there is no file.
            status @ (429 | 500..) => {
                let wait = answer.retry_after().and_then(|h| retry_after(&h, SystemTime::now()));
                Err(Try::Again(format!("HTTP status {status}"), wait.unwrap_or_default()))
            }
            _ => Ok(Robots::Everything),
        }
    }

    /// Refuses rules with a delay that is longer than the crawl waits.
    fn bearable(&self, robots: Robots) -> Result<Robots, NoRules> {
        match robots.delay() {
            Some(delay) if delay > self.limits.wait => Err(NoRules::Refused(format!(
                "its robots.txt asks for {} s between requests, and the longest wait is {} s",
                delay.as_secs(),
                self.limits.wait.as_secs()
            ))),
            _ => Ok(robots),
        }
    }

    /// Sleeps; gives false if the crawl was stopped meanwhile.
    fn sleep(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            if (self.stop)() {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}

fn trouble(trouble: Trouble) -> Try {
    match trouble {
        Trouble::Address(why) => Try::Never(NoRules::Address(why)),
        Trouble::Stopped => Try::Never(NoRules::Stopped),
        Trouble::Passing(why) => Try::Again(why, Duration::ZERO),
        Trouble::Lasting(why) => Try::Never(NoRules::Refused(format!("its robots.txt cannot be had: {why}"))),
        Trouble::Large(most) => {
            Try::Never(NoRules::Refused(format!("its robots.txt has more than {most} bytes")))
        }
    }
}
