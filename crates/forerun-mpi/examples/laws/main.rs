//! What the tests of the crate run under a real `mpirun`: laws of the patterns, and faults on demand.
//!
//! Each rank runs the cases of its argument one after the other; the first prints what it finds.

#[path = "../../../forerun-skeleton/tests/common/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests on threads")]
mod common;
mod faults;
mod large;
mod pipelined;
mod reductions;
mod scatter;
#[path = "../../../forerun-skeleton/tests/scatter/sorting.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests on threads")]
mod sorting;

use std::process::ExitCode;

use forerun_mpi::Inside;
use mpi::traits::Communicator as _;

fn main() -> ExitCode {
    let inside = match Inside::enter() {
        Ok(inside) => inside,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    let world = inside.world();
    let input = String::from_utf8_lossy(inside.input()).into_owned();
    let words: Vec<&str> = input.split_whitespace().collect();
    let said = match words.as_slice() {
        ["laws"] => {
            [reductions::all(&world), scatter::all(&world), pipelined::all(&world), large::all(&world)]
                .join(", ")
        }
        ["fault", fault] => faults::run_twice(&world, fault),
        ["slow"] => faults::run_one(&world, "slow", inside.cancel().clone()),
        _ => format!("{input:?} is nothing to do"),
    };
    if world.rank() == 0
        && let Err(e) = inside.report(&said)
    {
        eprintln!("{e}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
