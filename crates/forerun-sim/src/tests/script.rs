//! Programs that are lists of operations.

use forerun_platform::Stage;
use forerun_skeleton::{Charge, Endpoint, Message, Program, Stop};

/// One operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Work(u64),
    Send(usize, u64),
    ReceiveFrom(usize),
    ReceiveAny,
    TryReceiveAny,
    Claim(usize),
}

/// What each rank does.
#[derive(Debug, Clone)]
pub(crate) struct Script(pub(crate) Vec<Vec<Op>>);

/// What a rank saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Saw {
    /// From a rank, its n-th message to anyone.
    Message(usize, u64),
    Nothing,
    Number(u64),
}

/// A message with a number.
#[derive(Debug)]
pub(crate) struct Note {
    bytes: u64,
    number: u64,
}

impl Message for Note {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Program for Script {
    type Msg = Note;
    type Out = Vec<Saw>;

    async fn rank<E: Endpoint<Note>>(&self, e: &mut E) -> Result<Vec<Saw>, Stop> {
        let mut saw = Vec::new();
        let mut sent = 0;
        for op in &self.0[e.rank()] {
            match *op {
                Op::Work(bytes) => {
                    let charge = Charge { stage: Stage::Task, item: 0, bytes, results: 1 };
                    e.work(charge, || Ok(())).await?;
                }
                Op::Send(to, bytes) => {
                    e.send(to, Note { bytes, number: sent }).await?;
                    sent += 1;
                }
                Op::ReceiveFrom(from) => saw.push(Saw::Message(from, e.recv_from(from).await?.number)),
                Op::ReceiveAny => {
                    let (from, note) = e.recv_any().await?;
                    saw.push(Saw::Message(from, note.number));
                }
                Op::TryReceiveAny => saw.push(match e.try_recv_any().await? {
                    Some((from, note)) => Saw::Message(from, note.number),
                    None => Saw::Nothing,
                }),
                Op::Claim(counter) => saw.push(Saw::Number(e.claim(counter).await?)),
            }
        }
        Ok(saw)
    }
}
