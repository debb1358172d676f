//! What the ranks of a farm send to each other.

use std::ops::Range;

use crate::{Failure, Message};

/// Bytes of a message that gives tasks out, and of one that answers them beside the answers.
pub const HEADER: u64 = 16;

/// What a task came to: its answer, or how it failed.
pub type Attempt<R> = Result<R, Box<Failure>>;

/// What a slave waited and worked for, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spent {
    /// Nothing that says something of its master.
    Unknown,
    /// From the start of the run to its first tasks.
    First {
        /// Until the tasks were there.
        waited: f32,
        /// For the tasks.
        worked: f32,
    },
    /// From one message with answers to the next.
    Further {
        /// Until the tasks were there.
        waited: f32,
        /// For the tasks.
        worked: f32,
    },
}

/// What the ranks of a farm send to each other.
#[derive(Debug)]
pub enum Parcel<R> {
    /// Tasks `first..first + count`, to a slave.
    Tasks {
        /// The first of them.
        first: u64,
        /// How many.
        count: u64,
    },
    /// What became of the tasks of one message, to the master that gave them out.
    Answers {
        /// The first of the tasks.
        first: u64,
        /// What became of each.
        attempts: Vec<Attempt<R>>,
        /// What the slave waited and worked for them.
        spent: Spent,
    },
    /// The receiver becomes the master of these tasks and slaves.
    Promote(Box<Half>),
    /// The sender gives its master back of what it was promoted for: tasks that nobody has begun, since one master keeps up again, or
    /// slaves that it has nothing for.
    Return {
        /// The tasks.
        tasks: Vec<Range<u64>>,
        /// The slaves.
        slaves: Vec<usize>,
    },
    /// The sender has done what it was promoted for; its slaves are its master's again.
    Back(Vec<usize>),
    /// These slaves are the receiver's from now on, which was promoted: the sender has nothing left for them.
    Lend(Vec<usize>),
    /// The answer: those of them that are the receiver's again, as the sender has nothing for them either; all of them or none.
    Unneeded(Vec<usize>),
    /// There are no further tasks: the rank ends.
    End,
}

/// What a slave that becomes a master takes over.
#[derive(Debug, Clone, PartialEq)]
pub struct Half {
    /// The tasks, in ascending order; more than one range where some have been given back by others.
    pub tasks: Vec<Range<u64>>,
    /// The slaves, in ascending order.
    pub slaves: Vec<usize>,
    /// Twice the least time to a first task, in seconds: what a round trip takes if nobody waits.
    pub trip_s: f64,
}

impl<R: Message> Message for Parcel<R> {
    fn bytes(&self) -> u64 {
        match self {
            Parcel::Tasks { .. } => HEADER,
            Parcel::Answers { attempts, .. } => {
                let of = |attempt: &Attempt<R>| match attempt {
                    Ok(answer) => answer.bytes(),
                    Err(failure) => failure.message.len() as u64,
                };
                HEADER + attempts.iter().map(of).sum::<u64>()
            }
            Parcel::Promote(half) => HEADER * ranges(&half.tasks) + 8 * (1 + half.slaves.len() as u64),
            Parcel::Return { tasks, slaves } => HEADER * ranges(tasks) + 8 * (1 + slaves.len() as u64),
            Parcel::Back(slaves) | Parcel::Lend(slaves) | Parcel::Unneeded(slaves) => {
                8 * (1 + slaves.len() as u64)
            }
            Parcel::End => 0,
        }
    }
}

fn ranges(tasks: &[Range<u64>]) -> u64 {
    tasks.len() as u64
}
