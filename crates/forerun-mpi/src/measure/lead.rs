//! What the first rank does to measure the others' messages.

use std::thread::sleep;
use std::time::{Duration, Instant};

use forerun_platform::random::Random;
use forerun_skeleton::{Endpoint, Program, Stop};

use super::beside::{self, Part, pair};
use super::follow::{compute, follow, stream};
use super::letter::{Ask, Letter};
use super::share::{is_stalled, process_seconds, share, thread_seconds};
use super::{Found, Probe, Sample};

/// Sizes of messages whose overheads are measured, beside empty ones.
const SIZES: (usize, usize) = (64, 512 << 10);
/// Sizes of messages in streams, beside empty ones.
const LONG: (usize, usize) = (256 << 10, 1 << 20);
/// Sizes of messages that are looked at for segments, the part of them that is drawn evenly rather than by factors, and the seconds
/// that messages of such a stream take, about, and the bounds of their number.
const CUT: (usize, usize) = (1 << 10, 512 << 10);
const EVENLY: f64 = 0.5;
const CUT_S: f64 = 0.01;
const CUT_FURTHER: (f64, f64) = (4.0, 64.0);
/// Messages of a stream that fill the pipe, and of empty ones beyond these.
const FILL: u32 = 5;
const MANY: u32 = 40;
/// Seconds that the long messages of a stream beyond these take, about, and the bounds of their number.
const STREAM_S: f64 = 0.8;
const FURTHER: (f64, f64) = (8.0, 64.0);
/// The least time that a rank lets a message wait before it receives it.
const LEAST_WAIT: Duration = Duration::from_millis(8);
/// Messages to each other rank that are answered at once, one after the other.
const EXCHANGES: usize = 8;
/// How long a rank has waited that is woken by a message: as long as tasks of usual jobs.
const ASLEEP: Duration = Duration::from_millis(60);

/// The program.
pub(super) struct Leading {
    pub(super) seconds: f64,
    /// Whether nothing but overheads of empty messages is measured.
    pub(super) only_overheads: bool,
}

impl Program for Leading {
    type Msg = Letter;
    /// Every value, of the first rank.
    type Out = Found;

    async fn rank<E: Endpoint<Letter>>(&self, e: &mut E) -> Result<Found, Stop> {
        if e.rank() == 0 {
            return self.lead(e).await;
        }
        follow(e).await?;
        Ok(Vec::new())
    }
}

/// What comes next.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Round trip and overheads of empty messages.
    Empty,
    /// A round trip and overheads of a size that is drawn.
    Sized,
    /// A round trip to a rank that sleeps.
    Woken,
    /// A stream of empty messages.
    Gap,
    /// A stream of long ones.
    Link,
    /// A shorter stream of a size that is drawn from all.
    Segments,
    /// Messages from one rank to another, both of which compute.
    Beside,
    /// Empty messages to all other ranks that answer at once, where a limit stalls ranks.
    Answered,
    /// What part of a processor each rank has.
    Share,
}

/// A round of probes. What varies most, and what figures are made of, comes more often.
const ROUND: [Next; 27] = [
    Next::Empty,
    Next::Empty,
    Next::Empty,
    Next::Empty,
    Next::Sized,
    Next::Sized,
    Next::Sized,
    Next::Woken,
    Next::Woken,
    Next::Woken,
    Next::Woken,
    Next::Woken,
    Next::Woken,
    Next::Gap,
    Next::Link,
    Next::Link,
    Next::Link,
    Next::Segments,
    Next::Segments,
    Next::Segments,
    Next::Segments,
    Next::Beside,
    Next::Beside,
    Next::Beside,
    Next::Answered,
    Next::Answered,
    Next::Share,
];

