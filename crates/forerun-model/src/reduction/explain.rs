//! What bounds a time, in a sentence.

use forerun_platform::ReductionProfile;
use forerun_skeleton::reduction::Shape;

use super::Bound;
use super::costs::Costs;
use super::timing::Timing;
use crate::Load;
use crate::words::{bytes, seconds, times};

/// The sentence with the figures of the cycle.
pub(super) fn reason(shape: &Shape, load: &Load, c: &Costs, size: usize, t: &Timing) -> String {
    let per_result = |s: f64| seconds(s / t.results.max(1.0));
    match t.bound {
        Bound::Task if size == 1 => format!("every result takes a task of {}", seconds(c.task)),
        Bound::Task => {
            format!("tasks bound it: {} each, one result every {}", seconds(c.task), per_result(t.cycle))
        }
        Bound::Merge => format!(
            "merges bound it: one result every {}, where the tasks alone would allow {}",
            per_result(t.cycle),
            seconds(c.task / size as f64)
        ),
        Bound::Sink => format!("the sink bounds it: one result every {}", per_result(t.cycle)),
        Bound::Communication => format!(
            "messages bound it: a result of {} takes {} from rank to rank, a task {}",
            bytes(c.bytes(1)),
            seconds(c.hop(1)),
            seconds(c.task)
        ),
        Bound::Master => {
            let slaves = size as f64 - 1.0;
            format!(
                "the master merges {} for every set of tasks: {} a result, where the slaves give one every {}",
                times(slaves, "result"),
                per_result(t.cycle),
                seconds(c.task / slaves)
            )
        }
        Bound::First => {
            format!(
                "the first rank, which delivers every set, bounds it: one result every {}",
                seconds(t.cycle)
            )
        }
        Bound::Depth => format!(
            "{} on {}: merging them up the tree takes {} after the last task",
            times(load.tasks as f64 / shape.groups as f64, "task"),
            times(size as f64, "rank"),
            seconds(t.drain)
        ),
        Bound::Cores => format!("{} share fewer cores", times(shape.ranks as f64, "rank")),
    }
}

/// What goes by way of the disk, as the rest of the sentence; nothing where all fits in memory.
pub(super) fn spilled(profile: &ReductionProfile, load: &Load) -> String {
    let Some(spill) = &profile.spill else { return String::new() };
    let result = profile.result_bytes.0 + profile.result_bytes.1 * load.bytes;
    let results = spill.spilled(load.tasks, result) as f64;
    if results == 0.0 {
        return String::new();
    }
    let way = results * (spill.write.seconds(result, 1.0) + spill.read.seconds(result, 1.0));
    format!(
        "; {} of {} have no room in memory and go by way of the disk, which takes {} of work",
        bytes(results * result),
        bytes(load.tasks as f64 * result),
        seconds(way)
    )
}
