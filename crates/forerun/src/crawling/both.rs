//! A crawl and the extraction of its pages together: from the first request until the last row is written.
//!
//! Extraction begins when the first pages were gathered ([`gathered`](crate::jobs::gathered)) and goes on while others come. So both
//! end when the slower one does: the crawl, after whose last page this one is still to be extracted and what was extracted to be
//! finished; or the extraction, from when it began.

use forerun_platform::{Interval, Outcome, Stage, Throughput};

use super::sample::{Pages, Sampled};
use crate::text;

/// When extraction begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Begins {
    /// So many seconds after the crawl began.
    At(f64),
    /// When pages were gathered for so many seconds, or all had come.
    Gathered(f64),
}

/// What is predicted of both.
#[derive(Debug, Clone, PartialEq)]
pub struct Both {
    sampled: Sampled,
    begins: Begins,
    /// The extraction of `of` pages, in seconds.
    extract: Interval,
    of: f64,
    /// Seconds of the task of one page, and of the finish after `of` pages.
    last: (f64, f64),
}

impl Both {
    /// Of a prediction of extracting `of` pages, where the crawl is like this.
    pub fn new(extract: &Outcome, of: usize, sampled: &Sampled, begins: Begins) -> Self {
        let of = of.max(1) as f64;
        let seconds = |stage| extract.stages.get(&stage).map_or(0.0, |total| total.total_s);
        Both {
            sampled: sampled.clone(),
            begins,
            extract: extract.predicted.unwrap_or(Interval::around(extract.makespan_s, 0.0)),
            of,
            last: (seconds(Stage::Task) / of, seconds(Stage::Finish)),
        }
    }

    /// How long both take where there are so many pages in all, of which so many are still to be extracted.
    pub fn time(&self, pages: u64, left: u64) -> Interval {
        let crawl = self.sampled.time_of(pages);
        let times = left as f64 / self.of;
        let last = self.last.0 + self.last.1 * times;
        let both = |crawl: f64, extract: f64| {
            let (begins, waits) = match self.begins {
                Begins::At(at) => (at, crawl > at),
                Begins::Gathered(time) => (crawl.min(time.max(self.sampled.pace.first_s)), crawl > time),
            };
            let extracted = begins + extract * times;
            if waits { extracted.max(crawl + last) } else { extracted }
        };
        Interval {
            makespan_s: both(crawl.makespan_s, self.extract.makespan_s),
            low_s: both(crawl.low_s, self.extract.low_s),
            high_s: both(crawl.high_s, self.extract.high_s),
        }
    }

    /// Makes the outcome of extracting one of crawling and extracting so many pages, of which so many are still to be extracted.
    pub fn tell(&self, outcome: &mut Outcome, pages: u64, left: u64) {
        let time = self.time(pages, left);
        // Whoever crawls does not know before what will come.
        (outcome.pages, outcome.input) = (Some(left), None);
        outcome.predicted = Some(time);
        outcome.predicted_throughput = Some(rate(left, &time));
        outcome.makespan_s = time.makespan_s;
        outcome.throughput = rate(left, &time).tasks_per_s;
    }

    /// Pages a second that could be extracted.
    pub fn extracted(&self) -> f64 {
        self.of / self.extract.makespan_s.max(f64::MIN_POSITIVE)
    }

    /// Pages a second that come; without an end where all are there.
    pub fn come(&self) -> f64 {
        self.sampled.rate()
    }

    /// What is predicted on so many processors, and what sets it, in a sentence; a rate where nobody knows how many pages there
    /// will be and `open`.
    pub fn said(&self, processors: usize, left: u64, open: bool) -> String {
        let pages = self.sampled.count();
        let time = self.time(pages, left);
        let predicted = match open && self.sampled.pages == Pages::Unknown {
            true => {
                let Throughput { tasks_per_s, low, high } = rate(left, &time);
                let [rate, low, high] = [tasks_per_s, low, high].map(text::digits);
                format!("predicted {rate} pages/s ({low} to {high}) in the long run")
            }
            false => format!("predicted {} for {}", text::interval(&time), text::plural(left, "page")),
        };
        format!("{predicted}; {}", self.pace(processors))
    }

    fn pace(&self, processors: usize) -> String {
        let on = text::plural(processors as u64, "processor");
        let (extracted, come) = (self.extracted(), self.come());
        let [could, crawled] = [extracted, come].map(text::digits);
        match come {
            come if !come.is_finite() => {
                format!("all pages are there, and {} {could} pages/s", verb(&on, processors, "extract"))
            }
            come if come < extracted => {
                format!("the crawl sets the pace, {crawled} pages/s: {on} could extract {could}")
            }
            _ => format!(
                "{} the pace, {could} pages/s: the crawl could give {crawled}",
                verb(&on, processors, "set")
            ),
        }
    }
}

