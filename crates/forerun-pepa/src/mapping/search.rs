//! The best of all mappings, most of them never solved.
//!
//! Best first: a heap holds mappings of the first stages, each with a bound on what any mapping that begins so can
//! reach. The one with the best bound is looked at more closely: its bound is made from wider windows, it is continued by
//! the next stage, or, if it is complete and the window the whole pipeline, the bound is the answer. What cannot be among the
//! best that are known is left out, and the search is done when nothing is left.

use std::cmp::Ordering;
use std::sync::atomic;

use super::alike::Alike;
use super::bound::{Bound, Bounds};
use super::listed::shared;
use super::open::Open;
use super::{Grid, Mapping, MappingError, Ranked, Solved};

/// Windows of so many stages to begin with: their models have at most 27 states where no stage is replicated.
const WINDOW: usize = 3;
/// How wide windows of the first stages become before the next one is placed, and by how many stages they grow till then.
const WIDE: usize = 7;
const WIDER: usize = 2;
/// Mappings that a round looks at, for each thread.
const ROUND: usize = 4;
/// More open mappings than this are refused.
const OPEN: usize = 10_000_000;
/// So many mappings are completed at once, to begin with, as bounds for the others.
const FIRST: usize = 10;

/// What is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// The most results a second.
    Throughput,
    /// The smallest mean latency while the pipeline runs as fast as it can.
    Latency,
}

impl Objective {
    /// The larger the better.
    fn key(self, throughput: f64, latency: f64) -> f64 {
        match self {
            Objective::Throughput => throughput,
            Objective::Latency => -latency,
        }
    }

    /// The larger the better; what differs by rounding only is equal.
    pub(super) fn digits(self, solved: &Solved) -> f64 {
        digits(self.key(solved.throughput, solved.latency))
    }
}

/// Eleven digits of a number.
fn digits(key: f64) -> f64 {
    format!("{key:.10e}").parse().unwrap_or(key)
}

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// What is best.
    pub objective: Objective,
    /// Only mappings with at least so many results a second.
    pub at_least: Option<f64>,
    /// Only mappings with at most such a latency, in seconds.
    pub at_most: Option<f64>,
    /// How many of the best to find.
    pub keep: usize,
    /// Whether mappings whose bound is worse than that are left out, and those alike looked at once.
    pub prune: bool,
    /// Threads.
    pub threads: usize,
}

impl Search {
    /// Whether a mapping has the throughput and the latency that are asked for.
    pub fn admits(&self, solved: &Solved) -> bool {
        self.within(Bound { throughput: solved.throughput, latency: solved.latency })
    }

    fn within(&self, bound: Bound) -> bool {
        self.at_least.is_none_or(|x| bound.throughput >= x) && self.at_most.is_none_or(|l| bound.latency <= l)
    }
}

impl Default for Search {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let objective = Objective::Throughput;
        Search { objective, at_least: None, at_most: None, keep: 10, prune: true, threads }
    }
}

/// How much work it was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// How many mappings there are.
    pub mappings: f64,
    /// Mappings, complete or of the first stages, of which a bound was made.
    pub bounded: usize,
    /// Complete mappings of which the whole model was looked at.
    pub complete: usize,
    /// Models that were solved, of whole pipelines and of windows.
    pub models: usize,
    /// Mappings of which it is known whether they are among the best: solved, left out by their bound, or like one of these.
    pub decided: f64,
    /// The throughput or latency of the best found so far.
    pub best: Option<f64>,
    /// No mapping is better than this.
    pub bound: Option<f64>,
}

/// The best mappings.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best first; equally good ones (to eleven digits) by their processors' numbers. Fewer than were asked for if
    /// there are not as many.
    pub best: Vec<Ranked>,
    /// How much work it was.
    pub counts: Counts,
}

/// A mapping of the first stages, or of all.
#[derive(Debug)]
pub(super) struct Node {
    /// No mapping that begins so is better, to eleven digits.
    pub(super) key: f64,
    bound: Bound,
    pub(super) mapping: Mapping,
    pub(super) alike: f64,
    /// How wide the windows were.
    width: usize,
    pub(super) solved: Option<Solved>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    /// The best bound; then what is nearest to an answer; then the lower numbers.
    fn cmp(&self, other: &Self) -> Ordering {
        let near = |n: &Node| (n.mapping.len(), n.width);
        let by_key = self.key.total_cmp(&other.key).then_with(|| near(self).cmp(&near(other)));
        by_key.then_with(|| other.mapping.cmp(&self.mapping))
    }
}

