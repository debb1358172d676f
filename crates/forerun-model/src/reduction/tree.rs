//! The reduction tree in rounds, in closed form.
//!
//! An isolated round over m ranks takes, with m cut into the leading subtree and the others of
//! its level (a the arity, s the size of a full subtree below the top level),
//!
//! ```text
//! e(1) = T        e(m): x = e(s); for every other subtree of q ranks, in order
//!                 x = max(x, e(q) + o_s + transit) + o_r + merge
//! ```
//!
//! A rank goes on with its next task as soon as it has sent, so rounds overlap: the cycle is the
//! largest of a rank's own work, for the root `T + Σ (o_r + merge) + sink`, for a rank with the
//! subtrees of l levels below it the same without the sink and with o_s. J rounds take the first
//! round's critical path and J − 1 cycles; a last round of r < P tasks adds what the root does in
//! it, or, where another rank has the longest cycle, its whole path.

use super::Bound;
use super::costs::Costs;
use super::timing::{Timing, Totals};

/// What one rank does in a round beside its task.
#[derive(Debug, Clone, Copy, Default)]
struct Gather {
    receives: f64,
    merges: f64,
}

impl Gather {
    fn sum(self) -> f64 {
        self.receives + self.merges
    }
}

/// Size of a full subtree below the top level of a tree of `m` ≥ 2 ranks.
fn below(m: u64, arity: u64) -> u64 {
    let mut s = 1u64;
    while s.saturating_mul(arity) < m {
        s *= arity;
    }
    s
}

/// The sizes of the subtrees at the top level, the leading one first.
fn parts(m: u64, arity: u64) -> impl Iterator<Item = u64> {
    let s = below(m, arity);
    (0..arity).map(move |d| m.saturating_sub(d * s).min(s)).take_while(|&q| q > 0)
}

/// Seconds of an isolated round over `m` ranks, to when the first of them holds everything.
pub(super) fn round(c: &Costs, m: u64, arity: u64) -> f64 {
    round_from(c, m, arity, c.task)
}

/// The same where every rank is ready with its own piece at `start`.
fn round_from(c: &Costs, m: u64, arity: u64, start: f64) -> f64 {
    if m <= 1 {
        return start;
    }
    let s = below(m, arity);
    let full = round_from(c, s, arity, start);
    let mut held = s;
    let mut x = full;
    for q in parts(m, arity).skip(1) {
        let e = if q == s { full } else { round_from(c, q, arity, start) };
        x = x.max(e + c.send(q) + c.transit(q)) + c.receive(q) + c.merge(held, q);
        held += q;
    }
    x
}

/// The only round of `tasks` < m tasks: the other ranks send an empty message each at the start.
fn first_round(c: &Costs, m: u64, arity: u64, tasks: u64) -> f64 {
    if tasks >= m {
        return round(c, m, arity);
    }
    if m <= 1 {
        return 0.0;
    }
    let s = below(m, arity);
    let (mut held, mut x) = (tasks.min(s), first_round(c, s, arity, tasks));
    let empty = first_round(c, s, arity, 0);
    let full = round(c, s, arity);
    for (d, q) in parts(m, arity).enumerate().skip(1) {
        let own = tasks.saturating_sub(d as u64 * s).min(q);
        let e = match own {
            0 if q == s => empty,
            own if own == s => full,
            own => first_round(c, q, arity, own),
        };
        x = x.max(e + c.send(own) + c.transit(own)) + c.receive(own) + c.merge(held, own);
        held += own;
    }
    x
}

/// What the first of `m` ranks receives and merges in a round.
fn gather(c: &Costs, m: u64, arity: u64) -> Gather {
    let mut all = Gather::default();
    let mut m = m;
    while m > 1 {
        let mut held = below(m, arity);
        for q in parts(m, arity).skip(1) {
            all.receives += c.receive(q);
            all.merges += c.merge(held, q);
            held += q;
        }
        m = below(m, arity);
    }
    all
}

/// All merges and messages of a round over `m` ranks, `times` times.
fn count(c: &Costs, m: u64, arity: u64, times: f64, totals: &mut Totals) {
    if m <= 1 {
        return;
    }
    let s = below(m, arity);
    let mut held = 0;
    let mut full = 0.0;
    for q in parts(m, arity) {
        if held > 0 {
            totals.message(c, q, times);
            totals.merged(times, times * c.merge(held, q));
        }
        held += q;
        if q == s {
            full += 1.0;
        } else {
            count(c, q, arity, times, totals);
        }
    }
    count(c, s, arity, full * times, totals);
}

pub(super) fn timing(c: &Costs, ranks: usize, arity: usize, n: u64) -> Timing {
    let (p, a) = (ranks as u64, arity as u64);
    let (rounds, rest) = (n / p, n % p);
    let (j, own) = (rounds as f64, gather(c, p, a));
    let root = c.task + own.sum() + c.sink(p);
    // The other ranks: with one level less, two levels less, … below them.
    let mut other = (0.0f64, Gather::default(), 0);
    let mut m = p;
    while m > 1 {
        m = below(m, a);
        let g = gather(c, m, a);
        let cycle = (c.task + g.sum() + c.send(m)).max(c.port(m));
        if cycle > other.0 {
            other = (cycle, g, m);
        }
    }
    let cycle = root.max(other.0);
    let fill = round(c, p, a).max(c.open());
    // The root merges what it receives of r ranks, and their empty last messages come earlier.
    let last = if rest > 0 { c.task + gather(c, rest, a).sum() + c.sink(rest) } else { 0.0 };
    let drain = if rest > 0 { round(c, rest, a) + c.sink(rest) } else { 0.0 };
    let seconds = if rounds == 0 {
        first_round(c, p, a, n).max(c.open()) + c.sink(n)
    } else {
        (fill + c.sink(p) + (j - 1.0) * cycle + last).max(j * other.0 + drain)
    };
    let mut totals = Totals::default();
    totals.ran(c, n);
    count(c, p, a, j, &mut totals);
    count(c, rest, a, 1.0, &mut totals);
    if rounds == 0 {
        totals.message(c, 0, (p - rest.max(1)) as f64);
    }
    totals.delivered(j, c.sink(p));
    totals.delivered(f64::from(rest > 0), c.sink(rest));
    totals.delivered(2.0, c.open());
    let bound = if cycle > root {
        Bound::largest(&[
            (Bound::Task, c.task),
            (Bound::Merge, other.1.merges),
            (Bound::Communication, c.send(other.2) + other.1.receives),
        ])
    } else {
        Bound::largest(&[
            (Bound::Task, c.task),
            (Bound::Merge, own.merges),
            (Bound::Communication, own.receives),
            (Bound::Sink, c.sink(p)),
        ])
    };
    Timing {
        seconds: seconds + c.open(),
        fill,
        drain: drain.max(c.sink(p)) + c.open(),
        cycle,
        results: p as f64,
        bound: if rounds == 0 { Bound::Depth } else { bound },
        path_tasks: n.div_ceil(p) as f64,
        racers: p.min(n) as f64,
        totals,
    }
}

#[cfg(test)]
mod tests {
    use super::{below, parts};

    #[test]
    fn the_top_level_holds_all_ranks() {
        for arity in 2..6 {
            for m in 2..200 {
                assert_eq!(parts(m, arity).sum::<u64>(), m);
                assert_eq!(parts(m, arity).next(), Some(below(m, arity)));
            }
        }
    }
}
