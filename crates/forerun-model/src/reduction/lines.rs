//! Times that repeat: a maximum of straight lines in the number of the round.
//!
//! A rank's rounds depend on its own round before and on rounds of ranks below it, never the other way
//! round. Such a time is `max over paths`, and as every rank on a path can stay in it for any
//! number of rounds, the longest path for many rounds stays with one of them: each rank contributes
//! a line whose slope is the rank's own cycle. So the maximum of lines is exact from the first round
//! on, without iterating over rounds.

/// `max (intercept + (j − 1) slope)` for round j = 1, 2, …
#[derive(Debug, Clone, Default)]
pub(super) struct Lines(Vec<(f64, f64)>);

impl Lines {
    /// One line.
    pub(super) fn new(slope: f64, intercept: f64) -> Lines {
        Lines(vec![(slope, intercept)])
    }

    fn add(&mut self, slope: f64, intercept: f64) {
        match self.0.iter_mut().find(|line| line.0 == slope) {
            Some(line) => line.1 = line.1.max(intercept),
            None => self.0.push((slope, intercept)),
        }
    }

    /// Of a process with a cycle of its own, `x(j) = max(x(j − 1) + cycle, event(j) + after)`: what an
    /// `event` of the same rounds adds.
    pub(super) fn wait_for(&mut self, cycle: f64, event: &Lines, after: f64) {
        for &(slope, intercept) in &event.0 {
            // From the event of this round, or from that of the first round and cycles since: the
            // rounds between lie on a line between these.
            self.add(slope, intercept + after);
            self.add(cycle, intercept + after);
        }
    }

    /// The time of round `j`, from 1.
    pub(super) fn at(&self, j: u64) -> f64 {
        let rounds = j.saturating_sub(1) as f64;
        self.0.iter().map(|&(slope, intercept)| intercept + rounds * slope).fold(0.0, f64::max)
    }

    /// The same times, later by `seconds`.
    pub(super) fn plus(&self, seconds: f64) -> Lines {
        Lines(self.0.iter().map(|&(slope, intercept)| (slope, intercept + seconds)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn a_recursion_is_followed_exactly() {
        for (cycle, event, after, first) in
            [(3.0, (1.0, 5.0), 0.5, 0.0), (1.0, (3.0, 0.0), 0.5, 9.0), (2.0, (2.0, 2.0), 0.0, 2.5)]
        {
            let events = Lines::new(event.0, event.1);
            let mut lines = Lines::new(cycle, first);
            lines.wait_for(cycle, &events, after);
            let mut x = f64::NEG_INFINITY;
            for j in 1..50u64 {
                let own = if j == 1 { first } else { x + cycle };
                x = own.max(events.at(j) + after);
                assert_eq!(lines.at(j), x, "round {j} of {cycle} {event:?}");
            }
        }
    }
}
