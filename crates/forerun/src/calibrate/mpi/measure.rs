//! The program that the ranks run to measure each other's messages.
//!
//! The first rank leads: it tells the others which probe comes next, in a new random order every round, until the time is over.
//! All times are its own, but for what receiving costs rank 1, which comes back in its answer. Ranks wait as they do in any run.

use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

use forerun_mpi::run;
use forerun_platform::Stage;
use forerun_platform::statistics::median;
use forerun_skeleton::wire::garbled;
use forerun_skeleton::{AppError, Cancel, Charge, Endpoint, Message, Options, Program, RunError, Stop, Wire};
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::Communicator as _;

use super::super::clock::thread_seconds;
use super::super::random::Random;
use super::{SIZES, Series, series};

/// Seconds that a rank computes to find out how much of a processor it has: many periods of any usual quota.
const BUSY_S: f64 = 0.25;
/// Round trips, or messages of a stream beside those of a longer one, in a sample.
const BATCH: u32 = 5;
/// Messages of the longer stream.
const STREAM: u32 = 45;
/// The least time that rank 1 lets a message wait before it receives it.
const LEAST_WAIT: Duration = Duration::from_millis(8);

/// What a letter asks rank 1 for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// To send it back.
    Echo,
    /// To receive as many more, and answer the last.
    Stream,
    /// To wait so many microseconds, receive one more, and answer what receiving took.
    Late,
    /// To compute, and answer what part of a processor that got.
    Busy,
    /// To end.
    End,
}

const ASKS: [Ask; 5] = [Ask::Echo, Ask::Stream, Ask::Late, Ask::Busy, Ask::End];

struct Letter {
    ask: Ask,
    number: u32,
    value: f64,
    body: Vec<u8>,
}

impl Letter {
    fn new(ask: Ask, number: u32, bytes: usize) -> Self {
        Letter { ask, number, value: 0.0, body: vec![0; bytes] }
    }
}

impl Message for Letter {
    fn bytes(&self) -> u64 {
        self.body.len() as u64
    }
}

impl Wire for Letter {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        (self.ask as u8, self.number, self.value).encode(out)?;
        self.body.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let (ask, number, value): (u8, u32, f64) = Wire::decode(bytes)?;
        let ask = *ASKS.get(usize::from(ask)).ok_or_else(|| garbled("one of a calibration"))?;
        Ok(Letter { ask, number, value, body: Wire::decode(bytes)? })
    }
}

/// Measures messages between the first two ranks of `world` for up to `seconds`; the first rank gets every value.
///
/// # Errors
/// The same on every rank: cancelled.
pub(crate) fn measure(
    world: &SimpleCommunicator,
    seconds: f64,
    cancel: &Cancel,
) -> Result<Option<Vec<Series>>, RunError> {
    let ranks = world.size() as usize;
    let mut found = Vec::new();
    if ranks > 2 {
        // What sending and receiving cost where only two ranks take part.
        let color = if world.rank() < 2 { Color::with_value(0) } else { Color::undefined() };
        if let Some(pair) = world.split_by_color(color) {
            let options = Options { cancel: cancel.clone(), ..Options::new(2) };
            let leading = Leading { seconds: seconds / 4.0, only_overheads: true };
            if let Some(ran) = run(&pair, &leading, &options)? {
                let of_two = ran.outs.into_iter().next().unwrap_or_default();
                found.extend(
                    of_two.into_iter().map(|(name, values)| (format!("{name}{}", series::OF_TWO), values)),
                );
            }
        }
    }
    let left = if ranks > 2 { 0.75 * seconds } else { seconds };
    let options = Options { cancel: cancel.clone(), ..Options::new(ranks) };
    let ran = run(world, &Leading { seconds: left, only_overheads: false }, &options)?;
    Ok(ran.map(|ran| {
        found.extend(ran.outs.into_iter().next().unwrap_or_default());
        found
    }))
}

/// The program.
struct Leading {
    seconds: f64,
    /// Whether nothing but overheads of empty messages is measured.
    only_overheads: bool,
}

impl Program for Leading {
    type Msg = Letter;
    /// Every value of every series, of the first rank.
    type Out = Vec<Series>;

    async fn rank<E: Endpoint<Letter>>(&self, e: &mut E) -> Result<Vec<Series>, Stop> {
        if e.rank() == 0 {
            return self.lead(e).await;
        }
        loop {
            let letter = e.recv_from(0).await?;
            match letter.ask {
                Ask::End => return Ok(Vec::new()),
                Ask::Echo => e.send(0, letter).await?,
                Ask::Stream => {
                    for _ in 0..letter.number {
                        e.recv_from(0).await?;
                    }
                    e.send(0, Letter::new(Ask::Stream, 0, 0)).await?;
                }
                Ask::Late => {
                    let wait = Duration::from_micros(letter.number.into());
                    compute(e, || sleep(wait)).await?;
                    let begun = Instant::now();
                    e.recv_from(0).await?;
                    let value = begun.elapsed().as_secs_f64();
                    e.send(0, Letter { value, ..Letter::new(Ask::Late, 0, 0) }).await?;
                }
                Ask::Busy => {
                    let value = compute(e, share).await?;
                    e.send(0, Letter { value, ..Letter::new(Ask::Busy, 0, 0) }).await?;
                }
            }
        }
    }
}

