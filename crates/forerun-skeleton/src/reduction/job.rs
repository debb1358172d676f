//! What an application gives to a reduction: task and merge, inputs, sinks.

use super::Piece;
use crate::{AppError, Message};

/// The sequential code of a reduction.
pub trait Reduce {
    /// What a task works on.
    type Input;
    /// What it gives, and what merging gives.
    type Partial: Message;

    /// Whether `merge(a, b)` may stand for `merge(b, a)`. Where it may not, every strategy keeps
    /// the order of the inputs.
    fn commutative(&self) -> bool;

    /// Runs task `index` on its input.
    ///
    /// # Errors
    /// Ends the run, with the index and the sentence.
    fn task(&self, index: u64, input: Self::Input) -> Result<Self::Partial, AppError>;

    /// Combines two partial results; associative. `left` comes before `right` in the order of the
    /// inputs unless the merge is commutative.
    ///
    /// # Errors
    /// Ends the run, with the lowest index in `left` and the sentence.
    fn merge(&self, left: Self::Partial, right: Self::Partial) -> Result<Self::Partial, AppError>;
}

impl<R: Reduce + ?Sized> Reduce for Box<R> {
    type Input = R::Input;
    type Partial = R::Partial;

    fn commutative(&self) -> bool {
        (**self).commutative()
    }

    fn task(&self, index: u64, input: R::Input) -> Result<R::Partial, AppError> {
        (**self).task(index, input)
    }

    fn merge(&self, left: R::Partial, right: R::Partial) -> Result<R::Partial, AppError> {
        (**self).merge(left, right)
    }
}

/// Where inputs come from.
pub trait Source {
    /// What a task works on: best a light handle that the task opens.
    type Input;

    /// Number of inputs, where it is known before the end.
    fn len(&self) -> Option<u64>;

    /// Whether it is known that there is no input.
    fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Size of input `index` in bytes, as far as it is known without getting it (else 0).
    fn bytes(&self, index: u64) -> u64;

    /// Input `index`, or `None` if there are not so many; then there is none of a larger index
    /// either. Called once for an index, from any rank; may wait until the input is there, but
    /// only for inputs of a smaller index to be asked for.
    ///
    /// # Errors
    /// Ends the run, with the index and the sentence.
    fn get(&self, index: u64) -> Result<Option<Self::Input>, AppError>;
}

impl<S: Source + ?Sized> Source for Box<S> {
    type Input = S::Input;

    fn len(&self) -> Option<u64> {
        (**self).len()
    }

    fn bytes(&self, index: u64) -> u64 {
        (**self).bytes(index)
    }

    fn get(&self, index: u64) -> Result<Option<S::Input>, AppError> {
        (**self).get(index)
    }
}

/// What takes complete sets of results: a server, a file, memory. One for every group of ranks.
pub trait Sink<P> {
    /// What it leaves behind.
    type Out;

    /// Takes a set; in the order of the inputs unless the merge is commutative.
    ///
    /// # Errors
    /// Ends the run, with the lowest index in the piece and the sentence.
    fn accept(&mut self, piece: Piece<P>) -> Result<(), AppError>;

    /// Ends it, after the last set.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn close(self) -> Result<Self::Out, AppError>;
}

/// Opens the sink of each group, on the rank that delivers to it.
pub trait Sinks<P> {
    /// The sink.
    type Sink: Sink<P>;

    /// Opens the sink of group `group`.
    ///
    /// # Errors
    /// Ends the run with the sentence.
    fn open(&self, group: usize) -> Result<Self::Sink, AppError>;
}

impl<P, K: Sinks<P>> Sinks<P> for &K {
    type Sink = K::Sink;

    fn open(&self, group: usize) -> Result<K::Sink, AppError> {
        (*self).open(group)
    }
}

impl<P, K: Sinks<P> + ?Sized> Sinks<P> for Box<K> {
    type Sink = K::Sink;

    fn open(&self, group: usize) -> Result<K::Sink, AppError> {
        (**self).open(group)
    }
}
