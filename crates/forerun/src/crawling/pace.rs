//! How fast the pages of a crawl come.

use std::collections::BTreeMap;

use forerun_crawl::{Limits, Manners, Page};
use forerun_platform::Interval;

/// When a page was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// Scheme, name and port of its host.
    pub host: String,
    /// Seconds from when the crawl began to its request.
    pub asked_s: f64,
    /// Seconds from its request to the last byte.
    pub took_s: f64,
}

impl Arrival {
    /// That of a page of a crawl that began so many seconds after 1970.
    pub fn of(page: &Page, began_unix_s: f64) -> Self {
        // The third slash of a URL ends its host.
        let host = page.url.match_indices('/').nth(2).map_or(&*page.url, |(at, _)| &page.url[..at]);
        let asked_s = (page.asked_unix_s - began_unix_s).max(0.0);
        Arrival { host: host.into(), asked_s, took_s: page.took_s }
    }
}

/// What was seen of a crawl, from when it began until now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// Its pages, those of this run.
    pub arrivals: Vec<Arrival>,
    /// Requests that were answered or given up, those for robots.txt with them.
    pub requests: u64,
    /// Seconds that each request for a page has taken that has no answer yet.
    pub unanswered_s: Vec<f64>,
    /// Seconds from when it began until now.
    pub until_s: f64,
}

/// How a crawl asks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asks {
    /// Requests to a host at the same time, and to all.
    pub connections: (usize, usize),
    /// Seconds from the start of a request to a host to that of the next, at least.
    pub delay_s: f64,
    /// Seconds that a URL may have a connection, at most, all tries together.
    pub longest_s: f64,
}

impl Asks {
    /// How a crawl with these settings asks, where hosts ask for such a delay.
    pub fn of(limits: &Limits, manners: &Manners, delay_s: f64) -> Self {
        let longest_s = limits.time.as_secs_f64() * f64::from(limits.tries);
        Asks { connections: (manners.connections, manners.threads), delay_s, longest_s }
    }
}

/// How fast pages come, by a sample of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Pages a second, from all hosts of the sample together.
    pub pages_per_s: f64,
    /// Its standard error, relative.
    pub error: f64,
    /// Seconds until the first page was there.
    pub first_s: f64,
    /// Seconds by which the second page comes later than the others one after the other: it is asked for when the first is there.
    pub lag_s: f64,
    /// Seconds from a request to the last byte, in the mean.
    pub wait_s: f64,
    /// Hosts of the sample.
    pub hosts: usize,
    /// Requests that were late, without an answer.
    pub late: usize,
}

/// Requests are kept apart where all connections together could ask so many times as often.
const APART: f64 = 1.25;
/// A request is late when it has taken so many times as long as the page that took longest, and so many seconds.
const LATE: (f64, f64) = (3.0, 0.1);

impl Pace {
    /// Where nothing is left to fetch, no time goes into it.
    pub const NONE: Pace = Pace {
        pages_per_s: f64::INFINITY,
        error: 0.0,
        first_s: 0.0,
        lag_s: 0.0,
        wait_s: 0.0,
        hosts: 0,
        late: 0,
    };

