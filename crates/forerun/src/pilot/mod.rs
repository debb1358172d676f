//! The pilot: a short run of a sample of the job, to learn what its tasks, merges and deliveries
//! cost.
//!
//! Tasks of growing size are run alone for a quarter of the time; then every worker runs
//! such tasks and merges at the same time as the others, as ranks will: what a busy machine makes
//! slower is so in the figures. No task runs twice where the job keeps what it got for the run. The results go through the rehearsal of the job's sink and
//! finish. It ends when its budget is spent: 5 % of what the job would take on one processor, but
//! no more than 2 s, and no less than 0.3 s or a quarter of a short job.

mod fit;
mod sample;

use std::time::{Duration, Instant};

use forerun_apps::{JobPartial, ReductionJob};
use forerun_platform::{Cost, Join, JoinAt, ReductionProfile, Stage};
use forerun_skeleton::reduction::{Piece, Sink, Sinks, Source};
use forerun_skeleton::{Cancel, RunError};

use self::fit::{MAD, Point, fit, median};
use self::sample::{Sampled, Sampler, failed};

/// Share of the job's time on one processor that a pilot may take.
const SHARE: f64 = 0.05;
/// Bounds of a pilot's time in seconds: less than the first tells too little.
const BUDGET: (f64, f64) = (0.3, 2.0);
/// Tasks smaller than the largest by more than this factor are not taken for its like.
const ALIKE: f64 = 16.0;
/// Share of the job's time that a pilot never takes more than.
const MOST: f64 = 0.25;
/// Size of the first task tried, where the input can be cut anywhere.
const FIRST: u64 = 64 << 10;

/// What a pilot found.
#[derive(Debug, Clone)]
pub struct Pilot {
    /// The costs.
    pub profile: ReductionProfile,
    /// How long the pilot took.
    pub seconds: f64,
    /// How many tasks it ran.
    pub tasks: usize,
    /// Bytes of the largest of them.
    pub largest: u64,
}

/// Runs a pilot of `job` with `workers` workers at a time.
///
/// # Errors
/// A task or a merge that fails, as a run would report it; cancelled.
pub fn pilot<J: ReductionJob>(job: &J, workers: usize, cancel: &Cancel) -> Result<Pilot, RunError> {
    let begun = Instant::now();
    let extent = job.extent();
    let sampler = Sampler::new(job, cancel);
    if extent.bytes == 0 && extent.pieces.as_ref().is_none_or(Vec::is_empty) {
        return Ok(Pilot { profile: ReductionProfile::default(), seconds: 0.0, tasks: 0, largest: 0 });
    }

    // Alone, growing.
    let mut grain = if extent.pieces.is_some() { 1 } else { FIRST.clamp(extent.min_grain, extent.max_grain) };
    let mut alone: Vec<Point> = Vec::new();
    let mut tried = 0;
    let (source, budget, pieces) = loop {
        let source = job.cut_known(grain).map_err(|e| RunError::Invalid(e.to_string()))?;
        let tasks = source.len().unwrap_or(1).max(1);
        let mut pieces = Vec::new();
        if tried == 0 && tasks > 1 {
            // The very first task pays for what is set up once.
            pieces.push(sampler.task(&source, 0)?.1);
            tried += 1;
        }
        let Some(fresh) = sampler.fresh(&source, tasks / 2, tasks) else {
            break (source, 0.0, pieces);
        };
        let (point, piece) = sampler.task(&source, fresh)?;
        pieces.push(piece);
        tried += 1;
        alone.push(point);
        let budget = budget(extent.bytes as f64 / point.bytes.max(1.0) * point.seconds);
        let spent = begun.elapsed().as_secs_f64();
        let next = grain.max(point.bytes as u64).saturating_mul(4);
        // The larger the tasks, the more they are like those of the run; a quarter of the budget is
        // for the next size, if it takes four times as long.
        let enough = spent + 4.0 * point.seconds > budget / 4.0;
        if enough || next > extent.max_grain || next.saturating_mul(2 * workers as u64) > extent.bytes {
            break (source, budget, pieces);
        }
        grain = next;
    };

    // All at once.
    let until = begun + Duration::from_secs_f64(budget * 0.6);
    let mut sampled = sampler.together(&source, workers, until, pieces)?;
    let tasks = tried + sampled.tasks.len();
    let contention = contention(&alone, &sampled.tasks, workers);
    for point in sampled.tasks.iter_mut().chain(&mut sampled.merges) {
        point.seconds /= 1.0 + contention * (workers - 1) as f64;
    }
    sampled.tasks.extend(alone);
    // Much smaller tasks, which fit a cache, tell little of what large ones cost.
    let largest = sampled.tasks.iter().map(|p| p.bytes).fold(0.0, f64::max);
    sampled.tasks.retain(|p| p.bytes * ALIKE >= largest);
    let (task, merge) = (fit(&sampled.tasks), fit(&sampled.merges));
    let mut ends = rehearse(job, &mut sampled, &merge)?;
    // The end was timed once; it is no surer than what was timed more often.
    for cost in [&mut ends.sink, &mut ends.finish, &mut ends.join] {
        cost.error = cost.error.max(task.error);
    }
    let profile = ReductionProfile {
        task,
        merge,
        sink: ends.sink,
        finish: ends.finish,
        result_bytes: sampled.result_bytes(),
        growth: sampled.growth(),
        join: Some(Join { at: J::JOIN, cost: ends.join }),
        contention,
    };
    let largest = sampled.tasks.iter().map(|p| p.bytes as u64).max().unwrap_or(0);
    Ok(Pilot { profile, seconds: begun.elapsed().as_secs_f64(), tasks, largest })
}

