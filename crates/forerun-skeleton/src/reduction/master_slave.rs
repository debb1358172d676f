//! Master and slaves: the first rank merges the results that all others compute (Kuntraruk,
//! Pottenger and Ross, section VI-C). After P − 1 results it delivers what it has merged.
//!
//! Slave s runs tasks s − 1, s − 1 + (P − 1), …. A commutative merge takes results as they
//! arrive; any other takes them in the order of the tasks.

use super::held::Held;
use super::work::{Pack, Work};
use super::{Packet, Reduce, Sink, Sinks, Source};
use crate::{Endpoint, Stop};

/// The life of one rank; the master returns what the sink leaves.
pub(super) async fn rank<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
) -> Result<Option<<K::Sink as Sink<A::Partial>>::Out>, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let me = e.rank() - w.share.base;
    if me == 0 { master(w, e).await.map(Some) } else { slave(w, e, me).await.map(|()| None) }
}

async fn slave<E, A, S, K>(w: &Work<'_, A, S, K>, e: &mut E, me: usize) -> Result<(), Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let slaves = w.share.size as u64 - 1;
    let mut local = me as u64 - 1;
    loop {
        let mut held = None;
        let index = w.share.global(local);
        if let Some(index) = index {
            held = if w.share.len().is_some() {
                Some(w.do_task(e, index)?)
            } else {
                // In a box: waiting for inputs takes longer than that.
                Box::pin(w.task_if_any(e, index)).await?.map(|piece| piece.value)
            };
        }
        local += slaves;
        let last = held.is_none() || w.share.is_dry(local);
        e.send(w.share.base, Packet::of(held, index.unwrap_or(0), 1, last)).await?;
        if last {
            return Ok(());
        }
    }
}

async fn master<E, A, S, K>(
    w: &Work<'_, A, S, K>,
    e: &mut E,
) -> Result<<K::Sink as Sink<A::Partial>>::Out, Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let (base, slaves) = (w.share.base, w.share.size - 1);
    let mut sink = w.open(e).await?;
    let mut held = Held::nothing();
    let mut open = slaves;
    // In order, a slave that has ended leaves the turn: its next task would be past the end.
    let mut turn: Vec<usize> = if w.app.commutative() { Vec::new() } else { (1..=slaves).collect() };
    let mut at = 0;
    while open > 0 {
        let packet =
            if turn.is_empty() { e.recv_any().await?.1 } else { e.recv_from(base + turn[at]).await? };
        let (value, first, results, is_last) = packet.into_parts();
        if is_last {
            open -= 1;
            if !turn.is_empty() {
                turn.remove(at);
            }
        } else {
            at += 1;
        }
        if at >= turn.len() {
            at = 0;
        }
        held.take_in::<false, _, _, _, _>(w, e, value, first, results)?;
        if held.results >= slaves as u64
            && let Some(piece) = held.take()
        {
            w.deliver(e, &mut sink, piece).await?;
        }
    }
    if let Some(piece) = held.take() {
        w.deliver(e, &mut sink, piece).await?;
    }
    w.close(e, sink).await
}
