//! What `forerun calibrate --on mpi` measures, value by value.
//!
//! `mpirun -n P measure [SECONDS]` prints a line a value: what, ranks, bytes, value; and medians of each to standard error.

use std::collections::BTreeMap;

use forerun_mpi::measure;
use forerun_platform::statistics::median;
use forerun_skeleton::Cancel;
use mpi::Threading;

fn main() {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Serialized) else {
        panic!("MPI was started already");
    };
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(30.0);
    let found = measure(&universe.world(), seconds, &Cancel::new()).expect("nobody cancels it");
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for s in found.into_iter().flatten() {
        println!("{:?} {} {} {:e}", s.probe, s.ranks, s.bytes, s.value);
        let size = if s.bytes == 0 { "empty" } else { "sized" };
        all.entry(format!("{:?} of {} ranks, {size}", s.probe, s.ranks)).or_default().push(s.value);
    }
    for (name, values) in all {
        eprintln!("{name}: {:e} ({} values)", median(&values).unwrap_or(0.0), values.len());
    }
}
