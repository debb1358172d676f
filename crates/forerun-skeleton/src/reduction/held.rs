//! What a rank holds between two steps, and how a packet is taken to it.

use super::work::{Pack, Work};
use super::{Packet, Piece, Reduce, Sinks, Source};
use crate::{Endpoint, Message, Stop};

/// The piece that a rank holds, if it holds one: word by word, as [`Packet`], and in one place, which a
/// rank's future has once.
#[derive(Debug)]
pub(super) struct Held<P> {
    pub(super) value: Option<P>,
    /// Lowest index of the tasks in it.
    pub(super) first: u64,
    /// Number of tasks in it.
    pub(super) results: u64,
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

impl<P: Message> Held<P> {
    /// Takes to it what a packet holds, merging where there is something on both sides: as what comes before it in the
    /// order of the inputs where it is `BEFORE`, else after.
    // As words: a piece that is passed on as a whole is first written to memory in parts.
    #[inline(always)]
    pub(super) fn take_in<const BEFORE: bool, E, A, S, K>(
        &mut self,
        w: &Work<'_, A, S, K>,
        e: &mut E,
        value: Option<P>,
        first: u64,
        results: u64,
    ) -> Result<(), Stop>
    where
        E: Endpoint<Pack<A>>,
        A: Reduce<Partial = P>,
        S: Source<Input = A::Input>,
        K: Sinks<P>,
    {
        let Some(value) = value else { return Ok(()) };
        let Some(own) = self.value.take() else {
            (self.value, self.first, self.results) = (Some(value), first, results);
            return Ok(());
        };
        let (first, results) = (first.min(self.first), results + self.results);
        let (left, right) = if BEFORE { (value, own) } else { (own, value) };
        self.value = Some(w.do_merge(e, first, results, left, right)?);
        (self.first, self.results) = (first, results);
        Ok(())
    }
}
