//! Tasks of growing size, by which a pilot begins.
//!
//! They find out how large a task can be of which several fit into the time. What a program takes to start is no reason to stay
//! with small ones: that part does not grow. It shows where sizes differ, so that of one that is slow a task as small as a page is tried,
//! and there are two sizes if that is possible at all. As long as a task is mostly start, larger ones save more of the job than they take of
//! the pilot.

use forerun_apps::{ErasedJob, ErasedSource, Extent};
use forerun_skeleton::RunError;
use forerun_skeleton::reduction::Source;

use super::PHASE;
use super::fit::{Point, SLOW};
use super::lanes::lanes;
use super::sample::{Sampled, Sampler};
use crate::planning::BEYOND;

/// Share of the job's time on one processor that a pilot may take.
const SHARE: f64 = 0.05;
/// Bounds of a pilot's time in seconds: less than the first tells too little.
const BUDGET: (f64, f64) = (0.6, 2.0);
/// Share of the job's time that a pilot never takes more than, and the least seconds of any.
const MOST: f64 = 0.2;
const LEAST: f64 = 0.05;
/// The same of a job that keeps results, which would else be done before there is a prediction.
const LEAST_KEPT: f64 = 0.004;
/// Size of the first task tried, where the input can be cut anywhere, and of a smaller one of programs that are slow.
const FIRST: u64 = 64 << 10;
const PAGE: u64 = 4 << 10;
/// By which tasks grow, and how many times over those that are mostly start do at once.
const GROWTH: u64 = 4;
const LEAPS: u32 = 3;
/// By which tasks are smaller where many are tried.
const FINER: f64 = 16.0;
/// Smallest tasks that are run where processes do the work, whose cost is mostly that of a process; of programs that are slow, one.
const SMALL: u64 = 3;
/// Part of a task's time that may be its bytes' though a smaller one took as long.
const UNSEEN: f64 = 0.03;
/// A task that takes no more than so many times as long as a much smaller one is mostly start.
const MOSTLY_START: f64 = 2.0;
/// Times its budget that a pilot may take for a second size.
const SECOND: f64 = 2.0;
/// Tasks that take all of a pilot's time are no more than so many; by which the second is larger then.
const LITTLE: u64 = 2;
/// Results that a lane holds where memory is short.
const HELD: u64 = 2;

/// What comes of tasks of growing size.
pub(super) struct Grown<'j> {
    /// The input, cut into tasks of the size that was reached.
    pub(super) source: Box<dyn ErasedSource + 'j>,
    pub(super) sampled: Sampled,
    /// Seconds that the pilot may take.
    pub(super) budget: f64,
    /// Whether tasks are those of a program that is slow to start.
    pub(super) slow: bool,
    /// Whether the first task took as much as half of what the pilot may: nothing further is tried but what it takes to predict.
    pub(super) over: bool,
}

