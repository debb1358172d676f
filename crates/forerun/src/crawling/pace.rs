//! How fast the pages of a crawl come.

use std::collections::BTreeMap;

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

/// How fast pages come, by a sample of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Pages a second, from all hosts of the sample together.
    pub pages_per_s: f64,
    /// Its standard error, relative.
    pub error: f64,
    /// Seconds until the first page was there.
    pub first_s: f64,
    /// Seconds from a request to the last byte, in the mean.
    pub wait_s: f64,
    /// Hosts of the sample.
    pub hosts: usize,
}

/// Requests are kept apart where all connections together could ask so many times as often.
const APART: f64 = 1.25;

impl Pace {
    /// The pace of these arrivals; `None` of none. A host is asked over so many connections, each request this long after the
    /// one before, at least.
    ///
    /// Where requests are kept apart, a host gives a page for each time between two; else all pages of the
    /// sample came in the time from the first request to the last byte. The first page, which leads to the others, came alone
    /// and tells nothing of it.
    pub fn of(mut arrivals: Vec<Arrival>, connections: usize, delay_s: f64) -> Option<Self> {
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
        let gap = mean(gaps.iter().copied());
        let (pages_per_s, error) = match gap {
            None => (hosts as f64 / delay_s.max(wait_s).max(f64::MIN_POSITIVE), 1.0),
            Some(gap) if gap > APART * each => (apart, relative_error(&gaps)),
            Some(_) => {
                let then = &arrivals[after..];
                let end = then.iter().map(|a| a.asked_s + a.took_s).fold(0.0, f64::max);
                let took: Vec<f64> = then.iter().map(|a| a.took_s).collect();
                (then.len() as f64 / (end - then[0].asked_s).max(f64::MIN_POSITIVE), relative_error(&took))
            }
        };
        Some(Pace { pages_per_s, error, first_s, wait_s, hosts })
    }

    /// How long it takes until so many pages are there.
    pub fn of_pages(&self, pages: u64) -> Interval {
        match pages {
            0 => Interval { makespan_s: 0.0, low_s: 0.0, high_s: 0.0 },
            _ => {
                let others = (pages - 1) as f64 / self.pages_per_s;
                Interval::around(self.first_s + others, self.error * others)
            }
        }
    }
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
        let pace = Pace::of(one.clone().collect(), 2, 1.0).unwrap();
        close(pace.pages_per_s, 1.0);
        close(pace.first_s, 0.1);
        assert_eq!((pace.error, pace.hosts), (0.0, 1));
        close(pace.of_pages(101).makespan_s, 100.1);
        let two = one.chain((0..8).map(|n| arrival("b", 0.5 + f64::from(n), 0.1)));
        close(Pace::of(two.collect(), 2, 1.0).unwrap().pages_per_s, 2.0);
    }

    #[test]
    fn without_a_delay_all_connections_together_do() {
        // After the first page two connections at once, each page 0.5 s.
        let pages =
            (0..9).map(|n| arrival("a", if n == 0 { 0.0 } else { 0.5 + f64::from((n - 1) / 2) * 0.5 }, 0.5));
        let pace = Pace::of(pages.collect(), 2, 0.0).unwrap();
        close(pace.pages_per_s, 4.0);
    }

    #[test]
    fn of_one_page_little_is_known() {
        let pace = Pace::of(vec![arrival("a", 0.2, 0.3)], 2, 1.0).unwrap();
        assert_eq!((pace.pages_per_s, pace.error), (1.0, 1.0));
        assert_eq!(pace.of_pages(0).makespan_s, 0.0);
        let ten = pace.of_pages(10);
        assert!(ten.low_s < 0.5 * ten.makespan_s && ten.high_s > 2.0 * ten.makespan_s);
        assert_eq!(Pace::of(Vec::new(), 2, 1.0), None);
    }
}
