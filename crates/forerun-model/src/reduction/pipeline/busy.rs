//! What each rank of the parallel pipeline is busy with.

use super::super::costs::Costs;
use super::cycle::{gather, take};

/// Ranks times levels up to which each is looked at.
const MOST: u64 = 1 << 16;

/// Seconds for which ranks are busy, and how many are so; `None` for very many ranks.
///
/// A result goes up from the rank that takes its task: in the steps after it, while the rank's digits say so, that receives and
/// merges, then it sends. So what a rank does is the sum of that over its tasks; what merges of the last sets, which may hold fewer results, take
/// less is left out. The last rank sends nothing: it takes a set to the sink in every step.
pub(in super::super) fn busy(c: &Costs, p: u64, a: u64, n: u64) -> Option<Vec<(f64, f64)>> {
    let levels = p.ilog(a);
    if p.saturating_mul(u64::from(levels)) > MOST {
        return None;
    }
    let cohort = p - p / a;
    let steps = n.saturating_sub(p).div_ceil(cohort);
    // The first task of the last step.
    let last = p + steps.saturating_sub(1) * cohort;
    let receives = |rank: u64, level: u32| rank / a.pow(level) % a == a - 1;
    // All that follows of a task that was taken before a step at this level, of which `tasks` are in the largest subtree; and in how
    // many steps it receives.
    let follows = |rank: u64, mut level: u32, tasks: &dyn Fn(u32) -> u64| {
        let (mut depth, mut seconds) = (0, 0.0);
        while receives(rank, level) && depth < levels {
            depth += 1;
            seconds += gather(c, a, depth, tasks(depth)).sum();
            level = (level + 1) % levels;
        }
        let sends = if depth < levels { c.send(a.pow(depth).min(tasks(depth))) } else { 0.0 };
        (seconds + sends, u64::from(depth))
    };
    let at = |level: u32, steps: u64| {
        steps / u64::from(levels) + u64::from(u64::from(level) < steps % u64::from(levels))
    };
    let rank = |rank: u64| {
        // Those of the first set are of the rank and those before it.
        let first = |depth: u32| (n + a.pow(depth)).saturating_sub(rank + 1).min(a.pow(depth));
        let (mut seconds, mut received) = follows(rank, 0, &first);
        let mut sent = u64::from(rank < p - 1);
        seconds += if rank < n { c.task } else { 0.0 };
        for level in 0..levels {
            if receives(rank, level) || steps == 0 {
                continue;
            }
            // In the last step only some have a task.
            let mut times = at(level, steps - 1);
            if u64::from(level) == (steps - 1) % u64::from(levels) {
                let stride = a.pow(level);
                let (above, low) = (p / (stride * a), rank % stride);
                let (digit, high) = (rank / stride % a, rank / (stride * a));
                times += u64::from(last + high + (low + digit * stride) * above < n);
            }
            let (each, its) = follows(rank, (level + 1) % levels, &|_| u64::MAX);
            seconds += times as f64 * (c.task + each);
            received += times * its;
            sent += times;
        }
        if rank < p - 1 {
            // Messages in steps of no task are empty.
            let all = |receiving: bool| -> u64 {
                let levels_of = (0..levels).filter(|level| receives(rank, *level) == receiving);
                levels_of.map(|level| at(level, steps + u64::from(levels))).sum()
            };
            let empty = |all: u64, done: u64| all.saturating_sub(done) as f64;
            seconds += empty(all(false), sent) * c.send(0)
                + empty(all(true), received) * (a - 1) as f64 * c.receive(0);
        }
        if rank == p - 1 {
            let deliver = |tasks: u64| take(c, a, levels, tasks).sum() + c.sink(tasks);
            seconds += c.sink(n.min(p)) + 2.0 * c.open();
            if steps > 0 {
                seconds += (steps - 1) as f64 * deliver(cohort) + deliver(n - last);
            }
        }
        (seconds, 1.0)
    };
    Some((0..p).map(rank).collect())
}
