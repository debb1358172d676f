//! Streams to one rank: whether they share its port, and how.

use std::time::Instant;

use forerun_skeleton::{Endpoint, Stop};

use super::letter::{Ask, Letter};

/// Ranks that send at the same time, at most.
pub(super) const MOST: usize = 4;

/// Seconds until the first and until all of the streams of `senders` ranks to this one, the first, have come: of each `messages` messages
/// of `bytes` bytes, all at the same time.
pub(super) async fn together<E: Endpoint<Letter>>(
    e: &mut E,
    senders: usize,
    messages: u32,
    bytes: usize,
) -> Result<(f64, f64), Stop> {
    let begun = Instant::now();
    for rank in 1..=senders {
        let values = [messages.into(), bytes as f64, 0.0];
        e.send(rank, Letter { values, ..Letter::new(Ask::Flow, 0, 0) }).await?;
    }
    let mut left = vec![0u32; senders + 1];
    let (mut coming, mut first, mut there) = (senders, None, begun.elapsed());
    while coming > 0 {
        let (from, letter) = e.recv_any().await?;
        match (letter.ask, left.get_mut(from)) {
            // What comes first of a stream says how many follow.
            (Ask::Stream, Some(left)) if letter.number > 0 => *left = letter.number,
            (Ask::Stream, Some(left)) => {
                *left = left.saturating_sub(1);
                there = begun.elapsed();
                if *left == 0 {
                    first.get_or_insert(there);
                    e.send(from, Letter::new(Ask::Stream, 0, 0)).await?;
                }
            }
            // How long its sender took.
            _ => coming -= 1,
        }
    }
    Ok((first.unwrap_or(there).as_secs_f64(), there.as_secs_f64()))
}

/// How far messages of `senders` ranks to this one share its port evenly: 0 where they are there one after the other, 1 where all at once.
/// One message of `bytes` bytes of each tells.
pub(super) async fn evenness<E: Endpoint<Letter>>(
    e: &mut E,
    senders: usize,
    bytes: usize,
) -> Result<f64, Stop> {
    let (first, last) = together(e, senders, 1, bytes).await?;
    let in_turns = 1.0 / senders as f64;
    Ok((first / last - in_turns) / (1.0 - in_turns))
}
