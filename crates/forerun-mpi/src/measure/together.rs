//! Streams to one rank: whether they take their turns at its port.

use std::time::Instant;

use forerun_skeleton::{Endpoint, Stop};

use super::letter::{Ask, Letter};

/// Ranks that send at the same time, at most.
pub(super) const MOST: usize = 4;

/// Seconds until the streams of `senders` ranks to this one, the first, have come: of each `messages` messages of `bytes`
/// bytes, all at the same time.
pub(super) async fn together<E: Endpoint<Letter>>(
    e: &mut E,
    senders: usize,
    messages: u32,
    bytes: usize,
) -> Result<f64, Stop> {
    let begun = Instant::now();
    for rank in 1..=senders {
        let values = [messages.into(), bytes as f64, 0.0];
        e.send(rank, Letter { values, ..Letter::new(Ask::Flow, 0, 0) }).await?;
    }
    let mut left = vec![0u32; senders + 1];
    let (mut coming, mut there) = (senders, begun.elapsed());
    while coming > 0 {
        let (from, letter) = e.recv_any().await?;
        match (letter.ask, left.get_mut(from)) {
            // What comes first of a stream says how many follow.
            (Ask::Stream, Some(left)) if letter.number > 0 => *left = letter.number,
            (Ask::Stream, Some(left)) => {
                *left = left.saturating_sub(1);
                there = begun.elapsed();
                if *left == 0 {
                    e.send(from, Letter::new(Ask::Stream, 0, 0)).await?;
                }
            }
            // How long its sender took.
            _ => coming -= 1,
        }
    }
    Ok(there.as_secs_f64())
}
