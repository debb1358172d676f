//! The rounds of the reduction tree, rank by rank.

use std::collections::BTreeMap;

use super::costs::Costs;
use super::lines::Lines;

/// A rank with a subtree: when its rounds are gathered, and when its port injects what it sends.
#[derive(Debug, Clone)]
struct Node {
    gathered: Lines,
    injected: Lines,
}

/// The ranks of a tree of arity a by the size of their subtrees: ranks with subtrees of one size do
/// the same at the same times.
pub(super) struct Rounds<'c> {
    c: &'c Costs,
    arity: u64,
    ranks: u64,
    nodes: BTreeMap<u64, Node>,
    root: Lines,
}

/// The subtrees below a rank with `m` ranks in its own, in the order in which it receives from them:
/// the first rank's distance and their size.
pub(super) fn children(m: u64, arity: u64) -> impl Iterator<Item = (u64, u64)> {
    let strides =
        std::iter::successors(Some(1u64), move |s| s.checked_mul(arity)).take_while(move |&s| s < m);
    strides.flat_map(move |stride| {
        let sizes = (1..arity).map(move |d| d.saturating_mul(stride)).take_while(move |&from| from < m);
        sizes.map(move |from| (from, (m - from).min(stride)))
    })
}

impl<'c> Rounds<'c> {
    pub(super) fn new(c: &'c Costs, ranks: u64, arity: u64) -> Rounds<'c> {
        let mut rounds = Rounds { c, arity, ranks, nodes: BTreeMap::new(), root: Lines::default() };
        for (_, size) in children(ranks, arity) {
            rounds.learn(size);
        }
        rounds.root = rounds.gathered(ranks, c.open(), c.sink(ranks));
        rounds
    }

    /// Learns the rounds of ranks with subtrees of `m` ranks.
    fn learn(&mut self, m: u64) {
        if self.nodes.contains_key(&m) {
            return;
        }
        for (_, size) in children(m, self.arity) {
            self.learn(size);
        }
        let c = self.c;
        let gathered = self.gathered(m, 0.0, c.send(m));
        // The port takes one message after the other.
        let sent = gathered.plus(c.send(m));
        let mut injected = sent.clone();
        injected.wait_for(c.port(m), &sent, 0.0);
        self.nodes.insert(m, Node { gathered, injected });
    }

    /// When a rank has gathered its rounds that begins at `begin`, and does `then` after each.
    fn gathered(&self, m: u64, begin: f64, then: f64) -> Lines {
        let c = self.c;
        let steps: Vec<(u64, f64)> = {
            let mut held = 1;
            let step = |(_, q)| {
                let step = (q, c.receive(q) + c.merge(held, q));
                held += q;
                step
            };
            children(m, self.arity).map(step).collect()
        };
        let mut after: f64 = steps.iter().map(|s| s.1).sum();
        let cycle = c.task + after + then;
        let mut lines = Lines::new(cycle, begin + c.task + after);
        // From the last: what is after a receive is summed up the same way for all.
        for (q, step) in steps {
            if let Some(node) = self.nodes.get(&q) {
                lines.wait_for(cycle, &node.injected.plus(c.transit(q)), after);
            }
            after -= step;
        }
        lines
    }

    /// When the root has gathered round `j`, from 1.
    pub(super) fn root(&self, j: u64) -> f64 {
        self.root.at(j)
    }

    /// When the root has gathered the round of `tasks` < P tasks after `full` whole rounds. Ranks
    /// without a task have said so with their last message.
    pub(super) fn rest(&self, full: u64, tasks: u64) -> f64 {
        let begin = self.root.at(full) + self.c.sink(self.ranks);
        self.partly(self.ranks, begin, full, tasks)
    }

    fn partly(&self, m: u64, begin: f64, full: u64, tasks: u64) -> f64 {
        let c = self.c;
        let (mut x, mut held) = (begin + c.task, 1);
        for (from, q) in children(m, self.arity) {
            let own = tasks.saturating_sub(from).min(q);
            let Some(node) = self.nodes.get(&q).filter(|_| own > 0) else { break };
            let injected = if own == q {
                node.injected.at(full + 1)
            } else {
                let begin = node.gathered.at(full) + c.send(q);
                let sent = self.partly(q, begin, full, own) + c.send(own);
                sent.max(node.injected.at(full) + c.port(q))
            };
            x = x.max(injected + c.transit(own)) + c.receive(own) + c.merge(held, own);
            held += own;
        }
        x
    }

    /// When the root has gathered the only round, of `tasks` < P tasks: ranks without one send an
    /// empty message when those below them have.
    pub(super) fn only(&self, tasks: u64) -> f64 {
        self.only_of(self.ranks, self.c.open(), tasks, &mut BTreeMap::new())
    }

    /// The same of a subtree of `m` ranks. Those without tasks are alike where they are of one size: when each has gathered is
    /// in `empty`.
    fn only_of(&self, m: u64, begin: f64, tasks: u64, empty: &mut BTreeMap<u64, f64>) -> f64 {
        let c = self.c;
        let mut x = if tasks > 0 { begin + c.task } else { begin };
        let mut held = tasks.min(1);
        for (from, q) in children(m, self.arity) {
            let own = tasks.saturating_sub(from).min(q);
            let gathered = match (empty.get(&q), self.nodes.get(&q)) {
                (Some(&at), _) if own == 0 => at,
                (_, Some(node)) if own == q => node.gathered.at(1),
                _ => self.only_of(q, 0.0, own, empty),
            };
            if own == 0 {
                empty.insert(q, gathered);
            }
            x = x.max(gathered + c.send(own) + c.transit(own)) + c.receive(own) + c.merge(held, own);
            held += own;
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::super::costs::tests::costs;
    use super::{Rounds, children};

    /// Of very many ranks with few tasks, nearly all subtrees have none.
    #[test]
    fn subtrees_without_tasks_are_looked_at_once() {
        let c = costs(vec![0.9]);
        let only = |ranks| Rounds::new(&c, ranks, 2).only(5);
        let (few, many) = (only(1 << 10), only(1 << 40));
        assert!(few.is_finite() && many >= few, "{few} and {many}");
    }

    #[test]
    fn subtrees_hold_all_other_ranks() {
        for arity in 2..6 {
            for m in 1..200 {
                let all: Vec<_> = children(m, arity).collect();
                let mut next = 1;
                for (from, size) in all {
                    assert_eq!(from, next, "{m} ranks, arity {arity}");
                    next += size;
                }
                assert_eq!(next, m);
            }
        }
    }
}
