//! What ranks of the parallel pipeline do from step to step.

use super::super::costs::Costs;

/// A way that a rank passes n steps: its time and of what it consists.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cycle {
    pub(super) task: f64,
    pub(super) merge: f64,
    pub(super) communication: f64,
}

impl Cycle {
    pub(super) fn sum(&self) -> f64 {
        self.task + self.merge + self.communication
    }

    fn plus(&self, o: &Cycle) -> Cycle {
        Cycle {
            task: self.task + o.task,
            merge: self.merge + o.merge,
            communication: self.communication + o.communication,
        }
    }
}

/// What the receiver does at level `d` ≥ 1 if `tasks` tasks are below the leading receiver.
pub(super) fn gather(c: &Costs, a: u64, d: u32, tasks: u64) -> Cycle {
    let s = a.pow(d - 1);
    let mut g = Cycle { communication: (a - 1) as f64 * c.receive(tasks.min(s)), ..Cycle::default() };
    let mut held = tasks.min(s);
    for i in 1..a {
        let q = tasks.saturating_sub(i * s).min(s);
        g.merge += c.merge(held, q);
        held += q;
    }
    g
}

/// Seconds from when the first of `tasks` tasks has run until their results stand together after
/// `levels` levels of hops.
pub(super) fn climb(c: &Costs, a: u64, levels: u32, tasks: u64) -> f64 {
    (1..=levels)
        .map(|d| {
            let s = a.pow(d - 1).min(tasks);
            c.send(s) + c.transit(s) + gather(c, a, d, tasks).sum()
        })
        .sum()
}

/// What the last rank does with a set of `tasks` tasks in a step.
pub(super) fn take(c: &Costs, a: u64, levels: u32, tasks: u64) -> Cycle {
    let s = a.pow(levels - 1);
    let mut g = Cycle { communication: (a - 1) as f64 * c.receive(tasks.min(s)), ..Cycle::default() };
    let mut held = tasks.min(s);
    for i in 1..a - 1 {
        let q = tasks.saturating_sub(i * s).min(s);
        g.merge += c.merge(held, q);
        held += q;
    }
    g
}

/// The step's mean length but for the last rank, and of what it consists.
pub(super) fn step(c: &Costs, a: u64, n: u32) -> (f64, Cycle) {
    // W(k) for k = 0 … n − 1; best[m]: the longest way to pass m steps.
    let mut runs = Vec::with_capacity(n as usize);
    let mut received = Cycle::default();
    for k in 0..n {
        if k > 0 {
            received = received.plus(&gather(c, a, k, u64::MAX));
        }
        let sent = a.pow(k);
        let own = Cycle { task: c.task, communication: c.send(sent), ..Cycle::default() };
        let mut run = own.plus(&received);
        // The port may still be busy with the message before.
        run.communication += (c.port(sent) - run.sum()).max(0.0);
        runs.push(run);
    }
    let mut best = vec![Cycle::default(); n as usize + 1];
    for m in 1..=n as usize {
        for k in 0..m {
            let way = best[m - k - 1].plus(&runs[k]);
            if way.sum() > best[m].sum() || k == 0 {
                best[m] = way;
            }
        }
    }
    let best = best[n as usize];
    (best.sum() / f64::from(n), best)
}
