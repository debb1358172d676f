//! Scatter-gather sorts as one processor does.

use forerun_skeleton::scatter_gather::{Scatter, Shape};
use forerun_skeleton::{AppError, Options, Wire};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;

use crate::reductions::OnMpi;
use crate::sorting::{Blocks, Collect, Fault, Numbers, Sorting};

impl Wire for Numbers {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.0.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Wire::decode(bytes).map(Numbers)
    }
}

/// Inputs of several sizes, blocks and packets.
pub(crate) fn all(world: &SimpleCommunicator) -> String {
    let ranks = world.size() as usize;
    let mut done = 0;
    for (blocks, length, packet) in [(0, 0, 1), (1, 5, 2), (7, 100, 30), (40, 33, 1000), (9, 20_000, 4096)] {
        for window in [1, 4] {
            let number = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
            let input: Vec<Vec<u64>> =
                (0..blocks).map(|b| (0..length).map(|i| number(b * length + i)).collect()).collect();
            let mut sorted = input.concat();
            sorted.sort_unstable();
            let (source, app) = (Blocks::new(input, done % 2 == 0), Sorting { packet, fault: Fault::None });
            let options = Options { window, ..Options::new(ranks) };
            let sinks = Collect { fault: Fault::None };
            let scatter = Scatter::new(&app, &source, &sinks, Shape::new(ranks)).expect("a shape");
            let ran = scatter.run(OnMpi { world, options, most: usize::MAX }).expect("a run");
            if let Some(ran) = ran {
                assert_eq!(ran.outs[0].as_ref(), Some(&sorted));
                assert!(ran.outs[1..].iter().all(Option::is_none));
            }
            done += 1;
        }
    }
    format!("{done} sorts")
}
