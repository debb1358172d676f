//! What messages that come or leave take of a rank that computes meanwhile.

use std::hint::black_box;
use std::time::{Duration, Instant};

use forerun_skeleton::{Endpoint, Stop};

use super::follow::compute;
use super::letter::{Ask, Letter};
use super::share::{is_stalled, process_seconds, thread_seconds, turn};

/// Messages of a pair: no more than a window, as none is received before the end, and who sends them is not to wait.
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

impl Took {
    fn mean(self, other: Took) -> Took {
        let mean = |a, b| 0.5 * (a + b);
        Took {
            wall: mean(self.wall, other.wall),
            thread: mean(self.thread, other.thread),
            process: mean(self.process, other.process),
        }
    }
}

/// What a rank of a pair does: it sends to the other, or receives from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Sends,
    Receives,
}

/// What a rank of a pair found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    pub(super) part: Part,
    /// Seconds of its processor that messages took of it while it computed, by the byte. Noise may make it less than 0.
    pub(super) interference: f64,
    /// Seconds of its processor that a call took that sends a message, or that receives one that has come.
    pub(super) busy: f64,
}

/// Has ranks `from` and `to` compute for about `time` while messages of `bytes` bytes go from one to the other: what both found.
///
/// Each computes for `time`; when both have, messages leave, each computes as much again meanwhile, and once more when all of
/// them are there: with the mean of what that took before and after, a processor that becomes faster or slower is no interference.
pub(super) async fn pair<E: Endpoint<Letter>>(
    e: &mut E,
    (from, to): (usize, usize),
    bytes: usize,
    time: Duration,
) -> Result<Vec<Beside>, Stop> {
    let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    let parts = [(from, to, Part::Sends), (to, from, Part::Receives)];
    let (own, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(rank, ..)| *rank == 0);
    for &(rank, partner, part) in &others {
        let values = [f64::from(part as u8), bytes as f64, partner as f64];
        e.send(rank, Letter { values, ..Letter::new(Ask::Beside, micros, 0) }).await?;
    }
    let mut found = Vec::new();
    match own.first() {
        Some(&(_, partner, part)) => {
            let alone = compute(e, || spin(|_, since| since >= time)).await?;
            meet(e, &others).await?;
            found.push(together(e, (partner, part), bytes, alone).await?);
        }
        None => meet(e, &others).await?,
    }
    for (rank, _, part) in others {
        let [interference, busy, _] = e.recv_from(rank).await?.values;
        found.push(Beside { part, interference, busy });
    }
    Ok(found)
}

/// Waits until all others have computed by themselves, and lets them go on.
async fn meet<E: Endpoint<Letter>>(e: &mut E, others: &[(usize, usize, Part)]) -> Result<(), Stop> {
    for &(rank, ..) in others {
        e.recv_from(rank).await?;
    }
    for &(rank, ..) in others {
        e.send(rank, Letter::new(Ask::Beside, 0, 0)).await?;
    }
    Ok(())
}

/// What a rank does that `letter` of the first rank asks for this.
pub(super) async fn beside<E: Endpoint<Letter>>(e: &mut E, from: usize, letter: &Letter) -> Result<(), Stop> {
    let time = Duration::from_micros(letter.number.into());
    let [part, bytes, partner] = letter.values;
    let alone = compute(e, || spin(|_, since| since >= time)).await?;
    e.send(from, Letter::new(Ask::Beside, 0, 0)).await?;
    e.recv_from(from).await?;
    let found = together(e, (partner as usize, part_of(part)), bytes as usize, alone).await?;
    e.send(from, Letter::answer(Ask::Beside, [found.interference, found.busy, 0.0])).await
}

fn part_of(number: f64) -> Part {
    if number == f64::from(Part::Sends as u8) { Part::Sends } else { Part::Receives }
}

/// Computes beside messages to or from a partner, after so many turns alone that took so long.
async fn together<E: Endpoint<Letter>>(
    e: &mut E,
    (partner, part): (usize, Part),
    bytes: usize,
    (turns, before): (u64, Took),
) -> Result<Beside, Stop> {
    let mut busy = 0.0;
    if part == Part::Sends {
        let letters: Vec<Letter> = (0..MESSAGES).map(|_| Letter::new(Ask::Beside, 0, bytes)).collect();
        let used = thread_seconds();
        for letter in letters {
            e.send(partner, letter).await?;
        }
        busy = thread_seconds() - used;
    }
    let (_, together) = compute(e, || spin(|done, _| done >= turns)).await?;
    if part == Part::Receives {
        let used = thread_seconds();
        for _ in 0..MESSAGES {
            e.recv_from(partner).await?;
        }
        busy = thread_seconds() - used;
    }
    let (_, after) = compute(e, || spin(|done, _| done >= turns)).await?;
    let messages = f64::from(MESSAGES);
    let interference = more(before.mean(after), together) / (messages * bytes as f64);
    Ok(Beside { part, interference, busy: busy / messages })
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
    let now = || (Instant::now(), thread_seconds(), process_seconds());
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
