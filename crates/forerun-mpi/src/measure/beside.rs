//! What messages that come or leave take of a rank that computes meanwhile.

use std::hint::black_box;
use std::time::{Duration, Instant};

use forerun_skeleton::{Endpoint, Stop};
use rustix::time::ClockId;

use super::follow::compute;
use super::letter::{Ask, Letter};
use super::share::{is_stalled, seconds_by, thread_seconds, turn};

/// Messages meanwhile: no more than a window, as none is received before the end, and who sends them is not to wait.
pub(super) const MESSAGES: u32 = 4;

/// What some work took, in seconds.
#[derive(Debug, Clone, Copy)]
struct Took {
    wall: f64,
    /// Processor time of this thread.
    thread: f64,
    /// The same of all threads of the process, whoever looks for messages included.
    process: f64,
}

/// Asks rank `to` to compute while messages of `bytes` bytes come to it, for about `time`: gives the seconds of its processor that they
/// took by the byte. Noise may make it less than 0.
pub(super) async fn interference<E: Endpoint<Letter>>(
    e: &mut E,
    to: usize,
    bytes: usize,
    time: Duration,
) -> Result<f64, Stop> {
    ask(e, to, Ask::Beside, bytes, time).await?;
    e.recv_from(to).await?;
    for _ in 0..MESSAGES {
        e.send(to, Letter::new(Ask::Beside, 0, bytes)).await?;
    }
    answered(e, to, bytes).await
}

/// Asks rank `to` to compute while messages of `bytes` bytes leave it, for about `time`: gives as [`interference`].
pub(super) async fn send_interference<E: Endpoint<Letter>>(
    e: &mut E,
    to: usize,
    bytes: usize,
    time: Duration,
) -> Result<f64, Stop> {
    ask(e, to, Ask::Away, bytes, time).await?;
    for _ in 0..MESSAGES {
        e.recv_from(to).await?;
    }
    answered(e, to, bytes).await
}

/// Asks rank `to` to compute for about `time` beside messages of `bytes` bytes.
async fn ask<E: Endpoint<Letter>>(
    e: &mut E,
    to: usize,
    what: Ask,
    bytes: usize,
    time: Duration,
) -> Result<(), Stop> {
    let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    let values = [MESSAGES.into(), bytes as f64, 0.0];
    e.send(to, Letter { values, ..Letter::new(what, micros, 0) }).await
}

/// What rank `to` answers, by the byte.
async fn answered<E: Endpoint<Letter>>(e: &mut E, to: usize, bytes: usize) -> Result<f64, Stop> {
    Ok(e.recv_from(to).await?.values[0] / (f64::from(MESSAGES) * bytes as f64))
}

/// What the rank does that `letter` of the first rank asks for the latter.
pub(super) async fn away<E: Endpoint<Letter>>(e: &mut E, from: usize, letter: &Letter) -> Result<(), Stop> {
    let time = Duration::from_micros(letter.number.into());
    let [messages, bytes, _] = letter.values;
    let (turns, alone) = compute(e, || spin(|_, since| since >= time)).await?;
    for _ in 0..messages as u32 {
        e.send(from, Letter::new(Ask::Away, 0, bytes as usize)).await?;
    }
    let (_, together) = compute(e, || spin(|done, _| done >= turns)).await?;
    e.send(from, Letter::answer(Ask::Away, [more(alone, together), 0.0, 0.0])).await
}

/// What the rank does that `letter` of the first rank asks for the former.
pub(super) async fn beside<E: Endpoint<Letter>>(e: &mut E, from: usize, letter: &Letter) -> Result<(), Stop> {
    let time = Duration::from_micros(letter.number.into());
    let (turns, alone) = compute(e, || spin(|_, since| since >= time)).await?;
    e.send(from, Letter::new(Ask::Beside, 0, 0)).await?;
    let (_, together) = compute(e, || spin(|done, _| done >= turns)).await?;
    for _ in 0..letter.values[0] as u32 {
        e.recv_from(from).await?;
    }
    e.send(from, Letter::answer(Ask::Beside, [more(alone, together), 0.0, 0.0])).await
}

/// Seconds of its processor that work took more. Where a limit stalls ranks, that is what the process used: the time by the wall is in
/// whole stalls. Elsewhere it is that by the wall: what another processor does for the rank takes nothing of its own.
fn more(alone: Took, together: Took) -> f64 {
    match is_stalled(alone.thread / alone.wall) {
        true => together.process - alone.process,
        false => together.wall - alone.wall,
    }
}

/// Computes until `enough` of the turns done and the time since the begin: how many turns that were, and what they took.
fn spin(enough: impl Fn(u64, Duration) -> bool) -> (u64, Took) {
    let now = || (Instant::now(), thread_seconds(), seconds_by(ClockId::ProcessCPUTime));
    let (wall, thread, process) = now();
    let (mut turns, mut sum) = (0, 0);
    while !enough(turns, wall.elapsed()) {
        sum = black_box(turn(sum));
        turns += 1;
    }
    let end = now();
    (turns, Took { wall: (end.0 - wall).as_secs_f64(), thread: end.1 - thread, process: end.2 - process })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalled_ranks_are_told_by_what_they_used_and_others_by_the_wall() {
        let took = |wall, thread, process| Took { wall, thread, process };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        near(more(took(1.0, 1.0, 1.0), took(1.2, 1.0, 1.1)), 0.2);
        near(more(took(1.0, 0.1, 0.11), took(1.5, 0.12, 0.15)), 0.04);
    }

    #[test]
    fn the_same_work_is_done_again() {
        let (turns, took) = spin(|_, since| since >= Duration::from_millis(20));
        assert!(turns > 0 && took.wall >= 0.02 && took.thread > 0.0);
        // Threads of other tests are in the process's time.
        assert!(took.process >= 0.9 * took.thread, "{took:?}");
        let (again, more) = spin(|done, _| done >= turns);
        // The machine may be busy meanwhile, in the processor's time hardly.
        assert!(again == turns && more.thread > 0.3 * took.thread && more.thread < 3.0 * took.thread);
    }
}
