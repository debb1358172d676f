//! The work of one rank: running tasks, merging, delivering.
//!
//! A future keeps, in every rank, what it was given beside what it makes of it. So patterns of which
//! there can be a million ranks do tasks and merge with nothing to await ([`Work::do_task`],
//! [`Work::do_merge`]), and put the piece together themselves.

use forerun_platform::Stage;

use super::share::Share;
use super::{Packet, Piece, Reduce, Sink, Sinks, Source};
use crate::{AppError, Charge, Endpoint, Message, Stop};

/// What every rank of a group has at hand.
#[derive(Debug)]
pub(crate) struct Work<'a, A, S, K> {
    pub(crate) app: &'a A,
    pub(crate) source: &'a S,
    pub(crate) sinks: &'a K,
    pub(crate) share: Share,
}

/// The partial result of an application.
pub(crate) type Partial<A> = <A as Reduce>::Partial;
/// A packet with it.
pub(crate) type Pack<A> = Packet<Partial<A>>;
/// A piece of it.
pub(crate) type Part<A> = Piece<Partial<A>>;

impl<A, S, K> Work<'_, A, S, K>
where
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    /// Runs the group's task `local`; `None` where there are not so many inputs.
    pub(crate) async fn task<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        local: u64,
    ) -> Result<Option<Part<A>>, Stop> {
        let Some(index) = self.share.global(local) else { return Ok(None) };
        if self.share.len().is_none() {
            return self.task_if_any(e, index).await;
        }
        let value = self.do_task(e, index)?;
        Ok(Some(Piece { value, first: index, results: 1 }))
    }

    /// Runs task `index` if there is such an input. Waiting for one that is still to come is not
    /// the task's time.
    pub(crate) async fn task_if_any<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        index: u64,
    ) -> Result<Option<Part<A>>, Stop> {
        let get = Charge { stage: Stage::Input, ..self.charge(index) };
        let Some(input) = e.work(get, || self.source.get(index)).await? else { return Ok(None) };
        let value = e.work(self.charge(index), || self.app.task(index, input)).await?;
        Ok(Some(Piece { value, first: index, results: 1 }))
    }

    /// The work of task `index` of a known number of them.
    ///
    /// # Errors
    /// What the source or the task says.
    #[inline]
    fn run(&self, index: u64) -> Result<A::Partial, AppError> {
        match self.source.get(index)? {
            Some(input) => self.app.task(index, input),
            None => Err(ended_early()),
        }
    }

    /// What task `index` is.
    #[inline]
    fn charge(&self, index: u64) -> Charge {
        Charge { stage: Stage::Task, item: index, bytes: self.source.bytes(index), results: 1 }
    }

    /// Merges two pieces where there are two; `left` comes first in the order of the inputs.
    #[inline]
    pub(crate) fn merge<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        left: Option<Part<A>>,
        right: Option<Part<A>>,
    ) -> Result<Option<Part<A>>, Stop> {
        match (left, right) {
            (Some(left), Some(right)) => {
                let (first, results) = (left.first.min(right.first), left.results + right.results);
                let value = self.do_merge(e, first, results, left.value, right.value)?;
                Ok(Some(Piece { value, first, results }))
            }
            (one, other) => Ok(one.or(other)),
        }
    }

    /// Does task `index`, of a known number of them.
    #[inline(always)]
    pub(crate) fn do_task<E: Endpoint<Pack<A>>>(&self, e: &mut E, index: u64) -> Result<A::Partial, Stop> {
        e.work_now(self.charge(index), move || self.run(index))
    }

    /// Merges two partial results to one of `results` task results, of which the lowest index is `item`; `left` comes
    /// first in the order of the inputs.
    #[inline(always)]
    pub(crate) fn do_merge<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        item: u64,
        results: u64,
        left: A::Partial,
        right: A::Partial,
    ) -> Result<A::Partial, Stop> {
        let bytes = left.bytes() + right.bytes();
        let charge = Charge { stage: Stage::Merge, item, bytes, results };
        e.work_now(charge, move || self.app.merge(left, right))
    }

    /// Opens the group's sink.
    pub(crate) fn open<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
    ) -> impl Future<Output = Result<K::Sink, Stop>> {
        e.work(idle(Stage::Sink), || self.sinks.open(self.share.group))
    }

    /// Hands a piece to the sink.
    pub(crate) fn deliver<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        sink: &mut K::Sink,
        piece: Part<A>,
    ) -> impl Future<Output = Result<(), Stop>> {
        let (item, results, bytes) = (piece.first, piece.results, piece.value.bytes());
        let charge = Charge { stage: Stage::Sink, item, bytes, results };
        e.work(charge, || sink.accept(piece))
    }

    /// Closes the sink.
    pub(crate) fn close<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        sink: K::Sink,
    ) -> impl Future<Output = Result<<K::Sink as Sink<A::Partial>>::Out, Stop>> {
        e.work(idle(Stage::Sink), || sink.close())
    }

    /// The group on one rank: every task's result is delivered.
    pub(crate) async fn alone<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
    ) -> Result<<K::Sink as Sink<A::Partial>>::Out, Stop> {
        let mut sink = self.open(e).await?;
        let mut local = 0;
        while let Some(piece) = self.task(e, local).await? {
            self.deliver(e, &mut sink, piece).await?;
            local += 1;
        }
        self.close(e, sink).await
    }
}

/// The charge of opening or closing: no input, no result.
fn idle(stage: Stage) -> Charge {
    Charge { stage, item: 0, bytes: 0, results: 0 }
}

#[cold]
fn ended_early() -> AppError {
    AppError::new("the input ended early")
}
