//! Blocks of neighbouring tasks in turn, for merges that do not commute.
//!
//! Round k deals a block of `set` tasks to every rank; the first rank takes the blocks in their
//! order, its own first, and the window keeps the others from running ahead. What is left of a
//! known input after the last full round is cut evenly and merged along the tree, whose subtrees
//! are neighbours. An input of unknown length is dealt until it ends.

use super::{Knobs, add, collapse};
use crate::reduction::packet::Content;
use crate::reduction::tree::{children, parent};
use crate::reduction::work::{Pack, Part, Work};
use crate::reduction::{Fold, Packet, Reduce, Sink, Sinks, Source};
use crate::{Endpoint, Stop};

/// Full rounds of a known input of `n` tasks.
fn rounds(n: Option<u64>, ranks: usize, set: u64) -> u64 {
    n.map_or(u64::MAX, |n| n / set.saturating_mul(ranks as u64))
}

/// Runs tasks `from..to` and merges their results into one; also says whether the input ended.
async fn block<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    from: u64,
    to: u64,
) -> Result<(Option<Part<A>>, bool), Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let mut held = Fold::new();
    let mut ended = false;
    for local in from..to {
        let Some(piece) = w.task(e, local).await? else {
            ended = true;
            break;
        };
        add(w, e, &mut held, piece, u64::MAX).await?;
    }
    collapse(w, e, &mut held, true).await?;
    Ok((held.pop(), ended))
}

/// The rest of a known input: an even cut, merged along the tree.
async fn rest<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    from: u64,
    arity: usize,
) -> Result<Option<Part<A>>, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let Some(n) = w.share.len() else { return Ok(None) };
    // A rank that has no task takes no part.
    let (me, ranks) = ((e.rank() - w.share.base) as u64, (w.share.size as u64).min(n - from));
    if me >= ranks {
        return Ok(None);
    }
    // Less than set · ranks tasks remain; u128 because set may be as large as the input.
    let cut = |r: u64| from + (u128::from(n - from) * u128::from(r) / u128::from(ranks)) as u64;
    let (mut held, _) = block(w, e, cut(me), cut(me + 1)).await?;
    for child in children(me as usize, ranks as usize, arity) {
        if let Content::Rest(part, _) = e.recv_from(w.share.base + child).await?.open() {
            held = w.merge(e, held, part)?;
        }
    }
    if let Some(parent) = parent(me as usize, arity) {
        e.send(w.share.base + parent, Packet::rest(held.take(), 0)).await?;
    }
    Ok(held)
}

/// The first rank: its own blocks, and the sink.
pub(super) async fn first<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    knobs: Knobs,
) -> Result<<K::Sink as Sink<A::Partial>>::Out, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let mut sink = w.open(e).await?;
    let (base, ranks, set) = (w.share.base, w.share.size, knobs.set);
    let stride = set.saturating_mul(ranks as u64);
    let full = rounds(w.share.len(), ranks, set);
    let mut open: Vec<usize> = (1..ranks).collect();
    let mut ended = false;
    for round in 0..full {
        if ended && open.is_empty() {
            break;
        }
        if !ended {
            let from = round.saturating_mul(stride);
            let (piece, end) = block(w, e, from, from.saturating_add(set)).await?;
            ended = end;
            if let Some(piece) = piece {
                w.deliver(e, &mut sink, piece).await?;
            }
        }
        let mut still = Vec::with_capacity(open.len());
        for other in open {
            let piece = match e.recv_from(base + other).await?.open() {
                Content::Set(piece) => {
                    still.push(other);
                    Some(piece)
                }
                Content::Rest(piece, _) => piece,
                Content::Part(_) | Content::Last(_) => {
                    unreachable!("in order, the adaptive strategy sends sets and rests")
                }
            };
            if let Some(piece) = piece {
                w.deliver(e, &mut sink, piece).await?;
            }
        }
        open = still;
    }
    if w.share.len().is_some()
        && let Some(piece) = rest(w, e, full * stride, knobs.arity).await?
    {
        w.deliver(e, &mut sink, piece).await?;
    }
    w.close(e, sink).await
}

/// Any other rank: its blocks.
pub(super) async fn other<E, A, S, K>(w: &Work<'_, A, S, K>, e: &mut E, knobs: Knobs) -> Result<(), Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let (base, ranks, set) = (w.share.base, w.share.size, knobs.set);
    let me = (e.rank() - base) as u64;
    let stride = set.saturating_mul(ranks as u64);
    let full = rounds(w.share.len(), ranks, set);
    for round in 0..full {
        let from = round.saturating_mul(stride).saturating_add(me.saturating_mul(set));
        let (piece, ended) = block(w, e, from, from.saturating_add(set)).await?;
        match piece {
            Some(piece) if !ended => e.send(base, Packet::set(piece)).await?,
            piece => return e.send(base, Packet::rest(piece, 0)).await,
        }
    }
    rest(w, e, full * stride, knobs.arity).await.map(|_| ())
}
