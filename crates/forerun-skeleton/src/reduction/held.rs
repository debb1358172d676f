//! What a rank holds between two steps, and how a packet is taken to it.

use std::future::Future;

use super::work::{Pack, Partial, Work};
use super::{Packet, Piece, Reduce, Sinks, Source};
use crate::{Endpoint, Stop};

/// The piece that a rank holds, if it holds one: word by word, as [`Packet`], and in one place, which a
/// rank's future has once.
#[derive(Debug)]
pub(super) struct Held<P> {
    pub(super) value: Option<P>,
    /// Lowest index of the tasks in it.
    first: u64,
    /// Number of tasks in it.
    results: u64,
}

impl<P> Held<P> {
    /// No piece.
    pub(super) fn nothing() -> Self {
        Held { value: None, first: 0, results: 0 }
    }

    /// Notes that what is held from now on is the result of task `index`.
    #[inline(always)]
    pub(super) fn is_of_task(&mut self, index: u64) {
        (self.first, self.results) = (index, 1);
    }

    /// Number of tasks in it.
    #[inline(always)]
    pub(super) fn results(&self) -> u64 {
        self.results
    }

    /// Gives it away as a packet, perhaps the last on its link.
    #[inline(always)]
    pub(super) fn pack(&mut self, is_last: bool) -> Packet<P> {
        Packet::of(self.value.take(), self.first, self.results, is_last)
    }

    /// Gives it away.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<Piece<P>> {
        let Held { first, results, .. } = *self;
        self.value.take().map(|value| Piece { value, first, results })
    }
}

impl<'w, A, S, K> Work<'w, A, S, K>
where
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    /// Takes what is in `packet` to what a rank holds, as what comes BEFORE it in the order of the inputs
    /// or after it. Where that needs a merge, gives what to await for the value that is then to be held.
    // Not an `async fn`, and by reference: so neither piece is kept in the rank's future.
    #[inline(always)]
    pub(super) fn begin_take<'s, 'e, const BEFORE: bool, E: Endpoint<Pack<A>>>(
        &'s self,
        e: &'e mut E,
        held: &mut Held<Partial<A>>,
        packet: Pack<A>,
    ) -> Option<impl Future<Output = Result<Partial<A>, Stop>> + use<'w, 's, 'e, BEFORE, E, A, S, K>> {
        let (value, first, results, _) = packet.into_parts();
        let value = value?;
        let Some(held_value) = held.value.take() else {
            *held = Held { value: Some(value), first, results };
            return None;
        };
        let it = Piece { value, first, results };
        let own = Piece { value: held_value, first: held.first, results: held.results };
        let (left, right) = if BEFORE { (it, own) } else { (own, it) };
        let merging;
        (held.first, held.results, merging) = self.begin_merge(e, left, right);
        Some(merging)
    }
}