/// Seconds that the pilot of a job of so many seconds, on one processor, may take.
fn budget(job_s: f64) -> f64 {
    (job_s * SHARE).clamp(BUDGET.0, BUDGET.1).min(job_s * MOST)
}

/// How much longer a task takes for each of the other workers, from tasks alone and together:
/// what is beyond the standard error of their comparison, since a few calls that happen to differ
/// are no contention.
fn contention(alone: &[Point], together: &[Point], workers: usize) -> f64 {
    let largest = alone.iter().map(|p| p.bytes).fold(0.0, f64::max);
    let alone: Vec<Point> = alone.iter().copied().filter(|p| p.bytes * ALIKE >= largest).collect();
    let others = workers.saturating_sub(1);
    if others == 0 || alone.is_empty() || together.is_empty() {
        return 0.0;
    }
    let line = fit(&alone);
    let ratios: Vec<f64> =
        together.iter().map(|p| p.seconds / line.seconds(p.bytes, 1.0).max(f64::MIN_POSITIVE)).collect();
    let ratio = median(ratios.clone());
    let deviation = median(ratios.iter().map(|r| (r / ratio - 1.0).abs()).collect()) / MAD;
    let error = deviation * (1.0 / alone.len() as f64 + 1.0 / together.len() as f64).sqrt();
    ((ratio - 1.0 - error) / others as f64).clamp(0.0, 1.0)
}

/// Joining is told from finishing where both together take longer than finishing by this factor.
const SHOWS: f64 = 1.2;

/// What the end of a job costs.
struct Ends {
    sink: Cost,
    finish: Cost,
    join: Cost,
}

/// Takes the sampled results through the rehearsal of sink and finish: one of them alone, which
/// shows what delivering and finishing cost, then the others, which shows what joining them adds.
fn rehearse<J: ReductionJob>(job: &J, sampled: &mut Sampled<J>, merge: &Cost) -> Result<Ends, RunError> {
    let mut pieces = sampled.take_pieces();
    let others = pieces.split_off(pieces.len().min(1));
    let (sink, finish, _) = end(job, pieces)?;
    let ends = Ends { sink: per_byte(sink), finish: per_byte(finish), join: *merge };
    if J::JOIN == JoinAt::Sink || others.len() < 2 {
        return Ok(ends);
    }
    let levels = (others.len() as f64).log2();
    let (_, all, bytes) = end(job, others)?;
    // Every byte is merged once a level, beside what finishing does anyway: it shows only where it
    // takes longer.
    if all.seconds > SHOWS * ends.finish.seconds(bytes, 1.0) {
        let join = Cost { per_byte: all.seconds / levels / bytes.max(1.0), ..Cost::default() };
        return Ok(Ends { join, ..ends });
    }
    Ok(ends)
}

/// The cost of a call of which only one was timed: all of it by the byte, if there were any.
fn per_byte(point: Point) -> Cost {
    if point.bytes > 0.0 {
        Cost { per_byte: point.seconds / point.bytes, ..Cost::default() }
    } else {
        Cost::constant(point.seconds)
    }
}

/// Times one delivery of each piece (the mean), and the finish.
fn end<J: ReductionJob>(job: &J, pieces: Vec<Piece<JobPartial<J>>>) -> Result<(Point, Point, f64), RunError> {
    let failed = |e| failed(Stage::Finish, 0, e);
    let bytes: f64 = pieces.iter().map(Sampled::<J>::bytes_of).sum();
    let count = pieces.len().max(1) as f64;
    let mut sink = job.rehearsal_sinks().open(0).map_err(failed)?;
    let begun = Instant::now();
    for piece in pieces {
        sink.accept(piece).map_err(failed)?;
    }
    let left = Sink::<JobPartial<J>>::close(sink).map_err(failed)?;
    let sinking = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    job.rehearse_finish(vec![left]).map_err(failed)?;
    let finishing = begun.elapsed().as_secs_f64();
    let sink = Point { bytes: bytes / count, seconds: sinking / count };
    Ok((sink, Point { bytes, seconds: finishing }, bytes))
}
