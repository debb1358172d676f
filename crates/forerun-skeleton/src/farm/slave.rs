//! A rank that does tasks.

use forerun_platform::Stage;

use super::job::Answer;
use super::master::Lead;
use super::message::{Attempt, Parcel, Spent};
use crate::guard::guard;
use crate::reduction::{Sink, Sinks};
use crate::{Charge, Endpoint, Stop};

/// Message of an application.
pub(super) type Msg<A> = Parcel<<A as Answer>::Answer>;

/// Does what the fixed master `master` gives out.
pub(super) async fn rank<E, A>(app: &A, e: &mut E, master: usize) -> Result<(), Stop>
where
    E: Endpoint<Msg<A>>,
    A: Answer,
{
    while let Parcel::Tasks { first, count } = e.recv_from(master).await? {
        let mut attempts = Vec::with_capacity(count as usize);
        for index in first..first + count {
            attempts.push(attempt(app, e, index).await?);
        }
        e.send(master, Parcel::Answers { first, attempts, spent: Spent::Unknown }).await?;
    }
    Ok(())
}

/// What the sink of a master leaves.
type Out<A, K> = <<K as Sinks<<A as Answer>::Answer>>::Sink as Sink<<A as Answer>::Answer>>::Out;

/// Does what any master gives out, and becomes one itself where it is told to; then returns what its sink leaves.
pub(super) async fn changing<E, A, K>(lead: &Lead<'_, A, K>, e: &mut E) -> Result<Option<Out<A, K>>, Stop>
where
    E: Endpoint<Msg<A>>,
    A: Answer,
    K: Sinks<A::Answer>,
{
    let mut sink = None;
    // Its last master.
    let mut known = None;
    let mut first_of_all = true;
    loop {
        let asked = e.now_s();
        let (master, parcel) = e.recv_any().await?;
        match parcel {
            Parcel::Tasks { first, count } => {
                let got = e.now_s();
                let mut attempts = Vec::with_capacity(count as usize);
                for index in first..first + count {
                    attempts.push(attempt(lead.app, e, index).await?);
                }
                let (waited, worked) = ((got - asked) as f32, (e.now_s() - got) as f32);
                let spent = if first_of_all {
                    Spent::First { waited, worked }
                } else if known == Some(master) {
                    Spent::Further { waited, worked }
                } else {
                    Spent::Unknown
                };
                (known, first_of_all) = (Some(master), false);
                e.send(master, Parcel::Answers { first, attempts, spent }).await?;
            }
            Parcel::Promote(half) => {
                // In a box: few ranks ever become one.
                Box::pin(lead.second(e, master, *half, &mut sink)).await?;
                known = None;
            }
            Parcel::Answers { .. } | Parcel::Back(_) => unreachable!("slaves are given tasks only"),
            Parcel::End => return lead.close(e, sink).await,
        }
    }
}

/// Tries task `index`.
pub(super) fn attempt<E, A>(
    app: &A,
    e: &mut E,
    index: u64,
) -> impl Future<Output = Result<Attempt<A::Answer>, Stop>>
where
    E: Endpoint<Msg<A>>,
    A: Answer,
{
    let rank = e.rank();
    let charge = Charge { stage: Stage::Task, item: index, bytes: app.bytes(index), results: 1 };
    // A failure is no failure of the run: the master is told, and has the task done again.
    e.work(charge, move || Ok(guard(rank, charge, || app.answer(index))))
}
