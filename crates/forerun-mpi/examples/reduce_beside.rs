//! The pipelined reduction beside `MPI_Reduce`: the same values, in turns, in one run.
//!
//! `mpirun -n P reduce_beside [ROUNDS [MIB]]` prints a table: the median, over the rounds, of the time until the last rank is
//! done, of values of up to so many MiB (64). Which algorithm `MPI_Reduce` takes is the library's to say; Open MPI's is forced from outside with `--mca
//! coll_tuned_use_dynamic_rules 1 --mca coll_tuned_reduce_algorithm N`.

#![allow(unsafe_code, reason = "an operator of MPI that does not commute can be made by its C function only")]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::time::Instant;

use forerun_mpi::{Segmented, Tree, Waiting, reduce};
use mpi::collective::SystemOperation;
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw as _, Communicator as _, CommunicatorCollectives as _, Root as _};

/// Adds numbers, as an operator of which MPI is told that it does not commute.
unsafe extern "C" fn add(left: *mut c_void, right: *mut c_void, n: *mut c_int, _: *mut ffi::MPI_Datatype) {
    // SAFETY: MPI calls it with two arrays of n doubles that do not overlap.
    let (left, right) = unsafe {
        let n = *n as usize;
        (
            std::slice::from_raw_parts(left.cast::<f64>(), n),
            std::slice::from_raw_parts_mut(right.cast::<f64>(), n),
        )
    };
    right.iter_mut().zip(left).for_each(|(right, left)| *right += left);
}

/// One of those that are compared.
enum Way {
    Ours(Segmented),
    Commuting,
    Ordered(ffi::MPI_Op),
}

impl Way {
    fn run(&self, world: &SimpleCommunicator, values: &mut [f64], result: &mut [f64]) {
        let root = world.process_at_rank(0);
        match self {
            Way::Ours(how) => reduce(world, 0, values, how, |a, b| a + b),
            Way::Commuting if world.rank() == 0 => {
                root.reduce_into_root(&*values, result, SystemOperation::sum());
            }
            Way::Commuting => root.reduce_into(&*values, SystemOperation::sum()),
            Way::Ordered(op) => {
                // SAFETY: both arrays hold so many doubles, and all ranks call it.
                let code = unsafe {
                    ffi::MPI_Reduce(
                        values.as_ptr().cast::<c_void>(),
                        result.as_mut_ptr().cast::<c_void>(),
                        values.len() as c_int,
                        ffi::RSMPI_DOUBLE,
                        *op,
                        0,
                        world.as_raw(),
                    )
                };
                assert!(code == ffi::MPI_SUCCESS as c_int, "MPI_Reduce gave {code}");
            }
        }
    }
}

fn main() {
    let Some(universe) = mpi::initialize() else { return };
    let world = universe.world();
    let argument = |n| std::env::args().nth(n).and_then(|n| n.parse::<usize>().ok());
    let (rounds, most) = (argument(1).unwrap_or(15), argument(2).unwrap_or(64));
    let mut op = MaybeUninit::uninit();
    // SAFETY: the function is of the type that MPI wants, and the place is ours to write.
    let op = unsafe {
        ffi::MPI_Op_create(Some(add), 0, op.as_mut_ptr());
        op.assume_init()
    };
    let ours =
        |tree, segment| Way::Ours(Segmented { tree: Some(tree), segment, waiting: Waiting::default() });
    let ways = [
        ("chain, 16 KiB", ours(Tree::Chain, 16 << 10)),
        ("chain, 64 KiB", ours(Tree::Chain, 64 << 10)),
        ("chain, 256 KiB", ours(Tree::Chain, 256 << 10)),
        ("binary, 64 KiB", ours(Tree::Binary, 64 << 10)),
        ("as it comes", Way::Ours(Segmented::default())),
        ("MPI_Reduce, commuting", Way::Commuting),
        ("MPI_Reduce, ordered", Way::Ordered(op)),
    ];
    if world.rank() == 0 {
        print!("| MB |");
        ways.iter().for_each(|(name, _)| print!(" {name} |"));
        println!("\n|---|{}", "---|".repeat(ways.len()));
    }
    for bytes in [64 << 10, 1 << 20, 8 << 20, 64 << 20].into_iter().filter(|bytes| *bytes <= most << 20) {
        let (mut values, mut result) = (vec![1.0f64; bytes / 8], vec![0.0f64; bytes / 8]);
        let mut times = vec![Vec::new(); ways.len()];
        for round in 0..=rounds {
            for turn in 0..ways.len() {
                let which = (turn + round) % ways.len();
                values.fill(1.0);
                world.barrier();
                let begun = Instant::now();
                ways[which].1.run(&world, &mut values, &mut result);
                let took = begun.elapsed().as_secs_f64();
                let mut last = 0.0;
                world.all_reduce_into(&took, &mut last, SystemOperation::max());
                if world.rank() == 0 {
                    let found = if let Way::Ours(_) = ways[which].1 { &values } else { &result };
                    assert!(found.iter().all(|x| *x == f64::from(world.size())), "{}", ways[which].0);
                }
                // The first round warms up.
                times[which].extend((round > 0).then_some(last));
            }
        }
        if world.rank() == 0 {
            print!("| {} |", bytes as f64 / 1e6);
            for times in &mut times {
                times.sort_by(f64::total_cmp);
                print!(" {:.3} ms |", 1e3 * times[times.len() / 2]);
            }
            println!();
        }
    }
}
