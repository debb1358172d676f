//! What memory allows.

use super::{Communication, Pipeline};
use crate::ModelError;

impl Pipeline {
    /// Bytes that stage `i`, from 0, needs for its packets where they have `size` elements: `held` packets
    /// that it takes in and what it gives out. At fixed size a stage whose ratio is not whole has up to a
    /// packet left over when it begins on the next.
    ///
    /// # Panics
    /// If there is no stage `i`.
    pub fn memory(&self, i: usize, size: u64, held: u64) -> f64 {
        let ratio = self.stages[i].ratio;
        let (scale, out) = match self.communication {
            Communication::FixedFrequency => {
                (self.stages[..i].iter().map(|s| s.ratio).product::<f64>(), ratio)
            }
            Communication::FixedSize if ratio.fract() == 0.0 => (1.0, ratio),
            Communication::FixedSize => (1.0, 1.0 + ratio),
        };
        (held as f64 + out) * scale * size as f64 * self.element_bytes
    }

    /// The pipeline with no larger packets than fit in `memory` bytes at each stage (`None`: no limit),
    /// which holds `held` packets that it takes in, at least the one that it works on.
    ///
    /// # Errors
    /// Not one element fits, or there are not as many limits as stages.
    pub fn with_memory(mut self, memory: &[Option<f64>], held: u64) -> Result<Pipeline, ModelError> {
        if memory.len() != self.stages.len() {
            return Err(ModelError::new(format!(
                "{} limits of memory for {} stages: expected one for each",
                memory.len(),
                self.stages.len()
            )));
        }
        for (i, limit) in memory.iter().enumerate().filter_map(|(i, m)| Some((i, (*m)?))) {
            let one = self.memory(i, 1, held.max(1));
            let fit = (limit / one * (1.0 + 2.0 * f64::EPSILON)) as u64;
            if fit == 0 {
                return Err(ModelError::new(format!(
                    "stage {} needs {} for packets of one element, and has {}: give it more memory, or make \
                     elements smaller",
                    i + 1,
                    crate::words::bytes(one),
                    crate::words::bytes(limit)
                )));
            }
            self.largest = self.largest.min(fit);
        }
        Ok(self)
    }
}