    /// The pace of what was seen; `None` where no page was.
    ///
    /// Where requests are kept apart, a host gives a page for each time between two; else all pages of the
    /// sample came in the time from the first request to the last byte, or until now where none has come for long. The first page,
    /// which leads to the others, came alone
    /// and tells nothing of it. Where nothing else is there, the next ones are taken to come like it, as soon as delay and
    /// connections allow. Requests that are late have their connections for as long as they have had them at the least, and at the
    /// most until they are given up; so do as many of those that follow.
    pub fn of(seen: &Seen, asks: Asks) -> Option<Self> {
        let mut arrivals = seen.arrivals.clone();
        arrivals.sort_by(|a, b| a.asked_s.total_cmp(&b.asked_s));
        let first = arrivals.first()?;
        let first_s = first.asked_s + first.took_s;
        let wait_s = mean(arrivals.iter().map(|a| a.took_s)).unwrap_or(0.0);
        let mut by_host: BTreeMap<&str, Vec<&Arrival>> = BTreeMap::new();
        arrivals.iter().for_each(|a| by_host.entry(&a.host).or_default().push(a));
        let hosts = by_host.len();
        let after = if arrivals.len() > 2 { 1 } else { 0 };
        let (mut gaps, mut apart) = (Vec::new(), 0.0);
        for asked in by_host.values() {
            let skipped = usize::from(after > 0 && asked[0].asked_s == first.asked_s);
            let asked = &asked[skipped..];
            let mut of_host: Vec<f64> = asked.windows(2).map(|w| w[1].asked_s - w[0].asked_s).collect();
            let since = asked.last().map_or(0.0, |a| seen.until_s - a.asked_s - a.took_s);
            if since > of_host.iter().copied().fold(asks.delay_s + wait_s, f64::max) {
                of_host.push(since);
            }
            apart += mean(of_host.iter().copied()).map_or(0.0, |gap| 1.0 / gap.max(f64::MIN_POSITIVE));
            gaps.extend(of_host);
        }
        let connections = asks.connections.0.max(1) as f64;
        let lasts = |wait_s: f64| asks.delay_s.max(wait_s / connections).max(f64::MIN_POSITIVE);
        // One time to wait may be half of the next.
        let next = lasts(wait_s);
        let of_one = lasts(2.0 * wait_s) / next - 1.0;
        let error = |gaps: &[f64]| if gaps.len() < 2 { of_one } else { relative_error(gaps) };
        let gap = mean(gaps.iter().copied());
        let (pages_per_s, error, lag_s) = match gap {
            None => (hosts as f64 / next, of_one, (wait_s - next).max(0.0)),
            Some(gap) if gap > APART * wait_s / connections => (apart, error(&gaps), (wait_s - gap).max(0.0)),
            Some(_) => {
                let then = &arrivals[after..];
                let end = then.iter().map(|a| a.asked_s + a.took_s).fold(0.0, f64::max);
                let took: Vec<f64> = then.iter().map(|a| a.took_s).collect();
                (then.len() as f64 / (end - then[0].asked_s).max(f64::MIN_POSITIVE), error(&took), 0.0)
            }
        };
        let lost = seen.requests.saturating_sub((arrivals.len() + hosts) as u64);
        let error = error.max(error_of_share(arrivals.len() as u64, lost));
        let of_all = (asks.connections.0 * hosts).min(asks.connections.1).max(1) as f64;
        let slowed = Slowed::by(seen, wait_s, of_all, asks.longest_s);
        let (pages_per_s, error) =
            slowed.map_or((pages_per_s, error), |slowed| slowed.of(pages_per_s, error));
        let late = slowed.map_or(0, |slowed| slowed.late);
        Some(Pace { pages_per_s, error, first_s, lag_s, wait_s, hosts, late })
    }

    /// How long it takes until so many pages are there.
    pub fn of_pages(&self, pages: u64) -> Interval {
        match pages {
            0 => Interval { makespan_s: 0.0, low_s: 0.0, high_s: 0.0 },
            1 => Interval::around(self.first_s, 0.0),
            _ => {
                let others = (pages - 1) as f64 / self.pages_per_s;
                Interval::around(self.first_s + self.lag_s + others, self.error * others)
            }
        }
    }
}

/// Pages a second that connections let through where some requests are late: at the most and at the least.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Slowed {
    late: usize,
    most: f64,
    least: f64,
}

impl Slowed {
    /// By the requests that are late; `None` where none is.
    fn by(seen: &Seen, wait_s: f64, connections: f64, longest_s: f64) -> Option<Self> {
        let longest = seen.arrivals.iter().map(|a| a.took_s).fold(0.0, f64::max);
        let late: Vec<f64> =
            seen.unanswered_s.iter().copied().filter(|t| *t > (LATE.0 * longest).max(LATE.1)).collect();
        if late.is_empty() {
            return None;
        }
        let pages = seen.arrivals.len() as f64;
        let rate = |late_s: f64| connections / (wait_s + late_s / pages);
        let least = rate(late.iter().map(|t| t.max(longest_s)).sum());
        Some(Slowed { late: late.len(), most: rate(late.iter().sum()), least })
    }

