//! The simulated application: a reduction whose results are only sizes.
//!
//! Simulating is a second *application*, not a second code path: give a [`Costed`] to the same
//! patterns that run a real one, with [`crate::pricing::Profiled`] for what its work costs.

mod blocks;
mod farm;
mod growth;
mod tally;
mod volume;

use forerun_platform::ReductionProfile;
use forerun_skeleton::reduction::{Reduce, Sinks, Source};
use forerun_skeleton::{AppError, RunError};

pub use blocks::{Block, CostedBlocks, Evenly, Packet, Packets};
pub use farm::CostedTasks;
use growth::Growth;
pub use tally::{Tallied, Tally};
pub use volume::Volume;

/// The sizes of the inputs, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inputs {
    /// So many of one size.
    Uniform {
        /// Number of inputs.
        tasks: u64,
        /// Bytes of each.
        bytes: u64,
    },
    /// One by one.
    Each(Vec<u64>),
}

impl Inputs {
    fn len(&self) -> u64 {
        match self {
            Inputs::Uniform { tasks, .. } => *tasks,
            Inputs::Each(sizes) => sizes.len() as u64,
        }
    }

    #[inline(always)]
    fn get(&self, index: u64) -> Option<u64> {
        match self {
            Inputs::Uniform { tasks, bytes } => (index < *tasks).then_some(*bytes),
            Inputs::Each(sizes) => sizes.get(usize::try_from(index).ok()?).copied(),
        }
    }
}

/// An application that does nothing and whose results have the sizes that a profile says.
///
/// A task's result has `result_bytes.0 + result_bytes.1 · input` bytes, and results together have
/// the sum of theirs times the profile's growth for their number (see [`Volume`]). As source it
/// gives [`Inputs`], as sinks it counts what was delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct Costed {
    inputs: Inputs,
    result_bytes: (f64, f64),
    /// How many inputs there are that have all the size of the first; none if they are told one by one.
    uniform: u64,
    /// The size of the first input, which most others have too.
    first: u64,
    /// Its result, unless that is too large.
    usual: Option<Volume>,
    growth: Growth,
    commutative: bool,
    announced: bool,
}

impl Costed {
    /// An application with the profile's sizes on these inputs; its merge is commutative.
    ///
    /// # Errors
    /// [`RunError::Invalid`] if a size or a growth in the profile is negative or not a number.
    pub fn new(profile: &ReductionProfile, inputs: Inputs) -> Result<Self, RunError> {
        let (fixed, per_byte) = profile.result_bytes;
        for figure in [fixed, per_byte] {
            if !(figure >= 0.0 && figure.is_finite()) {
                return Err(RunError::Invalid(format!(
                    "the size of a task's result in the profile holds {figure}: expected numbers from 0"
                )));
            }
        }
        let first = inputs.get(0).unwrap_or(0);
        Ok(Costed {
            uniform: if let Inputs::Uniform { tasks, .. } = inputs { tasks } else { 0 },
            first,
            inputs,
            result_bytes: profile.result_bytes,
            usual: Volume::of_task(fixed + per_byte * first as f64).ok(),
            growth: Growth::new(&profile.growth)?,
            commutative: true,
            announced: true,
        })
    }

    /// The same with a merge that keeps the order of the inputs.
    #[must_use]
    pub fn keeping_order(self) -> Self {
        Costed { commutative: false, ..self }
    }

    /// The same without saying beforehand how many inputs there are.
    #[must_use]
    pub fn unannounced(self) -> Self {
        Costed { announced: false, ..self }
    }
}

impl Costed {
    /// The size of an input.
    #[inline(always)]
    fn input(&self, index: u64) -> Option<u64> {
        if index < self.uniform { Some(self.first) } else { self.told(index) }
    }

    #[inline(never)]
    fn told(&self, index: u64) -> Option<u64> {
        self.inputs.get(index)
    }

    /// The result of an input that has not the size of the first, or is too large.
    #[inline(never)]
    fn unusual(&self, input: u64) -> Result<Volume, AppError> {
        let (fixed, per_byte) = self.result_bytes;
        Volume::of_task(fixed + per_byte * input as f64)
    }
}

impl Reduce for Costed {
    /// Bytes of the input.
    type Input = u64;
    type Partial = Volume;

    fn commutative(&self) -> bool {
        self.commutative
    }

    #[inline]
    fn task(&self, _: u64, input: u64) -> Result<Volume, AppError> {
        match self.usual {
            Some(volume) if input == self.first => Ok(volume),
            _ => self.unusual(input),
        }
    }

    #[inline]
    fn merge(&self, left: Volume, right: Volume) -> Result<Volume, AppError> {
        left.with(right, &self.growth)
    }
}

impl Source for Costed {
    type Input = u64;

    fn len(&self) -> Option<u64> {
        self.announced.then(|| self.inputs.len())
    }

    #[inline]
    fn bytes(&self, index: u64) -> u64 {
        self.input(index).unwrap_or(0)
    }

