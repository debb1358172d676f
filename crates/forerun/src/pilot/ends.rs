//! What the end of a job costs: delivering, joining and finishing.

use std::time::Instant;

use forerun_apps::{ErasedJob, ErasedMessage};
use forerun_platform::{Cost, JoinAt, Stage};
use forerun_skeleton::RunError;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};

use super::sample::{bytes_of, failed};

/// Costs of the end.
pub(super) struct Ends {
    pub(super) sink: Cost,
    pub(super) finish: Cost,
    pub(super) join: Cost,
}

/// Takes results through the rehearsal of sink and finish: one alone, which shows what delivering and
/// finishing cost, then, where the finish joins what is delivered, the others. Every byte is merged once
/// a level, beside what finishing does anyway: it shows as far as it takes longer.
pub(super) fn rehearse(
    job: &dyn ErasedJob,
    mut pieces: Vec<Piece<ErasedMessage>>,
    merge: &Cost,
) -> Result<Ends, RunError> {
    let others = pieces.split_off(pieces.len().min(1));
    let one = end(job, pieces)?;
    if job.join() == JoinAt::Sink {
        // Merged results do not grow much: what the end of one costs is that of any.
        let (sink, finish) = (Cost::constant(one.sinking), Cost::constant(one.finishing));
        return Ok(Ends { sink, finish, join: *merge });
    }
    let (sink, finish) = (per_byte(one.bytes, one.sinking), per_byte(one.bytes, one.finishing));
    let levels = (others.len().max(1) as f64).log2();
    if levels == 0.0 {
        return Ok(Ends { sink, finish, join: *merge });
    }
    let all = end(job, others)?;
    let join = Cost { per_byte: all.finishing / levels / all.bytes.max(1.0), ..Cost::default() };
    // What took no longer than finishing alone is at most as much.
    let hidden = all.finishing <= finish.seconds(all.bytes, 1.0);
    let join = if hidden && merge.per_byte < join.per_byte { *merge } else { join };
    Ok(Ends { sink, finish, join })
}

/// One rehearsal.
struct Rehearsed {
    bytes: f64,
    /// Seconds of a delivery, in the mean, and of the finish.
    sinking: f64,
    finishing: f64,
}

/// The cost of a call of which only one was timed: all of it by the byte, if there were any.
fn per_byte(bytes: f64, seconds: f64) -> Cost {
    if bytes > 0.0 { Cost { per_byte: seconds / bytes, ..Cost::default() } } else { Cost::constant(seconds) }
}

fn end(job: &dyn ErasedJob, pieces: Vec<Piece<ErasedMessage>>) -> Result<Rehearsed, RunError> {
    let failed = |e| failed(Stage::Finish, 0, e);
    let bytes: f64 = pieces.iter().map(bytes_of).sum();
    let count = pieces.len().max(1) as f64;
    let mut sink = job.rehearsal_sinks().open(0).map_err(failed)?;
    let begun = Instant::now();
    for piece in pieces {
        sink.accept(piece).map_err(failed)?;
    }
    let left = sink.close().map_err(failed)?;
    let sinking = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    job.rehearse_finish(vec![left]).map_err(failed)?;
    Ok(Rehearsed { bytes, sinking: sinking / count, finishing: begun.elapsed().as_secs_f64() })
}
