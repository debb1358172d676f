//! The simulated application of a farm: tasks and answers that are only sizes.

use forerun_platform::FarmProfile;
use forerun_skeleton::farm::Answer;
use forerun_skeleton::reduction::Sinks;
use forerun_skeleton::{AppError, RunError};

use super::{Block, Inputs, Tally};

/// An application that does nothing for tasks of these sizes, and answers in the sizes that a profile says; as sinks
/// it counts. Its tasks cost what [`Profiled`](crate::pricing::Profiled) says for the profile's costs.
#[derive(Debug, Clone, PartialEq)]
pub struct CostedTasks {
    inputs: Inputs,
    result_bytes: (f64, f64),
}

impl CostedTasks {
    /// Tasks on inputs of these sizes.
    ///
    /// # Errors
    /// [`RunError::Invalid`] if the size of an answer in the profile is negative or not a number.
    pub fn new(profile: &FarmProfile, inputs: Inputs) -> Result<Self, RunError> {
        let (fixed, per_byte) = profile.result_bytes;
        for figure in [fixed, per_byte] {
            if !(figure >= 0.0 && figure.is_finite()) {
                return Err(RunError::Invalid(format!(
                    "the size of an answer in the profile holds {figure}: expected numbers from 0"
                )));
            }
        }
        Ok(CostedTasks { inputs, result_bytes: profile.result_bytes })
    }
}

impl Answer for CostedTasks {
    type Answer = Block;

    fn tasks(&self) -> u64 {
        self.inputs.len()
    }

    fn bytes(&self, index: u64) -> u64 {
        self.inputs.get(index).unwrap_or(0)
    }

    fn answer(&self, index: u64) -> Result<Block, AppError> {
        let (fixed, per_byte) = self.result_bytes;
        Ok(Block((fixed + per_byte * self.bytes(index) as f64).round() as u64))
    }
}

impl Sinks<Block> for CostedTasks {
    type Sink = Tally;

    fn open(&self, _rank: usize) -> Result<Tally, AppError> {
        Ok(Tally::default())
    }
}
