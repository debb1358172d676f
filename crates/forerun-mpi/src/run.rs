//! Running a program whose ranks are the processes of a communicator.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread::{self, ScopedJoinHandle};
use std::time::Instant;

use forerun_platform::{RankTimes, Stage};
use forerun_skeleton::guard::guard;
use forerun_skeleton::wire::{Plain, whole};
use forerun_skeleton::{
    AppError, Charge, Codec, Endpoint as _, Failure, Options, Program, Ran, RunError, Stop, Wire,
};
use mpi::Threading;
use mpi::traits::Communicator;

use crate::Waiting;
use crate::ended::{self, Ended, Verdict};
use crate::endpoint::MpiEndpoint;
use crate::office::Office;
use crate::patience::Patience;
use crate::post::Post;
use crate::raw::Channel;

/// What a run of [`run_with`] needs to know beside its options.
#[derive(Debug, Clone, Copy)]
pub struct Setting<M, O> {
    /// Writes and reads what ranks send to each other.
    pub message: M,
    /// Writes and reads what a rank returns.
    pub out: O,
    /// How ranks wait.
    pub waiting: Waiting,
    /// Bytes that go in one call of MPI: 2^31 − 1 at most, as it counts them in `int`s. Longer messages go as elements of a type of
    /// their own; less is for trying that out.
    pub most: usize,
}

impl<M, O> Setting<M, O> {
    /// The setting for these codecs: ranks that sleep while they wait, and as many bytes as MPI can count.
    pub fn new(message: M, out: O) -> Self {
        Setting { message, out, waiting: Waiting::default(), most: i32::MAX as usize }
    }
}

/// Runs `program`, each process of `communicator` a rank; all of them must call this, with the same arguments.
/// The first gets what all returned, the others `None`.
///
/// # Errors
/// The same on every rank: the first failure of one, that the run was cancelled, or that the communicator has
/// another number of processes than [`Options::ranks`].
pub fn run<P>(
    communicator: &impl Communicator,
    program: &P,
    options: &Options,
) -> Result<Option<Ran<P::Out>>, RunError>
where
    P: Program<Msg: Wire, Out: Wire>,
{
    run_with(communicator, program, options, &Setting::new(Plain, Plain))
}

/// Runs `program` as [`run`] does, with the codecs and the way of waiting of `setting`. Where the run ends early,
/// [`Options::cancel`] is set on every rank, so that an application that looks at it gives up there too.
///
/// # Errors
/// As [`run`].
pub fn run_with<P, M, O>(
    communicator: &impl Communicator,
    program: &P,
    options: &Options,
    setting: &Setting<M, O>,
) -> Result<Option<Ran<P::Out>>, RunError>
where
    P: Program,
    M: Codec<P::Msg>,
    O: Codec<P::Out>,
{
    options.check()?;
    let (rank, size) = (communicator.rank() as usize, communicator.size() as usize);
    if size != options.ranks {
        return Err(RunError::Invalid(format!(
            "{size} MPI processes for {} ranks: start as many (mpirun -n {0})",
            options.ranks
        )));
    }
    let patience = Patience::new(setting.waiting, size);
    let mut wait = patience.wait();
    let channel = Channel::new(communicator, || wait.pause(false)).counting_to(setting.most);
    let post = Post::new(channel, size, options.window);
    let office = Office::new(post, rank, size, patience, options.cancel.clone());
    let helped = size > 1 && mpi::environment::threading_support() >= Threading::Serialized;
    thread::scope(|scope| {
        // Where there can be no helper, messages wait until the rank is done computing.
        let start =
            || thread::Builder::new().name("messages".into()).spawn_scoped(scope, || office.help()).ok();
        let helper = helped.then(start).flatten();
        let result = lifetime(&office, program, options, setting);
        office.end(helper.as_ref().map(ScopedJoinHandle::thread));
        result
    })
}

/// All of a rank's run, from where all start to where all have ended.
fn lifetime<P, M, O>(
    office: &Office,
    program: &P,
    options: &Options,
    setting: &Setting<M, O>,
) -> Result<Option<Ran<P::Out>>, RunError>
where
    P: Program,
    M: Codec<P::Msg>,
    O: Codec<P::Out>,
{
    meet(office);
    let start = Instant::now();
    let mut endpoint = MpiEndpoint::new(office, &setting.message, start, options.timeline);
    let ended = match live(program, &mut endpoint) {
        Ok(Ok(out)) => written(office.rank, &setting.out, &out, start),
        Ok(Err(Stop::Failed(failure))) => Ended::Failed(start.elapsed().as_secs_f64(), *failure),
        Ok(Err(Stop::Aborted)) => Ended::Aborted,
        Err(panic) => Ended::Panicked(panic),
    };
    if !matches!(ended, Ended::Well(_)) {
        office.stop();
    }
    let times = endpoint.into_times();
    office.post().close();
    // Each rank goes on when all that it sent was taken, so when all have said how they ended nothing is on its way.
    settle(office, |post| post.is_quiet());
    match office.rank {
        0 => gather(office, (ended, times), &setting.out),
        _ => tell(office, &ended, &times).map(|()| None),
    }
}

