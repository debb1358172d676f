//! A reduction whose result shows which tasks went into it, in which order.

use std::sync::Mutex;

use forerun_platform::{Deal, Strategy};
use forerun_skeleton::reduction::{Piece, Reduce, Reduction, Runner, Shape, Sink, Sinks, Source};
use forerun_skeleton::{AppError, Message, Options, Program, Ran, RunError, threads};

/// The indices of the tasks in a partial result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Indices(pub(crate) Vec<u64>);

impl Message for Indices {
    fn bytes(&self) -> u64 {
        8 * self.0.len() as u64
    }
}

/// Concatenation of indices.
pub(crate) struct Concat {
    pub(crate) commutative: bool,
}

impl Reduce for Concat {
    type Input = u64;
    type Partial = Indices;

    fn commutative(&self) -> bool {
        self.commutative
    }

    fn task(&self, index: u64, input: u64) -> Result<Indices, AppError> {
        assert_eq!(index, input);
        Ok(Indices(vec![index]))
    }

    fn merge(&self, mut left: Indices, right: Indices) -> Result<Indices, AppError> {
        left.0.extend(right.0);
        Ok(left)
    }
}

/// `n` inputs, each its own index; the number known or not.
pub(crate) struct Counted {
    pub(crate) n: u64,
    pub(crate) known: bool,
    pub(crate) asked: Mutex<Vec<u64>>,
}

impl Counted {
    pub(crate) fn new(n: u64, known: bool) -> Self {
        Counted { n, known, asked: Mutex::new(Vec::new()) }
    }
}

impl Source for Counted {
    type Input = u64;

    fn len(&self) -> Option<u64> {
        self.known.then_some(self.n)
    }

    fn bytes(&self, _: u64) -> u64 {
        8
    }

    fn get(&self, index: u64) -> Result<Option<u64>, AppError> {
        self.asked.lock().unwrap().push(index);
        Ok((index < self.n).then_some(index))
    }
}

/// Keeps the sets that it is given.
pub(crate) struct Keep;

impl Sinks<Indices> for Keep {
    type Sink = Kept;

    fn open(&self, group: usize) -> Result<Kept, AppError> {
        Ok(Kept { group, sets: Vec::new() })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) group: usize,
    pub(crate) sets: Vec<Vec<u64>>,
}

impl Sink<Indices> for Kept {
    type Out = Kept;

    fn accept(&mut self, piece: Piece<Indices>) -> Result<(), AppError> {
        assert_eq!(piece.results, piece.value.0.len() as u64);
        assert_eq!(Some(&piece.first), piece.value.0.iter().min());
        self.sets.push(piece.value.0);
        Ok(())
    }

    fn close(self) -> Result<Kept, AppError> {
        Ok(self)
    }
}

/// Runs on threads.
pub(crate) struct OnThreads(pub(crate) Options);

impl<M: forerun_skeleton::Message + Send, O: Send> Runner<M, O> for OnThreads {
    type Ran = Ran<O>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Ran<O>, RunError> {
        threads::run(program, &self.0)
    }
}

/// A case of the property.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) strategy: Strategy,
    pub(crate) ranks: usize,
    pub(crate) groups: usize,
    pub(crate) arity: usize,
    pub(crate) set: u64,
    pub(crate) gather: u64,
    pub(crate) deal: Deal,
    pub(crate) n: u64,
    pub(crate) known: bool,
    pub(crate) commutative: bool,
    pub(crate) window: usize,
}

impl Case {
    pub(crate) fn shape(&self) -> Shape {
        let Case { strategy, ranks, groups, arity, set, gather, deal, .. } = *self;
        Shape { strategy, ranks, groups, arity, set, gather, deal }
    }

    pub(crate) fn options(&self) -> Options {
        Options { window: self.window, ..Options::new(self.ranks) }
    }

    pub(crate) fn run<R>(&self, runner: R) -> Result<R::Ran, RunError>
    where
        R: Runner<forerun_skeleton::reduction::Packet<Indices>, Option<Kept>>,
    {
        let app = Concat { commutative: self.commutative };
        let source = Counted::new(self.n, self.known);
        Reduction::new(&app, &source, &Keep, self.shape())?.run(runner)
    }

    /// Checks what every way of running the case must give.
    pub(crate) fn check(&self, outs: &[Option<Kept>]) {
        let mut sinks: Vec<&Kept> = outs.iter().flatten().collect();
        sinks.sort_by_key(|k| k.group);
        assert_eq!(sinks.len(), self.groups, "one sink a group");
        let all: Vec<u64> = sinks.iter().flat_map(|k| k.sets.iter().flatten().copied()).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..self.n).collect::<Vec<_>>(), "every task once");
        if !self.commutative {
            assert_eq!(all, sorted, "in order");
        }
        assert!(sinks.iter().all(|k| k.sets.iter().all(|s| !s.is_empty())), "no empty set");
    }
}
