//! Sorting 32-bit numbers in memory.

use rdst::tuner::{Algorithm, Tuner, TuningParams};
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
        slice.radix_sort_builder().with_tuner(&ByHighest).sort();
    }
}

/// From this many elements on the highest digit is sorted by first, in place; then what is to be sorted by the others fits a cache.
const HIGHEST_FIRST: usize = 100_000;
/// Fewer are sorted by comparison.
const FEW: usize = 128;
/// From so many on it is looked whether digits are spread evenly: none has twice its part.
const LOOK: usize = 5_000;

/// Which way each part is sorted: from the lowest digit upwards where it fits a cache, and by the highest digit first (American flag
/// sort) where it does not. (rdst's own choice does the latter from 800,000 elements on. Between, every pass writes to 256 places all over memory that
/// is new: on two cores of a Xeon 12 to 13 ns an element beside 7, and 28 to 32 beside 9 where the caches are cold because a quota stalls it.)
struct ByHighest;

impl Tuner for ByHighest {
    fn pick_algorithm(&self, p: &TuningParams, counts: &[usize]) -> Algorithm {
        let depth = p.total_levels - p.level - 1;
        let skewed = || counts.iter().any(|&count| count >= p.input_len / 256 * 2);
        match p.input_len {
            0..=FEW => Algorithm::Comparative,
            n if n > HIGHEST_FIRST && depth == 0 => Algorithm::Ska,
            n if n >= LOOK && skewed() => {
                if n > HIGHEST_FIRST && depth < 2 {
                    Algorithm::Ska
                } else {
                    Algorithm::LrLsb
                }
            }
            _ => Algorithm::Lsb,
        }
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
