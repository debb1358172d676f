//! Tasks to whoever is free. Ranks draw chunks of tasks from a shared counter; the first chunk of
//! each is given by its number, so a run with as many tasks as ranks draws none in vain. Or all
//! tasks are dealt evenly at the start, and none is drawn.

use forerun_platform::Deal;

use super::chunks::Chunks;
use super::even;
use super::{Knobs, add, collapse};
use crate::reduction::packet::Content;
use crate::reduction::tree::{children, parent};
use crate::reduction::work::{Pack, Part, Work};
use crate::reduction::{Fold, Packet, Reduce, Sink, Sinks, Source};
use crate::{Endpoint, Stop};

/// What a rank still has to do.
struct Tasks {
    /// Where more is to be drawn from, if not all was dealt.
    chunks: Option<Chunks>,
    range: std::ops::Range<u64>,
    /// The least number of a chunk that the counter can give next.
    least: u64,
    ended: bool,
}

/// Ranks of the group that take part: without those that are known to have no task.
fn team<A, S, K>(w: &Work<'_, A, S, K>, knobs: Knobs) -> usize {
    let ranks = w.share.size;
    match (w.share.len(), knobs.deal) {
        (None, _) => ranks,
        (Some(n), Deal::Claimed) => (ranks as u64).min(n.max(1)) as usize,
        (Some(n), Deal::Even { first_permille }) => even::active(n, ranks as u64, first_permille) as usize,
    }
}

impl Tasks {
    fn new<A, S, K>(w: &Work<'_, A, S, K>, knobs: Knobs, me: usize, team: usize) -> Self {
        if let (Some(n), Deal::Even { first_permille }) = (w.share.len(), knobs.deal) {
            let range = even::share(me as u64, n, team as u64, first_permille, knobs.arity as u64);
            return Tasks { chunks: None, range, least: 0, ended: false };
        }
        let mut chunks = Chunks::new(w.share.len(), w.share.size);
        let range = chunks.get(me as u64);
        Tasks { chunks: Some(chunks), range, least: w.share.size as u64, ended: false }
    }

    /// Whether it is known that there are no more.
    fn none_left(&self) -> bool {
        self.ended || self.chunks.is_none() && self.range.is_empty()
    }

    /// Runs the next task, of a new chunk where the last is done.
    async fn next<E, A, S, K>(&mut self, w: &Work<'_, A, S, K>, e: &mut E) -> Result<Option<Part<A>>, Stop>
    where
        E: Endpoint<Pack<A>>,
        A: Reduce,
        S: Source<Input = A::Input>,
        K: Sinks<A::Partial>,
    {
        if self.ended {
            return Ok(None);
        }
        if self.range.is_empty()
            && let Some(chunks) = &mut self.chunks
        {
            // What the counter can give may already be past the end.
            self.range = chunks.get(self.least);
            if !self.range.is_empty() {
                let number = w.share.size as u64 + e.claim(w.share.base).await?;
                self.range = chunks.get(number);
                self.least = number + 1;
            }
        }
        let piece = match self.range.next() {
            Some(local) => w.task(e, local).await?,
            None => None,
        };
        self.ended = piece.is_none();
        Ok(piece)
    }
}

/// The first rank: tasks, and the sink between them.
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
    let mut held = Fold::new();
    let team = team(w, knobs);
    let mut tasks = Tasks::new(w, knobs, 0, team);
    let mut rests = children(0, team, knobs.arity).count();
    let mut direct = 0i64;
    loop {
        let packet = if !tasks.none_left() {
            e.try_recv_any().await?
        } else if rests > 0 || direct > 0 {
            // A piece may arrive after the rest of a rank nearer to the root that counts it.
            Some(e.recv_any().await?)
        } else {
            break;
        };
        let piece = match packet {
            Some((_, packet)) => open(packet, knobs.set, &mut rests, &mut direct),
            None => tasks.next(w, e).await?.map(|piece| (piece, false)),
        };
        let set = match piece {
            Some((set, true)) => Some(set),
            Some((part, false)) => add(w, e, &mut held, part, knobs.set).await?,
            None => None,
        };
        if let Some(set) = set {
            w.deliver(e, &mut sink, set).await?;
        }
    }
    collapse(w, e, &mut held, true).await?;
    if let Some(set) = held.pop() {
        w.deliver(e, &mut sink, set).await?;
    }
    w.close(e, sink).await
}

/// Any other rank: tasks, then its part of the tree.
pub(super) async fn other<E, A, S, K>(w: &Work<'_, A, S, K>, e: &mut E, knobs: Knobs) -> Result<(), Stop>
where
    E: Endpoint<Pack<A>>,
    A: Reduce,
    S: Source<Input = A::Input>,
    K: Sinks<A::Partial>,
{
    let base = w.share.base;
    let me = e.rank() - base;
    let team = team(w, knobs);
    if me >= team {
        return Ok(());
    }
    let mut held = Fold::new();
    let mut tasks = Tasks::new(w, knobs, me, team);
    let mut rests = children(me, team, knobs.arity).count();
    // Pieces that this rank and those below it sent to the first rank.
    let mut direct = 0i64;
    let to = parent(me, knobs.arity).unwrap_or(0);
    loop {
        let running = !tasks.ended;
        let piece = if running {
            tasks.next(w, e).await?
        } else if rests > 0 {
            open(e.recv_any().await?.1, knobs.set, &mut rests, &mut direct).map(|(piece, _)| piece)
        } else {
            break;
        };
        let Some(piece) = piece else {
            collapse(w, e, &mut held, true).await?;
            continue;
        };
        // The last piece goes to the first rank anyway, where that is next in the tree.
        let full = match running {
            true if to == 0 && rests == 0 && tasks.none_left() => u64::MAX,
            true => knobs.gather,
            false => knobs.set,
        };
        if let Some(piece) = add(w, e, &mut held, piece, full).await? {
            direct += 1;
            let complete = piece.results >= knobs.set;
            let packet = if complete { Packet::set(piece) } else { Packet::part(Some(piece)) };
            e.send(base, packet).await?;
        }
        if !running {
            // There is time for it until the next piece comes.
            collapse(w, e, &mut held, true).await?;
        }
    }
    e.send(base + to, Packet::rest(held.pop(), direct as u64)).await
}

/// What is in a packet, and whether it is a complete set; counts rests down, and pieces that are
/// still under way to the first rank: up by what a rest announces, down by each that arrives.
fn open<P>(
    packet: Packet<P>,
    set: u64,
    rests: &mut usize,
    direct: &mut i64,
) -> Option<(crate::reduction::Piece<P>, bool)> {
    let piece = match packet.open() {
        Content::Set(piece) => {
            *direct -= 1;
            Some(piece)
        }
        Content::Part(piece) => {
            *direct -= 1;
            piece
        }
        Content::Rest(piece, below) => {
            *rests -= 1;
            *direct += below as i64;
            piece
        }
        Content::Last(_) => unreachable!("the adaptive strategy sends sets, parts and rests"),
    };
    piece.map(|piece| {
        let complete = piece.results >= set;
        (piece, complete)
    })
}
