//! The endpoint on threads: ranks are threads, messages move by ownership.
//!
//! A message is moved into a slot of the lane from its sender to its receiver; a lane has as many
//! slots as the window has messages, and is made when the first message goes through it. A rank
//! that receives from any looks at its lanes in turn. Whoever waits spins briefly where there are
//! cores to spare, lets others run, and then sleeps; the README beside this file argues that nobody
//! sleeps through what it waits for. Nothing is copied: a message costs the same whatever the size
//! of what it owns.
//!
//! A failure or a panic in a rank's work, and a cancelled run, wake every rank that waits and end
//! it; work that is under way is not interrupted. A deadlock is not noticed.

mod ahead;
mod desk;
mod endpoint;
mod ends;
mod lane;
mod post;
#[cfg(test)]
mod tests;

use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Instant;

pub use self::ahead::{Behind, ReadAhead, WriteBehind};
use self::endpoint::ThreadEndpoint;
use self::post::Post;
use crate::{Options, Program, Ran, RunError, Stop};

/// Widest window: a lane holds a few bytes for every 64 messages of it from its first message on.
const MAX_WINDOW: usize = 1 << 24;

/// Most ranks that are given threads: beyond about twice as many, systems refuse, not always softly.
pub const MOST_RANKS: usize = 16_384;

/// Runs `program` with each rank on a thread of its own: the last on the one that calls, so that there are no
/// more threads than ranks, and one rank alone is not waited for.
///
/// # Errors
/// The first failure of a rank, that the run was cancelled, that the window is wider than 2^24
/// messages, or that threads cannot be started.
pub fn run<P>(program: &P, options: &Options) -> Result<Ran<P::Out>, RunError>
where
    P: Program + Sync,
    P::Msg: Send,
    P::Out: Send,
{
    options.check()?;
    if options.ranks > MOST_RANKS {
        return Err(RunError::Invalid(format!(
            "{} ranks on threads of one machine: at most {MOST_RANKS} can be run so; use fewer processors",
            options.ranks
        )));
    }
    if options.window > MAX_WINDOW {
        return Err(RunError::Invalid(format!(
            "a window of {} messages: expected 1 to {MAX_WINDOW}",
            options.window
        )));
    }
    let start = Instant::now();
    let post = Post::new(options);
    let life = |rank| {
        let mut endpoint = ThreadEndpoint::new(rank, &post, start, options.timeline);
        let result = live(program, &mut endpoint);
        if let Err(Stop::Failed(failure)) = &result {
            post.fail((**failure).clone());
        }
        (result, endpoint.into_times())
    };
    let last = options.ranks - 1;
    let ended = thread::scope(|scope| {
        let mut handles = Vec::with_capacity(last);
        for rank in 0..last {
            let life = &life;
            match thread::Builder::new().name(format!("rank {rank}")).spawn_scoped(scope, move || life(rank))
            {
                Ok(handle) => handles.push(handle),
                Err(e) => {
                    post.stop();
                    return Err(RunError::Invalid(format!(
                        "rank {rank} of {} could not be given a thread ({e}): use fewer processors",
                        options.ranks
                    )));
                }
            }
        }
        // The bell has woken the others if it panicked.
        let own = catch_unwind(AssertUnwindSafe(|| life(last)));
        Ok(handles.into_iter().map(|h| h.join()).chain(iter::once(own)).collect::<Vec<_>>())
    })?;
    let makespan_s = start.elapsed().as_secs_f64();
    if let Some(failure) = post.failure() {
        return Err(RunError::Failed(failure));
    }
    let (mut outs, mut ranks) = (Vec::with_capacity(ended.len()), Vec::with_capacity(ended.len()));
    for (rank, joined) in ended.into_iter().enumerate() {
        match joined {
            Ok((Ok(out), times)) => {
                outs.push(out);
                ranks.push(times);
            }
            Ok((Err(_), _)) => return Err(RunError::Cancelled),
            Err(_) => return Err(RunError::Invalid(format!("the program of rank {rank} panicked"))),
        }
    }
    Ok(Ran { outs, makespan_s, ranks })
}

/// A rank's life: its endpoint blocks, so one poll is all of it.
fn live<P: Program>(program: &P, endpoint: &mut ThreadEndpoint<'_, P::Msg>) -> Result<P::Out, Stop> {
    let post = endpoint.post();
    // A program that panics outside its work must not leave the others waiting for it.
    let bell = post.bell();
    let mut life = pin!(program.rank(endpoint));
    let result = match life.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("a rank waited for something that is not its endpoint"),
    };
    bell.disarm();
    result
}
