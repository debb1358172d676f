//! Large messages of everybody to everybody at the same time: each is as it was sent, in whatever order they are taken.

use forerun_mpi::run;
use forerun_skeleton::{AppError, Endpoint, Message, Options, Program, Stop, Wire};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;

/// Each rank sends to all others messages of these many numbers, and then receives: what MPI sends at once, and what it asks for.
const NUMBERS: [usize; 6] = [300_000, 1, 1 << 16, 1 << 17, (1 << 17) + 1, 20_000];

fn message(from: usize, to: usize, at: usize) -> Vec<u64> {
    let seed = (from * 1_000 + to * 10 + at) as u64;
    (0..NUMBERS[at] as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed).collect()
}

struct Numbers(Vec<u64>);

impl Message for Numbers {
    fn bytes(&self) -> u64 {
        8 * self.0.len() as u64
    }
}

impl Wire for Numbers {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.0.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Wire::decode(bytes).map(Numbers)
    }
}

#[derive(Debug, Clone, Copy)]
enum Order {
    /// All of the last rank, then of the one before it.
    Backwards,
    /// One of each rank, from the first on.
    Around,
    /// As they come.
    Any,
}

struct Everybody(Order);

impl Program for Everybody {
    type Msg = Numbers;
    type Out = u64;

    async fn rank<E: Endpoint<Numbers>>(&self, e: &mut E) -> Result<u64, Stop> {
        let (me, ranks) = (e.rank(), e.size());
        let others = || (0..ranks).filter(move |&rank| rank != me);
        for at in 0..NUMBERS.len() {
            for to in others() {
                e.send(to, Numbers(message(me, to, at))).await?;
            }
        }
        let mut taken = vec![0; ranks];
        let mut check = |from: usize, numbers: Vec<u64>| {
            assert!(numbers == message(from, me, taken[from]), "message {} of {from} to {me}", taken[from]);
            taken[from] += 1;
        };
        let all = (ranks - 1) * NUMBERS.len();
        match self.0 {
            Order::Any => {
                for _ in 0..all {
                    let (from, numbers) = e.recv_any().await?;
                    check(from, numbers.0);
                }
            }
            Order::Around => {
                for from in (0..NUMBERS.len()).flat_map(|_| others()) {
                    check(from, e.recv_from(from).await?.0);
                }
            }
            Order::Backwards => {
                for from in others().rev().flat_map(|from| [from; NUMBERS.len()]) {
                    check(from, e.recv_from(from).await?.0);
                }
            }
        }
        Ok(all as u64)
    }
}

pub(crate) fn all(world: &SimpleCommunicator) -> String {
    let ranks = world.size() as usize;
    let mut done = 0;
    for order in [Order::Backwards, Order::Around, Order::Any] {
        // As many as there are to each, so that none waits for room.
        let options = Options { window: NUMBERS.len(), ..Options::new(ranks) };
        let ran = run(world, &Everybody(order), &options).unwrap_or_else(|e| panic!("{order:?}: {e}"));
        done += ran.map_or(0, |ran| ran.outs.iter().sum::<u64>());
    }
    format!("{done} large messages")
}
