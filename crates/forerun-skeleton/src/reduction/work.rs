//! The work of one rank: running tasks, merging, delivering.

use forerun_platform::Stage;

use super::share::Share;
use super::{Packet, Piece, Reduce, Sink, Sinks, Source};
use crate::{AppError, Charge, Endpoint, Message, Stop};

/// What every rank of a reduction has at hand.
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
        let run = || {
            let input = self.source.get(index)?;
            self.app.task(index, input.ok_or_else(|| AppError::new("the input ended early"))?)
        };
        let value = e.work(self.charge(index), run).await?;
        Ok(Some(Piece { value, first: index, results: 1 }))
    }

    /// Runs task `index` if there is such an input. Waiting for one that is still to come is not
    /// the task's time.
    async fn task_if_any<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        index: u64,
    ) -> Result<Option<Part<A>>, Stop> {
        let get = Charge { stage: Stage::Input, ..self.charge(index) };
        let Some(input) = e.work(get, || self.source.get(index)).await? else { return Ok(None) };
        let value = e.work(self.charge(index), || self.app.task(index, input)).await?;
        Ok(Some(Piece { value, first: index, results: 1 }))
    }

    /// What task `index` is.
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
            (Some(left), Some(right)) => Ok(self.merge_two(e, left, right)),
            (one, other) => Err(one.or(other)),
        };
        async move {
            match merging {
                Ok(merging) => merging.await.map(Some),
                Err(one) => Ok(one),
            }
        }
    }

    /// Merges two pieces; `left` comes first in the order of the inputs.
    #[inline]
    pub(crate) fn merge_two<E: Endpoint<Pack<A>>>(
        &self,
        e: &mut E,
        left: Part<A>,
        right: Part<A>,
    ) -> impl Future<Output = Result<Part<A>, Stop>> {
        let results = left.results + right.results;
        let first = left.first.min(right.first);
        let bytes = left.value.bytes() + right.value.bytes();
        let charge = Charge { stage: Stage::Merge, item: first, bytes, results };
        let merging = e.work(charge, move || self.app.merge(left.value, right.value));
        async move { Ok(Piece { value: merging.await?, first, results }) }
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
