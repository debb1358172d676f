//! The reduction tree in closed form.
//!
//! A rank with the subtrees of q₁, q₂, … ranks below it is, in round j,
//!
//! ```text
//! x = max(x, arrival of round j from subtree i) + o_r(q_i) + merge(q_1 + … , q_i)      for each i in turn,
//! ```
//!
//! from `x = its round before + o_s + T`, so that its own cycle is `T + Σ (o_r + merge) + o_s`, the
//! root's `T + Σ (o_r + merge) + sink`. A rank goes on with its next task as soon as it has sent, so
//! rounds overlap. Rounds depend only on those of ranks below, whose times are therefore maxima of
//! lines in j (see `lines`), found in one pass over the sizes of subtrees that there are. The
//! last round of r < P tasks follows from the times of the round before it.
//!
//! Where messages are above S, senders wait for receivers as well, and where messages take time of their receiver's port
//! they wait for each other, and where some tasks are done before the run rounds differ: up to 1024 ranks are then followed one by one (`meeting`); beyond, a receiver is taken to be
//! ready and its port to be free, which gives a lower bound.
//!
//! Exact for deterministic costs, any arity, sizes and known number of tasks, and windows wide enough
//! not to bind.

use super::Bound;
use super::costs::Costs;
use super::meeting;
use super::rounds::{Rounds, children};
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

/// What the first of `m` ranks receives and merges in a round.
fn gather(c: &Costs, m: u64, arity: u64) -> Gather {
    let mut all = Gather::default();
    let mut held = 1;
    for (_, q) in children(m, arity) {
        all.receives += c.receive(q);
        all.merges += c.merge(held, q);
        held += q;
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

/// The cycle of the root; the longest of the other ranks', of which it consists and how many ranks are below.
fn cycles(c: &Costs, p: u64, a: u64) -> (f64, (f64, Gather, u64)) {
    let root = c.task + gather(c, p, a).sum() + c.sink(p);
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
    (root, other)
}

pub(super) fn timing(own: &Costs, ranks: usize, arity: usize, n: u64) -> Timing {
    let (p, a) = (ranks as u64, arity as u64);
    let (rounds, rest) = (n / p, n % p);
    let j = rounds as f64;
    // What comes to the root in a round, by its port.
    let landing: f64 = children(p, a).map(|(_, q)| own.landing(q).0).sum();
    // No rank's cycle is shorter than without what others' messages take of it.
    let (root, other) = cycles(own, p, a);
    let least = root.max(other.0).max(landing);
    let c = &own.busy();
    let ((root, other), gathers) = (cycles(c, p, a), gather(c, p, a));
    let cycle = root.max(other.0).max(landing);
    let times = Rounds::new(c, p, a);
    let (gathered, seconds) = match (rounds, rest) {
        (0, _) => {
            let gathered = times.only(n);
            (gathered, gathered + c.sink(n))
        }
        (_, 0) => (times.root(1), times.root(rounds) + c.sink(p)),
        _ => (times.root(1), times.rest(rounds, rest) + c.sink(rest)),
    };
    let largest = below(p, a);
    let coupled = c.meets(1).or(c.meets(largest)).is_some() || own.is_entangled() || c.mixed();
    let seconds = if coupled { meeting::tree(own, p, a, n, least).or(seconds) } else { seconds };
    // A round alone, from the end of its tasks on.
    let alone = if rest > 0 { Rounds::new(c, rest, a).root(1) } else { gathered };
    let drain = (alone - c.open() - c.task).max(0.0) + c.sink(if rest > 0 { rest } else { p });
    let mut totals = Totals::default();
    totals.ran(c, n);
    count(own, p, a, j, &mut totals);
    count(own, rest, a, 1.0, &mut totals);
    if rounds == 0 {
        totals.message(own, 0, (p - rest.max(1)) as f64);
    }
    totals.delivered(j, c.sink(p));
    totals.delivered(f64::from(rest > 0), c.sink(rest));
    totals.delivered(2.0, c.open());
    let bound = if landing > root.max(other.0) {
        Bound::Communication
    } else if cycle > root {
        Bound::largest(&[
            (Bound::Task, c.task),
            (Bound::Merge, other.1.merges),
            (Bound::Communication, c.send(other.2) + other.1.receives),
        ])
    } else {
        Bound::largest(&[
            (Bound::Task, c.task),
            (Bound::Merge, gathers.merges),
            (Bound::Communication, gathers.receives),
            (Bound::Sink, c.sink(p)),
        ])
    };
    Timing {
        seconds: seconds + c.open(),
        fill: gathered,
        drain: drain + c.open(),
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
