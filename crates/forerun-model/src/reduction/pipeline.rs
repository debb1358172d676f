//! The parallel pipeline in closed form: equation 6 of Kuntraruk, Pottenger and Ross with both
//! drain terms, for stages of unequal length and any arity.
//!
//! P = aⁿ ranks; F = ⌈(N − P) / (P − P/a)⌉ steps take new tasks. With s = a^(d−1), the d-th
//! receiving step after a task costs
//!
//! ```text
//! R(d) = (a − 1) o_r(s) + Σ_{i=2…a} merge((i − 1) s, s)
//! ```
//!
//! and a rank that receives k times between two tasks has the cycle
//! `W(k) = o_s(aᵏ) + T + R(1) + … + R(k)` of k + 1 steps. Ranks are not held in step by anything
//! but their messages, so the step's mean length is the largest mean of a rank's own cycles over
//! its n levels (every way to write n as a sum of k + 1 is some rank's), or what the last rank
//! does in every step, `(a − 1) o_r + Σ merge + sink`. The published model has all stages equal,
//! where both are T_comp + T_comm.
//!
//! The end is when the last set of r tasks has gone through n − 1 levels and the last rank, and
//! the links are closed: a rank closes its own when those into it are closed, which along the
//! chain to the last rank takes about `(a − 1) (n − 1)² (o_s(0) + o_r(0)) / 2` more (found by
//! simulation, exact for o_s = o_r; nothing beside a task in most networks).

use super::costs::Costs;
use super::timing::{Timing, Totals};
use super::{Bound, steps};

/// Ranks times levels squared up to which the steps are followed rank by rank.
const FOLLOWED: u64 = 1 << 14;

/// A way that a rank passes n steps: its time and of what it consists.
#[derive(Debug, Clone, Copy, Default)]
struct Cycle {
    task: f64,
    merge: f64,
    communication: f64,
}