impl Leading {
    async fn lead<E: Endpoint<Letter>>(&self, e: &mut E) -> Result<Found, Stop> {
        let begun = Instant::now();
        let (mut random, ranks) = (Random::from_time(), e.size());
        let mut found: Found = Vec::new();
        // First messages find connections closed. The time of a long one says how long to wait for it.
        for rank in 1..ranks {
            round_trip(e, rank, 0).await?;
        }
        let long = if self.only_overheads { 0.0 } else { round_trip(e, 1, LONG.1).await?.min(1.0) };
        let further = (STREAM_S / (long / 2.0).max(1e-9)).clamp(FURTHER.0, FURTHER.1) as u32;
        let mut probes = if self.only_overheads { vec![Next::Empty] } else { ROUND.to_vec() };
        let stalled = !self.only_overheads && is_stalled(compute(e, share).await?[0]);
        let mut first = true;
        while first || begun.elapsed().as_secs_f64() < self.seconds {
            random.shuffle(&mut probes);
            for &next in &probes {
                if !first && begun.elapsed().as_secs_f64() >= self.seconds {
                    break;
                }
                let partner = 1 + random.below(ranks - 1);
                let mut note = |probe, bytes: usize, value| {
                    found.push(Sample { probe, ranks, bytes: bytes as u64, value });
                };
                match next {
                    Next::Empty | Next::Sized => {
                        let bytes = match next {
                            Next::Sized => random.size(SIZES.0, SIZES.1),
                            _ => 0,
                        };
                        // As long as all of it takes thrice.
                        let wait =
                            LEAST_WAIT + Duration::from_secs_f64(1.5 * long * bytes as f64 / LONG.1 as f64);
                        note(Probe::RoundTrip, bytes, round_trip(e, partner, bytes).await?);
                        let (send, receive) = overheads(e, partner, bytes, wait).await?;
                        note(Probe::Send, bytes, send.wall);
                        note(Probe::Receive, bytes, receive.wall);
                        if stalled {
                            note(Probe::BusySend, bytes, send.busy);
                            note(Probe::BusyReceive, bytes, receive.busy);
                        }
                    }
                    Next::Woken => {
                        compute(e, || sleep(ASLEEP)).await?;
                        note(Probe::Woken, 0, round_trip(e, partner, 0).await?);
                    }
                    // Elsewhere what is not in the call is done beside it, or takes next to nothing.
                    Next::Answered if !stalled => {}
                    Next::Answered => note(Probe::Answered, 0, answered(e).await?),
                    Next::Gap => {
                        let (few, many) =
                            (stream(e, partner, FILL, 0).await?, stream(e, partner, FILL + MANY, 0).await?);
                        note(Probe::Stream, 0, (many - few) / f64::from(MANY));
                    }
                    Next::Link => {
                        let bytes = random.size(LONG.0, LONG.1);
                        let few = stream(e, partner, FILL, bytes).await?;
                        let many = stream(e, partner, FILL + further, bytes).await?;
                        note(Probe::Stream, bytes, (many - few) / f64::from(further));
                    }
                    Next::Segments => {
                        // Evenly, since later steps are as far apart as the first; by factors, since s may be small.
                        let bytes = match random.unit() < EVENLY {
                            true => CUT.0 + random.below(CUT.1 - CUT.0),
                            false => random.size(CUT.0, CUT.1),
                        };
                        let each = (long / 2.0).max(1e-9) * bytes as f64 / LONG.1 as f64;
                        let further = (CUT_S / each).clamp(CUT_FURTHER.0, CUT_FURTHER.1) as u32;
                        let few = stream(e, partner, FILL, bytes).await?;
                        let many = stream(e, partner, FILL + further, bytes).await?;
                        note(Probe::Segments, bytes, (many - few) / f64::from(further));
                    }
                    Next::Beside => {
                        let bytes = random.size(LONG.0, LONG.1);
                        // Twice as long as they take to come.
                        let take = f64::from(beside::MESSAGES) * long / 2.0 * bytes as f64 / LONG.1 as f64;
                        let time = LEAST_WAIT + Duration::from_secs_f64(2.0 * take);
                        let mut order: Vec<usize> = (0..ranks).collect();
                        random.shuffle(&mut order);
                        for found in pair(e, (order[0], order[1]), bytes, time).await? {
                            let (interference, busy) = match found.part {
                                Part::Sends => (Probe::SendInterference, Probe::BusySend),
                                Part::Receives => (Probe::Interference, Probe::BusyReceive),
                            };
                            note(interference, bytes, found.interference);
                            if stalled {
                                note(busy, bytes, found.busy);
                            }
                        }
                    }
                    Next::Share => {
                        for rank in 1..ranks {
                            e.send(rank, Letter::new(Ask::Busy, 0, 0)).await?;
                        }
                        let mut all = vec![compute(e, share).await?];
                        for rank in 1..ranks {
                            all.push(e.recv_from(rank).await?.values);
                        }
                        for [part, quota, period] in all {
                            note(Probe::Share, 0, part);
                            note(Probe::Quota, 0, quota);
                            note(Probe::Period, 0, period);
                        }
                    }
                }
            }
            first = false;
        }
        for rank in 1..ranks {
            e.send(rank, Letter::new(Ask::End, 0, 0)).await?;
        }
        Ok(found)
    }
}

/// Seconds of a round trip with `bytes` bytes each way.
async fn round_trip<E: Endpoint<Letter>>(e: &mut E, to: usize, bytes: usize) -> Result<f64, Stop> {
    let letter = Letter::new(Ask::Echo, 0, bytes);
    let begun = Instant::now();
    e.send(to, letter).await?;
    e.recv_from(to).await?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Seconds of this rank's processor for an empty message and its answer, where every other rank answers at once and gets the next: what a
/// master of small tasks does for each, with what MPI and the system take to bring the answer in, and with looks that find nothing.
async fn answered<E: Endpoint<Letter>>(e: &mut E) -> Result<f64, Stop> {
    let others = e.size() - 1;
    let used = process_seconds();
    for rank in 1..=others {
        e.send(rank, Letter::new(Ask::Echo, 0, 0)).await?;
    }
    for _ in others..EXCHANGES * others {
        let (from, _) = e.recv_any().await?;
        e.send(from, Letter::new(Ask::Echo, 0, 0)).await?;
    }
    for _ in 0..others {
        e.recv_any().await?;
    }
    Ok((process_seconds() - used) / (EXCHANGES * others) as f64)
}

/// Seconds of a call, by the wall and of the processor.
struct Took {
    wall: f64,
    busy: f64,
}

/// What a message of `bytes` bytes takes its sender, and its receiver when it has come already.
async fn overheads<E: Endpoint<Letter>>(
    e: &mut E,
    to: usize,
    bytes: usize,
    wait: Duration,
) -> Result<(Took, Took), Stop> {
    e.send(to, Letter::new(Ask::Late, u32::try_from(wait.as_micros()).unwrap_or(u32::MAX), 0)).await?;
    let letter = Letter::new(Ask::Echo, 0, bytes);
    // The processor's clock is read outside of the time by the wall.
    let (used, begun) = (thread_seconds(), Instant::now());
    e.send(to, letter).await?;
    let send = Took { wall: begun.elapsed().as_secs_f64(), busy: thread_seconds() - used };
    let [wall, busy, _] = e.recv_from(to).await?.values;
    Ok((send, Took { wall, busy }))
}
