//! Values of which only their job knows the type.

use std::any::Any;
use std::fmt;

use forerun_skeleton::{AppError, Message};

/// An input, or what a sink leaves, of which only its job knows the type.
pub struct Erased(Box<dyn Any + Send>);

impl Erased {
    /// Forgets the type of a value.
    pub fn new<T: Send + 'static>(value: T) -> Self {
        Erased(Box::new(value))
    }

    /// The value, for its job.
    ///
    /// # Errors
    /// That it is of another type: a value of another job.
    pub fn open<T: 'static>(self) -> Result<T, AppError> {
        self.0.downcast().map(|value| *value).map_err(|_| foreign())
    }

    /// Looks at the value, for its job.
    ///
    /// # Errors
    /// As [`Erased::open`].
    pub fn peek<T: 'static>(&self) -> Result<&T, AppError> {
        self.0.downcast_ref().ok_or_else(foreign)
    }
}

impl fmt::Debug for Erased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Erased")
    }
}

/// Something that ranks send to each other, of which only its job knows the type: a partial result,
/// a block, a packet.
#[derive(Debug)]
pub struct ErasedMessage {
    value: Erased,
    bytes: u64,
}

impl ErasedMessage {
    /// Forgets the type of a message, but for its size.
    pub fn new<M: Message + Send + 'static>(message: M) -> Self {
        let bytes = message.bytes();
        ErasedMessage { value: Erased::new(message), bytes }
    }

    /// The message, for its job.
    ///
    /// # Errors
    /// As [`Erased::open`].
    pub fn open<M: 'static>(self) -> Result<M, AppError> {
        self.value.open()
    }

    /// Looks at the message, for its job.
    ///
    /// # Errors
    /// As [`Erased::open`].
    pub fn peek<M: 'static>(&self) -> Result<&M, AppError> {
        self.value.peek()
    }
}

impl Message for ErasedMessage {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cold]
fn foreign() -> AppError {
    AppError::new("a value of one job was given to another")
}
