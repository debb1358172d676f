//! What a rank holds between two steps, and how a packet is taken to it.

use super::{Packet, Piece};

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

/// Takes the words of a packet (value, lowest index, results) to what a rank holds, merging where there is
/// something on both sides: as what comes `before` what it holds in the order of the inputs, or `after`.
///
/// No function: as words, nothing of either piece is kept in the rank's future, or copied in one piece after it
/// was written in parts.
macro_rules! take_in {
    ($w:expr, $e:expr, $held:ident, before, $words:expr) => {
        take_in!(@ $w, $e, $held, $words, it, own, [it, own])
    };
    ($w:expr, $e:expr, $held:ident, after, $words:expr) => {
        take_in!(@ $w, $e, $held, $words, it, own, [own, it])
    };
    (@ $w:expr, $e:expr, $held:ident, $words:expr, $it:ident, $own:ident, [$left:ident, $right:ident]) => {
        let (value, first, results) = $words;
        if let Some(value) = value {
            if let Some(own) = $held.value.take() {
                let $it = Piece { value, first, results };
                let $own = Piece { value: own, first: $held.first, results: $held.results };
                let merging;
                ($held.first, $held.results, merging) = $w.begin_merge($e, $left, $right);
                $held.value = Some(merging.await?);
            } else {
                ($held.value, $held.first, $held.results) = (Some(value), first, results);
            }
        }
    };
}
pub(super) use take_in;
