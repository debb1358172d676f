//! Two inputs, one right behind the other.

use super::Line;
use super::line::Activity;

impl Line {
    /// The mean time from when an input leaves the first stage until the one behind it, which is moved in then, has left
    /// the last, if nothing is in front of the two. None where stages are replicated. Cost: the square of the
    /// number of stages.
    pub(super) fn pair(&self) -> Option<f64> {
        let stages = self.stages.len();
        if stages == 0 || self.stages.iter().any(|s| s.len() > 1) {
            return None;
        }
        // What an input goes through; `2 s` is its move into stage s, `2 s + 1` its processing there.
        let rate = |at: usize| {
            self.rate(if at.is_multiple_of(2) {
                Activity::Move(at / 2, 0, 0)
            } else {
                Activity::Process(at / 2, 0)
            })
        };
        let end = 2 * stages + 1;
        let rates: Vec<f64> = (0..end).map(rate).collect();
        // `left[b]`: the mean time until the second has left, where the first is at an activity and the second at b.
        let mut left = vec![0.0; end + 1];
        for b in (0..end).rev() {
            left[b] = left[b + 1] + 1.0 / rates[b];
        }
        for first in (3..end).rev() {
            // From the first's next activity to this one. The second is behind it.
            let mut here = vec![0.0; end + 1];
            for b in (0..first).rev() {
                // It is moved into a stage only when the first has been moved out of it.
                let waits = b >= 2 && b.is_multiple_of(2) && first <= b + 2;
                here[b] = if waits {
                    1.0 / rates[first] + left[b]
                } else {
                    let sum = rates[first] + rates[b];
                    (1.0 + rates[first] * left[b] + rates[b] * here[b + 1]) / sum
                };
            }
            left = here;
        }
        Some(left[0])
    }
}

#[cfg(test)]
mod tests {
    use crate::mapping::{Line, Replica};

    fn line(processing: &[f64], moving: &[f64]) -> Line {
        let stage = |rate: &f64| vec![Replica { processor: 0, rate: *rate }];
        Line {
            stages: processing.iter().map(stage).collect(),
            moves: moving.iter().map(|rate| vec![vec![*rate]]).collect(),
            in_turn: (true, true),
        }
    }

    #[test]
    fn one_stage_has_nobody_in_front() {
        let time = line(&[2.0], &[4.0, 8.0]).pair().expect("no replicas");
        assert!((time - (0.25 + 0.5 + 0.125)).abs() < 1e-15, "{time}");
    }

    #[test]
    fn two_stages_wait_for_the_longer_of_two() {
        // The first processes and is moved out at once; the second is ready or not: the longer of two times.
        let (fast, a, b) = (1e12, 3.0, 5.0);
        let time = line(&[a, b], &[fast, fast, fast]).pair().expect("no replicas");
        let longer = 1.0 / a + 1.0 / b - 1.0 / (a + b);
        assert!((time - (longer + 1.0 / b)).abs() < 1e-9, "{time}");
    }

    #[test]
    fn replicas_are_not_looked_at() {
        let mut line = line(&[1.0, 2.0], &[1.0, 1.0, 1.0]);
        line.stages[1].push(Replica { processor: 1, rate: 1.0 });
        assert_eq!(line.pair(), None);
    }
}
