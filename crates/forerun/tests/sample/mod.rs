//! Outcomes as runs and predictions of a small reduction would give them: makespans from a plain cost
//! model, repeats with a spread, timelines of tasks, merges, messages and waits that add up to them.

// Every test file that uses this module uses another part of it.
#![allow(dead_code)]

use forerun_platform::random::Random;
use forerun_platform::{
    Deal, Grain, Interval, Outcome, Plan, RankTimes, Skeleton, Span, Stage, Strategy, Way,
};

/// One outcome of `tasks` tasks; `off` is the makespan's factor against the cost model.
pub(crate) fn outcome(
    way: Way,
    strategy: Strategy,
    processors: usize,
    tasks: u64,
    off: f64,
    seed: u64,
) -> Outcome {
    let mut noise = Random::new(seed);
    let ranks: Vec<RankTimes> =
        (0..processors).map(|rank| rank_times(rank, processors, strategy, tasks, off, &mut noise)).collect();
    let makespan_s = ranks.iter().map(|rank| rank.end_s).fold(0.0, f64::max);
    let measured = matches!(way, Way::Threads | Way::Mpi);
    let centre = if measured { makespan_s * (0.97 + 0.05 * noise.unit()) } else { makespan_s };
    let predicted = Some(Interval { makespan_s: centre, low_s: centre * 0.94, high_s: centre * 1.06 });
    let plan = Plan {
        skeleton: Skeleton::Reduction,
        shares: Vec::new(),
        ahead: 0,
        strategy,
        processors,
        groups: 1,
        arity: 2,
        set: (processors as u64 / 2).max(1),
        gather: 1,
        deal: Deal::default(),
        grain: Grain { tasks: Some(tasks), bytes: 4 << 20 },
        farm: None,
        window: 2,
        predicted,
        reason:
            "a merge takes 0.6 of a task, so half of the ranks keep the others busy; tasks bound the time"
                .into(),
    };
    Outcome {
        job: "sort ints.bin".into(),
        platform: "quad-core laptop".into(),
        ..Outcome::from_ranks(way, plan, makespan_s, ranks, tasks)
    }
}

fn rank_times(
    rank: usize,
    p: usize,
    strategy: Strategy,
    tasks: u64,
    off: f64,
    noise: &mut Random,
) -> RankTimes {
    let (task, merge, message) = (0.150 * off, 0.090 * off, 0.004 * off);
    let mut times = RankTimes::default();
    let mut now = 0.0;
    let mut add = |stage: Stage, item: u64, length: f64, times: &mut RankTimes| {
        times.timeline.push(Span { stage, item, start_s: now, end_s: now + length });
        let total = times.stages.entry(stage).or_default();
        total.count += 1;
        total.total_s += length;
        now += length;
        times.end_s = now;
    };
    let slowdown = match strategy {
        Strategy::ParallelPipeline | Strategy::Adaptive => 0.0,
        Strategy::ReductionTree => 0.030 * (p as f64).log2(),
        Strategy::MasterSlave => 0.045 * (p as f64 - 1.0),
    };
    let merges_only = strategy == Strategy::MasterSlave && p > 1 && rank == 0;
    for step in 0..tasks.div_ceil(p as u64) {
        let item = step * p as u64 + rank as u64;
        let jitter = 0.95 + 0.1 * noise.unit();
        if merges_only {
            add(Stage::Wait, item, (task - 0.02).max(0.0) * jitter, &mut times);
            add(Stage::Receive, item, message, &mut times);
            add(Stage::Merge, item, (merge + slowdown * off) * jitter, &mut times);
            continue;
        }
        add(Stage::Input, item, 0.006 * off, &mut times);
        add(Stage::Task, item, task * jitter, &mut times);
        if p > 1 && (step + rank as u64).is_multiple_of(2) {
            add(Stage::Send, item, message, &mut times);
            add(Stage::Wait, item, (0.02 + slowdown) * off * jitter, &mut times);
            times.messages += 1;
            times.bytes += 65_536;
        } else {
            add(Stage::Wait, item, slowdown * off, &mut times);
            add(Stage::Receive, item, message, &mut times);
            add(Stage::Merge, item, merge * jitter, &mut times);
        }
    }
    if rank + 1 == p {
        add(Stage::Sink, 0, 0.05 * off, &mut times);
        add(Stage::Finish, 0, 0.12 * off, &mut times);
    }
    times
}

/// Four strategies on 1, 2, 4 and 8 processors, by threads (three runs each), analytic and simulated.
pub(crate) fn many() -> Vec<Outcome> {
    let mut all = Vec::new();
    for (s, strategy) in Strategy::ALL.into_iter().enumerate() {
        for (p, processors) in [1, 2, 4, 8].into_iter().enumerate() {
            let seed = (100 * s + 10 * p) as u64;
            let drift = 1.0 + 0.02 * p as f64;
            for run in 0..3 {
                let off = drift * (1.0 + 0.03 * run as f64);
                all.push(outcome(Way::Threads, strategy, processors, 96, off, seed + run));
            }
            all.push(outcome(Way::Simulated, strategy, processors, 96, drift * 1.01, seed + 7));
            let mut analytic = outcome(Way::Analytic, strategy, processors, 96, drift * 0.96, seed + 8);
            analytic.ranks.clear();
            all.push(analytic);
        }
    }
    all
}

/// An outcome with no more than a makespan, and a prediction if one is given (its interval ±5 %).
pub(crate) fn bare(way: Way, processors: usize, makespan_s: f64, predicted_s: Option<f64>) -> Outcome {
    let mut outcome = outcome(way, Strategy::Adaptive, processors, 8, 1.0, 1);
    outcome.makespan_s = makespan_s;
    outcome.throughput = 0.0;
    outcome.predicted = predicted_s.map(|s| Interval { makespan_s: s, low_s: 0.95 * s, high_s: 1.05 * s });
    outcome.plan.predicted = None;
    outcome.ranks.clear();
    outcome.stages.clear();
    outcome
}

/// Names that try to leave their place, many processors, tiny times, more ranks and spans than are drawn one
/// by one, a job without a name, a strategy in groups.
pub(crate) fn awkward() -> Vec<Outcome> {
    let mut all = Vec::new();
    for (at, processors) in [1, 2, 3, 4, 6, 8, 16, 64, 128, 1000].into_iter().enumerate() {
        for way in [Way::Mpi, Way::Simulated] {
            let mut one = outcome(way, Strategy::MasterSlave, processors, 2000, 1e-5, at as u64);
            one.job = format!("<script>alert(1)</script> \"quoted\" & 'more' {}", "x".repeat(300));
            one.platform = "a\nplatform</style><img src=x>".into();
            one.plan.reason = "because <b>bold</b>".into();
            all.push(one);
        }
    }
    for processors in [4, 32] {
        let mut one = outcome(Way::Threads, Strategy::ReductionTree, processors, 4000, 1.0, 5);
        one.job = String::new();
        one.plan.groups = 2;
        one.plan.arity = 4;
        all.push(one);
    }
    all
}