/// Runs tasks of growing size, alone, until the next would be too long for a phase.
///
/// # Errors
/// A task that fails, as a run would report it; cancelled.
pub(super) fn grow<'j>(
    job: &'j dyn ErasedJob,
    sampler: &Sampler<'j>,
    extent: &Extent,
    (workers, slower): (usize, f64),
) -> Result<Grown<'j>, RunError> {
    let cut = |grain| job.cut_known(grain).map_err(|e| RunError::Invalid(e.to_string()));
    // Where memory is short, each lane has room for some results.
    let fits = short(job, extent).map_or(u64::MAX, |room| room / (HELD * lanes(workers) as u64));
    let first = FIRST.min(fits).clamp(extent.min_grain, extent.max_grain);
    let mut grain = if extent.pieces.is_some() { 1 } else { first };
    let mut sampled = Sampled::new();
    let (mut first, mut small) = (true, true);
    let phase = if fine(job, extent) { PHASE / FINER } else { PHASE };
    let is_possible = |next: u64| {
        next <= fits.min(extent.max_grain) && next.saturating_mul(2 * workers as u64) <= extent.bytes
    };
    let (mut slow, mut over, mut before) = (false, false, None);
    loop {
        let source = cut(grain)?;
        let tasks = source.len().unwrap_or(1).max(1);
        // What is kept is from one place, to be merged there.
        let from = if job.keeps() { 0 } else { tasks / 2 };
        let is_first = std::mem::take(&mut first);
        let mut ran = None;
        if is_first && tasks > 1 {
            // The very first task pays for what is set up once, which is nothing of one of which two take all the time that there is.
            let (point, piece) = sampler.task(&*source, 0)?;
            let budget = budget(Known { before: None, point }.job_s(extent, None) * slower, job.keeps());
            over = LITTLE as f64 * point.seconds >= budget.max(BUDGET.0);
            if over {
                ran = Some((point, piece));
            } else {
                sampled.pieces.push(piece);
            }
        }
        let (mut point, piece) = match (ran, sampler.fresh(&*source, from, tasks)) {
            (Some(ran), _) => ran,
            (None, Some(fresh)) => sampler.task(&*source, fresh)?,
            (None, None) => return Ok(Grown { source, sampled, budget: 0.0, slow, over }),
        };
        sampled.ran(point, &piece);
        sampled.pieces.push(piece);
        if is_first && job.outside() && point.seconds >= SLOW {
            before = smaller(job, sampler, extent, grain, &mut sampled)?;
            // Whatever takes longer for more bytes is told by them as it always is.
            slow = before.is_none_or(|b| point.seconds <= MOSTLY_START * b.seconds);
        }
        if job.outside() && std::mem::take(&mut small) && !slow && !over {
            for _ in 1..SMALL.min(tasks / (4 * workers as u64)) {
                let Some(fresh) = sampler.fresh(&*source, from, tasks) else { break };
                let (next, piece) = sampler.task(&*source, fresh)?;
                sampled.ran(next, &piece);
                sampled.pieces.push(piece);
                point = next;
            }
        }
        let known = Known { before: before.filter(|b: &Point| slow && b.bytes < point.bytes), point };
        before = Some(point);
        let job_s = known.job_s(extent, slow.then_some(workers));
        let budget = budget(job_s * slower, job.keeps());
        let room = budget * phase;
        let size = grain.max(point.bytes as u64);
        if over {
            // A second result is to be merged with, and where that can be, it is of another size.
            match Some(size.saturating_mul(LITTLE))
                .filter(|next| sampled.pieces.len() < 2 && is_possible(*next))
            {
                Some(next) => {
                    grain = next;
                    continue;
                }
                None => {
                    if sampled.pieces.len() < 2
                        && let Some(fresh) = sampler.fresh(&*source, from, tasks)
                    {
                        let (next, piece) = sampler.task(&*source, fresh)?;
                        sampled.ran(next, &piece);
                        sampled.pieces.push(piece);
                    }
                    return Ok(Grown { source, sampled, budget, slow, over });
                }
            }
        }
        let leaps = (1..=known.leaps()).rev().map(|leap| size.saturating_mul(GROWTH.pow(leap)));
        let next = leaps.filter(|next| is_possible(*next)).find(|next| {
            if !slow {
                return GROWTH as f64 * point.seconds <= room;
            }
            let next_s = known.most_s(*next as f64);
            next_s <= room
                || known.is_mostly_start(next_s) && next_s <= SHARE * job_s
                // What one size takes could be anything: a second tells.
                || known.before.is_none() && next_s <= SECOND * budget
        });
        let Some(next) = next else {
            // As large as a phase has room for, and all phases together have input for; what is kept is
            // rather from more inputs.
            let room = room / point.seconds.max(f64::MIN_POSITIVE);
            let room = if job.keeps() { 1.0 } else { room.clamp(1.0, GROWTH as f64) };
            let most = extent.max_grain.min(extent.bytes / (4 * workers as u64)).min(fits).max(grain);
            let source = cut(((grain as f64 * room) as u64).min(most))?;
            return Ok(Grown { source, sampled, budget, slow, over });
        };
        grain = next;
    }
}

/// Runs a task that is much smaller than those of `grain` bytes, where the input can be cut anywhere.
fn smaller(
    job: &dyn ErasedJob,
    sampler: &Sampler<'_>,
    extent: &Extent,
    grain: u64,
    sampled: &mut Sampled,
) -> Result<Option<Point>, RunError> {
    let page = PAGE.max(extent.min_grain);
    if extent.pieces.is_some() || page.saturating_mul(GROWTH) > grain {
        return Ok(None);
    }
    let source = job.cut_known(page).map_err(|e| RunError::Invalid(e.to_string()))?;
    let tasks = source.len().unwrap_or(1).max(1);
    let from = if job.keeps() { 0 } else { tasks / 2 };
    let Some(fresh) = sampler.fresh(&*source, from, tasks) else { return Ok(None) };
    let (point, piece) = sampler.task(&*source, fresh)?;
    sampled.ran(point, &piece);
    sampled.pieces.push(piece);
    Ok(Some(point))
}

