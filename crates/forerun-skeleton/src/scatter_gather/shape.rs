//! Scatter-gather put together: application, input, output, and the ranks.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use forerun_platform::Plan;

use super::job::Cooperate;
use super::{Parcel, first, other};
use crate::reduction::{Runner, Sink, Sinks, Source};
use crate::{Endpoint, Program, RunError, Stop};

/// Who works together, and whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Ranks, at least 1.
    pub ranks: usize,
    /// Weights by which blocks are dealt, one a rank, not all 0; empty where all are equal.
    pub shares: Vec<u32>,
}

impl Shape {
    /// `ranks` ranks with equal shares.
    pub fn new(ranks: usize) -> Self {
        Shape { ranks, shares: Vec::new() }
    }

    /// Checks that it can be run so.
    ///
    /// # Errors
    /// [`RunError::Invalid`] with what is wrong and which values would do.
    pub fn check(&self) -> Result<(), RunError> {
        let invalid = |what: String| Err(RunError::Invalid(what));
        if self.ranks == 0 {
            return invalid("a job needs at least 1 processor".into());
        }
        if !self.shares.is_empty() && self.shares.len() != self.ranks {
            return invalid(format!(
                "{} ranks have {} shares: expected one share a rank, or none",
                self.ranks,
                self.shares.len()
            ));
        }
        if !self.shares.is_empty() && self.shares.iter().all(|&s| s == 0) {
            return invalid("every share is 0: expected at least one above 0".into());
        }
        Ok(())
    }

    /// The ranks that blocks 0, 1, 2, … go to. Cost a block: constant where all shares are equal,
    /// else logarithmic in the ranks.
    pub fn owners(&self) -> Owners {
        let equal = self.shares.windows(2).all(|w| w[0] == w[1]);
        if equal {
            return Owners(Turn::Cyclic { next: 0, ranks: self.ranks.max(1) });
        }
        let ranks = self.shares.iter().enumerate().filter(|(_, share)| **share > 0);
        Owners(Turn::First(
            ranks.map(|(rank, &share)| Reverse(Due { blocks: 1, share: share.into(), rank })).collect(),
        ))
    }
}

impl From<&Plan> for Shape {
    fn from(plan: &Plan) -> Shape {
        Shape { ranks: plan.processors, shares: plan.shares.clone() }
    }
}

/// The ranks that blocks go to, one after the other, without end: see [`Shape::owners`].
#[derive(Debug, Clone)]
pub struct Owners(Turn);

#[derive(Debug, Clone)]
enum Turn {
    Cyclic { next: usize, ranks: usize },
    First(BinaryHeap<Reverse<Due>>),
}

/// A rank that has `blocks` blocks if it gets the next one, and would be done with it after
/// `blocks / share`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Due {
    blocks: u64,
    share: u64,
    rank: usize,
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        let done = |a: &Due, b: &Due| u128::from(a.blocks) * u128::from(b.share);
        done(self, other).cmp(&done(other, self)).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Iterator for Owners {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match &mut self.0 {
            Turn::Cyclic { next, ranks } => {
                let rank = *next;
                *next = (rank + 1) % *ranks;
                Some(rank)
            }
            Turn::First(heap) => {
                let Reverse(mut due) = heap.pop()?;
                let rank = due.rank;
                due.blocks += 1;
                heap.push(Reverse(due));
                Some(rank)
            }
        }
    }
}

/// A scatter-gather, ready to be run by any way.
#[derive(Debug)]
pub struct Scatter<'a, A, S, K> {
    app: &'a A,
    source: &'a S,
    sinks: &'a K,
    shape: Shape,
}

/// What the sink of a scatter-gather leaves.
type Left<A, K> = <<K as Sinks<<A as Cooperate>::Packet>>::Sink as Sink<<A as Cooperate>::Packet>>::Out;

impl<'a, A, S, K> Scatter<'a, A, S, K>
where
    A: Cooperate + Sync,
    S: Source<Input = A::Block> + Sync,
    K: Sinks<A::Packet> + Sync,
{
    /// Puts it together. The source is asked for blocks 0, 1, 2, … in this order, all by the first
    /// rank, until it has no further one; the sink is that of group 0.
    ///
    /// # Errors
    /// [`RunError::Invalid`] where the shape cannot be.
    pub fn new(app: &'a A, source: &'a S, sinks: &'a K, shape: Shape) -> Result<Self, RunError> {
        shape.check()?;
        Ok(Scatter { app, source, sinks, shape })
    }

    /// Runs it by `runner`, for the shape's number of ranks. The first rank returns what the sink
    /// leaves, the others nothing.
    ///
    /// # Errors
    /// Whatever stops the run.
    pub fn run<R>(&self, runner: R) -> Result<R::Ran, RunError>
    where
        R: Runner<Parcel<A::Block, A::Packet>, Option<Left<A, K>>>,
    {
        runner.run(self)
    }
}

impl<A, S, K> Program for Scatter<'_, A, S, K>
where
    A: Cooperate + Sync,
    S: Source<Input = A::Block> + Sync,
    K: Sinks<A::Packet> + Sync,
{
    type Msg = Parcel<A::Block, A::Packet>;
    type Out = Option<Left<A, K>>;

    async fn rank<E: Endpoint<Self::Msg>>(&self, e: &mut E) -> Result<Self::Out, Stop> {
        if e.rank() > 0 {
            return other::rank(self.app, e).await.map(|()| None);
        }
        let first = first::First { app: self.app, source: self.source, sinks: self.sinks };
        first.rank(e, self.shape.owners()).await.map(Some)
    }
}
