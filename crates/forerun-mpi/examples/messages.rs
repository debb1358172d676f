//! What a message costs on this endpoint, beside MPI's own blocking calls, and what waiting costs the processor.
//!
//! `mpirun -n 2 messages` prints: round trips of 8 bytes and of 1 MiB; a stream of 8-byte messages, by window;
//! a round trip to a rank that computes; what messages of 8 MB take of the processor at both ends, copied and not; the share of a core
//! that a waiting rank takes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use forerun_mpi::{Setting, Waiting, run_with};
use forerun_platform::Stage;
use forerun_skeleton::wire::{Incoming, Outgoing, Plain};
use forerun_skeleton::{AppError, Charge, Endpoint, Message, Options, Program, Stop, Wire};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Source as _};
use rustix::time::{ClockId, clock_gettime};

/// Bytes, and whether they are copied into their message and out of it.
struct Block(Vec<u8>, bool);

impl Message for Block {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Wire for Block {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.1.encode(out)?;
        self.0.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let copied = bool::decode(bytes)?;
        Ok(Block(Wire::decode(bytes)?, copied))
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        if self.1 {
            return self.encode(out.rest());
        }
        self.1.encode(&mut out.bytes)?;
        self.0.give(out)
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        let copied = bool::decode(&mut from.bytes)?;
        let bytes = if copied { Wire::decode(&mut from.bytes)? } else { Wire::take(from)? };
        Ok(Block(bytes, copied))
    }
}

/// What the first rank does with the second.
#[derive(Clone, Copy)]
enum What {
    /// There and back, so often.
    RoundTrips(usize),
    /// There, so often.
    Stream(usize),
    /// The second waits for so long; it returns the seconds of processor time that it took.
    Wait(Duration),
    /// The second computes for so long while the first draws from its counter, which that answers.
    Claims(Duration),
    /// There, so often, copied or not; both return the processor time that a byte took of them, in nanoseconds.
    Bytes(usize, bool),
}

struct Test {
    what: What,
    bytes: usize,
}

impl Program for Test {
    type Msg = Block;
    type Out = f64;

    async fn rank<E: Endpoint<Block>>(&self, e: &mut E) -> Result<f64, Stop> {
        let first = e.rank() == 0;
        let charge = Charge { stage: Stage::Task, item: 0, bytes: 0, results: 1 };
        let (begun, before) = (Instant::now(), processor_s());
        let mut ours = Block(vec![1; self.bytes], false);
        match self.what {
            What::RoundTrips(rounds) => {
                for _ in 0..rounds {
                    if first {
                        e.send(1, ours).await?;
                        ours = e.recv_from(1).await?;
                    } else {
                        let there = e.recv_from(0).await?;
                        e.send(0, there).await?;
                    }
                }
                Ok(begun.elapsed().as_secs_f64() / rounds as f64)
            }
            What::Stream(messages) => {
                for _ in 0..messages {
                    if first {
                        e.send(1, Block(vec![1; self.bytes], false)).await?;
                    } else {
                        e.recv_from(0).await?;
                    }
                }
                Ok(begun.elapsed().as_secs_f64() / messages as f64)
            }
            What::Wait(time) if first => {
                e.work(charge, || rest(time)).await?;
                e.send(1, ours).await?;
                Ok(0.0)
            }
            What::Wait(_) => {
                e.recv_from(0).await?;
                Ok((processor_s() - before) / begun.elapsed().as_secs_f64())
            }
            What::Claims(time) if first => {
                let mut claims = 0;
                while begun.elapsed() < time / 2 {
                    e.claim(1).await?;
                    claims += 1;
                }
                Ok(begun.elapsed().as_secs_f64() / f64::from(claims))
            }
            What::Claims(time) => {
                e.work(charge, || rest(time)).await?;
                Ok(0.0)
            }
            What::Bytes(messages, copied) => {
                let sent = if first { messages } else { 0 };
                let all: Vec<_> = (0..sent).map(|_| Block(vec![1; self.bytes], copied)).collect();
                let before = processor_s();
                if first {
                    for block in all {
                        e.send(1, block).await?;
                    }
                    // All of it is there.
                    e.recv_from(1).await?;
                } else {
                    for _ in 0..messages {
                        e.recv_from(0).await?;
                    }
                    e.send(0, Block(Vec::new(), copied)).await?;
                }
                Ok(1e9 * (processor_s() - before) / (messages * self.bytes) as f64)
            }
        }
    }
}

