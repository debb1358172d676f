//! Measuring what messages between the ranks of a communicator cost, over the endpoint that jobs run on.
//!
//! The first rank leads: it tells the others which probe comes next ([`letter`]), in a new random order every round, with
//! partners and sizes drawn anew, until the time is over; it gets every value ([`Sample`]), and what they come to
//! is for others to say. Ranks wait as they do in any run.
//!
//! | probe | what is timed |
//! |---|---|
//! | `RoundTrip` | a message there and back, to a rank that looks out for it |
//! | `Woken` | an empty one to a rank that has waited for long, there; the way back as above |
//! | `Send` | a send |
//! | `Receive` | receiving what had time to come while the rank computed |
//! | `BusySend`, `BusyReceive` | the processor's time of both, where a limit stalls ranks: a stall in between is no overhead |
//! | `Answered` | the processor's time of a message and its answer, where all other ranks answer at once and get the next: with what MPI and the system take to bring it in, which `Receive` and `BusyReceive` leave to a helper, and with looks that find nothing; where a limit stalls ranks, as it is theirs |
//! | `Interference`, `SendInterference` | how much more processor time the same work takes while messages come, or leave, by the byte |
//! | `Stream` | how much longer a long stream takes than a short one, by the message |
//! | `Segments` | the same of shorter streams, over all sizes of messages, finely: what is cut into segments takes steps |
//! | `Share`, `Quota`, `Period` | what part of a processor a rank that computes gets, and how its stalls come |
//! | `Across` | how much longer streams of several ranks to as many others take than one of them alone |
//! | `Even` | whether large messages of several ranks to one are there one after the other or all at once |
//! | `Together` | how much longer streams of several ranks to one take than one of them alone, by the byte |
//!
//! Messages go as those of a job do: from 16 KiB on as a vector that is sent from where it lies. What copying it took is no part of `Send` and
//! `Receive` then, as it is none of a job's.
//!
//! Overheads of empty messages are measured with 2, 4, 8, … ranks that have all talked to the first, and with all: what grows with the
//! number of ranks (Mizutani, Ino and Hagihara, section 3.2) shows only so.

mod across;
mod beside;
mod follow;
mod lead;
mod letter;
mod share;
mod together;

use std::time::Instant;

use forerun_skeleton::{Cancel, Options, RunError};
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::Communicator as _;

use crate::run;
use crate::sample::{Probe, Sample};
use across::Across;
use lead::Leading;

/// Part of the time for overheads with fewer ranks than all, and for streams side by side.
const FEWER: f64 = 0.15;
const SIDE_BY_SIDE: f64 = 0.15;
/// The least ranks of which two can send to a third.
const SEVERAL: usize = 3;

/// Measures messages between the ranks of `world` for about `seconds`, all of which must call this; the first gets the
/// values, in the order in which they were measured.
///
/// # Errors
/// The same on every rank: cancelled.
pub fn measure(
    world: &SimpleCommunicator,
    seconds: f64,
    cancel: &Cancel,
) -> Result<Option<Vec<Sample>>, RunError> {
    let begun = Instant::now();
    let ranks = world.size() as usize;
    let options = |ranks| Options { cancel: cancel.clone(), ..Options::new(ranks) };
    let mut found = Vec::new();
    let fewer: Vec<usize> =
        std::iter::successors(Some(2), |p| Some(2 * p)).take_while(|p| *p < ranks).collect();
    for &some in &fewer {
        let color = if (world.rank() as usize) < some { Color::with_value(0) } else { Color::undefined() };
        if let Some(part) = world.split_by_color(color) {
            let leading = Leading { seconds: FEWER * seconds / fewer.len() as f64, only_overheads: true };
            // The others, who wait for the next split, hear that it was cancelled in the run of all.
            if let Ok(ran) = run(&part, &leading, &options(some)) {
                found.extend(ran.and_then(first));
            }
        }
    }
    let paired = if ranks >= SEVERAL { SIDE_BY_SIDE * seconds } else { 0.0 };
    let left = (seconds - paired - begun.elapsed().as_secs_f64()).max(0.3 * seconds);
    let leading = Leading { seconds: left, only_overheads: false };
    found.extend(run(world, &leading, &options(ranks))?.and_then(first));
    if ranks >= SEVERAL {
        found.extend(run(world, &Across { seconds: paired }, &options(ranks))?.and_then(first));
    }
    Ok((world.rank() == 0).then(|| found.into_iter().flatten().collect()))
}

/// What the first rank found.
fn first<T>(ran: forerun_skeleton::Ran<T>) -> Option<T> {
    ran.outs.into_iter().next()
}

/// Values on their way to the caller.
pub(crate) type Found = Vec<Sample>;
