//! Large messages of everybody to everybody at the same time: each is as it was sent, in whatever order they are taken, whether it goes in
//! one piece or with blocks beside it.

use forerun_mpi::{Setting, run_with};
use forerun_skeleton::wire::{Incoming, LARGE, Outgoing, Plain};
use forerun_skeleton::{AppError, Endpoint, Message, Options, Program, Stop, Wire};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;

/// Each rank sends to all others messages of these many numbers, and then receives: what MPI sends at once, and what it asks for.
const NUMBERS: [usize; 6] = [300_000, 1, 1 << 16, 1 << 17, (1 << 17) + 1, 20_000];

fn message(from: usize, to: usize, at: usize) -> Numbers {
    let seed = (from * 1_000 + to * 10 + at) as u64;
    let number = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed;
    let numbers: Vec<u64> = (0..NUMBERS[at] as u64).map(number).collect();
    match at % 2 {
        0 => Numbers::Whole(numbers),
        _ => Numbers::InParts {
            // Of each width some that are copied and some that are not.
            bytes: vec![seed as u8; LARGE - 1 + from % 2],
            pairs: (0..3).map(|n| (n, vec![seed as f32; to % 2 * n as usize * LARGE / 4])).collect(),
            numbers,
            last: (at > 1).then(|| vec![u128::from(seed); LARGE / 16 + at]),
        },
    }
}

#[derive(PartialEq)]
enum Numbers {
    Whole(Vec<u64>),
    InParts { bytes: Vec<u8>, pairs: Vec<(u16, Vec<f32>)>, numbers: Vec<u64>, last: Option<Vec<u128>> },
}

impl Message for Numbers {
    fn bytes(&self) -> u64 {
        match self {
            Numbers::Whole(numbers) => 8 * numbers.len() as u64,
            Numbers::InParts { bytes, numbers, .. } => (bytes.len() + 8 * numbers.len()) as u64,
        }
    }
}

impl Wire for Numbers {
    fn encode(&self, _: &mut Vec<u8>) -> Result<(), AppError> {
        Err(AppError::new("it is given away"))
    }

    fn decode(_: &mut &[u8]) -> Result<Self, AppError> {
        Err(AppError::new("it is taken"))
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        match self {
            Numbers::Whole(numbers) => (false, numbers).give(out),
            Numbers::InParts { bytes, pairs, numbers, last } => {
                (true, (bytes, pairs, numbers, last)).give(out)
            }
        }
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        if !bool::decode(&mut from.bytes)? {
            return Wire::take(from).map(Numbers::Whole);
        }
        let (bytes, pairs, numbers, last) = Wire::take(from)?;
        Ok(Numbers::InParts { bytes, pairs, numbers, last })
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
                e.send(to, message(me, to, at)).await?;
            }
        }
        let mut taken = vec![0; ranks];
        let mut check = |from: usize, numbers: Numbers| {
            assert!(numbers == message(from, me, taken[from]), "message {} of {from} to {me}", taken[from]);
            taken[from] += 1;
        };
        let all = (ranks - 1) * NUMBERS.len();
        match self.0 {
            Order::Any => {
                for _ in 0..all {
                    let (from, numbers) = e.recv_any().await?;
                    check(from, numbers);
                }
            }
            Order::Around => {
                for from in (0..NUMBERS.len()).flat_map(|_| others()) {
                    check(from, e.recv_from(from).await?);
                }
            }
            Order::Backwards => {
                for from in others().rev().flat_map(|from| [from; NUMBERS.len()]) {
                    check(from, e.recv_from(from).await?);
                }
            }
        }
        Ok(all as u64)
    }
}

pub(crate) fn all(world: &SimpleCommunicator) -> String {
    let ranks = world.size() as usize;
    let mut done = 0;
    let whole = i32::MAX as usize;
    for (order, most) in [(Order::Backwards, whole), (Order::Around, 1000), (Order::Any, whole)] {
        // As many as there are to each, so that none waits for room.
        let options = Options { window: NUMBERS.len(), ..Options::new(ranks) };
        let setting = Setting { most, ..Setting::new(Plain, Plain) };
        let ran = run_with(world, &Everybody(order), &options, &setting)
            .unwrap_or_else(|e| panic!("{order:?}: {e}"));
        done += ran.map_or(0, |ran| ran.outs.iter().sum::<u64>());
    }
    format!("{done} large messages")
}
