//! A reduction's makespan from its shape, load, profile and platform.

use std::collections::BTreeMap;

use forerun_platform::{Interval, Platform, ReductionProfile, Stage, StageTotal, Strategy};
use forerun_skeleton::reduction::Shape;

use super::adaptive::Team;
use super::costs::{Costs, check};
use super::effective::effective;
use super::neighbours::{Neighbours, Spent};
use super::timing::{Timing, Totals};
use super::turns::{self, Groups};
use super::{Bound, adaptive, alone, explain, interval, master_slave, pipeline, tree};
use crate::{Load, ModelError, Speeds, Wire};

/// A predicted run.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Expected seconds from start to end.
    pub makespan_s: f64,
    /// The same with its 95 % interval.
    pub interval: Interval,
    /// Seconds of it before the first set is complete.
    pub fill_s: f64,
    /// Seconds of it after the last task.
    pub drain_s: f64,
    /// Seconds of it that the application takes when every set is in the sink.
    pub finish_s: f64,
    /// Task results that leave a group a second in the long run.
    pub rate: f64,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Calls and seconds by stage, of all ranks.
    pub stages: BTreeMap<Stage, StageTotal>,
    /// What bounds the time.
    pub bound: Bound,
    /// The same in a sentence with the figures.
    pub reason: String,
}

/// The parallel pipeline's condition for its stages to balance: T_merge ≤ T_comp and
/// T_comm ≤ T_comp (Kuntraruk, Pottenger and Ross, section III-A).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// T_comp: seconds of a task.
    pub task_s: f64,
    /// T_merge: seconds of the largest merge.
    pub merge_s: f64,
    /// T_comm: seconds of the largest message, both overheads and the wire.
    pub communication_s: f64,
}

impl Balance {
    /// Whether T_comp bounds both others.
    pub fn holds(&self) -> bool {
        self.merge_s <= self.task_s && self.communication_s <= self.task_s
    }
}

