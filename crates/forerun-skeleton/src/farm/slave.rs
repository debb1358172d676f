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
        serve(app, e, master, (first, count), None).await?;
    }
    Ok(())
}

/// Does the tasks of a message and answers it; says what was waited and worked for them where `waited` makes something
/// of the time that they took.
pub(super) async fn serve<E, A>(
    app: &A,
    e: &mut E,
    master: usize,
    (first, count): (u64, u64),
    waited: Option<Waited>,
) -> Result<(), Stop>
where
    E: Endpoint<Msg<A>>,
    A: Answer,
{
    let mut attempts = Vec::with_capacity(count as usize);
    for index in first..first + count {
        attempts.push(attempt(app, e, index).await?);
    }
    let spent = match waited {
        None => Spent::Unknown,
        Some(Waited { first, asked, got }) => {
            let (waited, worked) = ((got - asked) as f32, (e.now_s() - got) as f32);
            if first { Spent::First { waited, worked } } else { Spent::Further { waited, worked } }
        }
    };
    e.send(master, Parcel::Answers { first, attempts, spent }).await
}

/// When a slave began to wait for tasks and when they were there, and whether they are its first of all.
pub(super) struct Waited {
    first: bool,
    asked: f64,
    got: f64,
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
                let (is_first, got) = (std::mem::take(&mut first_of_all), e.now_s());
                let waited = Waited { first: is_first, asked, got };
                let tells = is_first || known == Some(master);
                known = Some(master);
                serve(lead.app, e, master, (first, count), tells.then_some(waited)).await?;
            }
            Parcel::Promote(half) => {
                // In a box: few ranks ever become one.
                Box::pin(lead.second(e, master, *half, &mut sink)).await?;
                known = None;
            }
            // It has given back what it was promoted for meanwhile.
            Parcel::Lend(slaves) => e.send(master, Parcel::Unneeded(slaves)).await?,
            Parcel::Answers { .. } | Parcel::Return { .. } | Parcel::Back(_) | Parcel::Unneeded(_) => {
                unreachable!("slaves are given tasks only")
            }
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
