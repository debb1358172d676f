//! How fast the pages of a crawl come.

use std::collections::BTreeMap;

use forerun_crawl::Page;
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
}

/// Requests are kept apart where all connections together could ask so many times as often.
const APART: f64 = 1.25;

impl Pace {
    /// Where nothing is left to fetch, no time goes into it.
    pub const NONE: Pace =
        Pace { pages_per_s: f64::INFINITY, error: 0.0, first_s: 0.0, lag_s: 0.0, wait_s: 0.0, hosts: 0 };

    /// The pace of these arrivals; `None` of none. They took so many requests, those for robots.txt with them. A host is asked over
    /// so many connections, each request this long after the start of the one before, at least.
    ///
    /// Where requests are kept apart, a host gives a page for each time between two; else all pages of the
    /// sample came in the time from the first request to the last byte. The first page, which leads to the others, came alone
    /// and tells nothing of it. Where nothing else is there, the next ones are taken to come like it, as soon as delay and
    /// connections allow.
    pub fn of(mut arrivals: Vec<Arrival>, requests: u64, connections: usize, delay_s: f64) -> Option<Self> {
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
            let of_host: Vec<f64> = asked.windows(2).map(|w| w[1].asked_s - w[0].asked_s).collect();
            apart += mean(of_host.iter().copied()).map_or(0.0, |gap| 1.0 / gap.max(f64::MIN_POSITIVE));
            gaps.extend(of_host);
        }
        let each = wait_s / connections.max(1) as f64;
        let lasts = |wait_s: f64| delay_s.max(wait_s / connections.max(1) as f64).max(f64::MIN_POSITIVE);
        // One time to wait may be half of the next.
        let next = lasts(wait_s);
        let of_one = lasts(2.0 * wait_s) / next - 1.0;
        let error = |gaps: &[f64]| if gaps.len() < 2 { of_one } else { relative_error(gaps) };
        let gap = mean(gaps.iter().copied());
        let (pages_per_s, error, lag_s) = match gap {
            None => (hosts as f64 / next, of_one, (wait_s - next).max(0.0)),
            Some(gap) if gap > APART * each => (apart, error(&gaps), (wait_s - gap).max(0.0)),
            Some(_) => {
                let then = &arrivals[after..];
                let end = then.iter().map(|a| a.asked_s + a.took_s).fold(0.0, f64::max);
                let took: Vec<f64> = then.iter().map(|a| a.took_s).collect();
                (then.len() as f64 / (end - then[0].asked_s).max(f64::MIN_POSITIVE), error(&took), 0.0)
            }
        };
        let lost = requests.saturating_sub((arrivals.len() + hosts) as u64);
        let error = error.max(error_of_share(arrivals.len() as u64, lost));
        Some(Pace { pages_per_s, error, first_s, lag_s, wait_s, hosts })
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
    use super::{Arrival, Pace};

    fn arrival(host: &str, asked_s: f64, took_s: f64) -> Arrival {
        Arrival { host: host.into(), asked_s, took_s }
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs(), "{a} is not {b}");
    }

    #[test]
    fn a_delay_sets_the_pace_of_each_host() {
        let one = (0..8).map(|n| arrival("a", f64::from(n), 0.1));
        let pace = Pace::of(one.clone().collect(), 9, 2, 1.0).unwrap();
        close(pace.pages_per_s, 1.0);
        close(pace.first_s, 0.1);
        assert_eq!((pace.lag_s, pace.hosts), (0.0, 1));
        close(pace.of_pages(101).makespan_s, 100.1);
        let two = one.chain((0..8).map(|n| arrival("b", 0.5 + f64::from(n), 0.1)));
        close(Pace::of(two.collect(), 18, 2, 1.0).unwrap().pages_per_s, 2.0);
    }

    #[test]
    fn a_host_that_is_slower_than_the_delay_is_asked_as_often() {
        // Requests are a second apart, whose answers take a second and a half; the second is sent when the first is answered.
        let asked = |n: u32| if n == 0 { 0.0 } else { 0.5 + f64::from(n) };
        for pages in [1, 2, 3, 20] {
            let pace = Pace::of(
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
        let pace = Pace::of(pages.collect(), 10, 2, 0.0).unwrap();
        close(pace.pages_per_s, 4.0);
    }

    #[test]
    fn of_one_page_little_is_known_but_what_the_delay_allows() {
        let pace = Pace::of(vec![arrival("a", 0.2, 0.3)], 2, 2, 1.0).unwrap();
        assert_eq!(pace.pages_per_s, 1.0);
        assert_eq!(pace.of_pages(0).makespan_s, 0.0);
        close(pace.of_pages(1).high_s, 0.5);
        let ten = pace.of_pages(10);
        assert!(ten.low_s > 0.4 * ten.makespan_s && ten.high_s < 2.5 * ten.makespan_s, "{ten:?}");
        // Without a delay the time to wait sets the pace, which is known from one page.
        let ten = Pace::of(vec![arrival("a", 0.2, 0.3)], 2, 2, 0.0).unwrap().of_pages(10);
        assert!(ten.low_s < 0.5 * ten.makespan_s && ten.high_s > 2.0 * ten.makespan_s, "{ten:?}");
        assert_eq!(Pace::of(Vec::new(), 0, 2, 1.0), None);
    }

    #[test]
    fn what_failed_makes_it_less_sure() {
        let pages = |requests| {
            let pages = (0..8).map(|n| arrival("a", f64::from(n), 0.1));
            Pace::of(pages.collect(), requests, 2, 1.0).unwrap().error
        };
        assert!(pages(9) > 0.0 && pages(9) < 0.15);
        assert!(pages(30) > pages(9));
    }
}