/// A rank's life: its endpoint blocks, so one poll is all of it. The error is a panic outside its work.
fn live<P, C>(program: &P, endpoint: &mut MpiEndpoint<'_, C>) -> Result<Result<P::Out, Stop>, String>
where
    P: Program,
    C: Codec<P::Msg>,
{
    let rank = endpoint.rank();
    let mut life = || {
        let mut life = pin!(program.rank(endpoint));
        match life.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => panic!("a rank waited for something that is not its endpoint"),
        }
    };
    let charge = Charge { stage: Stage::Finish, item: 0, bytes: 0, results: 0 };
    guard(rank, charge, || Ok(life())).map_err(|failure| failure.message)
}

/// What a rank returned, as bytes.
fn written<T>(rank: usize, codec: &impl Codec<T>, out: &T, start: Instant) -> Ended {
    let mut bytes = Vec::new();
    match codec.encode(out, &mut bytes) {
        Ok(()) => Ended::Well(bytes),
        Err(e) => Ended::Failed(start.elapsed().as_secs_f64(), undelivered(rank, &e)),
    }
}

/// The failure of bringing a rank's result to the first.
fn undelivered(rank: usize, e: &AppError) -> Failure {
    Failure { rank, stage: Stage::Finish, item: 0, panicked: false, of_input: false, message: e.to_string() }
}

/// Waits for all ranks, without spinning.
fn meet(office: &Office) {
    let mut barrier = Some(office.post().barrier());
    settle(office, |_| match barrier.take().map(|request| request.test()) {
        Some(Err(request)) => {
            barrier = Some(request);
            false
        }
        _ => true,
    });
}

/// Waits until `is_so`, whether the run is to end or not.
fn settle(office: &Office, mut is_so: impl FnMut(&mut Post) -> bool) {
    office.wait(|_| false, |post| is_so(post).then_some(()));
}

/// A rank other than the first: says how it ended, and hears how all did.
fn tell(office: &Office, ended: &Ended, times: &RankTimes) -> Verdict {
    let bytes = ended.with(times).unwrap_or_default();
    office.post().send_end(0, bytes);
    office.post().seal();
    let verdict = office.wait(|_| false, |post| post.ends().next());
    settle(office, |post| post.is_sent());
    verdict.map_or(Err(RunError::Cancelled), |(_, bytes)| ended::read(&bytes))
}

/// The first rank: hears how all ended, judges, and tells them.
fn gather<T>(
    office: &Office,
    own: (Ended, RankTimes),
    codec: &impl Codec<T>,
) -> Result<Option<Ran<T>>, RunError> {
    let mut all: Vec<Option<(Ended, RankTimes)>> = (0..office.size).map(|_| None).collect();
    all[0] = Some(own);
    let mut missing = office.size - 1;
    settle(office, |post| {
        for (from, bytes) in post.ends() {
            let failed = |e| (Ended::Failed(f64::MAX, undelivered(from, &e)), RankTimes::default());
            all[from] = Some(Ended::read(&bytes).unwrap_or_else(failed));
            missing -= 1;
        }
        missing == 0
    });

    let all: Vec<_> = all.into_iter().flatten().collect();
    let ran = ended::judge(all.iter().map(|(ended, _)| ended)).and_then(|()| put_together(all, codec));
    office.post().seal();
    let verdict = ran.as_ref().map(drop).map_err(Clone::clone);
    let bytes = ended::write(&verdict).unwrap_or_default();
    for to in 1..office.size {
        office.post().send_end(to, bytes.clone());
    }
    settle(office, |post| post.is_sent());
    ran.map(Some)
}

/// What all ranks returned.
fn put_together<T>(all: Vec<(Ended, RankTimes)>, codec: &impl Codec<T>) -> Result<Ran<T>, RunError> {
    let (mut outs, mut ranks) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
    for (rank, (ended, times)) in all.into_iter().enumerate() {
        let Ended::Well(bytes) = ended else { return Err(RunError::Cancelled) };
        outs.push(whole(codec, &bytes).map_err(|e| RunError::Failed(undelivered(rank, &e)))?);
        ranks.push(times);
    }
    let makespan_s = ranks.iter().map(|times: &RankTimes| times.end_s).fold(0.0, f64::max);
    Ok(Ran { outs, makespan_s, ranks })
}
