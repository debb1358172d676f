//! What the closed form of a strategy gives for one group of ranks.

use super::Bound;

/// Seconds of one group, and what it does in all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timing {
    /// From the start to the end of the last rank.
    pub(crate) seconds: f64,
    /// Part of it before the first delivery.
    pub(crate) fill: f64,
    /// Part of it after the last task.
    pub(crate) drain: f64,
    /// Seconds a cycle in the long run, and the results that leave in it.
    pub(crate) cycle: f64,
    pub(crate) results: f64,
    pub(crate) bound: Bound,
    /// Tasks that the critical path runs one after the other, and ranks of whose sums it takes
    /// the largest.
    pub(crate) path_tasks: f64,
    pub(crate) racers: f64,
    pub(crate) totals: Totals,
}

/// Counts and seconds by stage, of all ranks together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Totals {
    pub(crate) tasks: (f64, f64),
    pub(crate) merges: (f64, f64),
    pub(crate) sinks: (f64, f64),
    pub(crate) sends: (f64, f64),
    pub(crate) receives: (f64, f64),
    pub(crate) bytes: f64,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Totals, times: f64) {
        let each = |a: &mut (f64, f64), b: (f64, f64)| {
            a.0 += b.0 * times;
            a.1 += b.1 * times;
        };
        each(&mut self.tasks, other.tasks);
        each(&mut self.merges, other.merges);
        each(&mut self.sinks, other.sinks);
        each(&mut self.sends, other.sends);
        each(&mut self.receives, other.receives);
        self.bytes += other.bytes * times;
    }

    /// Counts `n` messages of `results` results each.
    pub(crate) fn message(&mut self, c: &super::costs::Costs, results: u64, n: f64) {
        self.sends.0 += n;
        self.sends.1 += n * c.send(results);
        self.receives.0 += n;
        self.receives.1 += n * c.receive(results);
        self.bytes += n * c.message(results);
    }

    pub(crate) fn merged(&mut self, n: f64, seconds: f64) {
        self.merges.0 += n;
        self.merges.1 += seconds;
    }

    pub(crate) fn ran(&mut self, c: &super::costs::Costs, n: u64) {
        self.tasks.0 += n as f64;
        self.tasks.1 += n as f64 * c.task;
    }

    pub(crate) fn delivered(&mut self, n: f64, seconds: f64) {
        self.sinks.0 += n;
        self.sinks.1 += n * seconds;
    }

    /// Seconds that some rank is busy with.
    pub(crate) fn busy(&self) -> f64 {
        self.tasks.1 + self.merges.1 + self.sinks.1 + self.sends.1 + self.receives.1
    }
}
