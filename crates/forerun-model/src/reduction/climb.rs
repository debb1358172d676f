//! The tree in which the adaptive strategy merges what is left on the ranks.

use super::costs::Costs;
use super::exchange::Party;
use super::timing::Totals;
use crate::landing::Landing;
use crate::leaving::Leaving;

/// What a rank is when its tasks have ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ready {
    pub(super) at: f64,
    /// Results left on it, merged in balance as far as that goes.
    pub(super) left: u64,
    /// The port that it sends by, and when what it sent last arrives.
    pub(super) leaving: Leaving,
    pub(super) last: f64,
    /// Its receiving port.
    pub(super) landing: Landing,
}

/// The ranks of a tree and when they are ready: those dealt an odd task, of which there are
/// `more`, highest first, as `high`, the others as `low`. Where the odd tasks end within a height,
/// all of that height are taken to have one.
pub(super) struct Tree<'c> {
    pub(super) c: &'c Costs,
    pub(super) arity: u64,
    /// Results with which a piece leaves the tree.
    pub(super) set: u64,
    pub(super) ranks: u64,
    pub(super) low: Ready,
    pub(super) high: Ready,
    pub(super) more: u64,
}

/// What a rank sends on when its part of the tree is done.
#[derive(Clone, Copy, Default)]
pub(super) struct Sent {
    pub(super) at: f64,
    pub(super) results: u64,
    /// When its port is free.
    port: f64,
    /// Sets that it and those below it sent to the first rank on the way, and when the last of
    /// them arrives.
    sets: u64,
    last: f64,
}

/// A subtree with what happens in it.
#[derive(Clone, Copy, Default)]
struct Subtree {
    sent: Sent,
    totals: Totals,
}

impl Tree<'_> {
    /// The first rank's end of the tree, which it enters as `first`. It merges pieces of like
    /// size; the others have merged what was left on them, and merge what comes at once.
    pub(super) fn climb(&self, first: Ready, totals: &mut Totals) -> Sent {
        self.root(first, false, totals)
    }

    /// The same where the first rank does as the others.
    pub(super) fn in_order(&self, first: Ready, totals: &mut Totals) -> Sent {
        self.root(first, true, totals)
    }

    fn root(&self, first: Ready, ordered: bool, totals: &mut Totals) -> Sent {
        // Full subtrees by height.
        let mut full: Vec<Subtree> = Vec::new();
        let mut stride = 1u64;
        while stride < self.ranks {
            let odd = self.ranks.div_ceil(stride.saturating_mul(self.arity)) <= self.more;
            let ready = if odd { self.high } else { self.low };
            let next = self.node(ready, stride, &full, false, true);
            full.push(next);
            stride = stride.saturating_mul(self.arity);
        }
        let root = self.node(first, self.ranks, &full, true, ordered);
        totals.add(&root.totals, 1.0);
        root.sent
    }

    /// A rank with the subtrees of `size` ranks, itself included, below it.
    fn node(&self, ready: Ready, size: u64, full: &[Subtree], root: bool, ordered: bool) -> Subtree {
        let c = self.c;
        let mut totals = Totals::default();
        let mut held = if ordered { Held(vec![ready.left]) } else { Held::of(ready.left) };
        let mut my = Party::at(ready.at, ready.leaving, ready.landing);
        let (mut sets, mut last) = (0, 0.0f64);
        if held.0 == [0] {
            held.0.clear();
        }
        let mut stride = 1u64;
        for &below in full {
            if stride >= size {
                break;
            }
            for d in 1..self.arity {
                let Some(ranks) = size.checked_sub(d.saturating_mul(stride)).filter(|&s| s > 0) else {
                    break;
                };
                let child = if ranks >= stride {
                    below
                } else {
                    // Its position among the ranks, the highest first.
                    let at = self.ranks.div_ceil(stride.saturating_mul(self.arity)) + d - 1;
                    let ready = if at <= self.more { self.high } else { self.low };
                    self.node(ready, ranks, full, false, true)
                };
                totals.add(&child.totals, 1.0);
                let Sent { at, results, port: busy, sets: its, last: theirs } = child.sent;
                totals.message(c, results, 1.0);
                let injected = busy.max(at + c.send(results));
                my.take(c, results, injected + c.transit(results));
                sets += its;
                last = last.max(theirs);
                if root && its > 0 {
                    // By the port they come one after the other.
                    last = last.max(my.land_all(c, (its, self.set), theirs));
                    my.time += its as f64 * (c.reception(self.set) + c.sink(self.set));
                }
                if results > 0 {
                    held.0.push(results);
                }
                if held.results() < self.set {
                    my.time += held.collapse(c, ordered, &mut totals);
                    continue;
                }
                let mut complete = held.take(self.set);
                my.time += complete.collapse(c, true, &mut totals);
                let set = complete.results();
                sets += 1;
                totals.delivered(1.0, c.sink(set));
                if root {
                    my.time += c.sink(set);
                } else {
                    totals.message(c, set, 1.0);
                    last = last.max(my.post(c, set));
                }
            }
            stride = stride.saturating_mul(self.arity);
        }
        if root && sets > 0 && last > 0.0 {
            my.time = my.time.max(last + c.receive(self.set) + c.sink(self.set));
        }
        my.time += held.collapse(c, true, &mut totals);
        Subtree {
            sent: Sent { at: my.ended(), results: held.results(), port: my.port(), sets, last },
            totals,
        }
    }
}

/// Pieces held, the largest first, as `Fold` holds them.
struct Held(Vec<u64>);

impl Held {
    /// `results` results that came one by one.
    fn of(results: u64) -> Self {
        Held((0..64).rev().map(|bit| results & (1 << bit)).filter(|&p| p > 0).collect())
    }

    /// The fewest pieces that make `results` results, as `Fold::take`.
    fn take(&mut self, results: u64) -> Held {
        self.0.sort_by_key(|&p| std::cmp::Reverse(p));
        let mut sum = 0;
        let fewest = self.0.iter().position(|p| {
            sum += p;
            sum >= results
        });
        let left = self.0.split_off(fewest.map_or(self.0.len(), |f| f + 1));
        Held(std::mem::replace(&mut self.0, left))
    }

    fn results(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Seconds of the merges that are due, as `Fold::alike`.
    fn collapse(&mut self, c: &Costs, all: bool, totals: &mut Totals) -> f64 {
        let mut seconds = 0.0;
        loop {
            self.0.sort_by_key(|&p| std::cmp::Reverse(p));
            let alike = |w: &[u64]| all || w[0].ilog2() == w[1].ilog2();
            let Some(at) = self.0.windows(2).rposition(alike) else { return seconds };
            let right = self.0.remove(at + 1);
            let merge = c.merge(self.0[at], right);
            totals.merged(1.0, merge);
            seconds += merge;
            self.0[at] += right;
        }
    }
}
