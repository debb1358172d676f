//! The parallel pipeline's makespan as a formula.
//!
//! The critical path of a step taken backwards from the last rank: at a step of level l a rank's time
//! is its own of the step before, or that of the rank whose digit l is smaller. So a path is a choice
//! of when, for each of the n levels, it goes from a rank that sends there to one that receives;
//! before, the level costs it a task and a send each cycle, after, a receive and a merge, and the
//! change itself a hop, `o_s + transit + R`.
//!
//! Where these costs are the same at every level, levels add up independently of each other: with
//! A = o_s + T and B = R, and A ≥ B, every change is as late as can be, and the set of the last step
//! arrives at
//!
//! ```text
//! T + F A + (n − 1) (o_s + transit + R) + o_s + transit + (a − 1) o_r + Σ merge + sink
//! ```
//!
//! which is equation 6 with its drain. Where costs differ, the path above, with the step's mean length
//! for A, is one of those that there are. Any other has at most n + 1 ranks on it; a stay of t
//! steps with one of them takes at most t/n + 1 of the longest cycle of n steps, so that it is longer
//! by less than n (n + 2) mean steps.
//!
//! Where o_s is larger than o_r, paths through senders can be longer, by n times the difference at most.

use super::super::costs::Costs;
use super::cycle::{climb, step, take};

/// Seconds from the start to when the first set is complete.
pub(super) fn fill(c: &Costs, a: u64, levels: u32, n: u64) -> f64 {
    c.open().max(c.task + climb(c, a, levels, n.min(a.pow(levels))))
}

/// The makespan of `n` tasks on a^levels ranks.
pub(super) fn seconds(c: &Costs, a: u64, levels: u32, n: u64) -> f64 {
    let p = a.pow(levels);
    let cohort = p - p / a;
    let steps = n.saturating_sub(p).div_ceil(cohort);
    let f = steps as f64;
    let open = c.open();
    if n == 0 {
        let hop = c.send(0) + c.transit(0) + (a - 1) as f64 * c.receive(0);
        return f64::from(levels) * hop + 2.0 * open;
    }
    if steps == 0 {
        return fill(c, a, levels, n) + c.sink(n) + open;
    }
    // Tasks of the last cohort.
    let rest = n - p - (steps - 1) * cohort;
    let (mean, _) = step(c, a, levels);
    let last_cycle = take(c, a, levels, cohort).sum() + c.sink(cohort);
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
    let sinks = fill(c, a, levels, n) + c.sink(p) + (f - 1.0) * last_cycle + deliver(rest);
    end.max(sinks) + open
}
