//! A partial result that is only its size.

use forerun_skeleton::Message;

use super::growth::Growth;

/// The size of a partial result: what the simulated application sends around. 24 bytes.
///
/// Its bytes are the sum of its task results' bytes times a factor that depends on their number n
/// alone: `Γ(n) = growth[0] · growth[1] · …` over the lg n levels of a balanced tree, the last level
/// in part where n is no power of two. So a merge of two equal parts at level l has the sum of
/// their bytes times `growth[l]`, as profiles define it, and any other order of merges ends in the
/// same size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Volume {
    /// Bytes of the task results before any merge.
    sum: f64,
    bytes: u64,
    results: u64,
}

impl Volume {
    /// The result of one task.
    #[inline]
    pub(super) fn of_task(bytes: f64) -> Self {
        Volume { sum: bytes, bytes: rounded(bytes), results: 1 }
    }

    /// This and `other` merged.
    #[inline]
    pub(super) fn with(self, other: Volume, growth: &Growth) -> Self {
        let sum = self.sum + other.sum;
        let results = self.results + other.results;
        Volume { sum, bytes: rounded(sum * growth.of(results)), results }
    }

    /// Number of task results in it.
    pub fn results(&self) -> u64 {
        self.results
    }
}

/// A size to the nearest byte, halves upwards: what `f64::round` gives, which is a call into the
/// mathematics library on processors of 2008.
#[inline]
fn rounded(bytes: f64) -> u64 {
    let whole = bytes as u64;
    whole.saturating_add(u64::from(bytes - whole as f64 >= 0.5))
}

impl Message for Volume {
    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;
    use proptest::prelude::*;

    #[test]
    fn the_ends_round_like_the_library() {
        let half = 0.5_f64;
        for x in
            [0.0, half, half.next_down(), 1.5, 2.5, 2f64.powi(52) + 1.0, 2f64.powi(63), 1e300, f64::INFINITY]
        {
            assert_eq!(rounded(x), x.round() as u64, "{x}");
        }
    }

    proptest! {
        #[test]
        fn rounds_like_the_library(x in prop_oneof![0.0..1e3f64, 0.0..1e20f64, (0..1000u64).prop_map(|n| n as f64 / 2.0)]) {
            prop_assert_eq!(rounded(x), x.round() as u64);
        }
    }
}
