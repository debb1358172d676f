//! The patterns over our own endpoint.

use std::marker::PhantomData;
use std::time::Instant;

use forerun_skeleton::{Endpoint, Options, Program, Stop, threads};

use super::load::Load;

/// What the ranks do.
#[derive(Clone, Copy)]
enum Pattern {
    /// The others send `messages` in all to rank 0, which receives from any.
    ManyToOne,
    /// Rank 1 sends to rank 0, which receives from it.
    Stream,
    /// Ranks 0 and 1 in turn.
    PingPong,
}

struct Exchange<L> {
    pattern: Pattern,
    messages: u64,
    load: PhantomData<fn() -> L>,
}

impl<L: Load> Program for Exchange<L> {
    type Msg = L;
    type Out = u64;

    async fn rank<E: Endpoint<L>>(&self, e: &mut E) -> Result<u64, Stop> {
        let mut sum = 0;
        match (self.pattern, e.rank()) {
            (Pattern::ManyToOne, 0) => {
                for _ in 0..self.messages {
                    sum += e.recv_any().await?.1.read();
                }
            }
            (Pattern::Stream, 0) => {
                for _ in 0..self.messages {
                    sum += e.recv_from(1).await?.read();
                }
            }
            (Pattern::PingPong, 0) => {
                let mut ball = L::make(self.messages * (self.messages - 1) / 2);
                for _ in 0..self.messages {
                    e.send(1, ball).await?;
                    ball = e.recv_from(1).await?;
                }
                sum = ball.read();
            }
            (Pattern::PingPong, _) => {
                for _ in 0..self.messages {
                    let message = e.recv_from(0).await?;
                    e.send(0, message).await?;
                }
            }
            (Pattern::ManyToOne | Pattern::Stream, me) => {
                let step = e.size() as u64 - 1;
                let mut number = me as u64 - 1;
                while number < self.messages {
                    e.send(0, L::make(number)).await?;
                    number += step;
                }
            }
        }
        Ok(sum)
    }
}

fn run<L: Load>(pattern: Pattern, ranks: usize, window: usize, messages: u64) -> f64 {
    let program = Exchange::<L> { pattern, messages, load: PhantomData };
    let options = Options { window, ..Options::new(ranks) };
    let begun = Instant::now();
    let ran = threads::run(&program, &options).expect("nothing in it can fail");
    let took = begun.elapsed();
    assert_eq!(ran.outs[0], messages * (messages - 1) / 2, "a message was lost or came twice");
    took.as_nanos() as f64
}

/// Nanoseconds a message of a stream.
pub(super) fn stream<L: Load>(window: usize, messages: u64) -> f64 {
    run::<L>(Pattern::Stream, 2, window, messages) / messages as f64
}

/// Nanoseconds one way.
pub(super) fn ping_pong<L: Load>(window: usize, turns: u64) -> f64 {
    run::<L>(Pattern::PingPong, 2, window, turns) / (2 * turns) as f64
}

/// Nanoseconds a message received.
pub(super) fn many_to_one<L: Load>(senders: usize, window: usize, messages: u64) -> f64 {
    run::<L>(Pattern::ManyToOne, senders + 1, window, messages) / messages as f64
}
