//! A sink that merges the sets it is given, so that one result is left.
//!
//! Pieces are kept in a [`Fold`]: where merging costs as many bytes as it takes in, N results that
//! arrive one by one cost O(N log N) instead of the O(N²) of merging each into one growing result.

use super::{Fold, Piece, Reduce, Sink, Sinks};
use crate::AppError;

/// Folds delivered sets into one, keeping the order in which they were delivered.
#[derive(Debug)]
pub struct FoldSink<'a, R: Reduce> {
    reduce: &'a R,
    held: Fold<R::Partial>,
}

impl<'a, R: Reduce> FoldSink<'a, R> {
    /// A sink that merges with `reduce` and holds nothing yet.
    pub fn new(reduce: &'a R) -> Self {
        FoldSink { reduce, held: Fold::new() }
    }

    /// Number of pieces held, at most log₂ of the results delivered, plus one.
    pub fn depth(&self) -> usize {
        self.held.depth()
    }
}

impl<R: Reduce> Sink<R::Partial> for FoldSink<'_, R> {
    /// The one result, or `None` if no set was delivered.
    type Out = Option<Piece<R::Partial>>;

    fn accept(&mut self, piece: Piece<R::Partial>) -> Result<(), AppError> {
        while let Some((left, right)) = self.held.due_before(piece.results) {
            self.held.push(merge(self.reduce, left, right)?);
        }
        self.held.push(piece);
        while let Some((left, right)) = self.held.due() {
            self.held.push(merge(self.reduce, left, right)?);
        }
        Ok(())
    }

    fn close(mut self) -> Result<Self::Out, AppError> {
        while let Some((left, right)) = self.held.last_two() {
            self.held.push(merge(self.reduce, left, right)?);
        }
        Ok(self.held.pop())
    }
}

/// Opens a [`FoldSink`] for every group.
#[derive(Debug, Clone, Copy)]
pub struct FoldSinks<'a, R>(pub &'a R);

impl<'a, R: Reduce> Sinks<R::Partial> for FoldSinks<'a, R> {
    type Sink = FoldSink<'a, R>;

    fn open(&self, _group: usize) -> Result<FoldSink<'a, R>, AppError> {
        Ok(FoldSink::new(self.0))
    }
}

/// Merges what the sinks of several groups left, in the order of their lowest task indices; the
/// order of the inputs is kept if each group's share was one run of consecutive inputs.
///
/// # Errors
/// The first error of a merge.
pub fn fold_groups<R: Reduce>(
    reduce: &R,
    groups: impl IntoIterator<Item = Option<Piece<R::Partial>>>,
) -> Result<Option<Piece<R::Partial>>, AppError> {
    let mut pieces: Vec<_> = groups.into_iter().flatten().collect();
    pieces.sort_by_key(|p| p.first);
    let mut sink = FoldSink::new(reduce);
    for piece in pieces {
        sink.accept(piece)?;
    }
    sink.close()
}

fn merge<R: Reduce>(
    reduce: &R,
    left: Piece<R::Partial>,
    right: Piece<R::Partial>,
) -> Result<Piece<R::Partial>, AppError> {
    Ok(Piece {
        first: left.first.min(right.first),
        results: left.results + right.results,
        value: reduce.merge(left.value, right.value)?,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::Message;

    /// Lists of numbers under concatenation, which is associative and not commutative.
    struct Concat {
        moved: Cell<u64>,
    }

    struct List(Vec<u64>);

    impl Message for List {
        fn bytes(&self) -> u64 {
            8 * self.0.len() as u64
        }
    }

    impl Reduce for Concat {
        type Input = u64;
        type Partial = List;
        fn commutative(&self) -> bool {
            false
        }
        fn task(&self, _: u64, input: u64) -> Result<List, AppError> {
            Ok(List(vec![input]))
        }
        fn merge(&self, mut left: List, right: List) -> Result<List, AppError> {
            self.moved.set(self.moved.get() + (left.0.len() + right.0.len()) as u64);
            left.0.extend(right.0);
            Ok(left)
        }
    }

    fn fold(sizes: &[u64]) -> (Vec<u64>, u64, usize) {
        let reduce = Concat { moved: Cell::new(0) };
        let mut sink = FoldSinks(&reduce).open(0).unwrap();
        let (mut first, mut deepest) = (0, 0);
        for &results in sizes {
            let value = List((first..first + results).collect());
            sink.accept(Piece { value, first, results }).unwrap();
            deepest = deepest.max(sink.depth());
            first += results;
        }
        let out = sink.close().unwrap();
        assert_eq!(out.as_ref().map_or(0, |p| p.results), first);
        assert_eq!(out.as_ref().map_or(0, |p| p.first), 0);
        (out.map_or(Vec::new(), |p| p.value.0), reduce.moved.get(), deepest)
    }

    proptest! {
        #[test]
        fn keeps_order_and_merges_in_n_log_n(sizes in prop::collection::vec(1u64..40, 0..300)) {
            let n: u64 = sizes.iter().sum();
            let (out, moved, deepest) = fold(&sizes);
            prop_assert_eq!(out, (0..n).collect::<Vec<_>>());
            let log = f64::from(u32::try_from(n.max(2)).unwrap()).log2().ceil() as u64 + 1;
            prop_assert!(moved <= 3 * n * log, "{} results moved for {}, log {}", moved, n, log);
            prop_assert!(deepest as u64 <= log);
        }
    }

    #[test]
    fn equal_sets_make_a_balanced_tree() {
        assert_eq!(fold(&[1; 64]).1, 64 * 6);
    }

    #[test]
    fn groups_are_put_in_order() {
        let reduce = Concat { moved: Cell::new(0) };
        let piece = |first, list: &[u64]| {
            Some(Piece { value: List(list.to_vec()), first, results: list.len() as u64 })
        };
        let out = fold_groups(&reduce, [piece(2, &[2, 3]), None, piece(0, &[0, 1])]).unwrap().unwrap();
        assert_eq!((out.value.0, out.first, out.results), (vec![0, 1, 2, 3], 0, 4));
        assert!(fold_groups(&reduce, [None, None]).unwrap().is_none());
    }
}