/// What the first rank can measure.
#[derive(Debug, Clone, Copy)]
enum Probe {
    /// Round trip, overheads and so latency.
    Empty,
    /// Overheads of many bytes.
    Bytes,
    /// The gap between messages.
    Gap,
    /// The gap between bytes.
    Link,
    /// What part of a processor each rank has.
    Share,
}

impl Leading {
    async fn lead<E: Endpoint<Letter>>(&self, e: &mut E) -> Result<Vec<Series>, Stop> {
        let begun = Instant::now();
        let mut random = Random::from_time();
        let mut found: Vec<Series> = Vec::new();
        let mut note = |name: &str, value: f64| match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value),
            None => found.push((name.to_owned(), vec![value])),
        };
        let mut probes = if self.only_overheads {
            vec![Probe::Empty]
        } else {
            vec![
                Probe::Empty,
                Probe::Empty,
                Probe::Empty,
                Probe::Bytes,
                Probe::Gap,
                Probe::Link,
                Probe::Share,
            ]
        };
        // The first message finds connections closed; the time of a long one says how long to wait for it.
        round_trip(e, 0).await?;
        let long = Duration::from_secs_f64(round_trip(e, SIZES[0]).await?);
        let mut first = true;
        while first || begun.elapsed().as_secs_f64() < self.seconds {
            random.shuffle(&mut probes);
            for &probe in &probes {
                match probe {
                    Probe::Empty => {
                        let there_and_back = round_trip(e, 0).await?;
                        let (send, receive) = overheads(e, 0, LEAST_WAIT).await?;
                        note(series::ROUND_TRIP, there_and_back);
                        note(series::SEND, send);
                        note(series::RECEIVE, receive);
                    }
                    Probe::Bytes => {
                        let (send, receive) = overheads(e, SIZES[0], LEAST_WAIT + 3 * long).await?;
                        note(series::SEND_LONG, send);
                        note(series::RECEIVE_LONG, receive);
                    }
                    Probe::Gap => {
                        let (few, many) = (stream(e, BATCH, 0).await?, stream(e, STREAM, 0).await?);
                        note(series::GAP, (many - few) / f64::from(STREAM - BATCH));
                    }
                    Probe::Link => {
                        let (small, large) =
                            (stream(e, BATCH, SIZES[0]).await?, stream(e, BATCH, SIZES[1]).await?);
                        let bytes = (SIZES[1] - SIZES[0]) as f64 * f64::from(BATCH);
                        note(series::GAP_PER_BYTE, (large - small) / bytes);
                    }
                    Probe::Share => {
                        for rank in 1..e.size() {
                            e.send(rank, Letter::new(Ask::Busy, 0, 0)).await?;
                        }
                        note(series::SHARE, compute(e, share).await?);
                        for rank in 1..e.size() {
                            note(series::SHARE, e.recv_from(rank).await?.value);
                        }
                    }
                }
            }
            first = false;
        }
        for rank in 1..e.size() {
            e.send(rank, Letter::new(Ask::End, 0, 0)).await?;
        }
        Ok(found)
    }
}

/// Seconds of a round trip with `bytes` bytes each way: the median of some.
async fn round_trip<E: Endpoint<Letter>>(e: &mut E, bytes: usize) -> Result<f64, Stop> {
    let mut times = Vec::new();
    for _ in 0..BATCH {
        let letter = Letter::new(Ask::Echo, 0, bytes);
        let begun = Instant::now();
        e.send(1, letter).await?;
        e.recv_from(1).await?;
        times.push(begun.elapsed().as_secs_f64());
    }
    Ok(median(&times).unwrap_or(0.0))
}

/// Seconds that a message of `bytes` bytes takes its sender, and its receiver when it has come already.
async fn overheads<E: Endpoint<Letter>>(e: &mut E, bytes: usize, wait: Duration) -> Result<(f64, f64), Stop> {
    e.send(1, Letter::new(Ask::Late, u32::try_from(wait.as_micros()).unwrap_or(u32::MAX), 0)).await?;
    let letter = Letter::new(Ask::Echo, 0, bytes);
    let begun = Instant::now();
    e.send(1, letter).await?;
    let send = begun.elapsed().as_secs_f64();
    Ok((send, e.recv_from(1).await?.value))
}

/// Seconds until `messages` messages of `bytes` bytes, sent one after the other, are answered.
async fn stream<E: Endpoint<Letter>>(e: &mut E, messages: u32, bytes: usize) -> Result<f64, Stop> {
    let begun = Instant::now();
    e.send(1, Letter::new(Ask::Stream, messages, 0)).await?;
    for _ in 0..messages {
        e.send(1, Letter::new(Ask::Stream, 0, bytes)).await?;
    }
    e.recv_from(1).await?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Does `f` as a rank that computes.
async fn compute<T, E: Endpoint<Letter>>(e: &mut E, f: impl FnOnce() -> T) -> Result<T, Stop> {
    let charge = Charge { stage: Stage::Task, item: 0, bytes: 0, results: 0 };
    e.work(charge, || Ok(f())).await
}

/// What part of a processor a rank gets that computes.
fn share() -> f64 {
    let (begun, used) = (Instant::now(), thread_seconds());
    let mut sum = 0u64;
    while begun.elapsed().as_secs_f64() < BUSY_S {
        sum = black_box((0..1000u64).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n)));
    }
    (thread_seconds() - used) / begun.elapsed().as_secs_f64()
}
