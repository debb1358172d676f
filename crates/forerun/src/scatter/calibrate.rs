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

use super::costs::{Call, by_ways, reading, rising};
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
    /// Part of the input that will come from a device, as far as the pilot tells: of what it has asked for, less what it has read.
    pub from_device: f64,
}

/// Part of what is read that comes from a device where any does that counts: a page of a program may come from one at any time.
const DEVICE: f64 = 0.01;

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
        found.first = first(&mut stagehand(FIRST.min(most).max(least)))?;
        let rate = rate(&found.first);
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
    let from_device = found.to_come(bytes as f64);
    Ok(Calibrated { profile, seconds, blocks, from_device })
}

/// The calls that were timed: of one rank alone, and of all.
#[derive(Debug, Default)]
struct Found {
    /// Those by which it is known how large blocks can be.
    first: Vec<Calls>,
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
                let (of_input, message, stage) = (e.is_of_input(), e.to_string(), Stage::Finish);
                RunError::Failed(Failure { rank: 0, stage, item: 0, panicked: false, of_input, message })
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

    /// All calls that read, and the bytes that came from a device.
    fn reads(&self) -> (Vec<Call>, f64) {
        let all = || self.first.iter().chain(&self.alone).chain(&self.together);
        let reads: Vec<Call> = all().flat_map(|calls| &calls.read).copied().collect();
        let (asked, device) = (sum(&reads), all().map(|calls| calls.device).sum::<f64>());
        (reads, if device > DEVICE * asked { device } else { 0.0 })
    }

    /// Part of an input of `bytes` bytes that is still to come from a device.
    fn to_come(&self, bytes: f64) -> f64 {
        let (reads, device) = self.reads();
        let came = (device / sum(&reads).max(1.0)).min(1.0);
        came * (1.0 - device / bytes.max(1.0)).max(0.0)
    }

    /// What the phases of an input of `bytes` bytes cost.
    fn profile(&self, bytes: f64, element_bytes: f64, workers: usize) -> ScatterGatherProfile {
        // The first rank reads and writes beside others that work, where there are any.
        let beside = if workers > 1 { &self.together } else { &self.alone };
        let of = |from: &[Calls], of: fn(&Calls) -> &Vec<Call>| -> Vec<Call> {
            from.iter().flat_map(of).copied().collect()
        };
        // What comes from a device was asked for in one rehearsal and waited for in the next as often as not, as the system reads ahead, and
        // the device is the same for all.
        let (reads, device) = self.reads();
        let read = match device > 0.0 {
            true => reading(&reads, device, bytes),
            false => by_ways(&of(beside, |calls| &calls.read)),
        };
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
        let ways = global.first().map_or(1.0, |call| call.ways);
        let global =
            PhaseCost { error: merged.error.max(local.error), ..rising(merged, ways, local.per_byte_ln) };
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

/// A rehearsal of one block, in which the very first calls pay for what is set up once, and one of several.
fn first(hand: &mut Stagehand<'_>) -> Result<Vec<Calls>, RunError> {
    [1, BLOCKS[0]].into_iter().map(|each| hand.rehearse(1, each, 0)).collect()
}

/// Seconds a byte, of one rank, by the last of its rehearsals.
fn rate(rehearsals: &[Calls]) -> f64 {
    rehearsals.last().map_or(0.0, |calls| calls.seconds() / sum(&calls.process).max(1.0))
}

/// Bytes of all of them.
fn sum(calls: &[Call]) -> f64 {
    calls.iter().map(|call| call.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::{Call, Calls, Found};

    /// A rehearsal in which a device gave so many bytes while it was waited for so long.
    fn rehearsal(device: f64, seconds: f64) -> Calls {
        Calls { read: vec![Call { bytes: 1e6, ways: 1.0, seconds }], device, ..Calls::default() }
    }

    /// One asks for what the system reads ahead, and another waits for it.
    #[test]
    fn what_one_rehearsal_has_read_ahead_and_another_waits_for_is_paid_for_once() {
        let found = Found {
            first: vec![rehearsal(1e6, 0.2)],
            alone: vec![rehearsal(2e6, 1e-4), rehearsal(2e6, 1e-4)],
            together: vec![rehearsal(0.0, 0.4), rehearsal(0.0, 0.4)],
            ..Found::default()
        };
        for workers in [1, 2] {
            // 5 MB/s, and 5 MB of 50 are there.
            let read = found.profile(50e6, 4.0, workers).read;
            assert!((read.per_byte / (0.9 * 2e-7) - 1.0).abs() < 0.01, "{workers}: {read:?}");
        }
        assert!((found.to_come(50e6) - 0.9).abs() < 1e-9);
        // A page of something else tells nothing, and neither do the calls that pay for what is set up.
        let found = Found {
            first: vec![rehearsal(0.0, 9.0)],
            alone: vec![rehearsal(4096.0, 1e-4)],
            together: vec![rehearsal(0.0, 2e-4)],
            ..Found::default()
        };
        for (workers, expected) in [(1, 1e-10), (2, 2e-10)] {
            let read = found.profile(50e6, 4.0, workers).read;
            assert!((read.per_byte / expected - 1.0).abs() < 0.01, "{workers}: {read:?}");
        }
        assert_eq!((found.to_come(50e6), Found::default().to_come(0.0)), (0.0, 0.0));
    }
}
