//! The pilot: a short run of a sample of the job, to learn what its tasks, merges and deliveries
//! cost.
//!
//! Tasks of growing size find out how large a task can be of which several fit into the time. Then
//! phases take turns in which one worker, or all workers at the same time, run such tasks and merges
//! as ranks will: drift of the machine falls on both alike, and their ratio is how much busy cores
//! slow each other. The samples come from all over the input; neighbours in it are merged, so that a
//! job that keeps results for the run keeps few, and no work of the pilot is lost. Some results go
//! through the rehearsal of the job's sink and finish, and where not all results have room in memory, one
//! goes to the disk and back. It ends when its budget is spent: 5 % of what the job would take on one
//! processor, but no more than 2 s, and no less than 0.6 s or a fifth of a short job (which is no less than 50 ms, that
//! nobody waits for, or 4 ms where results are kept: the job is not to be done before it is predicted); of one that is to run on slower processors, of what it takes there. Where the plan would have much larger tasks, some of those are tried last, for as
//! long again at most, or twice that where the run need not do them any more.
//! Programs that are slow to start (5 ms or more, mostly whatever the bytes) take longer: tasks of two sizes at least are tried, one beside
//! others if that is soon done, and tasks grow as long as they are mostly start and the next takes no more than 5 % of the job.
//! Where the first task takes half of all that or more, it is timed as well, and one more is run, of twice its size if that can be: two
//! results can be merged, and two sizes tell what a task takes by itself.

mod clock;
mod contention;
mod drift;
mod ends;
mod fit;
mod grow;
mod lanes;
mod memory;
mod sample;
mod spill;
#[cfg(test)]
mod tests;
mod trial;

use std::time::{Duration, Instant};

use forerun_apps::ErasedJob;
use forerun_platform::{Cost, Join, JoinAt, ReductionProfile};
use forerun_skeleton::{Cancel, RunError};

pub(crate) use self::clock::{Clock, Took, TookOutside};
use self::contention::contention as slowed;
use self::drift::drift;
pub(crate) use self::drift::{of_calls, of_levels};
use self::ends::rehearse;
use self::fit::fit_from;
pub(crate) use self::fit::{PAGE, Point, by_the_byte, fit, widening};
use self::grow::{Grown, fine, grow, short};
use self::lanes::{Lanes, merge_few, merge_on, merge_pairs, once};
use self::memory::NewMemory;
use self::sample::{Sampled, Sampler};
pub(crate) use self::spill::spill;
use self::spill::spill_and_merge;
use self::trial::{Before, trial};

/// Tasks smaller than the largest by more than this factor are not taken for its like.
const ALIKE: f64 = 16.0;
/// Share of the budget that a phase has, and share in which phases begin.
const PHASE: f64 = 0.15;
const PHASES: f64 = 0.55;
/// Share of the budget for ends with nothing in them, and for what goes to the disk.
const END: f64 = 0.05;
/// Phases, unless they would go on beyond the budget: one or two alone could be disturbed as a whole, and how much the machine
/// differs from one stretch to another is not told by two.
const LEAST_PHASES: usize = 4;

/// Seconds that a pilot of a program that is slow to start may take in all for a task beside others where growing took the budget, and
/// the tasks for each worker of which it is one: most of the job is left to the run.
const BESIDE_S: f64 = 1.0;
const REST: usize = 4;

/// What a pilot found.
#[derive(Debug, Clone)]
pub struct Pilot {
    /// The costs.
    pub profile: ReductionProfile,
    /// How long the pilot took.
    pub seconds: f64,
    /// How many tasks it timed. (The very first it does not; what is kept of them is in the job's extent.)
    pub tasks: usize,
}

/// What a pilot is for.
pub struct Purpose<'a> {
    /// Workers at a time, at most.
    pub workers: usize,
    /// Whether so many ranks are to run the job, and no other number is of interest.
    pub fixed: bool,
    /// How many times as long as here work takes where the job is to run.
    pub slower: f64,
    /// Bytes that a task would have by a plan from such costs, which were seen up to so many bytes; `None` where there is no such plan.
    pub grain: &'a dyn Fn(&ReductionProfile, u64) -> Option<u64>,
}

