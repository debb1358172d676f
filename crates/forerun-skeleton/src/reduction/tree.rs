//! The reduction tree, in rounds: all ranks run a task, then results merge along a tree of the
//! given arity to the first rank, which delivers; then the next round (Kuntraruk, Pottenger and
//! Ross, section VI-D).
//!
//! At level l the ranks stand in blocks of a^(l+1); the first of a block receives from the a − 1
//! others that are still in, in the order of their tasks. Any number of ranks will do.

use super::held::Held;
use super::work::{Pack, Work};
use super::{Reduce, Sink, Sinks, Source};
use crate::{Endpoint, Stop};

/// In the place of a child that has ended.
const NONE: usize = usize::MAX;

/// The ranks that `rank` receives from, level by level, in the order of their tasks.
pub(super) fn children(rank: usize, ranks: usize, arity: usize) -> impl Iterator<Item = usize> {
    let mut stride = 1usize;
    let levels = std::iter::from_fn(move || {
        let this = stride;
        stride = this.saturating_mul(arity);
        (this < ranks && rank.is_multiple_of(stride)).then_some(this)
    });
    levels
        .flat_map(move |stride| (1..arity).map(move |d| rank.saturating_add(d.saturating_mul(stride))))
        .filter(move |&child| child < ranks)
}

/// The rank that `rank` sends to; the first rank sends to none.
pub(super) fn parent(rank: usize, arity: usize) -> Option<usize> {
    let mut stride = arity;
    (rank > 0).then(|| {
        while rank.is_multiple_of(stride) {
            stride *= arity;
        }
        rank - rank % stride
    })
}

/// The life of one rank; the first rank of the group returns what the sink leaves.
pub(super) async fn rank<E, A, S, K>(
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
    let (base, ranks) = (w.share.base, w.share.size);
    let me = e.rank() - base;
    let parent = parent(me, arity).map(|parent| base + parent);
    // In a box: only one rank of a group needs the room for it.
    let mut sink = if parent.is_none() { Some(Box::new(w.open(e).await?)) } else { None };
    let mut open: Vec<usize> = children(me, ranks, arity).map(|child| base + child).collect();
    let mut local = me as u64;
    let mut held = Held::nothing();
    loop {
        if let Some(index) = w.share.global(local) {
            held.is_of_task(index);
            held.value = if w.share.len().is_some() {
                Some(w.do_task(e, index)?)
            } else {
                // In a box: waiting for inputs takes longer than that.
                Box::pin(w.task_if_any(e, index)).await?.map(|piece| piece.value)
            };
        }
        let ended = held.value.is_none();
        let (mut at, mut all) = (0, true);
        while let Some(&child) = open.get(at) {
            let (value, first, results, is_last) = e.recv_from(child).await?.into_parts();
            if is_last {
                (open[at], all) = (NONE, false);
            }
            at += 1;
            held.take_in::<false, _, _, _, _>(w, e, value, first, results)?;
        }
        if !all {
            open.retain(|&child| child != NONE);
        }
        local += ranks as u64;
        // A later rank's task is a later one, so children end no later than their parent.
        let last = ended || w.share.is_dry(local);
        match (parent, &mut sink) {
            (Some(parent), _) => e.send(parent, held.pack(last)).await?,
            (None, Some(sink)) => {
                if let Some(piece) = held.take() {
                    w.deliver(e, sink, piece).await?;
                }
            }
            (None, None) => unreachable!("the first rank has the sink"),
        }
        if last {
            break;
        }
    }
    match sink {
        Some(sink) => w.close(e, *sink).await.map(Some),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::{children, parent};

    #[test]
    fn every_rank_but_the_first_is_the_child_of_its_parent() {
        for arity in 2..=5 {
            for ranks in 1..=70 {
                let mut seen = vec![0; ranks];
                for rank in 0..ranks {
                    for child in children(rank, ranks, arity) {
                        seen[child] += 1;
                        assert_eq!(parent(child, arity), Some(rank), "{child} of {ranks}, arity {arity}");
                        assert!(child > rank);
                    }
                }
                assert_eq!(seen[0], 0);
                assert!(seen[1..].iter().all(|&n| n == 1), "{ranks} ranks, arity {arity}");
            }
        }
    }
}
