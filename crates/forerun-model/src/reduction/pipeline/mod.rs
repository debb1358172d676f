//! The parallel pipeline in closed form: equation 6 of Kuntraruk, Pottenger and Ross with both
//! drain terms, for stages of unequal length, any arity and any number of tasks.
//!
//! P = aⁿ ranks; F = ⌈(N − P) / (P − P/a)⌉ steps take new tasks, and n further ones bring their results
//! to the last rank. With s = a^(d−1), the d-th
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
//! *Exact*: up to 128 ranks or so, the ends of a run are followed rank by rank (`steps`) and its middle
//! is a multiple of the cycle; equal to the simulation to rounding for any deterministic costs,
//! messages above S included. Where some tasks are done before the run, all of it is followed if it is short.
//!
//! *Closed*: for more ranks (`closed`), exact where merges and messages cost the same at every level and
//! a receiving step takes no longer than one with a task, and else within n (n + 2) steps.

mod busy;
mod closed;
mod cycle;
mod steps;

#[cfg(test)]
mod tests;

use super::Bound;
use super::costs::Costs;
use super::timing::{Timing, Totals};
pub(super) use busy::busy;
use cycle::{gather, step, take};

pub(super) fn timing(own: &Costs, ranks: usize, arity: usize, n: u64) -> Timing {
    let (p, a) = (ranks as u64, arity as u64);
    let levels = p.ilog(a);
    let cohort = p - p / a;
    let steps = n.saturating_sub(p).div_ceil(cohort);
    let f = steps as f64;
    // Tasks of the last cohort.
    let rest = if steps > 0 { n - p - (steps - 1) * cohort } else { n };
    // What comes to the last rank in a step, by its port.
    let landing = (a - 1) as f64 * own.landing(a.pow(levels - 1)).0;
    // No rank's cycle is shorter than without what others' messages take of it.
    let ending = take(own, a, levels, cohort).sum() + own.sink(cohort);
    let least = step(own, a, levels).0.max(ending).max(landing);
    let c = &own.busy();
    let (mean, parts) = step(c, a, levels);
    let last = take(c, a, levels, cohort);
    let last_cycle = last.sum() + c.sink(cohort);
    let cycle = mean.max(last_cycle).max(landing);
    let open = c.open();
    let fill = closed::fill(c, a, levels, n);
    let followed = steps::followed(own, arity, levels, n, least);
    let landed = fill + (f - 1.0).max(0.0) * landing;
    let seconds = followed.or(closed::seconds(c, a, levels, n).max(landed)) - open;
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
            totals.message(own, s, full * times);
            totals.message(own, 0, (messages - full) * times);
        }
    };
    tree(&mut totals, levels, n.min(p), p, 1.0);
    let s = a.pow(levels - 1);
    let mut sets = |tasks: u64, times: f64| {
        tree(&mut totals, levels - 1, tasks, cohort, times);
        totals.message(own, s.min(tasks), (a - 1) as f64 * times);
        let merges = tasks.div_ceil(s).saturating_sub(1) as f64;
        totals.merged(merges * times, take(c, a, levels, tasks).merge * times);
    };
    if steps > 0 {
        sets(cohort, f - 1.0);
        sets(rest, 1.0);
        totals.delivered(f - 1.0, c.sink(cohort));
        totals.delivered(1.0, c.sink(rest));
    }
    // In the steps where others fill or drain, ranks send messages that are empty.
    totals.message(own, 0, (u64::from(levels) * cohort - (p - 1)) as f64);
    totals.delivered(f64::from(n > 0), c.sink(n.min(p)));
    totals.delivered(2.0, open);
    let bound = if cycle > mean.max(last_cycle) {
        Bound::Communication
    } else if last_cycle > mean {
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
