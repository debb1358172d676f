//! The interval of a predicted time.

use forerun_platform::{Interval, ScatterGatherProfile, Stage, StageTotal};

/// The interval that the profile's errors and spreads make, each stage weighted by its part of
/// the work: what calls are off by in common counts in full, what varies from call to call is
/// averaged over the calls.
pub(super) fn interval(
    makespan_s: f64,
    totals: &[StageTotal; Stage::ALL.len()],
    profile: &ScatterGatherProfile,
) -> Interval {
    let stages = [
        (Stage::Read, &profile.read),
        (Stage::Process, &profile.process),
        (Stage::ResolveLocal, &profile.local),
        (Stage::ResolveGlobal, &profile.global),
        (Stage::Write, &profile.write),
        (Stage::Finish, &profile.finish),
    ];
    let busy: f64 = stages.iter().map(|(stage, _)| totals[*stage as usize].total_s).sum();
    let variance: f64 = stages
        .iter()
        .map(|(stage, cost)| {
            let total = totals[*stage as usize];
            let part = if busy > 0.0 { total.total_s / busy } else { 0.0 };
            part * part * (cost.error.powi(2) + cost.spread.powi(2) / total.count.max(1) as f64)
        })
        .sum();
    Interval::around(makespan_s, variance.sqrt() * makespan_s)
}