    /// The pace, and its error, of one that is known from pages that came: in the middle of what may be, by their ratio.
    fn of(self, pages_per_s: f64, error: f64) -> (f64, f64) {
        let [most, least] = [self.most, self.least].map(|rate| rate.min(pages_per_s));
        // As far from the middle as an interval reaches.
        let deviation = (most / least).ln() / 2.0 / Interval::DEVIATIONS;
        let both = error.powi(2).ln_1p() + deviation.powi(2);
        ((most * least).sqrt(), both.exp_m1().sqrt())
    }
}

/// The standard error, relative, of the share of requests that give a page, where so many did and so many did not: by Laplace's
/// rule of succession, so that a few requests of which none failed do not say that none will.
fn error_of_share(pages: u64, lost: u64) -> f64 {
    let (pages, lost) = (pages as f64 + 1.0, lost as f64 + 1.0);
    (lost / (pages * (pages + lost + 1.0))).sqrt()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), v| (sum + v, count + 1.0));
    (count > 0.0).then_some(sum / count)
}

/// The standard error of the mean, relative; 1 where one value says nothing of it.
fn relative_error(values: &[f64]) -> f64 {
    let Some(mean) = mean(values.iter().copied()).filter(|m| *m > 0.0) else { return 1.0 };
    let (n, squares) = (values.len() as f64, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>());
    if n < 2.0 { 1.0 } else { (squares / (n - 1.0) / n).sqrt() / mean }
}

#[cfg(test)]
mod tests {
    use super::{Arrival, Asks, Pace, Seen};

    fn pace_of(arrivals: Vec<Arrival>, requests: u64, connections: usize, delay_s: f64) -> Option<Pace> {
        let until_s = arrivals.iter().map(|a| a.asked_s + a.took_s).fold(0.0, f64::max);
        let seen = Seen { arrivals, requests, unanswered_s: Vec::new(), until_s };
        Pace::of(&seen, asks(connections, delay_s))
    }

    fn asks(connections: usize, delay_s: f64) -> Asks {
        Asks { connections: (connections, 8), delay_s, longest_s: 90.0 }
    }

