//! How much virtual time would have to follow, told before any of it is followed.

use crate::text;

/// Tasks and messages that are followed at most for one prediction, in all of its runs.
pub const MOST: u64 = 2_400_000_000;
/// How many of them are followed a second: about as many as it takes on a machine of these years, where costs spread or ranks claim.
const A_SECOND: f64 = 4e6;
/// Seconds from which on it is told beforehand how long following takes.
pub const WORTH_SAYING: f64 = 5.0;
/// Sizes of tasks that are held at most where they may differ, 8 B each.
const MOST_SIZES: u64 = 1 << 28;

/// What a prediction by virtual time follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Ranks.
    pub processors: usize,
    /// Tasks, or blocks.
    pub tasks: u64,
    /// Messages, as the closed form counts them.
    pub messages: u64,
    /// How often a run is followed.
    pub runs: u64,
    /// Whether the size of each task is held.
    pub sizes: bool,
}

impl Effort {
    /// Tasks and messages of all runs; a rank is something to follow too.
    fn steps(&self) -> f64 {
        let of_one = self.tasks as f64 + self.messages as f64 + self.processors as f64;
        of_one * self.runs.max(1) as f64
    }

    /// How long it takes to follow, where that is longer than somebody likes to wait without knowing.
    pub fn told(&self) -> Option<String> {
        let seconds = self.steps() / A_SECOND;
        let what = || format!("{}; it takes some {}", self.what(), text::seconds(seconds));
        (seconds > WORTH_SAYING).then(what)
    }

    /// What is followed.
    fn what(&self) -> String {
        let Effort { processors, tasks, messages, runs, .. } = *self;
        let times = if runs > 1 { format!(", {runs} times") } else { String::new() };
        format!(
            "{} and {} on {}{times}",
            text::plural(tasks, "task"),
            text::plural(messages, "message"),
            text::plural(processors as u64, "processor"),
        )
    }

    /// That it is not too much.
    ///
    /// # Errors
    /// How much it is and what to do instead, a sentence's rest.
    pub fn check(&self) -> Result<(), String> {
        let Effort { tasks, sizes, .. } = *self;
        if sizes && tasks > MOST_SIZES {
            return Err(format!(
                "virtual time follows at most {} of which each has a size of its own, and these are {}; predict fewer or larger ones, \
                 or by analytic",
                text::plural(MOST_SIZES, "task"),
                text::count(tasks)
            ));
        }
        let steps = self.steps();
        if steps <= MOST as f64 {
            return Ok(());
        }
        Err(format!(
            "virtual time would follow {}, for some {}, and follows at most {} in all; predict fewer or larger tasks, or by analytic",
            self.what(),
            text::seconds(steps / A_SECOND),
            text::count(MOST)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_waits_for_is_told_before() {
        let of = |tasks| Effort { processors: 8, tasks, messages: tasks, runs: 2, sizes: false };
        assert_eq!(of(1_000_000).told(), None);
        let said = of(20_000_000).told().expect("some 20 s");
        assert_eq!(
            said,
            "20,000,000 tasks and 20,000,000 messages on 8 processors, 2 times; it takes some 20.0 s"
        );
        // Nobody is kept waiting for longer than ten minutes.
        let longest = of(MOST / 4 - 100);
        assert!(longest.check().is_ok() && longest.steps() / A_SECOND <= 600.0);
        assert!(of(MOST / 4).check().is_err());
    }

    #[test]
    fn what_takes_minutes_is_followed_and_what_takes_hours_is_not() {
        let of = Effort { processors: 8, tasks: 1_000_000, messages: 2_000_000, runs: 16, sizes: false };
        assert_eq!(of.check(), Ok(()));
        assert_eq!(Effort { processors: 1 << 20, ..of }.check(), Ok(()));
        for (more, words) in [
            (Effort { tasks: 10u64.pow(18), ..of }, ["1,000,000,000,000,000,000 tasks", "years"]),
            (Effort { messages: u64::MAX, ..of }, ["messages on 8 processors", "years"]),
            (Effort { runs: 100_000, ..of }, ["100000 times", "for some 20.8 h"]),
            (
                Effort { tasks: MOST_SIZES + 1, runs: 1, sizes: true, ..of },
                ["268,435,456 tasks", "268,435,457"],
            ),
        ] {
            let said = more.check().expect_err("too much");
            assert!(
                words.iter().all(|word| said.contains(word)) && said.ends_with("or by analytic"),
                "{said}"
            );
        }
    }
}
