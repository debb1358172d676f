//! Values as bytes, for ranks that share no memory.

use std::marker::PhantomData;

use forerun_skeleton::wire::{Incoming, Outgoing};
use forerun_skeleton::{AppError, Codec, Message};

use super::{Erased, ErasedMessage};

/// Writes values as bytes, and reads them, by the codec of the job that knows what they are.
pub type ErasedCodec<'j, T> = Box<dyn Codec<T> + Sync + 'j>;

/// The codec of messages that are `M`.
pub(super) struct OfMessage<C, M> {
    codec: C,
    of: PhantomData<fn(M) -> M>,
}

impl<C: Codec<M>, M> OfMessage<C, M> {
    pub(super) fn new(codec: C) -> Self {
        OfMessage { codec, of: PhantomData }
    }
}

impl<C: Codec<M>, M: Message + Send + 'static> Codec<ErasedMessage> for OfMessage<C, M> {
    fn encode(&self, message: &ErasedMessage, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.codec.encode(message.peek()?, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<ErasedMessage, AppError> {
        self.codec.decode(bytes).map(ErasedMessage::new)
    }

    fn give(&self, message: ErasedMessage, out: &mut Outgoing) -> Result<(), AppError> {
        self.codec.give(message.open()?, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<ErasedMessage, AppError> {
        self.codec.take(from).map(ErasedMessage::new)
    }
}

/// The codec of values that are `T`.
pub(super) struct OfValue<C, T> {
    codec: C,
    of: PhantomData<fn(T) -> T>,
}

impl<C: Codec<T>, T> OfValue<C, T> {
    pub(super) fn new(codec: C) -> Self {
        OfValue { codec, of: PhantomData }
    }
}

impl<C: Codec<T>, T: Send + 'static> Codec<Erased> for OfValue<C, T> {
    fn encode(&self, value: &Erased, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.codec.encode(value.peek()?, out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Erased, AppError> {
        self.codec.decode(bytes).map(Erased::new)
    }

    fn give(&self, value: Erased, out: &mut Outgoing) -> Result<(), AppError> {
        self.codec.give(value.open()?, out)
    }

    fn take(&self, from: &mut Incoming<'_>) -> Result<Erased, AppError> {
        self.codec.take(from).map(Erased::new)
    }
}
