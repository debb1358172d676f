//! The one interface between a pattern and the way it is run.

use std::future::{Future, ready};

use forerun_platform::Stage;

use crate::{AppError, Stop};

/// Something that ranks send to each other.
pub trait Message: Sized {
    /// Its size as a message, in bytes.
    fn bytes(&self) -> u64;
}

/// What a piece of work is, so that virtual time can price it and reports can name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    /// The kind of work.
    pub stage: Stage,
    /// The task's index, or for a merge or a delivery the lowest task index in it.
    pub item: u64,
    /// Bytes that the work takes in.
    pub bytes: u64,
    /// Task results that the work takes in; 1 for a task.
    pub results: u64,
}

/// What a rank can do. Every operation may end the rank with [`Stop`].
pub trait Endpoint<M> {
    /// My number, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Sends `m` to rank `to`, another than this one; waits while `window` messages to it are
    /// not yet received.
    fn send(&mut self, to: usize, m: M) -> impl Future<Output = Result<(), Stop>>;

    /// Receives the next message from rank `from`.
    fn recv_from(&mut self, from: usize) -> impl Future<Output = Result<M, Stop>>;

    /// Receives the message that arrived first, from whatever rank.
    fn recv_any(&mut self) -> impl Future<Output = Result<(usize, M), Stop>>;

    /// Receives the message that arrived first if one has arrived by now.
    fn try_recv_any(&mut self) -> impl Future<Output = Result<Option<(usize, M)>, Stop>>;

    /// Draws the next number, from 0, of a counter that all ranks share: every number goes to one
    /// rank, in the order of the calls. There are as many counters as ranks.
    fn claim(&mut self, counter: usize) -> impl Future<Output = Result<u64, Stop>>;

    /// Seconds since the run began, in the time of the way it is run: for measuring how long a rank
    /// waits and works, not for the time of day.
    fn now_s(&self) -> f64;

    /// Does a piece of work. An error or a panic in it stops the run.
    #[inline(always)]
    fn work<T, F>(&mut self, charge: Charge, f: F) -> impl Future<Output = Result<T, Stop>>
    where
        F: FnOnce() -> Result<T, AppError>,
    {
        ready(self.work_now(charge, f))
    }

    /// The same with nothing to await, and so to keep, in patterns of which there can be a million ranks.
    ///
    /// # Errors
    /// What ends the rank.
    fn work_now<T, F>(&mut self, charge: Charge, f: F) -> Result<T, Stop>
    where
        F: FnOnce() -> Result<T, AppError>;
}

/// What every rank of a run does. (A closure cannot be generic over the endpoint; a method can.)
pub trait Program {
    /// What ranks send to each other.
    type Msg: Message;
    /// What a rank returns.
    type Out;

    /// The life of one rank.
    fn rank<E: Endpoint<Self::Msg>>(&self, endpoint: &mut E)
    -> impl Future<Output = Result<Self::Out, Stop>>;
}
