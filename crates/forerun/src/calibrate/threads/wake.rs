//! Messages to a rank that sleeps.

use std::time::{Duration, Instant};

use forerun_skeleton::{Endpoint, Message, Program, Stop};

/// Longer than any rank spins before it sleeps.
const ASLEEP: Duration = Duration::from_micros(150);

/// A message that knows when it was sent.
pub(in crate::calibrate) struct Sent(Instant);

impl Message for Sent {
    fn bytes(&self) -> u64 {
        0
    }
}

/// Rank 0 sends to rank 1, which has waited for long. Rank 1 returns the seconds from the send's
/// begin to the receive's end, rank 0 those of the sends.
pub(in crate::calibrate) struct Wake {
    pub(in crate::calibrate) rounds: usize,
}

impl Program for Wake {
    type Msg = Sent;
    type Out = Vec<f64>;

    async fn rank<E: Endpoint<Sent>>(&self, endpoint: &mut E) -> Result<Vec<f64>, Stop> {
        let mut times = Vec::with_capacity(self.rounds);
        for _ in 0..self.rounds {
            match endpoint.rank() {
                0 => {
                    // Busy, as a rank that works is.
                    let begun = Instant::now();
                    while begun.elapsed() < ASLEEP {
                        std::hint::spin_loop();
                    }
                    let begun = Instant::now();
                    endpoint.send(1, Sent(begun)).await?;
                    times.push(begun.elapsed().as_secs_f64());
                    endpoint.recv_from(1).await?;
                }
                1 => {
                    let sent = endpoint.recv_from(0).await?;
                    times.push(sent.0.elapsed().as_secs_f64());
                    endpoint.send(0, sent).await?;
                }
                _ => {}
            }
        }
        Ok(times)
    }
}
