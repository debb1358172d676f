//! The work of one rank: running tasks, merging, delivering.
//!
//! A future keeps, in every rank, what it was given beside what it makes of it. So patterns of which
//! there can be a million ranks await what [`Work::begin_task`] and [`Work::begin_merge`] give, and
//! put the piece together themselves.

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
        let value = self.begin_task(e, index).await?;
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
    // Not an `async fn`: it would keep its arguments beside what it makes of them, and a rank of
    // every strategy would be larger and, in virtual time, slower.
    #[inline]
    pub(crate) fn merge<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        left: Option<Part<A>>,
        right: Option<Part<A>>,
    ) -> impl Future<Output = Result<Option<Part<A>>, Stop>> {
        let merging = match (left, right) {
            (Some(left), Some(right)) => Ok(self.begin_merge(e, left, right)),
            (one, other) => Err(one.or(other)),
        };
        async move {
            match merging {
                Ok((first, results, merging)) => Ok(Some(Piece { value: merging.await?, first, results })),
                Err(one) => Ok(one),
            }
        }
    }

    /// Begins task `index`, of a known number of them.
    #[inline(always)]
    pub(crate) fn begin_task<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        index: u64,
    ) -> impl Future<Output = Result<A::Partial, Stop>> {
        e.work(self.charge(index), move || self.run(index))
    }

    /// Begins to merge two pieces; `left` comes first in the order of the inputs. Gives the lowest
    /// index and the number of results of the merged piece, and what to await for its value.
    #[inline(always)]
    pub(crate) fn begin_merge<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        left: Part<A>,
        right: Part<A>,
    ) -> (u64, u64, impl Future<Output = Result<A::Partial, Stop>>) {
        let (item, results) = (left.first.min(right.first), left.results + right.results);
        let bytes = left.value.bytes() + right.value.bytes();
        let charge = Charge { stage: Stage::Merge, item, bytes, results };
        (item, results, e.work(charge, move || self.app.merge(left.value, right.value)))
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
