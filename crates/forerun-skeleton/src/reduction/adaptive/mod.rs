//! The adaptive reduction: no fixed step, no rank that waits while there is work.
//!
//! Every rank runs tasks and merges its own results with each other as they come, in balance, so
//! that nothing is sent before a set is complete; sets go to the first rank, which hands them to
//! the sink between its tasks. (Where messages are long and merges cheap, ranks can be told to
//! gather less than a set before they send, down to single results: then the first rank merges
//! them to sets, as a master does.) When the tasks have run out, what the ranks are left with is
//! merged along a tree, and leaves it as soon as a set is complete.
//!
//! [`unordered`], for merges that commute, shares out tasks as ranks become free, or deals them
//! evenly at the start; [`ordered`] deals blocks of neighbouring tasks in turn. Where it is known
//! that there are fewer tasks than ranks, the last ranks take no part.

mod chunks;
mod even;
mod ordered;
mod unordered;

use forerun_platform::Deal;

use super::work::{Pack, Part, Work};
use super::{Fold, Reduce, Sink, Sinks, Source};
use crate::{Endpoint, Stop};

/// What the strategy can be told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Knobs {
    /// Fan-in of the tree in which the last results are merged.
    pub(super) arity: usize,
    /// Task results that a set holds at least.
    pub(super) set: u64,
    /// Task results that a rank gathers before it sends them, at most a set.
    pub(super) gather: u64,
    /// How tasks are handed out.
    pub(super) deal: Deal,
}

/// The life of one rank; the first rank of the group returns what the sink leaves.
pub(super) async fn rank<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    knobs: Knobs,
) -> Result<Option<<K::Sink as Sink<A::Partial>>::Out>, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let first = e.rank() == w.share.base;
    match (w.app.commutative(), first) {
        (true, true) => unordered::first(w, e, knobs).await.map(Some),
        (true, false) => unordered::other(w, e, knobs).await.map(|()| None),
        (false, true) => ordered::first(w, e, knobs).await.map(Some),
        (false, false) => ordered::other(w, e, knobs).await.map(|()| None),
    }
}

/// Adds a piece to those held and merges what is due; gives a set of at least `set` results when
/// it is complete. Where the merge commutes, the fewest pieces that complete it.
async fn add<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    held: &mut Fold<A::Partial>,
    piece: Part<A>,
    set: u64,
) -> Result<Option<Part<A>>, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let commutative = w.app.commutative();
    if !commutative {
        while let Some((left, right)) = held.due_before(piece.results) {
            merge_into(w, e, held, left, right).await?;
        }
    }
    held.push(piece);
    if held.results() < set {
        collapse(w, e, held, false).await?;
        return Ok(None);
    }
    let mut complete = if commutative { held.take(set) } else { std::mem::take(held) };
    collapse(w, e, &mut complete, true).await?;
    Ok(complete.pop())
}

/// Merges what is due, or with `all` everything that is held into one piece.
async fn collapse<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    held: &mut Fold<A::Partial>,
    all: bool,
) -> Result<(), Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let commutative = w.app.commutative();
    while let Some((left, right)) = match (commutative, all) {
        (true, _) => held.alike(all),
        (false, true) => held.last_two(),
        (false, false) => held.due(),
    } {
        merge_into(w, e, held, left, right).await?;
    }
    Ok(())
}

async fn merge_into<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    held: &mut Fold<A::Partial>,
    left: Part<A>,
    right: Part<A>,
) -> Result<(), Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    if let Some(piece) = w.merge(e, Some(left), Some(right))? {
        held.push(piece);
    }
    Ok(())
}
