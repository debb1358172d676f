//! The isoefficiency function: how the work must grow with the processors.

use forerun_platform::{Platform, ReductionProfile, Seconds, Strategy};
use forerun_skeleton::reduction::Shape;

use super::Efficiency;
use super::efficiency::Yardstick;
use crate::{Load, ModelError};

/// The work that reaches an efficiency on so many processors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Isoefficiency {
    /// P: ranks of all groups together.
    pub processors: usize,
    /// The least work with which the efficiency is reached; `None` where no amount is enough.
    pub reached: Option<Held>,
    /// The efficiency that is approached as the work grows: the strategy's own limit on these
    /// processors, with these costs. Where it is below the one asked for, only so little work as
    /// `reached` has (a first step in which all ranks run tasks, say) reaches it.
    pub ceiling: f64,
}

/// Work with which an efficiency is reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// N: tasks.
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
/// Rounds whose tasks are tried one by one, and how many tasks these are at least and at most.
const FEW_ROUNDS: u64 = 16;
const FEW: (u64, u64) = (64, 4096);
/// What rounding may take from an efficiency; an efficiency that is only approached is further off after
/// [`MOST_ROUNDS`].
const ROUNDING: f64 = 1e-14;

/// The isoefficiency function (Grama, Gupta and Kumar, *Isoefficiency: Measuring the Scalability of
/// Parallel Algorithms and Architectures*, 1993; for these strategies section VI-C of Kuntraruk,
/// Pottenger and Ross): for each number of processors of `ps`, the least work with which the
/// strategy reaches `efficiency`.
///
/// `shape` gives the shape for a number of ranks, `|p| Shape::new(strategy, p)` for one binary
/// group; `load` gives the bytes of a task, whether merges commute and whether the input's length is
/// known (its number of tasks is not used). A strategy scales well if W grows like P, badly if
/// faster; where no work reaches the efficiency (a master that cannot keep up) the strategy does not
/// scale to that P at all, which is reported as `reached: None`.
///
/// The tasks of the first 16 rounds (up to 4096) are tried one by one, since the efficiency goes up and down
/// there: no fewer tasks than those found reach it. Beyond, it is looked for along whole rounds of
/// the strategy (P tasks of the tree, P − 1 of master and slaves, P − P/a of the parallel-pipeline after the
/// first P, P sets of the adaptive strategy; times the groups). After j rounds the efficiency is
/// `(w₀ + j w) / (P (t₀ + j t))`, which only grows or only falls with j, towards the ceiling: a
/// bisection gives the round in which it is first reached, and another the task in it.
/// (It falls where a first step, in which all ranks of a parallel-pipeline run tasks, is better than the
/// steps after it.) What is found there reaches the efficiency, and a task less does not; between whole rounds a
/// little less work may reach it too, most so in the adaptive strategy, whose rounds are long.
///
/// Units: tasks, seconds. Cost: for each of `ps` about 100 predictions, and one for each task of the first 16
/// rounds, at most 4096.
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
    let of = |tasks: u64| yardstick.measure(shape, &Load { tasks, ..*load });
    // To rounding: one processor alone is not to fall short of an efficiency of 1.
    let holds = |at: &Efficiency| at.efficiency >= efficiency * (1.0 - ROUNDING);
    let limit = of(tasks(shape, MOST_ROUNDS))?;
    let found = |tasks, at| Isoefficiency {
        processors: shape.ranks,
        reached: Some(Held { tasks, at }),
        ceiling: limit.efficiency,
    };
    let few = tasks(shape, FEW_ROUNDS).clamp(FEW.0, FEW.1);
    for n in 1..=few {
        let at = of(n)?;
        if holds(&at) {
            return Ok(found(n, at));
        }
    }
    if !holds(&limit) {
        return Ok(Isoefficiency { processors: shape.ranks, reached: None, ceiling: limit.efficiency });
    }
    // Rounds are doubled until it is held, then halved between the last two; then the tasks of that round.
    let mut rounds = 1;
    while rounds < MOST_ROUNDS && (tasks(shape, rounds) <= few || !holds(&of(tasks(shape, rounds))?)) {
        rounds *= 2;
    }
    let rounds = first((rounds / 2, rounds), |r| Ok(tasks(shape, r) > few && holds(&of(tasks(shape, r))?)))?;
    let below = if rounds > 1 { tasks(shape, rounds - 1) } else { 0 };
    let n = first((below.max(few), tasks(shape, rounds)), |n| Ok(holds(&of(n)?)))?;
    Ok(found(n, of(n)?))
}

/// The first number above `low` for which it holds, where it holds for `high` and all above the first.
fn first(
    (mut low, mut high): (u64, u64),
    holds: impl Fn(u64) -> Result<bool, ModelError>,
) -> Result<u64, ModelError> {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
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
