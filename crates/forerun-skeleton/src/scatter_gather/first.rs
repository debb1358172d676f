//! The life of the first rank: it reads and deals, gathers and writes, and works like the others.

use forerun_platform::Stage;

use super::job::{Cooperate, Global, Want};
use super::other::{Msg, begin, packet, process};
use super::{Owners, Parcel};
use crate::reduction::{Piece, Sink, Sinks, Source};
use crate::{Charge, Endpoint, Message, Stop};

/// Blocks of its own that the first rank holds back at most before it processes one: so the others
/// have theirs first, and enough to do meanwhile.
pub const HELD: usize = 2;

/// What the first rank has at hand.
pub(super) struct First<'a, A, S, K> {
    pub(super) app: &'a A,
    pub(super) source: &'a S,
    pub(super) sinks: &'a K,
}

/// What the sink leaves.
type Out<A, K> = <<K as Sinks<<A as Cooperate>::Packet>>::Sink as Sink<<A as Cooperate>::Packet>>::Out;

impl<A, S, K> First<'_, A, S, K>
where
    A: Cooperate,
    S: Source<Input = A::Block>,
    K: Sinks<A::Packet>,
{
    pub(super) async fn rank<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        owners: Owners,
    ) -> Result<Out<A, K>, Stop> {
        let done = self.deal(e, owners).await?;
        let mut local = begin(self.app, e, done).await?;
        let mut sink = e.work(idle(), || self.sinks.open(0)).await?;
        if e.size() == 1 {
            let mut number = 0;
            while let Some(packet) = packet::<_, A>(e, &mut local, number).await? {
                self.write(e, &mut sink, packet, number).await?;
                number += 1;
            }
        } else {
            self.gather(e, local, &mut sink).await?;
        }
        e.work(idle(), || sink.close()).await
    }

    /// Reads blocks and deals them out; gives what it made of its own.
    async fn deal<E: Endpoint<Msg<A>>>(&self, e: &mut E, mut owners: Owners) -> Result<Vec<A::Done>, Stop> {
        let mut done = Vec::new();
        let mut held = std::collections::VecDeque::with_capacity(HELD + 1);
        let mut index = 0;
        while let Some(block) = self.read(e, index).await? {
            match owners.next().unwrap_or(0) {
                0 => held.push_back((index, block)),
                rank => e.send(rank, Parcel::Block(index, block)).await?,
            }
            if held.len() > HELD
                && let Some((index, block)) = held.pop_front()
            {
                done.push(process(self.app, e, index, block).await?);
            }
            index += 1;
        }
        for rank in 1..e.size() {
            e.send(rank, Parcel::Dealt).await?;
        }
        for (index, block) in held {
            done.push(process(self.app, e, index, block).await?);
        }
        Ok(done)
    }

    /// Reads block `index`; `None` where there are not so many.
    async fn read<E: Endpoint<Msg<A>>>(&self, e: &mut E, index: u64) -> Result<Option<A::Block>, Stop> {
        if self.source.len().is_some_and(|len| index >= len) {
            return Ok(None);
        }
        let bytes = self.source.bytes(index);
        let charge = Charge { stage: Stage::Read, item: index, bytes, results: 1 };
        e.work(charge, || self.source.get(index)).await
    }

    /// Gathers the packets of all ranks as they are needed, resolves and writes.
    async fn gather<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        mut local: A::Local,
        sink: &mut K::Sink,
    ) -> Result<(), Stop> {
        let ranks = e.size();
        let start = Charge { stage: Stage::ResolveGlobal, item: 0, bytes: 0, results: 0 };
        let mut global = e.work(start, || self.app.global(ranks)).await?;
        // Ranks whose last packet is here.
        let mut ended = vec![false; ranks];
        let (mut own, mut number) = (0, 0);
        loop {
            match global.want() {
                Want::End => return Ok(()),
                Want::Packet(rank) => {
                    let next = if rank == 0 {
                        own += 1;
                        packet::<_, A>(e, &mut local, own - 1).await?
                    } else if ended.get(rank).copied().unwrap_or(true) {
                        None
                    } else {
                        let (packet, last) = gathered::<_, A>(e, rank).await?;
                        ended[rank] = last;
                        packet
                    };
                    let charge = Charge { item: number, ..start };
                    e.work(charge, || global.give(rank, next)).await?;
                }
                Want::Resolve(amount) => {
                    let charge = Charge { item: number, bytes: amount.bytes, results: amount.ways, ..start };
                    let packet = e.work(charge, || global.resolve()).await?;
                    self.write(e, sink, packet, number).await?;
                    number += 1;
                }
            }
        }
    }

    /// Writes packet `number` of the result.
    fn write<E: Endpoint<Msg<A>>>(
        &self,
        e: &mut E,
        sink: &mut K::Sink,
        packet: A::Packet,
        number: u64,
    ) -> impl Future<Output = Result<(), Stop>> {
        let charge = Charge { stage: Stage::Write, item: number, bytes: packet.bytes(), results: 1 };
        e.work(charge, move || sink.accept(Piece { value: packet, first: number, results: 1 }))
    }
}

/// The next packet of another rank, and whether it is its last; polls for the one after it.
async fn gathered<E, A>(e: &mut E, rank: usize) -> Result<(Option<A::Packet>, bool), Stop>
where
    E: Endpoint<Msg<A>>,
    A: Cooperate,
{
    let Parcel::Packet(packet, last) = e.recv_from(rank).await? else {
        unreachable!("ranks send packets only");
    };
    if !last {
        e.send(rank, Parcel::Poll).await?;
    }
    Ok((packet, last))
}

/// The charge of opening or closing the sink.
fn idle() -> Charge {
    Charge { stage: Stage::Write, item: 0, bytes: 0, results: 0 }
}
