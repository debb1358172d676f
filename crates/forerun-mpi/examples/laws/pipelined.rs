//! The pipelined reduction gives what the sequential fold does, and what `MPI_Reduce` does.

use forerun_mpi::{Segmented, Tree, Waiting, reduce};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Root as _};

/// A map x → a·x + b modulo 2^64; following one another, maps are associative and do not commute.
type Map = [u64; 2];

fn then(first: &Map, second: &Map) -> Map {
    let ([a, b], [c, d]) = (first, second);
    [c.wrapping_mul(*a), c.wrapping_mul(*b).wrapping_add(*d)]
}

fn map(rank: usize, at: usize) -> Map {
    let seed = (rank * 1_000_003 + at) as u64;
    [seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, seed ^ 0x5555]
}

pub(crate) fn all(world: &SimpleCommunicator) -> String {
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let mut done = 0;
    for tree in [None, Some(Tree::Chain), Some(Tree::Binary)] {
        for (n, segment) in
            [(0, 64), (1, 1), (5, 32), (1000, 1), (1000, 160), (100_000, 4096), (300_000, 1 << 20)]
        {
            let root = done % ranks;
            let how = Segmented { tree, segment, waiting: Waiting::default() };
            let mut maps: Vec<Map> = (0..n).map(|at| map(rank, at)).collect();
            reduce(world, root, &mut maps, &how, then);
            if rank == root {
                for (at, found) in maps.iter().enumerate() {
                    let expected = (1..ranks).fold(map(0, at), |all, rank| then(&all, &map(rank, at)));
                    assert_eq!(*found, expected, "{how:?}, element {at} of {n}, root {root}");
                }
            }
            sums(world, root, n, &how);
            done += 1;
        }
    }
    format!("{done} pipelined")
}

/// Sums of whole numbers, beside those of MPI.
fn sums(world: &SimpleCommunicator, root: usize, n: usize, how: &Segmented) {
    let mut ours: Vec<u64> = (0..n).map(|at| map(world.rank() as usize, at)[0]).collect();
    let mut theirs = vec![0; n];
    let at = world.process_at_rank(root as i32);
    if world.rank() as usize == root {
        at.reduce_into_root(&ours[..], &mut theirs[..], SystemOperation::sum());
    } else {
        at.reduce_into(&ours[..], SystemOperation::sum());
    }
    reduce(world, root, &mut ours, how, |a, b| a.wrapping_add(*b));
    if world.rank() as usize == root {
        assert_eq!(ours, theirs);
    }
}
