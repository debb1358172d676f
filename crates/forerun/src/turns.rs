//! Ranks in excess of the cores, which virtual time gives a core each: they take turns.

use std::collections::BTreeMap;

use forerun_model::sharing;
use forerun_platform::{RankTimes, Stage, StageTotal};

/// Seconds that ranks take on so many `cores`, which in virtual time, with a core each, ended after `makespan_s`
/// ([`forerun_model::sharing()`]). No more than `makespan_s` where there are no more ranks than cores.
pub fn in_turns(ranks: &[RankTimes], makespan_s: f64, cores: usize) -> f64 {
    if ranks.len() <= cores.max(1) {
        return makespan_s;
    }
    sharing(ranks.iter().map(|rank| worked(&rank.stages)), makespan_s, cores)
}

/// Seconds for which a rank, or all of them, had something to do.
pub fn worked(stages: &BTreeMap<Stage, StageTotal>) -> f64 {
    let waits = [Stage::Wait, Stage::Input];
    stages.iter().filter(|(stage, _)| !waits.contains(stage)).map(|(_, t)| t.total_s).sum()
}