/// Runs a pilot of `job`.
///
/// # Errors
/// A task or a merge that fails, as a run would report it; cancelled.
pub fn pilot(job: &dyn ErasedJob, purpose: &Purpose<'_>, cancel: &Cancel) -> Result<Pilot, RunError> {
    let workers = purpose.workers;
    let begun = Instant::now();
    let extent = job.extent();
    let clock = Clock::of(job, workers);
    if extent.bytes == 0 && extent.pieces.as_ref().is_none_or(Vec::is_empty) {
        return Ok(Pilot { profile: ReductionProfile::default(), seconds: 0.0, tasks: 0 });
    }
    // What other programs have is theirs.
    let memory = (!job.outside()).then(|| NewMemory::measured(clock));
    let sampler = Sampler::new(job, clock, memory, cancel);
    let slower = if purpose.slower.is_finite() { purpose.slower.max(1.0) } else { 1.0 };
    let Grown { source, mut sampled, budget, slow, over } = grow(job, &sampler, &extent, (workers, slower))?;
    // Phases end by the wall.
    let budget = budget * clock.stretch();
    let grown = sampled.take_pieces();
    // What is not kept is held on to nevertheless: the memory of tasks is fresh in a run, too.
    let (grown, mut held) = if job.keeps() { (grown, Vec::new()) } else { (Vec::new(), grown) };
    let room = short(job, &extent);
    if room.is_some() {
        // Where memory is short, a run uses its own again.
        held.drain(..held.len().saturating_sub(1));
    }
    let mut sample = Lanes::new(job, &*source, workers, grown, room);
    let phase = Duration::from_secs_f64(budget * PHASE);
    let until = begun + Duration::from_secs_f64(budget * PHASES);
    let latest = begun + Duration::from_secs_f64(budget);
    let mut at_once: Vec<usize> = vec![1, workers];
    at_once.dedup();
    let mut phases = 0;
    while (phases < LEAST_PHASES || Instant::now() < until) && Instant::now() < latest && !sample.are_empty()
    {
        for &workers in &at_once {
            sample.phase(&sampler, workers, phase, &mut sampled)?;
        }
        phases += at_once.len();
    }
    // How busy cores slow each other is not known from tasks alone.
    let task_s = sampled.tasks.last().map_or(0.0, |task| task.seconds);
    let is_short = begun.elapsed().as_secs_f64() + task_s <= BESIDE_S;
    let mut pieces = sample.into_pieces();
    // Programs that start at the same time slow each other, however soon each of them has ended.
    let starts = slow || job.outside() && job.keeps();
    if starts && workers > 1 && sampled.beside.tasks.is_empty() && is_short {
        pieces.extend(once(&sampler, &*source, (workers, REST), &mut sampled)?);
        pieces.sort_by_key(|piece| piece.first);
    }
    if job.join() == JoinAt::Finish {
        // Tasks of another size have inputs in common with these, and a job takes each only once.
        if pieces.is_empty() {
            pieces.extend(held.pop());
        }
        merge_pairs(&sampler, workers, &mut pieces, &mut sampled)?;
    }
    if sampled.merges.is_empty() && sampled.beside.merges.is_empty() {
        // Few inputs, each from another place.
        merge_few(&sampler, (job.join(), slow), &mut pieces, &mut sampled)?;
    }
    if job.join() == JoinAt::Sink {
        pieces = merge_on(&sampler, latest, pieces, &mut sampled)?;
    }

    let mut tasks = sampled.tasks.len() + sampled.beside.tasks.len();
    let contention = slowed(&sampled, workers);
    let alone = |point: Point| point.less(1.0 + contention * point.neighbours);
    // Much smaller tasks, which fit a cache, tell little of what large ones cost.
    let all = || sampled.tasks.iter().chain(&sampled.beside.tasks).copied();
    let mut largest = all().map(|p| p.bytes).fold(0.0, f64::max);
    // (What a process costs before it reads anything shows best in small ones.)
    let like = |p: &Point| job.outside() || fine(job, &extent) || p.bytes * ALIKE >= largest;
    // By what is known of how the cost of a byte grows, all are told as if they were as large as the largest.
    let sized = |point: Point| point.less(job.per_byte(point.bytes) / job.per_byte(largest));
    let alike: Vec<Point> = all().filter(like).map(alone).map(sized).collect();
    let merges: Vec<Point> =
        sampled.merges.iter().chain(&sampled.beside.merges).copied().map(alone).collect();
    // Of work in this process, nothing is to be started.
    let calls = alike.iter().chain(&merges).map(|call| call.seconds);
    let least = if job.outside() { calls.fold(f64::INFINITY, f64::min) } else { 0.0 };
    let mut task = fit_from(&alike, least);
    let drift = drift(&alike, &task);
    let mut merge = fit_from(&merges, least);
    let part = Duration::from_secs_f64(budget * END);
    let result_bytes = sampled.result_bytes();
    let of_all = result_bytes.0 + result_bytes.1 * extent.bytes as f64;
    let (mut spill, merging) = spill_and_merge(job, of_all, part)?;
    let mut ends = rehearse(job, clock, pieces, (&merge, merging), part)?;
    // The end was timed once: it is no surer than a single call of what was timed more often.
    for cost in [&mut ends.sink, &mut ends.finish, &mut ends.join] {
        cost.error = cost.error.max(task.error.hypot(task.spread));
    }
    for cost in [&mut task, &mut merge, &mut ends.sink, &mut ends.finish, &mut ends.join] {
        cost.error = cost.error.hypot(drift);
    }
    if let Some(spill) = &mut spill {
        spill.write.error = spill.write.error.hypot(drift);
        spill.read.error = spill.read.error.hypot(drift);
    }
    let mut profile = ReductionProfile {
        task,
        merge,
        sink: ends.sink,
        finish: ends.finish,
        result_bytes,
        growth: sampled.growth(),
        grown_from: sampled.grown_from(),
        join: Some(Join { at: job.join(), cost: ends.join, beside: ends.beside }),
        contention,
        new_memory: memory.map_or(0.0, |new| new.per_byte),
        spill,
        tried: 0.0,
    };
    if room.is_none()
        && !over
        && let Some(grain) = (purpose.grain)(&profile, largest as u64)
    {
        let at_once = if purpose.fixed { vec![workers] } else { at_once };
        let before =
            Before { profile: &profile, largest, bytes: all().map(|p| p.bytes).sum(), seconds: budget, slow };
        // Two results at least, to be merged.
        let at_once = if at_once == [1] { vec![1, 1] } else { at_once };
        let mut large = Sampled::new();
        let found = trial(job, &sampler, &at_once, grain, &before, &mut large)?;
        if slow {
            // A larger task tells what a byte takes, rather than how much longer all takes.
            let tasks = large.tasks.iter().chain(&large.beside.tasks).copied();
            let slower = profile.contention;
            let points: Vec<Point> =
                all().chain(tasks).map(|p| p.less(1.0 + slower * p.neighbours)).collect();
            let task = fit_from(&points, least);
            profile.task = Cost { error: task.error.hypot(drift), ..task };
        } else {
            found.settle(&mut profile);
        }
        if !large.merges.is_empty() {
            let all: Vec<Point> = merges.iter().chain(&large.merges).copied().collect();
            let merge = fit_from(&all, least);
            profile.merge = Cost { error: merge.error.hypot(drift), ..merge };
            if let Some(Join { at: JoinAt::Sink, cost, .. }) = &mut profile.join {
                *cost = Cost { error: cost.error, ..merge };
            }
        }
        sampled.add(0, large);
        profile.result_bytes = sampled.result_bytes();
        tasks += found.tasks;
        let told = largest;
        largest = largest.max(found.largest);
        // Of which the plan may have larger ones.
        let grain = (purpose.grain)(&profile, largest as u64).unwrap_or(grain);
        profile.task = profile.task.times(job.per_byte(grain as f64) / job.per_byte(told));
    }
    // Whole bytes, as sizes of tasks are.
    profile.tried = largest.floor();
    Ok(Pilot { profile, seconds: begun.elapsed().as_secs_f64(), tasks })
}
