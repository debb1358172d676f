//! Sorting 32-bit numbers in memory.

use rdst::{RadixKey, RadixSort};

/// Below this many elements a comparison sort is as fast.
const SMALL: usize = 1 << 12;
/// Elements looked at to tell whether there are few distinct values.
const SAMPLE: usize = 1 << 10;

/// Sorts in ascending order: runs that are there already and few distinct values by the standard
/// library's pattern-defeating sort, everything else by radix.
pub(super) fn sort<T: RadixKey + Ord + Copy + Send + Sync>(slice: &mut [T]) {
    if slice.len() < SMALL || is_one_run(slice) || has_few_values(slice) {
        slice.sort_unstable();
    } else {
        slice.radix_sort_unstable();
    }
}

/// Whether the slice is ascending or descending.
fn is_one_run<T: Ord>(slice: &[T]) -> bool {
    slice.is_sorted() || slice.is_sorted_by(|a, b| a >= b)
}

/// Whether an evenly spaced sample has so few distinct values that partitioning by comparison
/// ends early.
fn has_few_values<T: Ord + Copy>(slice: &[T]) -> bool {
    let mut sample: Vec<T> = slice.iter().step_by(slice.len().div_ceil(SAMPLE)).copied().collect();
    sample.sort_unstable();
    sample.dedup();
    sample.len() <= SAMPLE / 8
}
