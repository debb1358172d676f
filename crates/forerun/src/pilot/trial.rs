//! Tasks as large as the plan's, and merges of their results: what larger ones than were tried cost is seen rather than extrapolated.

use forerun_apps::{ErasedJob, ErasedSource};
use forerun_platform::{JoinAt, ReductionProfile};
use forerun_skeleton::RunError;

use super::lanes::on_threads;
use super::sample::{Sampled, Sampler};

/// Tasks up to so many times as large as the largest tried are taken for its like.
const ALIKE: f64 = 2.0;
/// Of a task that is tried, the least part of the grain that it must have.
const WHOLE: f64 = 0.5;
/// A task of a job that keeps results is none that the run has to do: as much more time is there for it.
const KEPT: f64 = 2.0;

/// What is known before.
pub(super) struct Before<'p> {
    pub(super) profile: &'p ReductionProfile,
    /// Bytes of the largest task so far, and of all of them.
    pub(super) largest: f64,
    pub(super) bytes: f64,
    /// Seconds that there are for it, on one processor.
    pub(super) seconds: f64,
    /// Whether tasks are those of a program that is slow to start.
    pub(super) slow: bool,
}

/// How tasks of the plan's size compare with what was known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Found {
    /// What tasks took and what they were expected to, alone and beside others.
    alone: Compared,
    beside: Compared,
    workers: usize,
    pub(super) tasks: usize,
    /// Bytes of the largest.
    pub(super) largest: f64,
    /// Bytes of all.
    bytes: f64,
    /// Bytes of what was tried before.
    before: f64,
}

/// Seconds that were taken, and those that were expected.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Compared {
    took: f64,
    expected: f64,
}

impl Compared {
    /// How many times as long it took; none where nothing was tried.
    fn ratio(self) -> Option<f64> {
        Some(self.took / self.expected).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }
}

/// Tries tasks of up to `grain` bytes, if they are much larger than those so far: for each of `at_once` so many at the same time.
/// Tasks are no larger than there is time for. Where a sink merges results, those of these tasks are merged, too. Tasks, merges
/// and the sizes of results are added to `sampled`.
///
/// # Errors
/// A task that fails, as a run would report it; cancelled.
pub(super) fn trial(
    job: &dyn ErasedJob,
    sampler: &Sampler<'_>,
    at_once: &[usize],
    grain: u64,
    before: &Before<'_>,
    sampled: &mut Sampled,
) -> Result<Found, RunError> {
    let mut found = Found { before: before.bytes, ..Found::default() };
    let said = |bytes: f64, workers: usize| {
        let slower = 1.0 + before.profile.contention * (workers - 1) as f64;
        before.profile.task.seconds(bytes, 1.0) * slower * job.per_byte(bytes) / job.per_byte(before.largest)
    };
    let there = before.seconds * if job.keeps() { KEPT } else { 1.0 } / at_once.len().max(1) as f64;
    let most = at_once.iter().copied().max().unwrap_or(1);
    // Known before any of them is looked at: of small ones there may be billions.
    let like = |grain: u64| grain == 0 || (grain as f64) < ALIKE * before.largest;
    if like(grain) {
        return Ok(found);
    }
    let cut = |grain| job.cut_known(grain).map_err(|e| RunError::Invalid(e.to_string()));
    let mut source = cut(grain)?;
    // Between what was kept there may be no room for tasks of the whole grain.
    let largest = fresh(&*source).map(|task| source.bytes(task)).max().unwrap_or(0);
    let mut grain = grain.min(largest);
    let room = there / said(grain as f64, most).max(f64::MIN_POSITIVE);
    if room < 1.0 {
        grain = (grain as f64 * room) as u64;
    }
    if like(grain) {
        return Ok(found);
    }
    if room < 1.0 {
        source = cut(grain)?;
    }
    let large = |&task: &u64| source.bytes(task) as f64 >= WHOLE * grain as f64;
    let mut left: Vec<u64> = fresh(&*source).filter(large).collect();
    // Most of the job is left to the run.
    if left.len() < 2 * at_once.iter().sum::<usize>() {
        return Ok(found);
    }
    // What is kept, of programs that are slow to start, of an input that is cut anywhere is from one place: between what is all over it, there would be room for fewer whole
    // tasks than a plan has.
    let one_place = before.slow && job.keeps() && job.extent().pieces.is_none();
    let mut pieces = Vec::new();
    for &workers in at_once {
        let place = |k: usize, left: usize| match one_place {
            true => 0,
            false => (2 * k + 1) * left / (2 * workers + 1),
        };
        let tasks: Vec<u64> = (0..workers).map(|k| left.remove(place(k, left.len()))).collect();
        let points = on_threads(tasks, |task| sampler.task(&*source, task))?;
        let compared = if workers == 1 { &mut found.alone } else { &mut found.beside };
        for (point, piece) in points {
            compared.took += point.seconds;
            compared.expected += said(point.bytes, workers);
            sampled.large(point, workers, &piece);
            pieces.push(piece);
            found.tasks += 1;
            found.bytes += point.bytes;
            found.largest = found.largest.max(point.bytes);
        }
        found.workers = workers;
    }
    // (A finish that joins has its merges tried elsewhere.)
    while job.join() == JoinAt::Sink
        && let (Some(right), Some(left)) = (pieces.pop(), pieces.pop())
    {
        pieces.push(sampler.merge_large(left, right, sampled)?);
    }
    Ok(found)
}

