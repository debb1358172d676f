//! What ranks do together before and after the pattern.

use std::cell::RefCell;

use forerun_mpi::{Setting, run_with};
use forerun_platform::Stage;
use forerun_skeleton::reduction::Runner;
use forerun_skeleton::wire::{Incoming, Outgoing, Plain, received};
use forerun_skeleton::{
    AppError, Charge, Codec, Endpoint, Message, Options, Program, Ran, RunError, Stop, Wire,
};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, CommunicatorCollectives as _};

/// A message that was made before it is sent, and is read after it was received, so that both are work.
pub(super) struct Body(Outgoing);

impl Message for Body {
    fn bytes(&self) -> u64 {
        self.0.total()
    }
}

impl Wire for Body {
    fn encode(&self, _: &mut Vec<u8>) -> Result<(), AppError> {
        Err(AppError::new("a message that was made is given away, and not written"))
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Self::take(&mut Incoming::new(std::mem::take(bytes), Vec::new()))
    }

    fn give(self, out: &mut Outgoing) -> Result<(), AppError> {
        out.append(self.0);
        Ok(())
    }

    fn take(from: &mut Incoming<'_>) -> Result<Self, AppError> {
        Ok(Body(from.rest()))
    }
}

/// The charge of what a rank does beside the pattern.
fn charge(stage: Stage) -> Charge {
    Charge { stage, item: 0, bytes: 0, results: 0 }
}

/// Runs a program of which every rank keeps what it returns, and the first hears only that it did.
pub(super) struct Keeping<'c, C, O> {
    pub(super) world: &'c SimpleCommunicator,
    pub(super) options: Options,
    pub(super) codec: C,
    pub(super) kept: &'c RefCell<Option<O>>,
}

impl<M: Message, C: Codec<M>, O> Runner<M, O> for Keeping<'_, C, O> {
    type Ran = Option<Ran<bool>>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Self::Ran, RunError> {
        let setting = Setting::new(self.codec, Plain);
        run_with(self.world, &Kept { program, kept: self.kept }, &self.options, &setting)
    }
}

struct Kept<'p, P, O> {
    program: &'p P,
    kept: &'p RefCell<Option<O>>,
}

impl<P: Program> Program for Kept<'_, P, P::Out> {
    type Msg = P::Msg;
    type Out = bool;

    async fn rank<E: Endpoint<P::Msg>>(&self, e: &mut E) -> Result<bool, Stop> {
        let out = self.program.rank(e).await?;
        self.kept.replace(Some(out));
        Ok(true)
    }
}

/// Has every rank do `what`; an error on one is that of all.
pub(super) fn each<T>(
    world: &SimpleCommunicator,
    options: &Options,
    what: impl Fn() -> Result<T, AppError>,
) -> Result<T, RunError> {
    let made = RefCell::new(None);
    let program = Each { what, made: &made };
    run_with(world, &program, options, &Setting::new(Plain, Plain))?;
    made.into_inner().ok_or(RunError::Cancelled)
}

struct Each<'m, F, T> {
    what: F,
    made: &'m RefCell<Option<T>>,
}

impl<T, F: Fn() -> Result<T, AppError>> Program for Each<'_, F, T> {
    type Msg = Body;
    type Out = bool;

    async fn rank<E: Endpoint<Body>>(&self, e: &mut E) -> Result<bool, Stop> {
        let made = e.work(charge(Stage::Input), || (self.what)()).await?;
        self.made.replace(Some(made));
        Ok(true)
    }
}

/// The ranks at which something was left, in order.
pub(super) fn holders(world: &SimpleCommunicator, holds: bool) -> Vec<usize> {
    let mut all = vec![0u8; world.size() as usize];
    world.all_gather_into(&u8::from(holds), &mut all[..]);
    all.iter().enumerate().filter(|(_, holds)| **holds == 1).map(|(rank, _)| rank).collect()
}

/// Makes the result of what the groups' sinks left: on the first rank that has some, to which the others send theirs. Every
/// rank returns what it has to note.
pub(super) struct Finishing<'f, T, C: ?Sized, F, N> {
    /// The ranks that have something.
    pub(super) holders: &'f [usize],
    /// What this one has.
    pub(super) left: RefCell<Option<T>>,
    pub(super) codec: &'f C,
    pub(super) finish: F,
    pub(super) notes: N,
}

impl<T, C, F, N> Program for Finishing<'_, T, C, F, N>
where
    C: Codec<T> + ?Sized,
    F: Fn(Vec<T>) -> Result<String, AppError>,
    N: Fn() -> Vec<String>,
{
    type Msg = Body;
    /// What the job says of its result, where it was made.
    type Out = (Option<String>, Vec<String>);

    async fn rank<E: Endpoint<Body>>(&self, e: &mut E) -> Result<Self::Out, Stop> {
        let rank = e.rank();
        let left = self.left.take();
        let Some((&finisher, others)) = self.holders.split_first() else {
            return Ok((None, (self.notes)()));
        };
        if rank != finisher {
            if let Some(left) = left {
                let give = || {
                    let mut out = Outgoing::default();
                    self.codec.give(left, &mut out)?;
                    Ok(out)
                };
                let out = e.work(charge(Stage::Finish), give).await?;
                e.send(finisher, Body(out)).await?;
            }
            return Ok((None, (self.notes)()));
        }
        let mut all: Vec<T> = left.into_iter().collect();
        for &other in others {
            let (bytes, blocks) = e.recv_from(other).await?.0.into_parts();
            let read = || received(&self.codec, &bytes, blocks);
            all.push(e.work(charge(Stage::Finish), read).await?);
        }
        let result = e.work(charge(Stage::Finish), || (self.finish)(all)).await?;
        Ok((Some(result), (self.notes)()))
    }
}
