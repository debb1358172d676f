//! A sink that counts.

use forerun_skeleton::reduction::{Piece, Sink};
use forerun_skeleton::{AppError, Message};

/// Counts what is delivered to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally(Tallied);

/// What was delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tallied {
    /// Number of deliveries.
    pub deliveries: u64,
    /// Task results in them.
    pub results: u64,
    /// Bytes in them.
    pub bytes: u64,
}

impl<M: Message> Sink<M> for Tally {
    type Out = Tallied;

    fn accept(&mut self, piece: Piece<M>) -> Result<(), AppError> {
        self.0.deliveries += 1;
        self.0.results += piece.results;
        self.0.bytes += piece.value.bytes();
        Ok(())
    }

    fn close(self) -> Result<Tallied, AppError> {
        Ok(self.0)
    }
}