/// The tasks that are not kept.
fn fresh(source: &dyn ErasedSource) -> impl Iterator<Item = u64> {
    (0..source.len().unwrap_or(0)).filter(|&i| !source.is_kept(i))
}

impl Found {
    /// Takes what was found into the profile: the cost of tasks as a mean over the bytes of before and now, and where tasks were tried
    /// both alone and beside others, how much they slow each other.
    pub(super) fn settle(&self, profile: &mut ReductionProfile) {
        let weight = if self.bytes > 0.0 { self.bytes / (self.bytes + self.before) } else { 0.0 };
        let mean = |ratio: f64| 1.0 + weight * (ratio - 1.0);
        let level = match (self.alone.ratio(), self.beside.ratio()) {
            (Some(alone), Some(beside)) => {
                let others = (self.workers - 1) as f64;
                let slower = (1.0 + profile.contention * others) * mean(beside) / mean(alone);
                profile.contention = ((slower - 1.0) / others).clamp(0.0, 1.0);
                mean(alone)
            }
            (Some(one), None) | (None, Some(one)) => mean(one),
            (None, None) => return,
        };
        profile.task = profile.task.times(level);
    }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Cost, ReductionProfile};

    use super::{Compared, Found};

    fn settled(alone: Option<f64>, beside: Option<f64>) -> (f64, f64) {
        let compared =
            |ratio: Option<f64>| ratio.map_or(Compared::default(), |took| Compared { took, expected: 1.0 });
        let (alone, beside) = (compared(alone), compared(beside));
        let found = Found { alone, beside, workers: 2, tasks: 3, largest: 1.0, bytes: 3e6, before: 1e6 };
        let mut profile =
            ReductionProfile { task: Cost::constant(1.0), contention: 0.2, ..ReductionProfile::default() };
        found.settle(&mut profile);
        (profile.task.fixed, profile.contention)
    }

    #[test]
    fn what_is_seen_counts_by_its_bytes() {
        assert_eq!(settled(None, None), (1.0, 0.2));
        // Three quarters of all bytes took a fifth less.
        let (task, contention) = settled(Some(0.8), None);
        assert!((task - 0.85).abs() < 1e-12 && contention == 0.2);
        // Beside another they took 1.2 times as long as was thought: 1.15 × 1.2 = 0.85 × (1 + contention).
        let (task, contention) = settled(Some(0.8), Some(1.2));
        assert!((task - 0.85).abs() < 1e-12 && (contention - (1.2 * 1.15 / 0.85 - 1.0)).abs() < 1e-12);
        // The known number of ranks needs no more than this.
        let (task, contention) = settled(None, Some(1.2));
        assert!((task - 1.15).abs() < 1e-12 && contention == 0.2);
        assert_eq!(settled(Some(2.0), Some(0.5)).1, 0.0, "none slows another less than not at all");
    }
}