    fn arrival(host: &str, asked_s: f64, took_s: f64) -> Arrival {
        Arrival { host: host.into(), asked_s, took_s }
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs(), "{a} is not {b}");
    }

    #[test]
    fn a_delay_sets_the_pace_of_each_host() {
        let one = (0..8).map(|n| arrival("a", f64::from(n), 0.1));
        let pace = pace_of(one.clone().collect(), 9, 2, 1.0).unwrap();
        close(pace.pages_per_s, 1.0);
        close(pace.first_s, 0.1);
        assert_eq!((pace.lag_s, pace.hosts), (0.0, 1));
        close(pace.of_pages(101).makespan_s, 100.1);
        let two = one.chain((0..8).map(|n| arrival("b", 0.5 + f64::from(n), 0.1)));
        close(pace_of(two.collect(), 18, 2, 1.0).unwrap().pages_per_s, 2.0);
    }

    #[test]
    fn a_host_that_is_slower_than_the_delay_is_asked_as_often() {
        // Requests are a second apart, whose answers take a second and a half; the second is sent when the first is answered.
        let asked = |n: u32| if n == 0 { 0.0 } else { 0.5 + f64::from(n) };
        for pages in [1, 2, 3, 20] {
            let pace = pace_of(
                (0..pages).map(|n| arrival("a", asked(n), 1.5)).collect(),
                1 + u64::from(pages),
                2,
                1.0,
            );
            let time = pace.unwrap().of_pages(20);
            // Of two pages it is not known whether the second had to wait for the first alone.
            let expected = asked(19) + 1.5;
            let off = (time.makespan_s / expected - 1.0).abs();
            assert!(off < if pages == 2 { 0.5 } else { 1e-9 }, "{pages}: {time:?}");
            assert!(time.low_s < expected && expected < time.high_s, "{pages}: {time:?}");
        }
    }

    #[test]
    fn without_a_delay_all_connections_together_do() {
        // After the first page two connections at once, each page 0.5 s.
        let pages =
            (0..9).map(|n| arrival("a", if n == 0 { 0.0 } else { 0.5 + f64::from((n - 1) / 2) * 0.5 }, 0.5));
        let pace = pace_of(pages.collect(), 10, 2, 0.0).unwrap();
        close(pace.pages_per_s, 4.0);
    }

    #[test]
    fn of_one_page_little_is_known_but_what_the_delay_allows() {
        let pace = pace_of(vec![arrival("a", 0.2, 0.3)], 2, 2, 1.0).unwrap();
        assert_eq!(pace.pages_per_s, 1.0);
        assert_eq!(pace.of_pages(0).makespan_s, 0.0);
        close(pace.of_pages(1).high_s, 0.5);
        let ten = pace.of_pages(10);
        assert!(ten.low_s > 0.4 * ten.makespan_s && ten.high_s < 2.5 * ten.makespan_s, "{ten:?}");
        // Without a delay the time to wait sets the pace, which is known from one page.
        let ten = pace_of(vec![arrival("a", 0.2, 0.3)], 2, 2, 0.0).unwrap().of_pages(10);
        assert!(ten.low_s < 0.5 * ten.makespan_s && ten.high_s > 2.0 * ten.makespan_s, "{ten:?}");
        assert_eq!(pace_of(Vec::new(), 0, 2, 1.0), None);
    }

    #[test]
    fn what_failed_makes_it_less_sure() {
        let pages = |requests| {
            let pages = (0..8).map(|n| arrival("a", f64::from(n), 0.1));
            pace_of(pages.collect(), requests, 2, 1.0).unwrap().error
        };
        assert!(pages(9) > 0.0 && pages(9) < 0.15);
        assert!(pages(30) > pages(9));
    }

    #[test]
    fn requests_that_are_not_answered_slow_it_and_make_it_less_sure() {
        // 7 pages came within a moment; since then both connections wait.
        let arrivals: Vec<Arrival> = (0..7).map(|n| arrival("a", 0.02 * f64::from(n), 0.02)).collect();
        let seen = |until_s, unanswered_s: &[f64]| Seen {
            arrivals: arrivals.clone(),
            requests: 8,
            unanswered_s: unanswered_s.to_vec(),
            until_s,
        };
        let of = |seen: Seen| Pace::of(&seen, asks(2, 0.0)).unwrap();
        let usual = of(seen(0.15, &[0.01, 0.02]));
        assert!(usual.pages_per_s > 40.0 && usual.error < 0.5, "{usual:?}");
        for since in [1.0, 8.0, 30.0] {
            let hung = of(seen(since, &[since, since]));
            assert_eq!((hung.late, usual.late), (2, 0));
            // It is as if they ended now, or when they are given up.
            let time = hung.of_pages(7000);
            let ends = 7000.0 / 7.0 * since;
            assert!(time.low_s < ends && time.high_s > 7000.0 / 7.0 * 90.0, "{since}: {time:?}");
            assert!(time.makespan_s > ends && time.makespan_s < 100_000.0, "{since}: {time:?}");
        }
        // One of two connections lets pages through, and a delay is kept to with one, too.
        assert!(of(seen(8.0, &[8.0])).pages_per_s > of(seen(8.0, &[8.0, 8.0])).pages_per_s);
        let polite: Vec<Arrival> = (0..40).map(|n| arrival("a", f64::from(n), 0.1)).collect();
        let polite = Seen { arrivals: polite, requests: 41, unanswered_s: vec![20.0], until_s: 39.1 };
        let briefly = Asks { longest_s: 60.0, ..asks(2, 1.0) };
        close(Pace::of(&polite, briefly).unwrap().pages_per_s, 1.0);
    }

    #[test]
    fn a_time_in_which_no_page_came_counts() {
        // Nothing is on its way: what failed waits for another try, or the host asked to wait.
        let arrivals: Vec<Arrival> = (0..7).map(|n| arrival("a", 0.5 * f64::from(n), 0.02)).collect();
        let seen =
            |until_s| Seen { arrivals: arrivals.clone(), requests: 8, unanswered_s: Vec::new(), until_s };
        let of = |until_s| Pace::of(&seen(until_s), asks(2, 0.5)).unwrap();
        assert_eq!(of(3.1), of(3.4), "the next one is not due");
        let (usual, still) = (of(3.1), of(13.0));
        assert!(still.pages_per_s < 0.5 * usual.pages_per_s && still.error > 0.4, "{still:?}");
    }
}
