//! The pilot of a scatter-gather: what reading, processing, both resolutions and writing cost, from
//! short runs of some of the job's blocks.
//!
//! One rank with few blocks, one rank with more and smaller ones, and as many ranks as there will be
//! take turns, so that what else the machine does falls on all alike. The first two tell what processing
//! costs by size of block and merging by number of blocks; the last how much ranks slow each other, and
//! what their packets cost to merge. Where a core is free for it in the run, blocks are read ahead and packets written behind
//! here too. It ends when its budget is spent: 5 % of what the job would take on
//! one processor, but no more than 2 s, and no less than 0.6 s or half of a short job.

use std::time::{Duration, Instant};

use forerun_apps::ScatterGatherJob;
use forerun_platform::statistics::median;
use forerun_platform::{PhaseCost, ScatterGatherProfile, Spill, Stage, Tried};
use forerun_skeleton::{Cancel, Failure, RunError};

use super::costs::{Call, by_ways, reading};
use super::rehearsal::{Calls, Stagehand};
use super::small;
use crate::pilot::{Clock, of_levels, spill};

/// The part of the budget for what goes to the disk and back.
const SPILL: u32 = 20;
/// Ends that are tried.
const FINISHES: usize = 3;
/// Size of the first blocks, which tell how long the others will take.
const FIRST: u64 = 256 << 10;
/// Blocks of a rank: few, and more that are smaller in proportion.
const BLOCKS: [usize; 2] = [2, 32];
/// Blocks of a size that is asked for and is smaller than those.
const SMALL: u64 = 1024;
/// Turns, unless they would go on beyond the budget: one alone could be disturbed as a whole.
const TURNS: u32 = 2;
/// More turns than so many are not taken, however short they are.
const MOST_TURNS: u32 = 4;
/// Blocks that a turn takes the time of, if ranks that work beside each other slow each other by half.
const TURN: f64 = 2.0 + 2.0 + 3.0;
/// The part of the input that a run of the pilot may be, and of the memory that all may hold.
const MOST: u64 = 2;
const MEMORY: u64 = 4;
/// A turn in which ranks slow each other by so much more than in others was disturbed.
const DISTURBED: f64 = 1.5;
/// Share of the job's time that the pilot may take, its bounds in seconds, and the share of the job
/// that it never takes more than.
const SHARE: f64 = 0.05;
const BUDGET: (f64, f64) = (0.6, 2.0);
const HALF: f64 = 0.5;

/// What the pilot found.
#[derive(Debug, Clone)]
pub struct Calibrated {
    /// The costs.
    pub profile: ScatterGatherProfile,
    /// How long the pilot took.
    pub seconds: f64,
    /// How many blocks it processed.
    pub blocks: usize,
}

/// What is known of the run to come.
#[derive(Debug, Clone, Copy)]
pub struct Coming {
    /// Ranks that work at the same time.
    pub workers: usize,
    /// Blocks read ahead where one rank works, and where all do.
    pub ahead: (usize, usize),
    /// Bytes of a block, where they are given.
    pub block: Option<u64>,
}

