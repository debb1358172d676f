//! Sorting, beside the standard library, rayon and GNU sort.

mod files;
mod memory;

use std::io;

use forerun_apps::sort::TotalF64;

use crate::record::Record;

/// Measures in memory, then from file to file.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    memory::numbers::<i32>("i32", 10_000_000, |n| n as i32, rounds, record);
    memory::numbers::<u64>("u64", 10_000_000, |n| n, rounds, record);
    memory::numbers::<TotalF64>("f64", 10_000_000, |n| TotalF64::from(f64_of(n)), rounds, record);
    memory::numbers::<i32>("i32", 100_000_000, |n| n as i32, rounds, record);
    record.note(
        "In memory: from a slice to a sorted vector, the copy included in all. rayon has 2 threads. Values \
         are uniform.",
    );
    files::lines(10_000_000, rounds, record)
}

/// A number from 64 random bits.
fn f64_of(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// Random bits: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
fn random(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}