impl Cycle {
    fn sum(&self) -> f64 {
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
fn gather(c: &Costs, a: u64, d: u32, tasks: u64) -> Cycle {
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
fn climb(c: &Costs, a: u64, levels: u32, tasks: u64) -> f64 {
    (1..=levels)
        .map(|d| {
            let s = a.pow(d - 1).min(tasks);
            c.send(s) + c.transit(s) + gather(c, a, d, tasks).sum()
        })
        .sum()
}

/// What the last rank does with a set of `tasks` tasks in a step.
fn take(c: &Costs, a: u64, levels: u32, tasks: u64) -> Cycle {
    let s = a.pow(levels - 1);
    // With one level, ranks without a further task have said so with their last one.
    let senders = if levels == 1 { tasks.min(a - 1) } else { a - 1 };
    let mut g = Cycle { communication: senders as f64 * c.receive(tasks.min(s)), ..Cycle::default() };
    let mut held = tasks.min(s);
    for i in 1..a - 1 {
        let q = tasks.saturating_sub(i * s).min(s);
        g.merge += c.merge(held, q);
        held += q;
    }
    g
}

/// The step's mean length but for the last rank, and of what it consists.
fn step(c: &Costs, a: u64, n: u32) -> (f64, Cycle) {
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

pub(super) fn timing(c: &Costs, ranks: usize, arity: usize, n: u64) -> Timing {
    let (p, a) = (ranks as u64, arity as u64);
    let levels = p.ilog(a);
    let cohort = p - p / a;
    let steps = n.saturating_sub(p).div_ceil(cohort);
    let f = steps as f64;
    // Tasks of the last cohort.
    let rest = if steps > 0 { n - p - (steps - 1) * cohort } else { n };
    let (mean, parts) = step(c, a, levels);
    let last = take(c, a, levels, cohort);
    let last_cycle = last.sum() + c.sink(cohort);
    let cycle = mean.max(last_cycle);
    let open = c.open();
    let fill = open.max(c.task + climb(c, a, levels, n.min(p)));
    let closing = (a - 1) as f64 * f64::from(levels - 1).powi(2) * (c.send(0) + c.receive(0)) / 2.0;
    let seconds = closing
        + if n == 0 {
            let hop = c.send(0) + c.transit(0) + (a - 1) as f64 * c.receive(0);
            f64::from(levels) * hop + open
        } else if steps == 0 {
            fill + c.sink(n)
        } else {
            // What the last rank does when its part of a set of `tasks` has come, and when that is
            // for the set whose tasks are taken in step `step`.
            let deliver = |tasks: u64| take(c, a, levels, tasks).sum() + c.sink(tasks);
            let delivered = |step: f64, tasks: u64| {
                let s = a.pow(levels - 1).min(tasks);
                let climbed = c.task + step * mean + climb(c, a, levels - 1, tasks);
                climbed + c.send(s) + c.transit(s) + deliver(tasks)
            };
            let mut end = delivered(f, rest);
            if steps > 1 {
                // The set before the last may be larger and later.
                end = end.max(delivered(f - 1.0, cohort) + deliver(rest));
            }
            let sinks = fill + c.sink(p) + (f - 1.0) * last_cycle + deliver(rest);
            end.max(sinks)
        };
    let seconds = if p * u64::from(levels).pow(2) <= FOLLOWED {
        match steps::seconds(c, arity, levels, n, f64::from(levels) * cycle, FOLLOWED / p) {
            Ok(exact) => exact - open,
            Err(at_least) => seconds.max(at_least - open),
        }
    } else {
        seconds
    };
    let mut totals = Totals::default();
    totals.ran(c, n);
    // A set of the first tasks, whole cohorts, the last cohort.
    let tree = |totals: &mut Totals, levels: u32, tasks: u64, of: u64, times: f64| {
        for d in 1..=levels {
            let (s, receivers) = (a.pow(d - 1), of / a.pow(d));
            let (whole, left) = (tasks / a.pow(d), tasks % a.pow(d));
            let each = gather(c, a, d, u64::MAX).merge;
            totals.merged(whole as f64 * (a - 1) as f64 * times, whole as f64 * each * times);
            let merges = left.div_ceil(s).saturating_sub(1) as f64;
            totals.merged(merges * times, gather(c, a, d, left).merge * times);
            let messages = (receivers * (a - 1)) as f64;
            let full = (tasks as f64 / s as f64 * (a - 1) as f64 / a as f64).min(messages);
            totals.message(c, s, full * times);
            totals.message(c, 0, (messages - full) * times);
        }
    };
    tree(&mut totals, levels, n.min(p), p, 1.0);
    let s = a.pow(levels - 1);
    let mut sets = |tasks: u64, times: f64| {
        tree(&mut totals, levels - 1, tasks, cohort, times);
        totals.message(c, s.min(tasks), (a - 1) as f64 * times);
        let merges = tasks.div_ceil(s).saturating_sub(1) as f64;
        totals.merged(merges * times, take(c, a, levels, tasks).merge * times);
    };
    if steps > 0 {
        sets(cohort, f - 1.0);
        sets(rest, 1.0);
        totals.delivered(f - 1.0, c.sink(cohort));
        totals.delivered(1.0, c.sink(rest));
    }
    // Every link ends with a message that is empty.
    totals.message(c, 0, f64::from(levels) * cohort as f64);
    totals.delivered(f64::from(n > 0), c.sink(n.min(p)));
    totals.delivered(2.0, open);
    let bound = if last_cycle > mean {
        Bound::largest(&[
            (Bound::Sink, c.sink(cohort)),
            (Bound::Communication, last.communication),
            (Bound::Merge, last.merge),
        ])
    } else {
        Bound::largest(&[
            (Bound::Task, parts.task),
            (Bound::Merge, parts.merge),
            (Bound::Communication, parts.communication),
        ])
    };
    Timing {
        seconds: seconds + open,
        fill,
        drain: (seconds - c.task - f * mean).max(0.0) + open,
        cycle,
        results: cohort as f64,
        bound: if steps == 0 { Bound::Depth } else { bound },
        path_tasks: f + 1.0,
        racers: p as f64 / 2.0,
        totals,
    }
}
