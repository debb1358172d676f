//! Whether a master makes its slaves wait so long that two masters would be faster.

use super::message::Spent;

/// Messages of answers from each slave between two looks.
const ROUNDS: u64 = 2;
/// By what factor two masters must be expected to be faster.
const GAIN: f64 = 1.05;

/// What the slaves of a master waited and worked for.
///
/// A slave that waits w and works y for the tasks of a message has a cycle c = y + w. If the master were
/// always free, that would be c₀ = max(y, min((y + trip) / prefetch, y + w₀)), where the trip is twice the
/// least time to a slave's first task, and w₀ the least that a slave waited. With two masters, the slaves of
/// which one has become the second, the cycle is max(c₀, c / 2): half of the queue is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    trip_s: f64,
    least_s: f64,
    prefetch: f64,
    waited: f64,
    worked: f64,
    count: u64,
}

impl Waits {
    /// For slaves with `prefetch` messages of tasks at a time; `trip_s` is infinite while it is not known.
    pub(super) fn new(prefetch: u64, trip_s: f64) -> Self {
        Waits {
            trip_s,
            least_s: f64::INFINITY,
            prefetch: prefetch as f64,
            waited: 0.0,
            worked: 0.0,
            count: 0,
        }
    }

    /// What a round trip takes if nobody waits, as far as it is known.
    pub(super) fn trip_s(&self) -> f64 {
        self.trip_s
    }

    /// Takes note of what a slave says.
    pub(super) fn note(&mut self, spent: Spent) {
        match spent {
            Spent::Unknown => {}
            Spent::First { waited, .. } => self.trip_s = self.trip_s.min(2.0 * f64::from(waited)),
            Spent::Further { waited, worked } => {
                self.least_s = self.least_s.min(waited.into());
                self.waited += f64::from(waited);
                self.worked += f64::from(worked);
                self.count += 1;
            }
        }
    }

    /// Whether it is time to look: every slave has been heard often enough since the last.
    pub(super) fn is_due(&self, slaves: u64) -> bool {
        self.count >= ROUNDS * slaves
    }

    /// Whether two masters would be faster for `messages` messages of tasks and `slaves` slaves; begins anew.
    pub(super) fn is_split_better(&mut self, slaves: u64, messages: u64) -> bool {
        let count = self.count as f64;
        let (work, wait) = (self.worked / count, self.waited / count);
        (self.waited, self.worked, self.count) = (0.0, 0.0, 0);
        if slaves < 3 || wait.is_nan() {
            return false;
        }
        let now = work + wait;
        let free = work.max(((work + self.trip_s) / self.prefetch).min(work + self.least_s));
        let then = free.max(now / 2.0);
        let (slaves, messages) = (slaves as f64, messages as f64);
        // At the end, both halves wait for the last tasks of the other.
        let end = 2.0 * now;
        messages * now / slaves > GAIN * (messages * then / (slaves - 1.0) + end)
    }
}
