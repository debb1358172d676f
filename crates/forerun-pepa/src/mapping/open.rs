//! What is left of a search, and the best that it found so far.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::search::Node;
use super::{Grid, Mapping, Ranked};

/// Mappings that may be among the best, and those that are the best so far.
#[derive(Debug)]
pub(super) struct Open {
    heap: BinaryHeap<Node>,
    keep: usize,
    /// The best so far, the worst of them on top.
    best: BinaryHeap<Best>,
    /// How many mappings were solved.
    pub(super) solved: usize,
    /// For each number of stages that are placed, in how many ways the others can be.
    ways: Vec<f64>,
    /// How many mappings those in the heap, and those taken out of it since, stand for.
    mappings: f64,
    taken: f64,
    /// Whether there are better ones than when the heap was looked through.
    better: bool,
}

/// A mapping that was solved. The worse one is the larger.
#[derive(Debug)]
struct Best {
    key: f64,
    ranked: Ranked,
}

impl Best {
    /// Whether something of such a key that begins with such a mapping may be better.
    fn may_be_beaten(&self, key: f64, mapping: &Mapping) -> bool {
        // Among equals the one with the lower numbers is better.
        key > self.key || key == self.key && mapping[..] <= self.ranked.mapping[..mapping.len()]
    }
}

impl PartialEq for Best {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Best {}

impl PartialOrd for Best {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Best {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then_with(|| self.ranked.mapping.cmp(&other.ranked.mapping))
    }
}

impl Open {
    /// Everything is open; so many of the best are wanted.
    pub(super) fn of(grid: &Grid, keep: usize, root: Node) -> Open {
        let mut ways: Vec<f64> = vec![1.0];
        for stage in (0..grid.stages()).rev() {
            ways.push(ways[ways.len() - 1] * grid.sets(stage));
        }
        ways.reverse();
        let (best, heap) = (BinaryHeap::new(), BinaryHeap::new());
        let mut open = Open { heap, keep, best, solved: 0, ways, mappings: 0.0, taken: 0.0, better: false };
        open.push(root);
        open
    }

    /// How many mappings one stands for.
    fn stands_for(&self, node: &Node) -> f64 {
        node.alike * self.ways[node.mapping.len()]
    }

    /// The worst of the best, if there are as many as are wanted.
    fn last(&self) -> Option<&Best> {
        self.best.peek().filter(|_| self.best.len() >= self.keep)
    }

    /// Whether one may be among the best.
    fn is_open(&self, node: &Node) -> bool {
        self.last().is_none_or(|last| last.may_be_beaten(node.key, &node.mapping))
    }

    /// Adds one that was looked at, if it is of use.
    pub(super) fn push(&mut self, node: Node) {
        if let Some(node) = self.take(node) {
            self.mappings += self.stands_for(&node);
            self.heap.push(node);
        }
    }

    /// Notes one that is solved; gives back one that is not and that may be among the best.
    pub(super) fn take(&mut self, node: Node) -> Option<Node> {
        if !self.is_open(&node) {
            self.solved += usize::from(node.solved.is_some());
            return None;
        }
        let Node { key, ref mapping, alike, solved: Some(solved), .. } = node else { return Some(node) };
        self.solved += 1;
        self.best.push(Best { key, ranked: Ranked { mapping: mapping.clone(), solved, alike } });
        if self.best.len() > self.keep {
            self.best.pop();
        }
        self.better = true;
        None
    }

    /// Takes out the one with the best bound; none if none may be among the best.
    pub(super) fn pop(&mut self) -> Option<Node> {
        while let Some(node) = self.heap.pop() {
            let stands_for = self.stands_for(&node);
            self.mappings -= stands_for;
            if self.is_open(&node) {
                self.taken += stands_for;
                return Some(node);
            }
        }
        None
    }

    /// After a round: what was taken out is decided or back but for one; what is not among the best is left out.
    pub(super) fn tidy(&mut self, but: Option<&Node>) {
        self.taken = but.map_or(0.0, |node| self.stands_for(node));
        if std::mem::take(&mut self.better) && self.best.len() >= self.keep {
            let mut heap = std::mem::take(&mut self.heap);
            heap.retain(|node| self.is_open(node));
            self.mappings = heap.iter().map(|node| self.stands_for(node)).sum();
            self.heap = heap;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    /// How many mappings may be among the best and are not solved.
    pub(super) fn mappings(&self) -> f64 {
        self.mappings + self.taken
    }

    /// The key of the best so far.
    pub(super) fn best(&self) -> Option<f64> {
        self.best.iter().map(|best| best.key).max_by(f64::total_cmp)
    }

    /// The key that none exceeds.
    pub(super) fn bound(&self) -> Option<f64> {
        let open = self.heap.peek().map(|node| node.key);
        open.into_iter().chain(self.best()).max_by(f64::total_cmp).filter(|key| key.is_finite())
    }

    /// The best, best first; equally good ones by their processors' numbers.
    pub(super) fn into_best(self) -> Vec<Ranked> {
        self.best.into_sorted_vec().into_iter().map(|best| best.ranked).collect()
    }
}
