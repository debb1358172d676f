//! The isoefficiency function: how the work must grow with the processors.

use forerun_platform::{Platform, ReductionProfile, Seconds, Strategy};
use forerun_skeleton::reduction::Shape;

use super::Efficiency;
use super::efficiency::Yardstick;
use crate::{Load, ModelError};

/// The work that holds an efficiency on so many processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Isoefficiency {
    /// P: ranks of all groups together.
    pub processors: usize,
    /// The least work from which on the efficiency is held; `None` where no amount is enough.
    pub reached: Option<Held>,
    /// The efficiency that is approached as the work grows: the strategy's own limit on these
    /// processors, with these costs.
    pub ceiling: f64,
}

/// Work with which an efficiency is held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// N: tasks, a whole number of the strategy's rounds.
    pub tasks: u64,
    /// Work, makespan, speedup and the efficiency, which is at least the one asked for.
    pub at: Efficiency,
}

impl Held {
    /// W(P): seconds of sequential work, the isoefficiency function proper.
    pub fn work(&self) -> Seconds {
        self.at.work
    }
}

/// Rounds after which the ceiling is reached as nearly as can be told, still below 2^53 tasks.
const MOST_ROUNDS: u64 = 1 << 40;

/// The isoefficiency function (Grama, Gupta and Kumar, *Isoefficiency: Measuring the Scalability of
/// Parallel Algorithms and Architectures*, 1993; for these strategies section VI-C of Kuntraruk,
/// Pottenger and Ross): for each number of processors of `ps`, the least work with which the
/// strategy holds `efficiency`.
///
/// `shape` gives the shape for a number of ranks, `|p| Shape::new(strategy, p)` for one binary
/// group; `load` gives the bytes of a task, whether merges commute and whether the input's length is
/// known (its number of tasks is not used). A strategy scales well if W grows like P, badly if
/// faster; where the ceiling falls below the efficiency asked for (a master that cannot keep up) the
/// strategy does not scale to that P at all, which is reported as `reached: None`.
///
/// The search is exact over the closed forms, along whole rounds of the strategy (P tasks of the
/// tree, P − 1 of master and slaves, P − P/a of the parallel-pipeline after the first P, P sets of
/// the adaptive strategy; times the groups). After j rounds the efficiency is
/// `(w₀ + j w) / (P (t₀ + j t))`, which only grows or only falls with j, towards the ceiling: a
/// bisection gives the round at which it is first held. (It falls where a first step, in which all
/// ranks of a parallel-pipeline run tasks, is better than the steps after it.) What a short run holds
/// and a long one does not is not counted. The adaptive strategy's claimed tasks make it grow not
/// quite evenly; for it the answer is a round that holds the efficiency where the one before does
/// not.
///
/// What is found holds the efficiency and one round less does not. Where the efficiency grows with every
/// round that is the least work; while a parallel-pipeline fills (its first few rounds) the efficiency may
/// also fall from a round to the next, and another crossing may lie beside the one that is found.
///
/// Units: tasks, seconds. Cost: about 100 predictions for each of `ps`.
///
/// ```
/// use forerun_model::{Load, reduction::isoefficiency};
/// use forerun_platform::{Cost, Host, Network, Platform, ReductionProfile, Strategy};
/// use forerun_skeleton::reduction::Shape;
///
/// let platform = Platform::new("cluster", vec![Host::new("node", 1024, 1)], Network::default());
/// let profile = ReductionProfile {
///     task: Cost::constant(0.15),
///     merge: Cost { per_result: 0.0128, ..Cost::default() },
///     ..ReductionProfile::default()
/// };
/// let load = Load::new(0, 5000.0);
/// let curve = |strategy| {
///     isoefficiency(|p| Shape::new(strategy, p), 0.5, &[4, 8, 16], &load, &profile, &platform)
/// };
/// let pipeline = curve(Strategy::ParallelPipeline)?;
/// assert!(pipeline.iter().all(|point| point.reached.is_some()));
/// // One master cannot keep 15 slaves busy, however much work there is.
/// let master_slave = curve(Strategy::MasterSlave)?;
/// assert!(master_slave[2].reached.is_none() && master_slave[2].ceiling < 0.2);
/// # Ok::<(), forerun_model::ModelError>(())
/// ```
///
/// # Errors
/// An efficiency that is not between 0 and 1, a number of processors that the strategy cannot be
/// run on, and whatever [`predict`](super::predict()) refuses.
pub fn isoefficiency(
    shape: impl Fn(usize) -> Shape,
    efficiency: f64,
    ps: &[usize],
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Result<Vec<Isoefficiency>, ModelError> {
    if !(efficiency > 0.0 && efficiency <= 1.0) {
        return Err(ModelError::new(format!(
            "an efficiency of {efficiency} cannot be held: expected a number above 0 and at most 1"
        )));
    }
    ps.iter().map(|&p| point(&shape(p), efficiency, load, profile, platform)).collect()
}

fn point(
    shape: &Shape,
    efficiency: f64,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Result<Isoefficiency, ModelError> {
    shape.check().map_err(|e| ModelError::new(e.to_string()))?;
    let yardstick = Yardstick::new(shape, profile, platform)?;
    let tasks = |rounds: u64| tasks(shape, rounds);
    let after = |rounds| yardstick.measure(shape, &Load { tasks: tasks(rounds), ..*load });
    let limit = after(MOST_ROUNDS)?;
    let ceiling = limit.efficiency;
    // To rounding: one processor alone is not to fall short of an efficiency of 1.
    let holds = |at: &Efficiency| at.efficiency >= efficiency * (1.0 - 1e-12);
    if !holds(&limit) {
        return Ok(Isoefficiency { processors: shape.ranks, reached: None, ceiling });
    }
    // Doubled until it is held, then halved between the last two.
    let (mut low, mut high) = (0u64, 1u64);
    let mut at = after(high)?;
    while !holds(&at) && high < MOST_ROUNDS {
        low = high;
        high *= 2;
        at = after(high)?;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let there = after(middle)?;
        if holds(&there) {
            (high, at) = (middle, there);
        } else {
            low = middle;
        }
    }
    let reached = Some(Held { tasks: tasks(high), at });
    Ok(Isoefficiency { processors: shape.ranks, reached, ceiling })
}

/// Tasks of so many rounds of all groups.
fn tasks(shape: &Shape, rounds: u64) -> u64 {
    let size = (shape.ranks / shape.groups) as u64;
    let (first, each) = match shape.strategy {
        _ if size == 1 => (1, 1),
        Strategy::ParallelPipeline => (size, size - size / shape.arity as u64),
        Strategy::MasterSlave => (size - 1, size - 1),
        Strategy::ReductionTree => (size, size),
        Strategy::Adaptive => (size * shape.set, size * shape.set),
    };
    let group = each.saturating_mul(rounds - 1).saturating_add(first);
    group.saturating_mul(shape.groups as u64)
}
