//! The best of all mappings, most of them never solved.
//!
//! Best first: a heap holds mappings of the first stages, each with a bound on what any mapping that begins so can
//! reach. The one with the best bound is looked at more closely: it is continued by the next stage, or, if it
//! is complete, its bound is made from wider windows, until the window is the whole pipeline and the bound the
//! answer. An answer that is on top of the heap is the best of what is left.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic;

use super::alike::Alike;
use super::bound::{Bound, Bounds};
use super::listed::shared;
use super::{Grid, Mapping, MappingError, Ranked, Solved};

/// Windows of so many stages to begin with: their models have at most 27 states where no stage is replicated.
const WINDOW: usize = 3;
/// Mappings that a round looks at, for each thread.
const ROUND: usize = 4;
/// More open mappings than this are refused.
const OPEN: usize = 10_000_000;

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
        let key = self.key(solved.throughput, solved.latency);
        format!("{key:.10e}").parse().unwrap_or(key)
    }
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
struct Node {
    /// No mapping that begins so is better.
    key: f64,
    bound: Bound,
    mapping: Mapping,
    alike: f64,
    /// How wide the windows were.
    width: usize,
    solved: Option<Solved>,
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
        let near = |n: &Node| (n.solved.is_some(), n.mapping.len(), n.width);
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
    let mut heap = BinaryHeap::from([root]);
    let mut counts = Counts { mappings: grid.mappings(), ..Counts::default() };
    let mut best: Vec<Ranked> = Vec::new();
    let look = |node: &Node| refine(node, grid, how, &bounds, &alike, stop);
    loop {
        let mut round: Vec<Node> = Vec::new();
        while let Some(top) = heap.peek() {
            // Once there are enough, only what is as good as the last of them to the digits told apart.
            let enough = best.len() >= how.keep
                && best.get(how.keep.saturating_sub(1)).is_none_or(|last| {
                    let key = how.objective.digits(&last.solved);
                    top.key < key - key.abs() * 1e-9
                });
            if enough || round.len() == ROUND * how.threads.max(1) {
                break;
            }
            match top.solved {
                // Something that is looked at now may be better yet.
                Some(_) if !round.is_empty() => break,
                _ => {}
            }
            let Some(node) = heap.pop() else { break };
            match node.solved {
                Some(solved) => best.push(Ranked { mapping: node.mapping, solved, alike: node.alike }),
                None => round.push(node),
            }
        }
        if round.is_empty() {
            break;
        }
        for found in shared(&round, how.threads, &look) {
            let found = found?;
            counts.bounded += found.len();
            counts.complete += found.iter().filter(|n| n.solved.is_some()).count();
            heap.extend(found);
        }
        if heap.len() > OPEN {
            return Err(MappingError::TooMany(OPEN));
        }
        counts.models = bounds.solved.load(atomic::Ordering::Relaxed);
        progress(&counts);
        if stop() {
            return Err(MappingError::Stopped);
        }
    }
    let digits = |r: &Ranked| how.objective.digits(&r.solved);
    best.sort_by(|a, b| digits(b).total_cmp(&digits(a)).then_with(|| a.mapping.cmp(&b.mapping)));
    best.truncate(how.keep);
    Ok(Found { best, counts })
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
        node.key = how.objective.key(throughput, latency);
        into.push(node);
    }
}
