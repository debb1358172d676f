//! The best packet size, and those that are nearly as good.

use std::ops::RangeInclusive;

use super::monotone::Monotone;
use super::{Pipeline, Point};

/// What rounding may do to a bound, as a part of it.
const ROUNDING: f64 = 1e-12;

/// Sizes of packets that are nearly as good as the best.
#[derive(Debug, Clone, PartialEq)]
pub struct Flat {
    /// The best.
    pub best: Point,
    /// By what part a makespan may be above the best.
    pub within: f64,
    /// Every size in elements whose makespan is, in stretches from small to large; never empty. There are
    /// gaps where the last packets of neighbouring sizes differ much: among the largest.
    pub sizes: Vec<RangeInclusive<u64>>,
}

impl Flat {
    /// The smallest size.
    pub fn smallest(&self) -> u64 {
        self.sizes.first().map_or(self.best.size, |run| *run.start())
    }

    /// The largest size.
    pub fn largest(&self) -> u64 {
        self.sizes.last().map_or(self.best.size, |run| *run.end())
    }

    /// Whether packets of `size` elements are nearly as good as the best.
    pub fn contains(&self, size: u64) -> bool {
        self.sizes.iter().any(|run| run.contains(&size))
    }

    /// How many sizes there are.
    pub fn count(&self) -> u64 {
        self.sizes.iter().map(|run| run.end() - run.start() + 1).sum()
    }
}

impl Pipeline {
    /// The size with the least makespan among all from 1 to [`largest`](Self::largest) elements; of equals,
    /// the smallest. None is left out but by a bound that shows it to be longer, so that this is the optimum
    /// of the recursion, to rounding.
    ///
    /// Cost: O(stages) for every size that monotone bounds leave, and
    /// at fixed size that of [`makespan`](Self::makespan) for those few that the bounds of a size leave.
    pub fn optimum(&self) -> Point {
        // The powers of two first, so that the stretch to look at is short.
        let powers = (0..64).map(|bit| 1u64 << bit).take_while(|size| *size <= self.largest);
        let mut best = self.least(powers);
        let (from, to) = self.between(best.1);
        best = self.shorter(best, self.least(from..=to));
        if self.even {
            return self.point(best.0);
        }
        for size in from..=to {
            let below = self.bounds(size).0;
            if below < best.1 || (below <= best.1 && size < best.0) {
                best = self.shorter(best, (size, self.makespan(size)));
            }
        }
        self.point(best.0)
    }

    /// The size of least lower bound, and its makespan.
    fn least(&self, sizes: impl Iterator<Item = u64>) -> (u64, f64) {
        let mut least = (1, f64::INFINITY);
        for size in sizes {
            let below = self.bounds(size).0;
            if below < least.1 {
                least = (size, below);
            }
        }
        (least.0, self.makespan(least.0))
    }

    fn shorter(&self, a: (u64, f64), b: (u64, f64)) -> (u64, f64) {
        if b.1 < a.1 || (b.1 == a.1 && b.0 < a.0) { b } else { a }
    }

    /// The smallest and the largest size that can have a makespan of `seconds`, which some size has: what
    /// the bounds of [`Monotone`] exclude is found by bisection.
    pub(super) fn between(&self, seconds: f64) -> (u64, u64) {
        let seconds = seconds * (1.0 + ROUNDING);
        let bounds = Monotone::new(&self.flows);
        let from = first(1, self.largest, |size| bounds.falling(size) <= seconds);
        let beyond = first(from, self.largest + 1, |size| bounds.rising(size) > seconds);
        (from, beyond.max(from + 1) - 1)
    }

    /// The sizes whose makespan is at most `1 + within` times the least, such as 0.01 for one per cent.
    ///
    /// Cost: as [`optimum`](Self::optimum).
    pub fn flat(&self, within: f64) -> Flat {
        let best = self.optimum();
        let limit = best.makespan_s * (1.0 + within);
        let (from, to) = self.between(limit);
        let mut sizes: Vec<RangeInclusive<u64>> = Vec::new();
        for size in from..=to {
            let (below, above) = self.bounds(size);
            if below > limit || (above > limit && self.makespan(size) > limit) {
                continue;
            }
            match sizes.last_mut().filter(|run| run.end() + 1 == size) {
                Some(run) => *run = *run.start()..=size,
                None => sizes.push(size..=size),
            }
        }
        Flat { best, within, sizes }
    }

    /// About `points` sizes spread evenly by ratio over those whose makespan can be up to `times` the
    /// least, the best among them, for a plot.
    pub fn curve(&self, best: &Point, times: f64, points: usize) -> Vec<Point> {
        let (from, to) = self.between(best.makespan_s * times.max(1.0));
        let steps = points.saturating_sub(1).max(1);
        let ratio = to as f64 / from as f64;
        let at = |i: usize| (from as f64 * ratio.powf(i as f64 / steps as f64)).round() as u64;
        let mut sizes: Vec<u64> = (0..=steps).map(|i| at(i).clamp(from, to)).collect();
        sizes.push(best.size);
        sizes.sort_unstable();
        sizes.dedup();
        sizes.into_iter().map(|size| self.point(size)).collect()
    }
}

/// The first of `from..to` for which `holds`, which stays true once it is; `to` if there is none.
fn first(from: u64, to: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut from, mut to) = (from, to);
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    from
}
