//! Where delivered runs wait for the end.

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{Piece, Sink};

use super::run::Run;

/// Collects runs. They hold their place in the memory budget, or are on disk already.
#[derive(Debug, Default)]
pub struct RunSink(Vec<Run>);

impl Sink<Run> for RunSink {
    type Out = Vec<Run>;

    fn accept(&mut self, piece: Piece<Run>) -> Result<(), AppError> {
        self.0.push(piece.value);
        Ok(())
    }

    fn close(self) -> Result<Vec<Run>, AppError> {
        Ok(self.0)
    }
}
