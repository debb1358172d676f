//! What sending and receiving cost the ranks themselves.

use std::time::Instant;

use forerun_skeleton::{Cancel, Endpoint, Program, Stop};

use super::{LONG, Token, Turn};

/// Rank 0 sends a message while rank 1 is not receiving, then rank 1 receives what is there; they
/// return the seconds of every send and receive. Further ranks wait for a last message.
pub(in crate::calibrate) struct Overheads {
    rounds: usize,
    /// What the readings of the clock add to a time.
    reading: f64,
    turn: Turn,
    cancel: Cancel,
}

impl Overheads {
    pub(in crate::calibrate) fn new(rounds: usize, reading: f64, cancel: &Cancel) -> Self {
        Overheads { rounds, reading, turn: Turn::default(), cancel: cancel.clone() }
    }
}

impl Program for Overheads {
    type Msg = Token;
    type Out = Vec<f64>;

    async fn rank<E: Endpoint<Token>>(&self, endpoint: &mut E) -> Result<Vec<f64>, Stop> {
        let mut times = Vec::with_capacity(self.rounds);
        match endpoint.rank() {
            0 => {
                let start = Instant::now();
                for n in 0..self.rounds {
                    self.turn.wait(2 * n, &self.cancel)?;
                    let last = n + 1 == self.rounds || start.elapsed() > LONG;
                    let begun = Instant::now();
                    endpoint.send(1, Token { last }).await?;
                    times.push((begun.elapsed().as_secs_f64() - self.reading).max(0.0));
                    self.turn.pass(2 * n + 1);
                    if last {
                        break;
                    }
                }
                for rank in 2..endpoint.size() {
                    endpoint.send(rank, Token { last: true }).await?;
                }
            }
            1 => {
                for n in 0..self.rounds {
                    self.turn.wait(2 * n + 1, &self.cancel)?;
                    let begun = Instant::now();
                    let token = endpoint.recv_from(0).await?;
                    times.push((begun.elapsed().as_secs_f64() - self.reading).max(0.0));
                    self.turn.pass(2 * n + 2);
                    if token.last {
                        break;
                    }
                }
            }
            _ => {
                endpoint.recv_from(0).await?;
            }
        }
        Ok(times)
    }
}
