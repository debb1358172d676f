//! Running a program in virtual time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use forerun_platform::{Stage, StageTotal};
use forerun_skeleton::{Failure, Options, Program, Ran, RunError, Stop};

use crate::deadlock;
use crate::endpoint::{Shared, Virtual};
use crate::pricing::Pricing;
use crate::quiet;
use crate::world::{Account, Books, Detail, Ledger, MAX_RANKS, MAX_WINDOW, PollOrder, World};
use crate::{LogGps, Time};

/// What a run gave, without the times of each rank: the memory for it does not grow with them.
#[derive(Debug, Clone)]
pub struct Totals<O> {
    /// What each rank returned.
    pub outs: Vec<O>,
    /// From the start to the end of the last rank, in seconds of virtual time.
    pub makespan_s: f64,
    /// Time by stage, of all ranks.
    pub stages: BTreeMap<Stage, StageTotal>,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
}

/// Runs `program` in virtual time, on this thread.
///
/// `network` says what messages cost and `pricing` what work costs; both must be made for
/// `options.ranks` ranks. The result is the same in every run, to the last digit, unless the
/// pricing measures.
///
/// In a rank's timeline, the item of a send, a receive or a wait is the other rank.
///
/// # Errors
/// - [`RunError::Failed`]: a piece of work failed or panicked.
/// - [`RunError::Deadlock`]: no rank can go on; the sentence names up to eight and what they wait for.
/// - [`RunError::Cancelled`]: `options.cancel` was set.
/// - [`RunError::Invalid`]: the options cannot be, the program turned to a rank that does not
///   exist or to itself, or virtual time went beyond 213 days (2^64 ps).
pub fn run<P: Program, K: Pricing>(
    program: &P,
    network: &LogGps,
    pricing: &K,
    options: &Options,
) -> Result<Ran<P::Out>, RunError> {
    let detail = Detail::Ranks(options.timeline);
    let done = execute(program, network, pricing, options, detail, PollOrder::FirstInFirstOut)?;
    let makespan_s = done.makespan().seconds();
    let ranks = done.ledger.into_ranks(&done.ends);
    Ok(Ran { outs: done.outs, makespan_s, ranks })
}

/// Runs `program` as [`run`] does and gives the totals only; for very many ranks.
///
/// # Errors
/// As [`run`].
pub fn run_totals<P: Program, K: Pricing>(
    program: &P,
    network: &LogGps,
    pricing: &K,
    options: &Options,
) -> Result<Totals<P::Out>, RunError> {
    let done = execute(program, network, pricing, options, Detail::Totals, PollOrder::FirstInFirstOut)?;
    let makespan_s = done.makespan().seconds();
    let all = done.ends.iter().map(|end| u128::from(end.picos())).sum();
    let total: Account = done.ledger.into_total();
    Ok(Totals {
        makespan_s,
        outs: done.outs,
        stages: total.stages(all),
        messages: total.messages(),
        bytes: total.bytes(),
    })
}

/// A run that is over.
pub(crate) struct Done<O> {
    pub(crate) outs: Vec<O>,
    pub(crate) ends: Vec<Time>,
    pub(crate) ledger: Ledger,
}

impl<O> Done<O> {
    pub(crate) fn makespan(&self) -> Time {
        self.ends.iter().copied().max().unwrap_or(Time::ZERO)
    }
}

/// Polls between two looks at whether the run was cancelled.
const POLLS_PER_LOOK: u32 = 256;

pub(crate) fn execute<P: Program, K: Pricing>(
    program: &P,
    network: &LogGps,
    pricing: &K,
    options: &Options,
    detail: Detail,
    order: PollOrder,
) -> Result<Done<P::Out>, RunError> {
    check(options)?;
    quiet::install();
    let books = Books::new(options.ranks, network, detail);
    let shared = Shared {
        books: &books,
        world: RefCell::new(World::new(network, &books, options.window, order)),
        pricing,
        cancel: &options.cancel,
        patience: Cell::new(0),
        panicked: Cell::new(None),
    };
    let outs = quiet::catch(|| drive(program, &shared), || shared.panicked.get()).unwrap_or_else(
        |((rank, stage, item), message)| {
            let failure =
                Failure { rank: rank as usize, stage, item, panicked: true, of_input: false, message };
            Err(RunError::Failed(failure))
        },
    )?;
    drop(shared);
    let (ends, ledger) = books.close();
    Ok(Done { outs, ends, ledger })
}

/// Polls ranks until all have ended.
fn drive<P: Program, K: Pricing>(
    program: &P,
    shared: &Shared<'_, P::Msg, K>,
) -> Result<Vec<P::Out>, RunError> {
    let ranks = shared.books.size();
    // A rank's endpoint lies within its future, and both come to be when it is polled first: what belongs
    // together is close, and is in the cache when it is needed.
    let life = async |rank: u32| {
        let mut endpoint = Virtual { shared, my: shared.books.my(rank) };
        program.rank(&mut endpoint).await
    };
    let mut lives: Vec<Option<Pin<Box<_>>>> = (0..ranks).map(|_| None).collect();
    let mut outs: Vec<Option<P::Out>> = (0..ranks).map(|_| None).collect();
    let mut left = ranks;
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0u32;

    while left > 0 {
        let next = shared.world.borrow_mut().next()?;
        let Some(rank) = next else {
            return Err(RunError::Deadlock(deadlock::describe(&shared.world.borrow())));
        };
        polls = polls.wrapping_add(1);
        if polls.is_multiple_of(POLLS_PER_LOOK) && shared.cancel.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        let life = match &mut lives[rank as usize] {
            Some(life) => life,
            unborn if outs[rank as usize].is_none() => unborn.insert(Box::pin(life(rank))),
            _ => continue,
        };
        match life.as_mut().poll(&mut context) {
            Poll::Pending => {}
            Poll::Ready(Ok(out)) => {
                outs[rank as usize] = Some(out);
                lives[rank as usize] = None;
                shared.world.borrow_mut().end(rank);
                left -= 1;
            }
            Poll::Ready(Err(stop)) => return Err(reason(&shared.world.borrow(), rank, stop)),
        }
    }
    // What stopped the run may have come from the last polls.
    match shared.world.borrow_mut().stop.take() {
        Some(why) => Err(why),
        None => Ok(outs.into_iter().flatten().collect()),
    }
}

fn check(options: &Options) -> Result<(), RunError> {
    if options.ranks == 0 || options.ranks > MAX_RANKS {
        return Err(RunError::Invalid(format!("{} ranks: expected 1 to {MAX_RANKS}", options.ranks)));
    }
    if options.window == 0 || options.window > MAX_WINDOW {
        return Err(RunError::Invalid(format!(
            "a window of {} messages: expected 1 to {MAX_WINDOW}",
            options.window
        )));
    }
    Ok(())
}

#[cold]
fn reason<M>(world: &World<'_, M>, rank: u32, stop: Stop) -> RunError {
    match (&world.stop, stop) {
        (Some(why), _) => why.clone(),
        (None, Stop::Failed(failure)) => RunError::Failed(*failure),
        (None, Stop::Aborted) => {
            RunError::Invalid(format!("rank {rank} stopped although nothing made it stop"))
        }
    }
}