/// Measures what the phases of `job`, an input of `bytes` bytes, cost in a run of this kind.
///
/// # Errors
/// What fails, as a run would report it; cancelled.
pub fn calibrate(
    job: &dyn ScatterGatherJob,
    bytes: u64,
    coming: &Coming,
    cancel: &Cancel,
) -> Result<Calibrated, RunError> {
    let begun = Instant::now();
    let &Coming { workers, ahead, block } = coming;
    let mut found = Found::default();
    let (mut smallest, mut largest) = (0, 0);
    // An empty input has nothing to sample, and costs nothing.
    if bytes > 0 {
        // Packets of several ranks are merged even if this job will have one.
        let ranks = workers.max(2);
        let (few, more) = (BLOCKS[0] as u64, (BLOCKS[1] / BLOCKS[0]) as u64);
        let (least, most) = job.blocks(ranks, 4);
        let held = u64::from(MOST_TURNS) * few * (2 + ranks as u64);
        let room = job.memory().map_or(u64::MAX, |limit| limit / MEMORY / held);
        let most = most.min(bytes / (MOST * few * ranks as u64)).min(room).max(least);
        let element = job.element_bytes();

        let clock = Clock::here(workers);
        let stagehand = |block| Stagehand::new(job.together(block), element, clock, cancel);
        let rate = rate(&mut stagehand(FIRST.min(most).max(least)))?;
        let job_s = bytes as f64 * rate;
        let budget = (job_s * SHARE).clamp(BUDGET.0, BUDGET.1).min(job_s * HALF);
        let size = budget / f64::from(TURNS) / (TURN * rate).max(f64::MIN_POSITIVE);
        largest = (size as u64).clamp(least, most);
        smallest = (largest / more).max(least);
        let budget = Duration::from_secs_f64(budget);
        found.take_turns(stagehand(largest), stagehand(smallest), (ranks, ahead), budget)?;
        if let Some(block) = block.filter(|&block| block < smallest) {
            let mut hand = stagehand(block.max(least));
            let (ranks, ahead) = if workers == 1 { (1, ahead.0) } else { (ranks, ahead.1) };
            let each = (bytes.div_ceil(block.max(least)).min(SMALL) / ranks as u64).max(1);
            found.small = Some((hand.rehearse(ranks, each as usize, ahead)?, ahead));
            smallest = block;
        }
        found.finish(job)?;
        found.spill = spill(job, bytes as f64, Some(largest), budget / SPILL)?;
        found.ways = job.ways(workers).filter(|_| found.spill.is_some());
    }
    let tried = Some(Tried { smallest: smallest as f64, largest: largest as f64 }).filter(|_| largest > 0);
    let profile = ScatterGatherProfile { tried, ..found.profile(bytes as f64, job.element_bytes(), workers) };
    let (seconds, blocks) = (begun.elapsed().as_secs_f64(), found.blocks());
    Ok(Calibrated { profile, seconds, blocks })
}

/// The calls that were timed: of one rank alone, and of all.
#[derive(Debug, Default)]
struct Found {
    /// One rehearsal each.
    alone: Vec<Calls>,
    together: Vec<Calls>,
    /// Of much smaller blocks that the run will have, and how many were read ahead.
    small: Option<(Calls, usize)>,
    /// Seconds to make and to name an empty result.
    finishes: Vec<f64>,
    /// What a block costs that has no room in memory, where there are any.
    spill: Option<Spill>,
    /// How many of these are merged at a time, at most.
    ways: Option<u64>,
}

impl Found {
    /// Takes turns with large blocks and with small ones, as long as the budget has room for more.
    fn take_turns(
        &mut self,
        mut large: Stagehand<'_>,
        mut small: Stagehand<'_>,
        (ranks, ahead): (usize, (usize, usize)),
        budget: Duration,
    ) -> Result<(), RunError> {
        let begun = Instant::now();
        for turn in 1..=MOST_TURNS {
            self.alone.push(large.rehearse(1, BLOCKS[0], ahead.0)?);
            self.together.push(large.rehearse(ranks, BLOCKS[0], ahead.1)?);
            self.alone.push(small.rehearse(1, BLOCKS[1], ahead.0)?);
            // Another turn, if it ends within the budget.
            if begun.elapsed() * (turn + 1) / turn > budget {
                break;
            }
        }
        Ok(())
    }

    /// Finishes with nothing, a few times.
    fn finish(&mut self, job: &dyn ScatterGatherJob) -> Result<(), RunError> {
        for _ in 0..FINISHES {
            let begun = Instant::now();
            let result = job.rehearse_finish(Vec::new()).map_err(|e| {
                let message = e.to_string();
                RunError::Failed(Failure { rank: 0, stage: Stage::Finish, item: 0, panicked: false, message })
            })?;
            self.finishes.push(begun.elapsed().as_secs_f64());
            drop(result);
        }
        Ok(())
    }

    fn blocks(&self) -> usize {
        self.alone.iter().chain(&self.together).map(|calls| calls.process.len()).sum::<usize>()
    }