/// A number of things and what they do.
fn verb(subject: &str, number: usize, does: &str) -> String {
    format!("{subject} {does}{}", if number == 1 { "s" } else { "" })
}

/// Pages a second where so many take so long.
pub fn rate(pages: u64, time: &Interval) -> Throughput {
    let of = |seconds: f64| if seconds > 0.0 { pages as f64 / seconds } else { 0.0 };
    Throughput { tasks_per_s: of(time.makespan_s), low: of(time.high_s), high: of(time.low_s) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use forerun_platform::{Grain, Plan, RankTimes, StageTotal, Strategy, Way};

    use super::super::pace::Pace;
    use super::*;

    /// A page each second, and the extraction of 10 pages in so many seconds, 1 s of it the finish.
    fn both(pages: Pages, extract_s: f64, begins: Begins, processors: usize) -> Both {
        let pace =
            Pace { pages_per_s: 1.0, error: 0.1, first_s: 1.0, lag_s: 0.0, wait_s: 0.1, hosts: 1, late: 0 };
        let sampled = Sampled {
            fetched: (2, 200),
            requests: (3, 2.0),
            there: 0,
            pages,
            done: false,
            failed: None,
            took_s: None,
            pace,
        };
        let plan = Plan::new(Strategy::Adaptive, processors, Grain { tasks: None, bytes: 1 });
        let mut outcome = Outcome::from_ranks(Way::Analytic, plan, extract_s, vec![RankTimes::default()], 10);
        let total = |total_s| StageTotal { count: 1, total_s };
        outcome.stages = BTreeMap::from([(Stage::Task, total(extract_s - 1.0)), (Stage::Finish, total(1.0))]);
        Both::new(&outcome, 10, &sampled, begins)
    }

    #[test]
    fn both_end_with_the_slower() {
        // The crawl ends after 20 s; then a page of 0.1 s is left, and the finish, of twice as many pages.
        let crawl = both(Pages::AtMost(20), 2.0, Begins::Gathered(1.0), 2);
        assert!((crawl.time(20, 20).makespan_s - 22.1).abs() < 1e-9, "{:?}", crawl.time(20, 20));
        let time = crawl.time(20, 20);
        assert!(time.low_s < 20.0 && time.high_s > 23.0, "{time:?}");
        // Extraction of which takes 40 s begins after 1 s, or where the run has it begin.
        let extract = both(Pages::AtMost(20), 20.0, Begins::Gathered(1.0), 2);
        assert!((extract.time(20, 20).makespan_s - 41.0).abs() < 1e-9);
        let later = both(Pages::AtMost(20), 20.0, Begins::At(3.0), 2);
        assert!((later.time(20, 20).makespan_s - 43.0).abs() < 1e-9);
        // What is in the database already is not extracted.
        assert!(later.time(20, 5).makespan_s < 23.0);
        // A crawl that is over while pages are gathered is followed by all of the extraction.
        let one = both(Pages::AtMost(1), 2.0, Begins::Gathered(1.0), 2);
        assert!((one.time(1, 1).makespan_s - 1.2).abs() < 1e-9);
    }

    #[test]
    fn what_sets_the_pace_is_said_of_one_and_of_many() {
        let said = |extract_s, processors| {
            both(Pages::Unknown, extract_s, Begins::Gathered(1.0), processors).said(processors, 1000, true)
        };
        for (extract_s, processors, part) in [
            (2.0, 1, "the crawl sets the pace, 1.00 pages/s: 1 processor could extract 5.00"),
            (20.0, 1, "1 processor sets the pace, 0.500 pages/s: the crawl could give 1.00"),
            (20.0, 2, "2 processors set the pace"),
        ] {
            let said = said(extract_s, processors);
            assert!(said.contains(part) && said.contains("pages/s ("), "{said}");
        }
        let mut all = both(Pages::All(20), 2.0, Begins::At(3.0), 1);
        (all.sampled.done, all.sampled.took_s) = (true, Some(3.0));
        assert!(
            all.said(1, 20, true).contains("for 20 pages; all pages are there, and 1 processor extracts")
        );
        assert!((all.time(20, 20).makespan_s - 7.0).abs() < 1e-9);
    }
}
