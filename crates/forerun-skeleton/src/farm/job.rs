//! What an application gives to a farm.

use crate::{AppError, Failure, Message};

/// The sequential code of a farm: a known number of tasks that do not depend on each other.
pub trait Answer {
    /// What a task gives.
    type Answer: Message;

    /// Number of tasks.
    fn tasks(&self) -> u64;

    /// Size of the input of task `index` in bytes, as far as it is known without getting it.
    fn bytes(&self, _index: u64) -> u64 {
        0
    }

    /// Does task `index`. Called on any rank, and again on another where it failed or panicked.
    ///
    /// # Errors
    /// The task is tried again elsewhere, [`Shape::attempts`](super::Shape::attempts) times at most.
    fn answer(&self, index: u64) -> Result<Self::Answer, AppError>;

    /// What stands for task `index`, which has failed as often as it may, and goes to the sink in place of its answer; `None` ends the run
    /// with that failure. Called on the rank of its master.
    fn given_up(&self, _index: u64, _failure: &Failure) -> Option<Self::Answer> {
        None
    }
}
