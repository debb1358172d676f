//! A partial result that is only its size.

use std::num::NonZeroU64;

use forerun_skeleton::{AppError, Message};

use super::growth::Growth;

/// Bits of the fraction of a byte that is kept.
const FRACTION: u32 = 12;
/// Sizes are below this, 2^51 bytes in such parts of a byte, so that two of them fit into 64 bits.
const END: u64 = 1 << 63;

/// The size of a partial result: what the simulated application sends around. 16 bytes.
///
/// Its bytes are the sum of its task results' bytes times a factor that depends on their number n
/// alone: `Γ(n) = growth[0] · growth[1] · …` over the lg n levels of a balanced tree, the last level
/// in part where n is no power of two. So a merge of two equal parts at level l has the sum of
/// their bytes times `growth[l]`, as profiles define it, and any other order of merges ends in the
/// same size. Sizes are kept to 2^-12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    /// In 2^-12 bytes, which are added and rounded faster than floating-point numbers.
    parts: u64,
    /// Not zero, so that "no result" takes no room beside it.
    results: NonZeroU64,
}

impl Volume {
    /// The result of one task.
    pub(super) fn of_task(bytes: f64) -> Result<Self, AppError> {
        Ok(Volume { parts: parts(bytes * f64::from(1u32 << FRACTION))?, results: NonZeroU64::MIN })
    }

    /// This and `other` merged.
    #[inline]
    pub(super) fn with(self, other: Volume, growth: &Growth) -> Result<Self, AppError> {
        let results = self.results.saturating_add(other.results.get());
        if !growth.is_none() {
            return self.grown_with(other, results, growth);
        }
        let parts = self.parts + other.parts;
        if parts >= END { Err(too_large()) } else { Ok(Volume { parts, results }) }
    }

    fn grown_with(self, other: Volume, results: NonZeroU64, growth: &Growth) -> Result<Self, AppError> {
        // Once a factor is 0, those of more results are as well.
        let before = |v: Volume| match growth.of(v.results.get()) {
            0.0 => 0.0,
            factor => v.parts as f64 / factor,
        };
        let parts = parts((before(self) + before(other)) * growth.of(results.get()))?;
        Ok(Volume { parts, results })
    }

    /// Number of task results in it.
    pub fn results(&self) -> u64 {
        self.results.get()
    }
}

/// To the nearest whole number.
fn parts(parts: f64) -> Result<u64, AppError> {
    let whole = parts.round();
    if whole < END as f64 { Ok(whole as u64) } else { Err(too_large()) }
}

#[cold]
fn too_large() -> AppError {
    AppError::new(
        "a partial result of 2^51 bytes or more: check the units of the profile's result size and growth",
    )
}

impl Message for Volume {
    #[inline]
    fn bytes(&self) -> u64 {
        (self.parts + (1 << (FRACTION - 1))) >> FRACTION
    }
}