    #[inline]
    fn get(&self, index: u64) -> Result<Option<u64>, AppError> {
        Ok(self.input(index))
    }
}

impl Sinks<Volume> for Costed {
    type Sink = Tally;

    fn open(&self, _group: usize) -> Result<Tally, AppError> {
        Ok(Tally::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forerun_skeleton::Message;
    use forerun_skeleton::reduction::{Piece, Sink};
    use proptest::prelude::*;

    fn costed(growth: &[f64]) -> Costed {
        of_inputs(growth, Inputs::Uniform { tasks: 5, bytes: 100 })
    }

    fn of_inputs(growth: &[f64], inputs: Inputs) -> Costed {
        let profile = ReductionProfile {
            result_bytes: (8.0, 0.5),
            growth: growth.to_vec(),
            ..ReductionProfile::default()
        };
        Costed::new(&profile, inputs).expect("a valid profile")
    }

    #[test]
    fn a_balanced_tree_grows_by_the_level() -> Result<(), AppError> {
        let app = costed(&[0.9, 0.5]);
        let pairs = |v: Volume| app.merge(v, v);
        let one = app.task(0, 100)?;
        let (two, four) = (pairs(one)?, pairs(pairs(one)?)?);
        let eight = pairs(four)?;
        assert_eq!(one.bytes(), 58);
        assert_eq!(two.bytes(), (2.0 * 58.0 * 0.9_f64).round() as u64);
        assert_eq!(four.bytes(), (4.0 * 58.0 * 0.9 * 0.5_f64).round() as u64);
        assert_eq!(eight.bytes(), (8.0 * 58.0 * 0.9 * 0.5 * 0.5_f64).round() as u64);
        Ok(())
    }

    #[test]
    fn the_source_ends_and_the_sink_counts() -> Result<(), AppError> {
        let app = costed(&[]);
        assert_eq!((app.get(4)?, app.get(5)?, Source::len(&app)), (Some(100), None, Some(5)));
        assert_eq!(Source::len(&app.clone().unannounced()), None);
        let each = of_inputs(&[], Inputs::Each(vec![3, 4]));
        assert_eq!((each.bytes(1), each.get(2)?, Source::len(&each)), (4, None, Some(2)));
        let mut sink = app.open(0)?;
        sink.accept(Piece { value: app.task(0, 100)?, first: 0, results: 1 })?;
        sink.accept(Piece { value: app.merge(app.task(1, 0)?, app.task(2, 0)?)?, first: 1, results: 2 })?;
        assert_eq!(Sink::<Volume>::close(sink)?, Tallied { deliveries: 2, results: 3, bytes: 58 + 16 });
        Ok(())
    }

    #[test]
    fn a_result_that_is_too_large_is_refused() -> Result<(), AppError> {
        let most = (1u64 << 51) - 1;
        let profile = ReductionProfile { result_bytes: (0.0, 1.0), ..ReductionProfile::default() };
        for growth in [vec![], vec![1.5]] {
            let profile = ReductionProfile { growth, ..profile.clone() };
            let app = Costed::new(&profile, Inputs::Uniform { tasks: 1, bytes: most + 1 })
                .expect("a valid profile");
            let all = app.task(0, most)?;
            assert_eq!(all.bytes(), most);
            for refused in [app.task(0, most + 1), app.task(0, u64::MAX), app.merge(all, all)] {
                assert!(refused.is_err_and(|e| e.to_string().contains("2^51 bytes")));
            }
        }
        Ok(())
    }

    #[test]
    fn a_bad_profile_is_refused() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let size = ReductionProfile { result_bytes: (1.0, bad), ..ReductionProfile::default() };
            let growth = ReductionProfile { growth: vec![1.0, bad], ..ReductionProfile::default() };
            for profile in [size, growth] {
                let e = Costed::new(&profile, Inputs::Each(Vec::new())).expect_err("refused");
                assert!(e.to_string().contains("expected"), "{e}");
            }
        }
    }

    proptest! {
        /// However the merges are ordered, the same results have the same size.
        #[test]
        fn size_does_not_depend_on_the_order_of_merges(
            sizes in prop::collection::vec(0..1_000_000u64, 1..40),
            growth in prop::collection::vec(0.5..1.5f64, 0..5),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 80),
        ) {
            let app = costed(&growth);
            let leaves: Vec<Volume> =
                sizes.iter().map(|&b| app.task(0, b).expect("never fails")).collect();
            let line = leaves.iter().copied().reduce(|a, b| app.merge(a, b).expect("never fails"));
            let mut heap = leaves;
            let mut pick = picks.iter();
            while heap.len() > 1 {
                let a = heap.swap_remove(pick.next().expect("enough").index(heap.len()));
                let b = heap.swap_remove(pick.next().expect("enough").index(heap.len()));
                heap.push(app.merge(a, b).expect("never fails"));
            }
            let (line, heap) = (line.expect("not empty").bytes(), heap[0].bytes());
            prop_assert!(line.abs_diff(heap) <= 1 + line / 1_000_000_000, "{line} {heap}");
        }
    }
}
