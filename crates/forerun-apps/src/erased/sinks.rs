//! Sinks.

use std::marker::PhantomData;

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};

use super::{Erased, ErasedMessage};

/// Opens the sink of each group.
pub type ErasedSinks<'j> = Box<dyn Sinks<ErasedMessage, Sink = ErasedSink<'j>> + Sync + 'j>;

/// A sink of an [`ErasedJob`](super::ErasedJob).
pub struct ErasedSink<'j>(Box<dyn Taking + 'j>);

/// A [`Sink`] that is ended where it lies.
trait Taking {
    fn accept(&mut self, piece: Piece<ErasedMessage>) -> Result<(), AppError>;
    fn close(self: Box<Self>) -> Result<Erased, AppError>;
}

impl Sink<ErasedMessage> for ErasedSink<'_> {
    type Out = Erased;

    fn accept(&mut self, piece: Piece<ErasedMessage>) -> Result<(), AppError> {
        self.0.accept(piece)
    }

    fn close(self) -> Result<Erased, AppError> {
        self.0.close()
    }
}

/// Erases the sinks of messages `P` as they are opened.
pub(super) struct Opening<'j, P, K> {
    sinks: K,
    of: PhantomData<fn(P) -> &'j ()>,
}

impl<P, K> Opening<'_, P, K> {
    pub(super) fn new(sinks: K) -> Self {
        Opening { sinks, of: PhantomData }
    }
}

impl<'j, P, K> Sinks<ErasedMessage> for Opening<'j, P, K>
where
    P: 'static,
    K: Sinks<P, Sink: Sink<P, Out: Send + 'static> + 'j>,
{
    type Sink = ErasedSink<'j>;

    fn open(&self, group: usize) -> Result<ErasedSink<'j>, AppError> {
        let sink = self.sinks.open(group)?;
        Ok(ErasedSink(Box::new(Typed { sink, of: PhantomData })))
    }
}

/// A sink of messages `P`.
struct Typed<P, K> {
    sink: K,
    of: PhantomData<fn(P)>,
}

impl<P, K> Taking for Typed<P, K>
where
    P: 'static,
    K: Sink<P, Out: Send + 'static>,
{
    fn accept(&mut self, Piece { value, first, results }: Piece<ErasedMessage>) -> Result<(), AppError> {
        self.sink.accept(Piece { value: value.open()?, first, results })
    }

    fn close(self: Box<Self>) -> Result<Erased, AppError> {
        self.sink.close().map(Erased::new)
    }
}