    /// How much longer the calls `of_phase` take, which cost `alone`, for each other worker; 0 to 1: cores that
    /// take turns at a single one are no slower than that. Of the turns it is the mean, without those far above
    /// the lower median: what else a machine does may hit one as a whole.
    fn contention(&self, of_phase: fn(&Calls) -> &Vec<Call>, alone: &PhaseCost, workers: usize) -> f64 {
        let sum = |calls: &Calls, of: fn(&PhaseCost, &Call) -> f64| -> f64 {
            of_phase(calls).iter().map(|call| of(alone, call)).sum()
        };
        let ratio =
            |calls: &Calls| sum(calls, |_, c| c.seconds) / sum(calls, |a, c| a.seconds(c.bytes, c.ways));
        let mut ratios: Vec<f64> = self.together.iter().map(ratio).filter(|r| r.is_finite()).collect();
        ratios.sort_by(f64::total_cmp);
        let middle = ratios.get(ratios.len().saturating_sub(1) / 2).copied().unwrap_or(1.0);
        ratios.retain(|ratio| *ratio <= DISTURBED * middle);
        let slower = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64 - 1.0;
        if workers > 1 { (slower / (workers - 1) as f64).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// How far rehearsals as a whole are from what these costs say of them, as far as that tells of a run.
    fn drift(&self, workers: usize, process: &PhaseCost, local: &PhaseCost, slower: (f64, f64)) -> f64 {
        let level = |calls: &Calls| -> f64 {
            let beside = calls.local.len().saturating_sub(1) as f64;
            let phases = [(&calls.process, process, slower.0), (&calls.local, local, slower.1)];
            let (mut took, mut said) = (0.0, 0.0);
            for (calls, cost, slower) in phases {
                took += calls.iter().map(|c| c.seconds).sum::<f64>();
                said += calls.iter().map(|c| cost.seconds(c.bytes, c.ways)).sum::<f64>()
                    * (1.0 + slower * beside);
            }
            if said > 0.0 { took / said } else { 1.0 }
        };
        // Ranks that will not be together tell of nothing.
        let together = if workers > 1 { &self.together[..] } else { &[] };
        of_levels(&self.alone.iter().chain(together).map(level).collect::<Vec<f64>>())
    }

    /// What the phases of an input of `bytes` bytes cost.
    fn profile(&self, bytes: f64, element_bytes: f64, workers: usize) -> ScatterGatherProfile {
        // The first rank reads and writes beside others that work, where there are any.
        let beside = if workers > 1 { &self.together } else { &self.alone };
        let of = |from: &[Calls], of: fn(&Calls) -> &Vec<Call>| -> Vec<Call> {
            from.iter().flat_map(of).copied().collect()
        };
        let device = beside.iter().map(|calls| calls.device).sum();
        let read = reading(&of(beside, |calls| &calls.read), device, bytes);
        let write = by_ways(&of(beside, |calls| &calls.write));
        let mut process = by_ways(&of(&self.alone, |calls| &calls.process));
        let mut local = by_ways(&of(&self.alone, |calls| &calls.local));
        let contention = self.contention(|calls| &calls.process, &process, workers);
        let contention_local = self.contention(|calls| &calls.local, &local, workers);
        let drift = self.drift(workers, &process, &local, (contention, contention_local));
        for cost in [&mut process, &mut local] {
            cost.error = cost.error.hypot(drift);
        }
        let global: Vec<Call> = self.together.iter().filter_map(|calls| calls.global).collect();
        let merged = by_ways(&global);
        // More ranks are merged like more blocks are.
        let ln = global.first().map_or(1.0, |call| call.ways.ln());
        let rise = local.per_byte_ln.min(merged.per_byte / ln);
        let global = PhaseCost {
            // Rounding may leave less than nothing, which no profile can have.
            per_byte: (merged.per_byte - rise * ln).max(0.0),
            per_byte_ln: rise,
            error: merged.error.max(local.error),
            ..merged
        };
        let profile =
            ScatterGatherProfile {
                spill: Some(self.spill.map_or(read.per_byte + write.per_byte, |spill| {
                    spill.write.per_byte + spill.read.per_byte
                })),
                spill_ways: self.ways.map_or(0.0, |ways| ways as f64),
                read,
                process,
                local,
                global,
                write,
                finish: PhaseCost { fixed: median(&self.finishes).unwrap_or(0.0), ..PhaseCost::default() },
                element_bytes,
                held: 1.0,
                contention,
                contention_local,
                tried: None,
            };
        match &self.small {
            Some((calls, ahead)) => small::with_calls(profile, calls, *ahead),
            None => profile,
        }
    }
}

/// Seconds a byte, of one rank: after this it is known how large blocks can be.
fn rate(hand: &mut Stagehand<'_>) -> Result<f64, RunError> {
    // The very first calls pay for what is set up once.
    hand.rehearse(1, 1, 0)?;
    let calls = hand.rehearse(1, BLOCKS[0], 0)?;
    let bytes: f64 = calls.process.iter().map(|call| call.bytes).sum();
    Ok(calls.seconds() / bytes.max(1.0))
}
