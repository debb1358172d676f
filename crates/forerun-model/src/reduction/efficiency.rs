//! Speedup and efficiency of a reduction.

use forerun_platform::{Host, Network, Platform, ReductionProfile, Seconds};
use forerun_skeleton::reduction::Shape;

use super::predict::{makespan, work_seconds};
use crate::{Load, ModelError, Speeds};

/// How well a run uses its processors.
///
/// ```text
/// speedup    S = W / T        efficiency    E = W / (T Σ speeds), W / (P T) where all speeds are 1
/// ```
///
/// with T the predicted makespan and W the *work*: seconds that the run's tasks, merges, deliveries
/// and finish take one after the other on a core of speed 1, without messages and without busy
/// neighbours. It is equation 1 of Kuntraruk, Pottenger and Ross for the merges that the run does:
/// a strategy that delivers sets of P/2 results does not merge those sets with each other, and the
/// sequential program it is compared with does not either.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Efficiency {
    /// W.
    pub work: Seconds,
    /// T.
    pub makespan: Seconds,
    /// W / T.
    pub speedup: f64,
    /// Work over what the ranks could have done in the time; 1 where there is nothing to do.
    pub efficiency: f64,
}

/// Predicts how well a run uses its processors, in the time of two predictions.
///
/// ```
/// use forerun_model::{Load, reduction::efficiency};
/// use forerun_platform::{Cost, Platform, ReductionProfile, Strategy};
/// use forerun_skeleton::reduction::Shape;
///
/// let platform = Platform::resolve("ncsa-ia32-myrinet")?;
/// let profile = ReductionProfile {
///     task: Cost::constant(0.15),
///     merge: Cost::constant(0.15),
///     ..ReductionProfile::default()
/// };
/// // In every step eight ranks run tasks and seven merge; the last only delivers.
/// let shape = Shape::new(Strategy::ParallelPipeline, 16);
/// let few = efficiency(&shape, &Load::new(64, 5000.0), &profile, &platform)?;
/// let many = efficiency(&shape, &Load::new(6400, 5000.0), &profile, &platform)?;
/// assert!(few.efficiency < 0.85 && many.efficiency > 0.92 && many.speedup < 15.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`predict`](super::predict()).
pub fn efficiency(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Result<Efficiency, ModelError> {
    Yardstick::new(shape, profile, platform)?.measure(shape, load)
}

/// What does not change with the load.
pub(super) struct Yardstick<'a> {
    profile: &'a ReductionProfile,
    platform: &'a Platform,
    speeds: Speeds,
    capacity: f64,
    /// As many free processors of speed 1, and the profile without busy neighbours.
    ideal: (Platform, ReductionProfile, Speeds),
}

impl<'a> Yardstick<'a> {
    pub(super) fn new(
        shape: &Shape,
        profile: &'a ReductionProfile,
        platform: &'a Platform,
    ) -> Result<Yardstick<'a>, ModelError> {
        let speeds = Speeds::new(platform, shape.ranks)?;
        let free = Platform::new("free", vec![Host::new("host", shape.ranks.max(1), 1)], Network::default());
        let alone = ReductionProfile { contention: 0.0, ..profile.clone() };
        let ideal = (free.clone(), alone, Speeds::new(&free, shape.ranks)?);
        let capacity = speeds.sum(shape.ranks);
        Ok(Yardstick { profile, platform, speeds, capacity, ideal })
    }

    pub(super) fn measure(&self, shape: &Shape, load: &Load) -> Result<Efficiency, ModelError> {
        let t = makespan(shape, load, self.profile, self.platform, &self.speeds)?;
        let (free, alone, speeds) = &self.ideal;
        let work = work_seconds(shape, load, alone, free, speeds)?;
        let (speedup, efficiency) = if t > 0.0 { (work / t, work / (t * self.capacity)) } else { (1.0, 1.0) };
        Ok(Efficiency { work: Seconds(work), makespan: Seconds(t), speedup, efficiency })
    }
}
