//! LogGPS of the endpoint on threads, measured by small programs that run on it.
//!
//! A round trip is 2 (o_send + L + o_receive), so that L is half of it less the overheads, each of
//! which is timed on its own while the other rank does something else.

mod overheads;
mod ping_pong;
mod start;
mod stream;
mod touch;
mod wake;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use forerun_platform::random::Random;
use forerun_platform::statistics::median;
use forerun_skeleton::{Cancel, Endpoint, Message, Options, Program, RunError, Stop, threads};

use super::pin::Processors;
use forerun_platform::statistics::quartile;

pub(super) use overheads::Overheads;
pub(super) use ping_pong::PingPong;
pub(super) use start::start_up;
pub(super) use stream::Stream;
pub(super) use touch::Touch;
pub(super) use wake::Wake;

/// A message that carries nothing to speak of.
pub(super) struct Token {
    /// No other comes after it.
    last: bool,
}

/// A program that has measured this long ends with what it has: on a machine that does other
/// things too, a round trip may take a turn of the scheduler.
const LONG: Duration = Duration::from_millis(15);

impl Message for Token {
    fn bytes(&self) -> u64 {
        0
    }
}

/// A program each of whose ranks stays on a core of its own, where there are enough.
struct Pinned<'p, P> {
    program: &'p P,
    processors: Processors,
}

impl<P: Program> Program for Pinned<'_, P> {
    type Msg = P::Msg;
    type Out = P::Out;

    async fn rank<E: Endpoint<P::Msg>>(&self, endpoint: &mut E) -> Result<P::Out, Stop> {
        // A rank's thread ends with it.
        self.processors.pin(endpoint.rank());
        self.program.rank(endpoint).await
    }
}

/// Takes memory of random size, so that what is allocated next lies elsewhere than the last time:
/// which fields share a cache line is chance, and must not be the same chance in every repetition.
/// (Curtsinger and Berger, Stabilizer: statistically sound performance evaluation.)
fn displace() -> Vec<Vec<u8>> {
    let mut random = Random::from_time();
    (0..8).map(|_| Vec::with_capacity(16 + random.bits() as usize % 1024)).collect()
}

/// Runs a program and gives what each rank returned.
pub(super) fn outs<P>(
    program: &P,
    ranks: usize,
    window: usize,
    cancel: &Cancel,
) -> Result<Vec<P::Out>, RunError>
where
    P: Program + Sync,
    P::Msg: Send,
    P::Out: Send,
{
    let options = Options { window, cancel: cancel.clone(), ..Options::new(ranks) };
    let _elsewhere = displace();
    let program = Pinned { program, processors: Processors::here() };
    // The last rank is on the thread that runs the program, which is to go where it likes afterwards.
    let run = || threads::run(&program, &options).map(|ran| ran.outs);
    thread::scope(|scope| {
        let begun = thread::Builder::new().name("calibrate".into()).spawn_scoped(scope, run);
        let begun = begun.map_err(|e| {
            RunError::Invalid(format!("a thread could not be started to measure threads ({e})"))
        })?;
        begun.join().unwrap_or_else(|_| Err(none()))
    })
}

/// What rank `rank` timed when nothing disturbed it: the lower quartile, since a machine that does
/// other things disturbs often, but not always.
pub(super) fn undisturbed(outs: &[Vec<f64>], rank: usize) -> Result<f64, RunError> {
    outs.get(rank).and_then(|times| quartile(times)).ok_or_else(none)
}

fn none() -> RunError {
    RunError::Invalid("a calibration program returned no times".into())
}

/// The median of what rank `rank` timed.
pub(super) fn median_of(outs: &[Vec<f64>], rank: usize) -> Result<f64, RunError> {
    outs.get(rank).and_then(|times| median(times)).ok_or_else(none)
}

/// A turn that ranks take beside their endpoint, so that waiting for it does not disturb what is
/// measured.
#[derive(Debug, Default)]
struct Turn(AtomicUsize);

impl Turn {
    fn pass(&self, next: usize) {
        self.0.store(next, Ordering::Release);
    }

    /// Waits for the turn.
    fn wait(&self, turn: usize, cancel: &Cancel) -> Result<(), Stop> {
        let mut looks = 0u32;
        while self.0.load(Ordering::Acquire) < turn {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(1024) {
                if cancel.is_cancelled() {
                    return Err(Stop::Aborted);
                }
                // Whoever has the turn may need this core.
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn programs_end_with_times_on_more_ranks_than_cores_too() {
        let cancel = Cancel::new();
        for ranks in [2, 7] {
            let times = outs(&Overheads::new(20, 0.0, &cancel), ranks, 4, &cancel).expect("it runs");
            assert_eq!(times.len(), ranks);
            assert!(times[0].len() == times[1].len() && !times[0].is_empty());
            assert!(times[..2].iter().flatten().all(|t| *t > 0.0) && times[2..].iter().all(Vec::is_empty));
            let times =
                outs(&PingPong { batches: 3, batch: 2, reading: 0.0 }, ranks, 4, &cancel).expect("it runs");
            assert!(median_of(&times, 0).is_ok() && median_of(&times, 1).is_err());
            for window in [1, 64] {
                let times = outs(&Stream { batches: 3, batch: 8 }, ranks, window, &cancel).expect("it runs");
                assert!(median_of(&times, 1).is_ok_and(|t| t > 0.0));
            }
            let times = outs(&Wake { rounds: 2 }, ranks, 4, &cancel).expect("it runs");
            assert_eq!((times[0].len(), times[1].len()), (2, 2));
            let times = outs(&Touch { sizes: vec![64, 4096] }, ranks, 4, &cancel).expect("it runs");
            assert_eq!(times[1].len(), 2);
        }
    }

    #[test]
    fn a_cancelled_program_ends() {
        let cancel = Cancel::new();
        cancel.cancel();
        let begun = Instant::now();
        // Ranks that never wait for long end by themselves before they see it.
        let _ = outs(&PingPong { batches: 1 << 20, batch: 1 << 10, reading: 0.0 }, 2, 4, &cancel);
        let _ = outs(&Overheads::new(1 << 30, 0.0, &cancel), 2, 4, &cancel);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        let waits = outs(&Wake { rounds: 1000 }, 2, 4, &cancel);
        assert!(matches!(waits, Err(RunError::Cancelled)));
    }
}