/// The stages of a parallel pipeline of `ranks` ranks in one group.
///
/// # Errors
/// A figure of the profile, the platform or the load that cannot be.
pub fn balance(
    ranks: usize,
    arity: usize,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Result<Balance, ModelError> {
    check(profile, load)?;
    let c = Costs::new(profile, load, Wire::on(platform, ranks)?, 1.0);
    // A set holds P − P/a results; the largest merge within the steps makes P/a of P/a².
    let largest = (ranks / arity.max(1)).max(1) as u64;
    let below = (largest / arity.max(1) as u64).max(1);
    let merge_s = if largest > below { c.merge(largest - below, below) } else { 0.0 };
    Ok(Balance { task_s: c.task, merge_s, communication_s: c.hop(largest) })
}

/// Predicts a run in closed form (see [the module](crate::reduction) for what is exact), in time
/// that grows with the logarithm of the ranks (with the ranks themselves where they are few and
/// followed one by one, where hosts differ, or where the profile's sizes grow by level).
///
/// The groups work side by side; the largest share on the slowest ranks ends last. Within a
/// group, strategies with a fixed deal go at the speed of the slowest rank, the adaptive one at
/// the mean speed. Ranks in excess of the cores take turns while they have something to do ([`crate::sharing()`]); by the adaptive
/// strategy, whose ranks take work as they are free, all busy seconds over all cores, but for what is after the
/// last task.
/// Hosts are slower by what other jobs use of them, and messages by what the network's switches and
/// other jobs' traffic there add ([`Wire::on`]). [`start_up`] and `finish` are added once. Windows are taken as wide enough not to bind, and times
/// of availability as they are at the start.
///
/// # Errors
/// A shape that the strategy cannot be run in; a figure of the profile, the platform or the load
/// that cannot be.
pub fn predict(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Result<Prediction, ModelError> {
    let speeds = Speeds::new(platform, shape.ranks)?;
    let run = evaluate(shape, load, profile, platform, &speeds)?;
    let Evaluated { timing: t, all, finish, seconds: makespan_s, .. } = &run;
    let interval = Interval::around(*makespan_s, run.deviation);
    Ok(Prediction {
        makespan_s: *makespan_s,
        interval,
        fill_s: t.fill,
        drain_s: t.drain,
        finish_s: *finish,
        rate: if t.cycle > 0.0 { t.results / t.cycle } else { f64::INFINITY },
        messages: all.sends.0.round() as u64,
        bytes: all.bytes.round() as u64,
        stages: stages(all, *finish),
        bound: t.bound,
        reason: explain::reason(shape, load, profile, &run.costs, run.size, t, *finish)
            + &explain::spilled(profile, load),
    })
}

/// Seconds to start ranks and to learn that the last has ended, on a host with as many of them as the others at least
/// ([`forerun_platform::Network::start_up`]); where that is not stated, each is woken, one after the other, and whoever
/// started them is woken at the end ([`forerun_platform::Network::wake_up`]).
pub fn start_up(ranks: usize, platform: &Platform) -> f64 {
    let on_a_host = ranks.div_ceil(platform.hosts.iter().map(|h| h.count).sum::<usize>().max(1));
    match &platform.network.start_up {
        Some(start_up) => start_up.of(on_a_host).0,
        None => (on_a_host + 1) as f64 * platform.network.wake_up.value.0,
    }
}

/// The makespan alone, where the speeds of the ranks are known already: what a planner compares.
pub(crate) fn makespan(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
    speeds: &Speeds,
) -> Result<f64, ModelError> {
    evaluate(shape, load, profile, platform, speeds).map(|run| run.seconds)
}

/// Seconds of tasks, merges, deliveries and the finish of all ranks together.
pub(super) fn work_seconds(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
    speeds: &Speeds,
) -> Result<f64, ModelError> {
    let Evaluated { all, finish, .. } = evaluate(shape, load, profile, platform, speeds)?;
    Ok(all.tasks.1 + all.merges.1 + all.sinks.1 + finish)
}

/// The largest group's timing and what the groups do in all.
pub(super) struct Evaluated {
    pub(super) costs: Costs,
    pub(super) size: usize,
    timing: Timing,
    all: Totals,
    pub(super) finish: f64,
    deviation: f64,
    /// The part of it that the profile's figures make.
    pub(super) common: f64,
    pub(super) seconds: f64,
    /// How many times as long the groups take as where every rank has a core.
    pub(super) slowing: f64,
}

/// By how much taking turns makes a run longer where the cores are what bounds it.
const BOUND_BY_CORES: f64 = 1.05;

/// Rounds in which the slowing by busy neighbours and how busy they are settle.
const SETTLING: usize = 4;

pub(super) fn evaluate(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
    speeds: &Speeds,
) -> Result<Evaluated, ModelError> {
    shape.check().map_err(|e| ModelError::new(e.to_string()))?;
    check(profile, load)?;
    let mut neighbours = Neighbours::most(shape, platform);
    let settled = profile.contention <= 0.0 || neighbours.is_none();
    for _ in 0..if settled { 0 } else { SETTLING } {
        let run = beside(shape, load, profile, platform, speeds, &neighbours)?;
        let all = &run.all;
        let spent =
            Spent { task: all.tasks.1, merge: all.merges.1 + all.sinks.1, makespan: run.timing.seconds };
        neighbours = Neighbours::of(shape, platform, &spent);
    }
    beside(shape, load, profile, platform, speeds, &neighbours)
}

/// The run beside neighbours that are so busy.
fn beside(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
    speeds: &Speeds,
    neighbours: &Neighbours,
) -> Result<Evaluated, ModelError> {
    let profile = &effective(profile, shape, load, platform, neighbours)?;
    let (size, groups) = (shape.ranks / shape.groups, shape.groups as u64);
    let slowest = speeds.slowest(shape, size);
    let costs = Costs::new(profile, load, Wire::on(platform, shape.ranks)?, slowest);
    let (small, large) = (load.tasks / groups, load.tasks.div_ceil(groups));
    let more = if small == large { groups } else { load.tasks % groups };
    let mut timing = group(shape, load, &costs, size, large);
    let mut all = Totals::default();
    all.add(&timing.totals, more as f64);
    let fewer = (more < groups).then(|| group(shape, load, &costs, size, small));
    if let Some(fewer) = &fewer {
        all.add(&fewer.totals, (groups - more) as f64);
    }
    let shared = (shape.ranks > speeds.cores()).then(|| {
        let of = |timing: &Timing, count: u64, tasks: u64| {
            let &Timing { seconds, drain, totals, .. } = timing;
            Groups { count: count as f64, tasks, seconds, drain, totals }
        };
        let larger = of(&timing, more, large);
        let all: Vec<_> =
            [larger].into_iter().chain(fewer.iter().map(|fewer| of(fewer, groups - more, small))).collect();
        turns::shared(&costs, shape, size, &all, speeds.cores() as f64)
    });
    // Where some tasks are done, fewer may be more.
    if let Some(fewer) = fewer.filter(|fewer| fewer.seconds > timing.seconds) {
        timing = fewer;
    }
    let own_s = timing.seconds;
    if let Some(shared) = shared {
        timing.seconds = shared;
        if shared > own_s * BOUND_BY_CORES {
            timing.bound = Bound::Cores;
        }
    }
    let slowing = if own_s > 0.0 { timing.seconds / own_s } else { 1.0 };
    // Tasks that are done have no spread: the others are fewer, and each takes as much more.
    let more = load.tasks.max(1) as f64 / load.tasks.saturating_sub(load.done).max(1) as f64;
    timing.path_tasks = (timing.path_tasks / more).max(timing.path_tasks.min(1.0));
    let (late, own, common) = interval::spread(&timing, costs.task * more, load.uneven, profile);
    let finish = profile.finish.on(speeds.first()).seconds(costs.bytes(load.tasks), load.tasks as f64);
    if finish > timing.seconds + late {
        timing.bound = Bound::Finish;
    }
    let seconds = start_up(shape.ranks, platform) + timing.seconds + late + finish;
    if !seconds.is_finite() {
        return Err(ModelError::new(format!(
            "{} tasks of these costs take longer than can be told",
            load.tasks
        )));
    }
    let common = common + profile.finish.error * finish;
    let deviation = own.hypot(common);
    Ok(Evaluated { costs, size, timing, all, finish, deviation, common, seconds, slowing })
}

fn group(shape: &Shape, load: &Load, c: &Costs, size: usize, n: u64) -> Timing {
    if size == 1 {
        return alone::timing(c, n);
    }
    match shape.strategy {
        Strategy::ParallelPipeline => pipeline::timing(c, size, shape.arity, n),
        Strategy::ReductionTree => tree::timing(c, size, shape.arity, n),
        Strategy::MasterSlave => master_slave::timing(c, size, n, !load.commutative),
        Strategy::Adaptive => adaptive::timing(c, team(shape, size), load, n),
    }
}

fn team(shape: &Shape, size: usize) -> Team {
    Team {
        ranks: size as u64,
        arity: shape.arity as u64,
        set: shape.set,
        gather: shape.gathered(),
        deal: shape.deal,
    }
}

/// The first rank's share of an even deal with which all ranks end together, in thousandths.
pub(crate) fn balanced_share(
    shape: &Shape,
    load: &Load,
    profile: &ReductionProfile,
    platform: &Platform,
) -> Result<u16, ModelError> {
    check(profile, load)?;
    let c = Costs::new(profile, load, Wire::on(platform, shape.ranks)?, 1.0);
    let size = shape.ranks / shape.groups;
    Ok(adaptive::balanced_share(&c, team(shape, size), load.tasks / shape.groups as u64))
}

fn stages(t: &Totals, finish: f64) -> BTreeMap<Stage, StageTotal> {
    let total = |(count, total_s): (f64, f64)| StageTotal { count: count.round() as u64, total_s };
    [
        (Stage::Task, total(t.tasks)),
        (Stage::Merge, total(t.merges)),
        (Stage::Sink, total(t.sinks)),
        (Stage::Send, total(t.sends)),
        (Stage::Receive, total(t.receives)),
        (Stage::Finish, total((f64::from(finish > 0.0), finish))),
    ]
    .into_iter()
    .filter(|(_, total)| total.count > 0)
    .collect()
}
