//! Task and merge.

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::Reduce;

use super::{Erased, ErasedMessage};

/// Task and merge of an [`ErasedJob`](super::ErasedJob).
pub type ErasedApp<'j> = Box<dyn Reduce<Input = Erased, Partial = ErasedMessage> + Sync + 'j>;

/// Opens what the application takes, and erases what it gives.
pub(super) struct Boxing<'j, A>(pub(super) &'j A);

impl<A> Reduce for Boxing<'_, A>
where
    A: Reduce<Input: Send + 'static, Partial: Send + 'static>,
{
    type Input = Erased;
    type Partial = ErasedMessage;

    fn commutative(&self) -> bool {
        self.0.commutative()
    }

    fn task(&self, index: u64, input: Erased) -> Result<ErasedMessage, AppError> {
        self.0.task(index, input.open()?).map(ErasedMessage::new)
    }

    fn merge(&self, left: ErasedMessage, right: ErasedMessage) -> Result<ErasedMessage, AppError> {
        self.0.merge(left.open()?, right.open()?).map(ErasedMessage::new)
    }
}
