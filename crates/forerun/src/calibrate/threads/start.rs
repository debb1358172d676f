//! Starting ranks.

use std::time::{Duration, Instant};

use forerun_platform::statistics::median;
use forerun_skeleton::{Cancel, Endpoint, Options, Program, RunError, Stop, threads};

use super::{Token, none};
use crate::execute::TIMELINE;

/// Runs of which the median is taken.
const RUNS: usize = 3;
/// Before a job is run, one thread has been busy for some time: the other cores have gone to sleep.
const BEFORE: Duration = Duration::from_micros(500);

/// Ranks that do nothing.
struct Idle;

impl Program for Idle {
    type Msg = Token;
    type Out = ();

    async fn rank<E: Endpoint<Token>>(&self, _: &mut E) -> Result<(), Stop> {
        Ok(())
    }
}

/// Seconds from starting so many ranks, as a job's are, to knowing that all have ended.
pub(in crate::calibrate) fn start_up(ranks: usize, cancel: &Cancel) -> Result<f64, RunError> {
    let mut times = [0.0; RUNS];
    for time in &mut times {
        let options = Options { timeline: TIMELINE, cancel: cancel.clone(), ..Options::new(ranks) };
        let begun = Instant::now();
        while begun.elapsed() < BEFORE {
            std::hint::spin_loop();
        }
        *time = threads::run(&Idle, &options)?.makespan_s;
    }
    median(&times).ok_or_else(none)
}
