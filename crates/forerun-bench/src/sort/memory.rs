//! Numbers in memory.

use std::time::Instant;

use forerun_apps::sort::{Element, merge, sort_in_memory};
use forerun_platform::Strategy;
use forerun_skeleton::reduction::{Piece, Reduce, Reduction, Runner, Shape, Sink, Sinks, Source};
use forerun_skeleton::{AppError, Message, Options, Program, Ran, RunError, threads};
use rayon::slice::ParallelSliceMut;

use super::random;
use crate::record::Record;
use crate::table::{Contender, Table};

/// Sorts `count` numbers in every way.
pub(super) fn numbers<T: Element>(
    name: &str,
    count: usize,
    of: impl Fn(u64) -> T,
    rounds: usize,
    record: &mut Record,
) {
    let data: Vec<T> = random(1).take(count).map(of).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let contenders = vec![
        Contender::new("forerun, 2 ranks", || timed(&data, |data| reduce(data))),
        Contender::new("rayon par_sort_unstable", || {
            timed(&data, |data| {
                let mut sorted = data.to_vec();
                pool.install(|| sorted.par_sort_unstable());
                sorted
            })
        }),
        Contender::new("sort_unstable", || {
            timed(&data, |data| {
                let mut sorted = data.to_vec();
                sorted.sort_unstable();
                sorted
            })
        }),
    ];
    record.add(&Table::measure(format!("Sort of {count} {name} in memory"), "ms", rounds, contenders));
}

/// Milliseconds that `sort` takes; checks what it gives.
fn timed<T: Element>(data: &[T], sort: impl FnOnce(&[T]) -> Vec<T>) -> f64 {
    let begun = Instant::now();
    let sorted = sort(data);
    let took = begun.elapsed().as_secs_f64() * 1e3;
    assert!(sorted.len() == data.len() && sorted.is_sorted(), "it is not sorted");
    took
}

/// A reduction of two tasks on two ranks: each sorts a half.
fn reduce<T: Element>(data: &[T]) -> Vec<T> {
    let halves = Halves(data);
    let shape = Shape { set: 2, ..Shape::new(Strategy::ReductionTree, 2) };
    let reduction = Reduction::new(&halves, &halves, &halves, shape).expect("a shape that can be");
    let ran = reduction.run(OnThreads).expect("nothing in it can fail");
    ran.outs.into_iter().flatten().flat_map(|kept| kept.0).next().unwrap_or_default()
}

struct OnThreads;

impl<M: Message + Send, O: Send> Runner<M, O> for OnThreads {
    type Ran = Ran<O>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Ran<O>, RunError> {
        threads::run(program, &Options::new(2))
    }
}

/// What is sorted, half by half.
struct Halves<'a, T>(&'a [T]);

struct Sorted<T>(Vec<T>);

impl<T> Message for Sorted<T> {
    fn bytes(&self) -> u64 {
        size_of_val(&*self.0) as u64
    }
}

impl<T: Element> Reduce for Halves<'_, T> {
    type Input = usize;
    type Partial = Sorted<T>;

    fn commutative(&self) -> bool {
        true
    }

    fn task(&self, _: u64, half: usize) -> Result<Sorted<T>, AppError> {
        let (left, right) = self.0.split_at(self.0.len() / 2);
        let mut values = [left, right][half].to_vec();
        sort_in_memory(&mut values);
        Ok(Sorted(values))
    }

    fn merge(&self, left: Sorted<T>, right: Sorted<T>) -> Result<Sorted<T>, AppError> {
        Ok(Sorted(merge(&left.0, &right.0, 2)))
    }
}

impl<T: Element> Source for Halves<'_, T> {
    type Input = usize;

    fn len(&self) -> Option<u64> {
        Some(2)
    }

    fn bytes(&self, _: u64) -> u64 {
        size_of_val(self.0) as u64 / 2
    }

    fn get(&self, index: u64) -> Result<Option<usize>, AppError> {
        Ok((index < 2).then_some(index as usize))
    }
}

impl<T: Element> Sinks<Sorted<T>> for Halves<'_, T> {
    type Sink = Kept<T>;

    fn open(&self, _: usize) -> Result<Kept<T>, AppError> {
        Ok(Kept(None))
    }
}

/// The one set there is.
struct Kept<T>(Option<Vec<T>>);

impl<T> Sink<Sorted<T>> for Kept<T> {
    type Out = Kept<T>;

    fn accept(&mut self, piece: Piece<Sorted<T>>) -> Result<(), AppError> {
        self.0 = Some(piece.value.0);
        Ok(())
    }

    fn close(self) -> Result<Kept<T>, AppError> {
        Ok(self)
    }
}