/// Finds the best mappings of all. `progress` is told after each round how far it is. The result
/// does not depend on the number of threads. Cost: depends on how far apart mappings are; without pruning, one model
/// each.
///
/// # Errors
/// A model that cannot be solved, with its mapping; that it was stopped.
pub fn search(
    grid: &Grid,
    how: &Search,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &mut dyn FnMut(&Counts),
) -> Result<Found, MappingError> {
    let bounds = Bounds::of(grid);
    let alike = Alike::of(grid, !how.prune);
    let nothing = Bound { throughput: f64::INFINITY, latency: 0.0 };
    let root =
        Node { key: f64::INFINITY, bound: nothing, mapping: vec![], alike: 1.0, width: 0, solved: None };
    let mut open = Open::of(grid, how.keep, root);
    let mut counts = Counts { mappings: grid.mappings(), ..Counts::default() };
    let look = |node: &Node| refine(node, grid, how, &bounds, &alike, stop);
    // The best of what follows from one mapping, until it is complete; else what is best of all.
    let mut first: Option<Node> = None;
    let mut completed = 0;
    loop {
        let dive = how.prune && completed < FIRST.min(how.keep);
        let mut round: Vec<Node> = first.take().into_iter().collect();
        let most = if dive { 1 } else { ROUND * how.threads.max(1) };
        while round.len() < most
            && let Some(node) = open.pop()
        {
            round.push(node);
        }
        if round.is_empty() {
            break;
        }
        for found in shared(&round, how.threads, &look) {
            let mut found = found?;
            counts.bounded += found.len();
            if dive {
                let best = (0..found.len()).max_by(|a, b| found[*a].cmp(&found[*b]));
                first = best.map(|at| found.swap_remove(at)).and_then(|node| open.take(node));
                completed += usize::from(first.is_none());
            }
            found.into_iter().for_each(|node| open.push(node));
        }
        open.tidy(first.as_ref());
        if open.len() > OPEN {
            return Err(MappingError::TooMany(OPEN));
        }
        counts.complete = open.solved;
        counts.models = bounds.solved.load(atomic::Ordering::Relaxed);
        counts.decided = (counts.mappings - open.mappings()).max(0.0);
        let value = |key: f64| if how.objective == Objective::Latency { -key } else { key };
        (counts.best, counts.bound) = (open.best().map(value), open.bound().map(value));
        progress(&counts);
        if stop() {
            return Err(MappingError::Stopped);
        }
    }
    counts.decided = counts.mappings;
    counts.bound = counts.best;
    Ok(Found { best: open.into_best(), counts })
}

/// What a node leads to: continuations, or itself with a closer bound; without those that cannot be what is asked for.
fn refine(
    node: &Node,
    grid: &Grid,
    how: &Search,
    bounds: &Bounds<'_>,
    alike: &Alike,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Node>, MappingError> {
    let mut found = Vec::new();
    let failed = |mapping: &Mapping, why: String| match stop() {
        true => MappingError::Stopped,
        false => MappingError::Unsolved { mapping: mapping.clone(), why },
    };
    let placed = node.mapping.len();
    let throughput = how.objective == Objective::Throughput;
    if placed < grid.stages() && how.prune && throughput && node.width < WIDE.min(placed) {
        let width = (node.width + WIDER).min(placed);
        let closer = bounds.look(&node.mapping, width, stop).map_err(|why| failed(&node.mapping, why))?;
        let bound = node.bound.and(closer);
        let (mapping, alike) = (node.mapping.clone(), node.alike);
        push(Node { key: 0.0, bound, mapping, alike, width, solved: None }, how, &mut found);
        return Ok(found);
    }
    if placed < grid.stages() {
        let mut used: Vec<usize> = Vec::new();
        for p in node.mapping.iter().flatten() {
            if !used.contains(p) {
                used.push(*p);
            }
        }
        for (set, stands_for) in alike.next(&used, grid.replicas[placed]) {
            let mut mapping = node.mapping.clone();
            mapping.push(set);
            let bound = match how.prune {
                true => {
                    let own = bounds.look(&mapping, WINDOW, stop).map_err(|why| failed(&mapping, why))?;
                    node.bound.and(own)
                }
                false => node.bound,
            };
            let width = if how.prune { WINDOW } else { grid.stages() };
            let node = Node { key: 0.0, bound, mapping, alike: node.alike * stands_for, width, solved: None };
            push(node, how, &mut found);
        }
        return Ok(found);
    }
    let (mapping, alike) = (node.mapping.clone(), node.alike);
    let width = match how.objective {
        Objective::Throughput if node.width + WIDER <= WIDE => node.width + WIDER,
        Objective::Throughput => node.width + 1,
        // Wider windows hardly tell more about latencies.
        Objective::Latency => grid.stages(),
    };
    let next = if width >= grid.stages() {
        let solved = bounds.solve(&grid.line(&mapping), stop).map_err(|why| failed(&mapping, why))?;
        let bound = Bound { throughput: solved.throughput, latency: solved.latency };
        Node { key: 0.0, bound, mapping, alike, width, solved: Some(solved) }
    } else {
        let closer = bounds.look(&mapping, width, stop).map_err(|why| failed(&mapping, why))?;
        Node { key: 0.0, bound: node.bound.and(closer), mapping, alike, width, solved: None }
    };
    push(next, how, &mut found);
    Ok(found)
}

fn push(mut node: Node, how: &Search, into: &mut Vec<Node>) {
    let Bound { throughput, latency } = node.bound;
    if how.within(node.bound) {
        node.key = digits(how.objective.key(throughput, latency));
        into.push(node);
    }
}
