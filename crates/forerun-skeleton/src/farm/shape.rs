//! A farm put together: application, output, and the ranks.

use super::job::Answer;
use super::master::Lead;
use super::message::Parcel;
use super::slave;
use crate::reduction::{Runner, Sink, Sinks};
use crate::{Endpoint, Program, RunError, Stop};

/// Who is a master.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masters {
    /// So many ranks all the time, at least 1, each with a share of the tasks and of the slaves.
    Fixed(usize),
    /// One, and slaves that become masters of a part while their masters make slaves wait.
    Dynamic,
}

/// Who works together, and how tasks are given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Ranks, masters included. A single rank does all tasks itself.
    pub ranks: usize,
    /// The masters among them.
    pub masters: Masters,
    /// Tasks of a message, at least 1 (T of Mizutani et al., section 5.1).
    pub grain: u64,
    /// Messages of tasks that a slave has at a time, at least 1.
    pub prefetch: u64,
    /// Whether each master hands its results to its sink in the order of the tasks.
    pub ordered: bool,
    /// In order, how many tasks after the first whose result is not there are given out at most, at least 1:
    /// so many results are held back at most, and up to a grain more.
    pub ahead: u64,
    /// How often a task is tried that fails or panics, at least 1.
    pub attempts: u32,
}

impl Shape {
    /// `ranks` ranks with one master, tasks one by one, results as they come, three attempts.
    pub fn new(ranks: usize) -> Self {
        Shape {
            ranks,
            masters: Masters::Fixed(1),
            grain: 1,
            prefetch: 1,
            ordered: false,
            ahead: 1 << 16,
            attempts: 3,
        }
    }

    /// The least window ([`Options::window`](crate::Options::window)) that it needs: with a smaller one, master
    /// and slaves could wait for each other for ever.
    pub fn window(&self) -> usize {
        usize::try_from(self.prefetch).unwrap_or(usize::MAX)
    }

    /// Masters at the start.
    fn first_masters(&self) -> usize {
        match self.masters {
            Masters::Fixed(masters) => masters,
            Masters::Dynamic => 1,
        }
    }

    /// Checks that it can be run so.
    ///
    /// # Errors
    /// [`RunError::Invalid`] with what is wrong and which values would do.
    pub fn check(&self) -> Result<(), RunError> {
        let invalid = |what: String| Err(RunError::Invalid(what));
        let masters = self.first_masters();
        if self.ranks == 0 {
            return invalid("a farm needs at least 1 rank".into());
        }
        if masters == 0 || (self.ranks > 1 || masters > 1) && self.ranks / masters < 2 {
            return invalid(format!(
                "{masters} masters of {} ranks: expected at least one, and a slave for each",
                self.ranks
            ));
        }
        for (what, value) in [
            ("tasks in a message", self.grain),
            ("messages of tasks at a time", self.prefetch),
            ("tasks ahead of the first result that is missing", self.ahead),
            ("attempts of a task", self.attempts.into()),
        ] {
            if value == 0 {
                return invalid(format!("a farm with 0 {what}: expected at least 1"));
            }
        }
        Ok(())
    }

    /// The master of `rank`, itself included; how many tasks of `tasks` those of its group are, from where on;
    /// and the first rank beyond the group.
    ///
    /// Of P ranks, group i of M has those from ⌊i P / M⌋ on; and of N tasks, in proportion to its slaves, those
    /// from ⌊N · slaves before it / all slaves⌋ on.
    pub fn group(&self, rank: usize, tasks: u64) -> Group {
        let (ranks, masters) = (self.ranks as u128, self.first_masters() as u128);
        // The largest i with i P / M at most the rank.
        let group = ((rank as u128 + 1) * masters - 1) / ranks;
        let first = |i: u128| i * ranks / masters;
        let share = |i: u128| match ranks - masters {
            0 => u128::from(tasks) * i,
            slaves => u128::from(tasks) * (first(i) - i) / slaves,
        };
        Group {
            master: first(group) as usize,
            beyond: first(group + 1) as usize,
            tasks: share(group) as u64..share(group + 1) as u64,
        }
    }
}

/// Ranks that have a master in common at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Their master, the first of them.
    pub master: usize,
    /// The rank that follows the last of them.
    pub beyond: usize,
    /// Their tasks.
    pub tasks: std::ops::Range<u64>,
}

/// A farm, ready to be run by any way.
#[derive(Debug)]
pub struct Farm<'a, A, K> {
    app: &'a A,
    sinks: &'a K,
    shape: Shape,
}

/// What the sink of a master leaves.
type Left<A, K> = <<K as Sinks<<A as Answer>::Answer>>::Sink as Sink<<A as Answer>::Answer>>::Out;

impl<'a, A, K> Farm<'a, A, K>
where
    A: Answer + Sync,
    K: Sinks<A::Answer> + Sync,
{
    /// Puts it together. Every rank that is a master opens a sink of its own, under the number of its rank,
    /// and hands it the results of its tasks, each as a piece of one result.
    ///
    /// # Errors
    /// [`RunError::Invalid`] where the shape cannot be.
    pub fn new(app: &'a A, sinks: &'a K, shape: Shape) -> Result<Self, RunError> {
        shape.check()?;
        Ok(Farm { app, sinks, shape })
    }

    /// Runs it by `runner`, for the shape's number of ranks and at least its [`Shape::window`]. Ranks that were
    /// masters return what their sinks leave, the others nothing.
    ///
    /// # Errors
    /// Whatever stops the run; a task that failed as often as it may.
    pub fn run<R>(&self, runner: R) -> Result<R::Ran, RunError>
    where
        R: Runner<Parcel<A::Answer>, Option<Left<A, K>>>,
    {
        runner.run(self)
    }
}

impl<A, K> Program for Farm<'_, A, K>
where
    A: Answer + Sync,
    K: Sinks<A::Answer> + Sync,
{
    type Msg = Parcel<A::Answer>;
    type Out = Option<Left<A, K>>;

    async fn rank<E: Endpoint<Self::Msg>>(&self, e: &mut E) -> Result<Self::Out, Stop> {
        let lead = Lead { app: self.app, sinks: self.sinks, shape: &self.shape };
        let group = self.shape.group(e.rank(), self.app.tasks());
        if e.rank() == group.master {
            // In a box: a rank of the many is as large as the largest of its lives.
            return Box::pin(lead.first(e, group.tasks, group.beyond)).await;
        }
        if self.shape.masters == Masters::Dynamic {
            return Box::pin(slave::changing(&lead, e)).await;
        }
        slave::rank(self.app, e, group.master).await.map(|()| None)
    }
}
