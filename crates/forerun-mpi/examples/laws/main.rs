//! What the tests of the crate run under a real `mpirun`: laws of the patterns, and faults on demand.
//!
//! Each rank runs the cases of its argument one after the other; the first prints what it finds.

#[path = "../../../forerun-skeleton/tests/common/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests on threads")]
mod common;
mod faults;
mod reductions;
mod scatter;
#[path = "../../../forerun-skeleton/tests/scatter/sorting.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests on threads")]
mod sorting;

use std::process::ExitCode;

use mpi::traits::Communicator as _;

fn main() -> ExitCode {
    let Some((universe, _)) = mpi::initialize_with_threading(mpi::Threading::Serialized) else {
        eprintln!("MPI does not start");
        return ExitCode::from(2);
    };
    let world = universe.world();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let said = match what.as_slice() {
        ["reductions"] => reductions::all(&world),
        ["scatter"] => scatter::all(&world),
        ["fault", fault] => faults::run_twice(&world, fault),
        _ => "unknown".to_owned(),
    };
    if world.rank() == 0 {
        println!("{said}");
    }
    ExitCode::SUCCESS
}
