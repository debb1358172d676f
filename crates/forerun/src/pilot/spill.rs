//! What results cost that have no room in memory.

use std::time::{Duration, Instant};

use forerun_apps::ErasedJob;
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
    Ok(Some(Spill { room, ways, write: fit(&writes[1..]), read: fit(&reads[1..]) }))
}