/// What tasks cost, by the last one, and by one before it that was smaller where that is asked for.
struct Known {
    before: Option<Point>,
    point: Point,
}

impl Known {
    /// What a task takes by itself and by the byte, where so much of the last one's time is taken for its bytes' in any case.
    fn line(&self, unseen: f64) -> (f64, f64) {
        let Point { bytes, seconds, .. } = self.point;
        let by_bytes = seconds / bytes.max(1.0);
        let per_byte = match self.before {
            Some(b) => ((seconds - b.seconds).max(0.0) + unseen * seconds) / (bytes - b.bytes),
            None => by_bytes,
        };
        let per_byte = per_byte.min(by_bytes);
        (seconds - per_byte * bytes, per_byte)
    }

    /// Seconds of a task of so many bytes, rather too many.
    fn most_s(&self, bytes: f64) -> f64 {
        let (fixed, per_byte) = self.line(UNSEEN);
        fixed + per_byte * bytes
    }

    /// Whether a larger task that takes so long is mostly start.
    fn is_mostly_start(&self, seconds: f64) -> bool {
        self.before.is_some() && seconds <= MOSTLY_START * self.point.seconds
    }

    /// How many times over tasks may grow at once.
    fn leaps(&self) -> u32 {
        if self.before.is_some() { LEAPS } else { 1 }
    }

    /// Seconds of the job on one processor: in tasks like the last, or of a program that is slow to start, in tasks as large as costs are
    /// believed, one for each of so many workers at least.
    fn job_s(&self, extent: &Extent, slow: Option<usize>) -> f64 {
        let (all, bytes) = (extent.bytes as f64, self.point.bytes.max(1.0));
        let Some(workers) = slow else { return all / bytes * self.point.seconds };
        let pieces = extent.pieces.as_ref().map_or(f64::INFINITY, |pieces| pieces.len() as f64);
        let grain = (BEYOND as f64 * bytes).min(extent.max_grain as f64).max(1.0);
        let tasks = (all / grain).max(workers as f64).min(pieces);
        let (fixed, per_byte) = self.line(0.0);
        tasks * fixed + all * per_byte
    }
}

/// Whether many small tasks are tried rather than a few large ones: files differ by more than their sizes, and of what is not
/// kept any may be tried.
pub(super) fn fine(job: &dyn ErasedJob, extent: &Extent) -> bool {
    extent.pieces.is_some() && !job.keeps()
}

/// Bytes of results that may rest in memory, where those of all tasks would be more. (Results are taken to be about
/// as large as their inputs.)
pub(super) fn short(job: &dyn ErasedJob, extent: &Extent) -> Option<u64> {
    job.room().filter(|&room| room < extent.bytes)
}

/// Seconds that the pilot of a job may take that takes so many, on one processor of those that it is to run on.
fn budget(job_s: f64, keeps: bool) -> f64 {
    let least = if keeps { LEAST_KEPT } else { LEAST };
    (job_s * SHARE).clamp(BUDGET.0, BUDGET.1).min((job_s * MOST).max(least))
}

#[cfg(test)]
mod tests {
    use forerun_apps::Extent;

    use super::{Known, Point};

    fn lines(bytes: u64) -> Extent {
        Extent { bytes, pieces: None, min_grain: 1, max_grain: bytes, kept: Vec::new(), breaks: Vec::new() }
    }

    #[test]
    fn a_job_is_not_made_of_as_many_starts_as_it_has_pages() {
        let (page, larger) = (Point::new(4096.0, 0.3), Point::new(16384.0, 0.3));
        let one = Known { before: None, point: page };
        assert!((one.job_s(&lines(4096 * 1000), Some(2)) - 300.0).abs() < 1e-9);
        assert!((one.most_s(16384.0) - 1.2).abs() < 1e-9 && !one.is_mostly_start(0.3));
        // Sixteen pages a task.
        let two = Known { before: Some(page), point: larger };
        assert!((two.job_s(&lines(4096 * 1600), Some(2)) - 30.0).abs() < 1e-9);
        let next_s = two.most_s(65536.0);
        assert!((0.3..0.4).contains(&next_s) && two.is_mostly_start(next_s));
        // What takes as much longer as it is larger has no start.
        let two = Known { before: Some(page), point: Point::new(16384.0, 1.2) };
        assert!((two.job_s(&lines(4096 * 1000), Some(2)) - 300.0).abs() < 1e-9);
        assert!((two.most_s(65536.0) - 4.8).abs() < 1e-9 && !two.is_mostly_start(4.8));
    }
}
