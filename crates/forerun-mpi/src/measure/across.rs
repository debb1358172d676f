//! Streams side by side: whether hosts share a link on the way to others.
//!
//! Of 2 f ranks, each of the first f sends to the rank f places on, all at once. Where f hosts lie behind one link to the rest, all
//! of these streams go through it; with fewer than that some stay below it, and with more none is added: so the first f
//! with which streams are slowed the most is how many hosts share the link.
//!
//! In turn with these, streams of several ranks to one ([`together`]).

use std::time::Instant;

use forerun_platform::random::Random;
use forerun_platform::statistics::median;
use forerun_skeleton::{Endpoint, Program, Stop};

use super::follow::{follow, stream};
use super::letter::{Ask, Letter};
use super::together::{self, evenness, together};
use super::{Found, Probe, Sample};

/// Messages of a stream, and bytes of each.
const MESSAGES: u32 = 4;
const BYTES: usize = 256 << 10;
/// Bytes of messages of which one of each sender is compared.
const LARGE: usize = 1 << 20;

/// The program.
pub(super) struct Across {
    pub(super) seconds: f64,
}

impl Program for Across {
    type Msg = Letter;
    type Out = Found;

    async fn rank<E: Endpoint<Letter>>(&self, e: &mut E) -> Result<Found, Stop> {
        if e.rank() == 0 {
            return self.lead(e).await;
        }
        follow(e).await?;
        Ok(Vec::new())
    }
}

impl Across {
    async fn lead<E: Endpoint<Letter>>(&self, e: &mut E) -> Result<Found, Stop> {
        let (begun, mut random) = (Instant::now(), Random::from_time());
        let ranks = e.size();
        let mut found: Found = Vec::new();
        let mut widths: Vec<usize> = (1..=ranks / 2).collect();
        // The first messages of two ranks find their connection closed.
        for &width in &widths {
            side_by_side(e, width, 1, 0).await?;
        }
        let senders = together::MOST.min(ranks - 1);
        let mut first = true;
        while first || begun.elapsed().as_secs_f64() < self.seconds {
            random.shuffle(&mut widths);
            for &width in &widths {
                if !first && begun.elapsed().as_secs_f64() >= self.seconds {
                    break;
                }
                let (_, alone) = together(e, 1, MESSAGES, BYTES).await?;
                let (_, all) = together(e, senders, MESSAGES, BYTES).await?;
                let more = (senders - 1) as f64 * f64::from(MESSAGES) * BYTES as f64;
                let value = (all - alone) / more;
                found.push(Sample { probe: Probe::Together, ranks: senders, bytes: BYTES as u64, value });
                let value = evenness(e, senders, LARGE).await?;
                found.push(Sample { probe: Probe::Even, ranks: senders, bytes: LARGE as u64, value });
                // The same stream alone, as far as the others.
                let alone = stream(e, width, MESSAGES, BYTES).await?;
                let all = side_by_side(e, width, MESSAGES, BYTES).await?;
                let value = median(&all).unwrap_or(alone) / alone;
                found.push(Sample { probe: Probe::Across, ranks: width, bytes: BYTES as u64, value });
            }
            first = false;
        }
        for rank in 1..ranks {
            e.send(rank, Letter::new(Ask::End, 0, 0)).await?;
        }
        Ok(found)
    }
}

/// Seconds of the streams of ranks 0 to below `width`, each to the rank `width` places on, at the same time.
async fn side_by_side<E: Endpoint<Letter>>(
    e: &mut E,
    width: usize,
    messages: u32,
    bytes: usize,
) -> Result<Vec<f64>, Stop> {
    for rank in 1..width {
        let values = [messages.into(), bytes as f64, 0.0];
        let to = u32::try_from(rank + width).unwrap_or(u32::MAX);
        e.send(rank, Letter { values, ..Letter::new(Ask::Flow, to, 0) }).await?;
    }
    let mut all = vec![stream(e, width, messages, bytes).await?];
    for rank in 1..width {
        all.push(e.recv_from(rank).await?.values[0]);
    }
    Ok(all)
}
