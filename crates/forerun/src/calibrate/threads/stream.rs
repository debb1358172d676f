//! Messages back to back.

use std::time::Instant;

use forerun_skeleton::{Endpoint, Program, Stop};

use super::{LONG, Token};

/// Rank 0 sends without waiting for an answer; rank 1 returns seconds a message, batch by batch.
pub(in crate::calibrate) struct Stream {
    pub(in crate::calibrate) batches: usize,
    /// Messages between two readings of the clock.
    pub(in crate::calibrate) batch: usize,
}

impl Program for Stream {
    type Msg = Token;
    type Out = Vec<f64>;

    async fn rank<E: Endpoint<Token>>(&self, endpoint: &mut E) -> Result<Vec<f64>, Stop> {
        let mut times = Vec::with_capacity(self.batches);
        match endpoint.rank() {
            0 => {
                let start = Instant::now();
                for n in 0..=self.batches {
                    let last = n == self.batches || n > 0 && start.elapsed() > LONG;
                    for left in (0..self.batch).rev() {
                        endpoint.send(1, Token { last: last && left == 0 }).await?;
                    }
                    if last {
                        break;
                    }
                }
            }
            1 => {
                for n in 0..=self.batches {
                    let begun = Instant::now();
                    let mut last = false;
                    for _ in 0..self.batch {
                        last = endpoint.recv_from(0).await?.last;
                    }
                    // The first batch finds the ranks starting.
                    if n > 0 {
                        times.push(begun.elapsed().as_secs_f64() / self.batch as f64);
                    }
                    if last {
                        break;
                    }
                }
            }
            _ => {}
        }
        Ok(times)
    }
}
