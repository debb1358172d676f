//! The parallel pipeline (Kuntraruk, Pottenger and Ross, figures 1 and 4), for any arity a.
//!
//! P = aⁿ ranks run a task each. In step t, with level l = t mod n, a rank whose digit l (in base
//! a) is less than a − 1 sends what it holds to the rank with a − 1 there and takes a new task;
//! the others receive and merge. After n steps the pipeline is in equilibrium: P − P/a ranks run
//! tasks, the others merge, and the last rank receives a complete set every step.
//!
//! *Order.* The tasks taken in step t stay together: they are merged along all other levels,
//! l + 1, l + 2, …, and arrive n steps later as one set. Numbered by the rank's digits rotated so
//! that digit l + 1 counts least, neighbours in number are merged first and the pipeline keeps
//! the order of the inputs, at no cost. (Numbered by rank, as published, it does not.)
//!
//! *End.* Where the number N of inputs is known, F = ⌈(N − P) / (P − P/a)⌉ steps take new tasks, and every
//! rank runs F + n steps: those without a result send packets without one, and the last n steps visit
//! each level once, so that every result reaches the last rank. Where it is not known, a rank
//! with no input left and no incoming link open sends what it holds marked as the last on its
//! next outgoing link, an empty last on the others, and ends. It sends on each link what it would
//! have sent there next, so a window of one message is enough, and a set that is under way arrives
//! whole. That takes up to n² steps, in which all but the first n say only that there is nothing.

use super::held::Held;
use super::schedule::{Links, Schedule};
use super::work::{Pack, Work};
use super::{Reduce, Sink, Sinks, Source};
use crate::{Endpoint, Stop};

/// The life of one rank; the last rank of the group, which only receives, returns what the sink
/// leaves.
///
/// The arity is ARITY, or where that is 0, `arity`: the usual one is compiled by itself, since in
/// virtual time a step costs little else than finding out what it is. For the same reason, whether the
/// number of inputs is KNOWN is a parameter too.
pub(super) async fn rank<const ARITY: u32, const KNOWN: bool, E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
    arity: usize,
) -> Result<Option<<K::Sink as Sink<A::Partial>>::Out>, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let base = w.share.base;
    let mut s = Schedule::<ARITY>::new(e.rank() - base, w.share.size, arity);
    // In a box: only one rank of a group needs the room for it.
    let mut sink = if s.is_last() { Some(Box::new(w.open(e).await?)) } else { None };
    let end = s.end(w.share.len().unwrap_or(u64::MAX));
    let mut open = if KNOWN { Links::default() } else { Links::incoming(&s) };
    let mut held = Held::nothing();
    let mut task = s.first_task();
    // Whether it was found that there are no more inputs.
    let mut ended = false;
    loop {
        if let Some(index) = w.share.global(task) {
            held.is_of_task(index);
            if KNOWN {
                held.value = Some(w.do_task(e, index)?);
            } else if !ended {
                // In a box: waiting for inputs takes longer than that.
                held.value = Box::pin(w.task_if_any(e, index)).await?.map(|piece| piece.value);
                ended = held.value.is_none();
            }
        }
        while !(s.sends() || if KNOWN { s.first() >= end } else { sink.is_some() && open.none() }) {
            if ARITY == 2 {
                // One sender: nothing of what it holds is kept while others are waited for.
                let (value, first, results, _) = e.recv_from(base + s.sender(0)).await?.into_parts();
                held.take_in::<true, _, _, _, _>(w, e, value, first, results)?;
            } else {
                // What the level's senders hold, in their order, then what this rank holds.
                let mut before = Held::nothing();
                for digit in 0..s.fan_in() {
                    if !KNOWN && !open.has(&s, digit) {
                        continue;
                    }
                    let (value, first, results, is_last) =
                        e.recv_from(base + s.sender(digit)).await?.into_parts();
                    if !KNOWN && is_last {
                        open.close(&s, digit);
                    }
                    before.take_in::<false, _, _, _, _>(w, e, value, first, results)?;
                }
                held.take_in::<true, _, _, _, _>(w, e, before.value, before.first, before.results)?;
            }
            s.step();
            if let Some(sink) = &mut sink
                && s.is_filled()
                && let Some(piece) = held.take()
            {
                w.deliver(e, sink, piece).await?;
            }
        }
        if if KNOWN { s.first() >= end } else { open.none() && (ended || sink.is_some()) } {
            break;
        }
        e.send(base + s.receiver(), held.pack(false)).await?;
        task = s.task();
        s.step();
    }
    if let Some(mut sink) = sink {
        if let Some(piece) = held.take() {
            w.deliver(e, &mut sink, piece).await?;
        }
        return w.close(e, *sink).await.map(Some);
    }
    for _ in 0..if KNOWN { 0 } else { s.levels() } {
        if s.sends() {
            e.send(base + s.receiver(), held.pack(true)).await?;
        }
        s.step();
    }
    Ok(None)
}
