//! Merging two sorted slices.
//!
//! The loop has no branch that depends on the data: which side an element comes from is a
//! comparison added to an index, and the next load waits for it. Four such loops, over the
//! quarters of the output, are interleaved so that one's loads hide behind the others'. Where a
//! quarter begins in both inputs is found by bisection (the merge path of Odeh et al., *Merge Path
//! — Parallel Merging Made Simple*, 2012, section III), which also cuts a merge for several
//! threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::element::Element;

/// Loops that are interleaved: with more, their indices do not fit in registers.
const LANES: usize = 4;
/// Below this many elements per thread another thread does not pay.
const PER_THREAD: usize = 1 << 16;

/// How many of the first `k` merged elements come from `a`, equal elements from `a` first.
/// O(log k).
pub fn merge_path<T: Ord>(a: &[T], b: &[T], k: usize) -> usize {
    let (mut low, mut high) = (k.saturating_sub(b.len()), k.min(a.len()));
    while low < high {
        let i = low + (high - low) / 2;
        if a[i] <= b[k - i - 1] { low = i + 1 } else { high = i }
    }
    low
}

/// Writes the first `out.len()` elements of the merge of `a` and `b` to `out`.
///
/// # Panics
/// If `out` is longer than `a` and `b` together.
pub fn merge_into<T: Element>(a: &[T], b: &[T], out: &mut [T]) {
    assert!(out.len() <= a.len() + b.len(), "more elements are asked for than there are");
    if a.last() <= b.first() {
        return copy(a, b, out);
    }
    if b.last() < a.first() {
        return copy(b, a, out);
    }
    let length = out.len() / LANES;
    let (body, tail) = out.split_at_mut(length * LANES);
    let mut quarters = body.chunks_exact_mut(length.max(1));
    let mut out: [&mut [T]; LANES] = std::array::from_fn(|_| quarters.next().unwrap_or_default());
    // In lane s, `i[s]` is the place in `a`, and that in `b` is what is missing to the place in
    // the output, so that only one index has to be kept.
    let mut i: [usize; LANES] = std::array::from_fn(|s| merge_path(a, b, s * length));
    let mut done = 0;
    while done < length {
        let j: [usize; LANES] = std::array::from_fn(|s| s * length + done - i[s]);
        // So many steps go without looking for the end of a side.
        let left = |s: usize| (a.len() - i[s]).min(b.len() - j[s]);
        let steps = (0..LANES).map(left).fold(length - done, usize::min);
        if steps == 0 {
            break;
        }
        let lanes_a: [&[T]; LANES] = std::array::from_fn(|s| &a[i[s]..i[s] + steps]);
        let lanes_b: [&[T]; LANES] = std::array::from_fn(|s| &b[j[s]..j[s] + steps]);
        let lanes_out = out.each_mut().map(|lane| &mut lane[done..done + steps]);
        let mut from_a = [0; LANES];
        for p in 0..steps {
            for s in 0..LANES {
                let (x, y) = (lanes_a[s][from_a[s]], lanes_b[s][p - from_a[s]]);
                let less = x <= y;
                lanes_out[s][p] = if less { x } else { y };
                from_a[s] += usize::from(less);
            }
        }
        (0..LANES).for_each(|s| i[s] += from_a[s]);
        done += steps;
    }
    let mut j: [usize; LANES] = std::array::from_fn(|s| s * length + done - i[s]);
    while done < length {
        for s in 0..LANES {
            out[s][done] = step(a, b, &mut i[s], &mut j[s]);
        }
        done += 1;
    }
    let mut k = merge_path(a, b, length * LANES);
    let mut l = length * LANES - k;
    for o in tail {
        *o = step(a, b, &mut k, &mut l);
    }
}

/// Writes the beginning of `first` followed by `second`.
fn copy<T: Copy>(first: &[T], second: &[T], out: &mut [T]) {
    let (x, y) = out.split_at_mut(first.len().min(out.len()));
    x.copy_from_slice(&first[..x.len()]);
    y.copy_from_slice(&second[..y.len()]);
}

/// The next merged element. A side that has ended stands for endless `T::MAX`, which as a value
/// cannot be told from the other side's elements that compare equal to it.
#[inline(always)]
fn step<T: Element>(a: &[T], b: &[T], i: &mut usize, j: &mut usize) -> T {
    let x = a.get(*i).copied().unwrap_or(T::MAX);
    let y = b.get(*j).copied().unwrap_or(T::MAX);
    let from_a = x <= y;
    *i += usize::from(from_a);
    *j += usize::from(!from_a);
    if from_a { x } else { y }
}

/// Merges two sorted slices into a new vector, on up to `threads` threads.
pub fn merge<T: Element>(a: &[T], b: &[T], threads: usize) -> Vec<T> {
    let mut out = vec![T::zeroed(); a.len() + b.len()];
    merge_on(a, b, &mut out, threads);
    out
}

/// What one thread merges, and where to.
type Part<'a, T> = (&'a [T], &'a [T], &'a mut [T]);

/// As [`merge_into`] for the whole of `a` and `b`, on up to `threads` threads.
pub fn merge_on<T: Element>(a: &[T], b: &[T], out: &mut [T], threads: usize) {
    let parts = threads.min(out.len() / PER_THREAD).max(1);
    if parts == 1 {
        return merge_into(a, b, out);
    }
    let length = out.len().div_ceil(parts);
    let mut start = (0, 0);
    let part = |(n, chunk): (usize, _)| {
        let chunk: &mut [T] = chunk;
        let end = n * length + chunk.len();
        let i = merge_path(a, b, end);
        let (x, y) = (&a[start.0..i], &b[start.1..end - i]);
        start = (i, end - i);
        Mutex::new(Some((x, y, chunk)))
    };
    let parts: Vec<_> = out.chunks_mut(length).enumerate().map(part).collect();
    let merge = |part: &Mutex<Option<Part<'_, T>>>| {
        let taken = part.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((x, y, chunk)) = taken {
            merge_into(x, y, chunk);
        }
    };
    let merge = &merge;
    thread::scope(|scope| {
        let (others, own) = parts.split_at(parts.len() - 1);
        let begun: Vec<_> = others
            .iter()
            .map(|part| thread::Builder::new().spawn_scoped(scope, move || merge(part)).is_ok())
            .collect();
        own.iter().for_each(merge);
        // What no thread could be started for is done here.
        others.iter().zip(begun).filter(|(_, begun)| !begun).for_each(|(part, _)| merge(part));
    });
}