/// Work that takes so long.
fn rest(time: Duration) -> Result<(), AppError> {
    sleep(time);
    Ok(())
}

/// Seconds of processor time of this process.
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() {
    let Some((universe, _)) = mpi::initialize_with_threading(mpi::Threading::Serialized) else { return };
    let world = universe.world();
    let tell = |text: String| {
        if world.rank() == 0 {
            println!("{text}");
        }
    };
    for waiting in [Waiting::Sleep, Waiting::Spin] {
        let of = |what, bytes, window| measured(&world, waiting, &Test { what, bytes }, window);
        tell(format!("{waiting:?}"));
        for bytes in [8, 1 << 20] {
            let rounds = if bytes == 8 { 3000 } else { 100 };
            tell(format!(
                "  round trip of {bytes} bytes  {:.2} us",
                1e6 * of(What::RoundTrips(rounds), bytes, 4)[0]
            ));
        }
        for window in [1, 4, 64] {
            let stream = of(What::Stream(20_000), 8, window)[1];
            tell(format!("  stream, window {window}  {:.0} ns a message", 1e9 * stream));
        }
        let second = Duration::from_millis(700);
        tell(format!("  claim of a rank that computes  {:.0} us", 1e6 * of(What::Claims(second), 8, 4)[0]));
        for (copied, how) in [(true, "copied"), (false, "as blocks")] {
            let [sender, receiver] = of(What::Bytes(16, copied), 8_000_000, 4)[..] else { continue };
            tell(format!(
                "  messages of 8 MB {how}: sender {sender:.2} ns, receiver {receiver:.2} ns of the processor a byte"
            ));
        }
        tell(format!("  a waiting rank takes {:.2} % of a core", 100.0 * of(What::Wait(second), 8, 4)[1]));
    }
    for bytes in [8, 1 << 20] {
        let rounds = if bytes == 8 { 3000 } else { 100 };
        tell(format!(
            "MPI_Send, MPI_Recv: round trip of {bytes} bytes  {:.2} us",
            1e6 * plain(&world, bytes, rounds)
        ));
    }
}

/// What both ranks return; the median of three runs of the first's.
fn measured(world: &SimpleCommunicator, waiting: Waiting, test: &Test, window: usize) -> Vec<f64> {
    let options = Options { window, ..Options::new(world.size() as usize) };
    let setting = Setting { waiting, ..Setting::new(Plain, Plain) };
    let mut runs: Vec<Vec<f64>> = (0..3)
        .map(|_| match run_with(world, test, &options, &setting) {
            Ok(Some(ran)) => ran.outs,
            Ok(None) => vec![0.0; 2],
            Err(e) => panic!("{e}"),
        })
        .collect();
    runs.sort_by(|a, b| (a[0], a[1]).partial_cmp(&(b[0], b[1])).unwrap_or(std::cmp::Ordering::Equal));
    runs.swap_remove(1)
}

/// Seconds of a round trip by MPI's blocking calls.
fn plain(world: &SimpleCommunicator, bytes: usize, rounds: usize) -> f64 {
    let (mut buffer, begun) = (vec![1u8; bytes], Instant::now());
    for _ in 0..rounds {
        if world.rank() == 0 {
            world.process_at_rank(1).send(&buffer[..]);
            world.process_at_rank(1).receive_into(&mut buffer[..]);
        } else if world.rank() == 1 {
            world.process_at_rank(0).receive_into(&mut buffer[..]);
            world.process_at_rank(0).send(&buffer[..]);
        }
    }
    begun.elapsed().as_secs_f64() / rounds as f64
}
