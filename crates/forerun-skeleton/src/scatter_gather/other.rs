//! The life of a rank other than the first.

use forerun_platform::Stage;

use super::Parcel;
use super::job::{Cooperate, Local};
use crate::{Charge, Endpoint, Message, Stop};

/// Message of an application.
pub(super) type Msg<A> = Parcel<<A as Cooperate>::Block, <A as Cooperate>::Packet>;

/// Processes blocks as they arrive; then sends its first packet and each further one when it is
/// polled for it, the next one ready meanwhile.
pub(super) async fn rank<E, A>(app: &A, e: &mut E) -> Result<(), Stop>
where
    E: Endpoint<Msg<A>>,
    A: Cooperate,
{
    let mut done = Vec::new();
    while let Parcel::Block(index, block) = e.recv_from(0).await? {
        done.push(process(app, e, index, block).await?);
    }
    let mut local = begin(app, e, done).await?;
    let mut number = 0;
    loop {
        let packet = packet::<_, A>(e, &mut local, number).await?;
        if number > 0 {
            // The first packet goes unasked.
            e.recv_from(0).await?;
        }
        let last = local.pending().is_none();
        e.send(0, Parcel::Packet(packet, last)).await?;
        if last {
            return Ok(());
        }
        number += 1;
    }
}

/// Processes a block.
pub(super) fn process<E, A>(
    app: &A,
    e: &mut E,
    index: u64,
    block: A::Block,
) -> impl Future<Output = Result<A::Done, Stop>>
where
    E: Endpoint<Msg<A>>,
    A: Cooperate,
{
    let charge = Charge { stage: Stage::Process, item: index, bytes: block.bytes(), results: 1 };
    e.work(charge, move || app.process(index, block))
}

/// Puts a rank's blocks together.
pub(super) fn begin<E, A>(
    app: &A,
    e: &mut E,
    done: Vec<A::Done>,
) -> impl Future<Output = Result<A::Local, Stop>>
where
    E: Endpoint<Msg<A>>,
    A: Cooperate,
{
    let rank = e.rank();
    let charge = Charge { stage: Stage::ResolveLocal, item: 0, bytes: 0, results: 0 };
    e.work(charge, move || app.local(rank, done))
}

/// Makes a rank's packet `number`, if there is a further one.
pub(super) async fn packet<E, A>(
    e: &mut E,
    local: &mut A::Local,
    number: u64,
) -> Result<Option<A::Packet>, Stop>
where
    E: Endpoint<Msg<A>>,
    A: Cooperate,
{
    let Some(amount) = local.pending() else { return Ok(None) };
    let charge =
        Charge { stage: Stage::ResolveLocal, item: number, bytes: amount.bytes, results: amount.ways };
    e.work(charge, || local.next()).await.map(Some)
}
