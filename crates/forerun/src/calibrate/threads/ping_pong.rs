//! The round trip.

use std::time::Instant;

use forerun_skeleton::{Endpoint, Program, Stop};

use super::{LONG, Token};

/// Ranks 0 and 1 send a message to and fro; rank 0 returns seconds a round trip, batch by batch.
pub(in crate::calibrate) struct PingPong {
    pub(in crate::calibrate) batches: usize,
    /// Round trips between two readings of the clock.
    pub(in crate::calibrate) batch: usize,
    /// What the readings of the clock add to the time of a batch.
    pub(in crate::calibrate) reading: f64,
}

impl Program for PingPong {
    type Msg = Token;
    type Out = Vec<f64>;

    async fn rank<E: Endpoint<Token>>(&self, endpoint: &mut E) -> Result<Vec<f64>, Stop> {
        let mut times = Vec::with_capacity(self.batches);
        match endpoint.rank() {
            0 => {
                let start = Instant::now();
                for n in 0..=self.batches {
                    let begun = Instant::now();
                    for _ in 0..self.batch {
                        endpoint.send(1, Token { last: false }).await?;
                        endpoint.recv_from(1).await?;
                    }
                    // The first batch finds the ranks starting.
                    if n > 0 {
                        let time = begun.elapsed().as_secs_f64() - self.reading;
                        times.push(time.max(0.0) / self.batch as f64);
                    }
                    if n > 0 && start.elapsed() > LONG {
                        break;
                    }
                }
                endpoint.send(1, Token { last: true }).await?;
            }
            1 => {
                while !endpoint.recv_from(0).await?.last {
                    endpoint.send(0, Token { last: false }).await?;
                }
            }
            _ => {}
        }
        Ok(times)
    }
}
