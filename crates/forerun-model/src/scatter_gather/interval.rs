//! The interval of a predicted time.

use forerun_platform::{Interval, ScatterGatherProfile, Stage, StageTotal};

/// 95 % of a normal distribution lie within so many deviations.
const DEVIATIONS: f64 = 1.96;

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
    let off = DEVIATIONS * variance.sqrt() * makespan_s;
    Interval { makespan_s, low_s: (makespan_s - off).max(0.0), high_s: makespan_s + off }
}
