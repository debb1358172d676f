//! What ranks other than the first do: what they are asked for.

use std::thread::sleep;
use std::time::{Duration, Instant};

use forerun_platform::Stage;
use forerun_skeleton::{Charge, Endpoint, Stop};

use super::beside::beside;
use super::letter::{Ask, Letter};
use super::share::{share, thread_seconds};

/// Does what the first rank asks for until it says that this is all.
pub(super) async fn follow<E: Endpoint<Letter>>(e: &mut E) -> Result<(), Stop> {
    loop {
        let (from, letter) = e.recv_any().await?;
        match letter.ask {
            Ask::End => return Ok(()),
            Ask::Echo => e.send(from, letter).await?,
            Ask::Stream => {
                for _ in 0..letter.number {
                    e.recv_from(from).await?;
                }
                e.send(from, Letter::new(Ask::Stream, 0, 0)).await?;
            }
            Ask::Late => {
                let wait = Duration::from_micros(letter.number.into());
                compute(e, || sleep(wait)).await?;
                let (used, begun) = (thread_seconds(), Instant::now());
                e.recv_from(from).await?;
                let (seconds, busy) = (begun.elapsed().as_secs_f64(), thread_seconds() - used);
                e.send(from, Letter::answer(Ask::Late, [seconds, busy, 0.0])).await?;
            }
            Ask::Busy => {
                let values = compute(e, share).await?;
                e.send(from, Letter::answer(Ask::Busy, values)).await?;
            }
            Ask::Beside => beside(e, from, &letter).await?,
            Ask::Flow => {
                let [messages, bytes, _] = letter.values;
                let seconds = stream(e, letter.number as usize, messages as u32, bytes as usize).await?;
                e.send(from, Letter::answer(Ask::Flow, [seconds, 0.0, 0.0])).await?;
            }
        }
    }
}

/// Seconds until `messages` messages of `bytes` bytes, sent to rank `to` one after the other, are answered.
pub(super) async fn stream<E: Endpoint<Letter>>(
    e: &mut E,
    to: usize,
    messages: u32,
    bytes: usize,
) -> Result<f64, Stop> {
    let begun = Instant::now();
    e.send(to, Letter::new(Ask::Stream, messages, 0)).await?;
    for _ in 0..messages {
        e.send(to, Letter::new(Ask::Stream, 0, bytes)).await?;
    }
    e.recv_from(to).await?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Does `f` as a rank that computes.
pub(super) async fn compute<T, E: Endpoint<Letter>>(e: &mut E, f: impl FnOnce() -> T) -> Result<T, Stop> {
    let charge = Charge { stage: Stage::Task, item: 0, bytes: 0, results: 0 };
    e.work(charge, || Ok(f())).await
}
