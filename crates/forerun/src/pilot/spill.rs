//! What results cost that have no room in memory.

use std::time::{Duration, Instant};

use forerun_apps::{ErasedJob, Spilling};
use forerun_platform::{Spill, Stage};
use forerun_skeleton::RunError;

use super::fit::{Point, fit};
use super::sample::failed;

/// Times that a result goes to the disk and back, at least (the very first time pays for what is set
/// up once) and at most.
const TIMES: (usize, usize) = (3, 64);

/// Puts a result on the disk and takes it back, about as long as `time`, where a job whose results come to
/// `result_bytes` bytes has no room for all of them; what that costs. A result has `each` bytes, or as many as that of
/// the largest task.
///
/// The bytes are written and read as in a run: to the page cache, from which the system writes when it
/// likes. What a run has to wait for because it is ahead of its device by more than the system allows is
/// in no sample of some megabytes; it is not in the figures.
///
/// # Errors
/// What the job says of the directory.
pub(crate) fn spill(
    job: &dyn ErasedJob,
    result_bytes: f64,
    each: Option<u64>,
    time: Duration,
) -> Result<Option<Spill>, RunError> {
    Ok(way(job, result_bytes, each, time)?.map(|(spill, _)| spill))
}

/// The same of a job whose finish merges what comes back, and, tried as long again, the seconds a byte of a level of that beside its way,
/// where there is one.
///
/// # Errors
/// What the job says of the directory, or of its input.
pub(super) fn spill_and_merge(
    job: &dyn ErasedJob,
    result_bytes: f64,
    time: Duration,
) -> Result<(Option<Spill>, Option<f64>), RunError> {
    let Some((spill, mut trial)) = way(job, result_bytes, None, time)? else { return Ok((None, None)) };
    let bytes = trial.bytes() as f64;
    let way = (spill.write.seconds(bytes, 1.0) + spill.read.seconds(bytes, 1.0)) / bytes;
    let merging = merging(&mut *trial, time)?.map(|(seconds, levels)| (seconds - way) / levels);
    // What takes no longer than the way was disturbed on it.
    Ok((Some(spill), merging.filter(|&each| each > 0.0)))
}

/// What the way to the disk and back costs, and what it was tried with.
type Tried<'j> = (Spill, Box<dyn Spilling + 'j>);

/// Tries the way.
fn way(
    job: &dyn ErasedJob,
    result_bytes: f64,
    each: Option<u64>,
    time: Duration,
) -> Result<Option<Tried<'_>>, RunError> {
    let Some(room) = job.room().map(|room| room as f64).filter(|&room| room < result_bytes) else {
        return Ok(None);
    };
    let Some(mut trial) = job.spilling(each) else { return Ok(None) };
    let begun = Instant::now();
    let bytes = trial.bytes() as f64;
    let (mut writes, mut reads) = (Vec::new(), Vec::new());
    while writes.len() < TIMES.0 || (writes.len() < TIMES.1 && begun.elapsed() < time) {
        let at = Instant::now();
        trial.write().map_err(|e| failed(Stage::Task, 0, e))?;
        let written = Instant::now();
        trial.read().map_err(|e| failed(Stage::Finish, 0, e))?;
        writes.push(Point::new(bytes, (written - at).as_secs_f64()));
        reads.push(Point::new(bytes, written.elapsed().as_secs_f64()));
    }
    let ways = job.merged_at_once().map_or(0.0, |ways| ways as f64);
    let spill = Spill { room, ways, write: fit(&writes[1..]), read: fit(&reads[1..]) };
    Ok(Some((spill, trial)))
}

/// Merges results from the disk to the disk, about as long as `time`: seconds a byte, and in how many levels.
fn merging(trial: &mut dyn Spilling, time: Duration) -> Result<Option<(f64, f64)>, RunError> {
    let begun = Instant::now();
    let (mut merges, mut of) = (Vec::new(), (0, 0));
    while merges.len() < TIMES.0 || (merges.len() < TIMES.1 && begun.elapsed() < time) {
        let Some((bytes, results)) = trial.gather().map_err(|e| failed(Stage::Finish, 0, e))? else {
            return Ok(None);
        };
        if bytes == 0 || results < 2 {
            return Ok(None);
        }
        let at = Instant::now();
        trial.merge().map_err(|e| failed(Stage::Finish, 0, e))?;
        merges.push(at.elapsed().as_secs_f64() / bytes as f64);
        of = (bytes, results);
    }
    let (bytes, results) = of;
    let each: Vec<Point> = merges[1..].iter().map(|s| Point::new(bytes as f64, s * bytes as f64)).collect();
    Ok(Some((fit(&each).seconds(bytes as f64, 1.0) / bytes as f64, (results as f64).log2())))
}
