//! Predictions by virtual time.

use std::collections::BTreeMap;

use forerun_apps::{between, places};
use forerun_model::planner::{Choice, Divisible, groups_of};
use forerun_model::reduction::{Neighbours, Spent, effective, start_up};
use forerun_model::{Load, Speeds};
use forerun_platform::{
    Interval, Outcome, Plan, Platform, RankTimes, ReductionProfile, Stage, StageTotal, Way,
};
use forerun_sim::costed::{Costed, Inputs};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run, run_totals};
use forerun_skeleton::reduction::{Reduction, Runner, Shape};
use forerun_skeleton::{Message, Options, Program, Ran, RunError};

use crate::effort::Effort;
use crate::error::{CliError, failed};
use crate::execute::{TIMELINE, append_finish};
use crate::planning::Facts;
use crate::signals::Interrupt;
use crate::turns::Turns;

/// Ranks up to which each one's times are kept.
const RANKS_IN_FULL: usize = 1024;
/// Runs with prices drawn anew, where prices spread: as many as fit into so many tasks.
const DRAWS: (u64, u64) = (15, 2_000_000);

/// A plan made ready for virtual time.
struct Scene {
    app: Costed,
    profile: ReductionProfile,
    network: LogGps,
    pricing: Profiled,
    shape: Shape,
    tasks: u64,
    turns: Turns,
    /// The speed of the rank that takes the finish.
    speed: f64,
    /// Seconds to start the ranks.
    start_up: f64,
}

/// Runs in which the slowing by busy neighbours and how busy they are settle.
const SETTLING: usize = 3;

impl Scene {
    fn new(
        facts: &Facts,
        plan: &Plan,
        costs: &ReductionProfile,
        platform: &Platform,
        neighbours: &Neighbours,
    ) -> Result<Self, RunError> {
        let shape = Shape::from(plan);
        let (inputs, done) = inputs(facts, plan);
        let tasks = match &inputs {
            Inputs::Uniform { tasks, .. } => *tasks,
            Inputs::Each(sizes) => sizes.len() as u64,
        };
        // Those that are done are priced by themselves, not in the mean.
        let load = Load { done: 0, done_bytes: 0.0, ..facts.load(plan.grain.bytes, tasks) };
        let profile = effective(costs, &shape, &load, platform, neighbours)
            .map_err(|e| RunError::Invalid(e.to_string()))?;
        let app = Costed::new(&profile, inputs)?;
        let app = if facts.commutative { app } else { app.keeping_order() };
        let network = LogGps::on(platform, shape.ranks)?;
        let pricing = Profiled::new(&profile, platform, shape.ranks)?.with_done(done);
        let speed = Speeds::of_first_rank(platform).map_err(|e| RunError::Invalid(e.to_string()))?;
        let (turns, start_up) = (Turns::on(platform, shape.ranks)?, start_up(shape.ranks, platform));
        Ok(Scene { app, profile, network, pricing, shape, tasks, turns, speed, start_up })
    }

    /// The scene in which ranks are slowed by neighbours that are as busy as they are in it.
    fn settled(
        facts: &Facts,
        plan: &Plan,
        costs: &ReductionProfile,
        platform: &Platform,
        options: &Options,
    ) -> Result<Self, RunError> {
        let shape = Shape::from(plan);
        let mut neighbours = Neighbours::most(&shape, platform);
        let mut scene = Scene::new(facts, plan, costs, platform, &neighbours)?;
        if costs.contention <= 0.0 || neighbours.is_none() {
            return Ok(scene);
        }
        for _ in 0..SETTLING {
            if options.cancel.is_cancelled() {
                return Err(RunError::Cancelled);
            }
            let played = scene.play(&scene.pricing, options)?;
            let seconds = |stage| played.stages.get(&stage).map_or(0.0, |t| t.total_s);
            let spent = Spent {
                task: seconds(Stage::Task),
                merge: seconds(Stage::Merge) + seconds(Stage::Sink),
                makespan: played.makespan_s,
            };
            neighbours = Neighbours::of(&shape, platform, &spent);
            scene = Scene::new(facts, plan, costs, platform, &neighbours)?;
        }
        Ok(scene)
    }

    fn play(&self, pricing: &Profiled, options: &Options) -> Result<Simulated, RunError> {
        let reduction = Reduction::new(&self.app, &self.app, &self.app, self.shape)?;
        reduction.run(Virtually { network: &self.network, pricing, options })
    }

    /// The makespan with the finish, where ranks in excess of the cores take turns.
    fn seconds(&self, played: &Simulated) -> f64 {
        let makespan_s = match &played.ranks[..] {
            // Too many to have each one's times.
            [] => {
                let all = (self.shape.ranks, played.messages, played.bytes);
                self.turns.seconds_of_all(&played.stages, all, played.makespan_s)
            }
            ranks => self.turns.seconds(ranks, played.makespan_s),
        };
        self.start_up + makespan_s + self.finish(played.delivered_bytes)
    }

    fn finish(&self, delivered_bytes: u64) -> f64 {
        self.profile.finish.on(self.speed).seconds(delivered_bytes as f64, self.tasks as f64)
    }
}

fn options(plan: &Plan, timeline: usize, interrupt: &Interrupt) -> Options {
    Options { ranks: plan.processors, window: plan.window, timeline, cancel: interrupt.cancel().clone() }
}

/// The makespan of a plan in virtual time, where every call costs what is expected of it.
///
/// # Errors
/// Where virtual time cannot say.
pub fn makespan(
    facts: &Facts,
    plan: &Plan,
    costs: &ReductionProfile,
    platform: &Platform,
    interrupt: &Interrupt,
) -> Result<f64, RunError> {
    let options = options(plan, 0, interrupt);
    let scene = Scene::settled(facts, plan, costs, platform, &options)?;
    let played = scene.play(&scene.pricing, &options)?;
    Ok(scene.seconds(&played))
}

/// How often a run is followed with prices drawn anew.
fn draws(costs: &ReductionProfile, tasks: u64) -> u64 {
    let spread = [&costs.task, &costs.merge, &costs.sink].iter().any(|c| c.spread > 0.0);
    if spread { DRAWS.0.min(DRAWS.1 / tasks.max(1)) } else { 0 }
}

/// How much [`simulate`] has to follow for a plan.
pub fn effort(facts: &Facts, choice: &Choice, costs: &ReductionProfile) -> Effort {
    let tasks = choice.plan.grain.tasks.unwrap_or(0);
    let settling = if costs.contention > 0.0 { SETTLING as u64 + 1 } else { 0 };
    Effort {
        processors: choice.plan.processors,
        tasks,
        messages: choice.prediction.messages,
        runs: 1 + settling + draws(costs, tasks),
        sizes: !facts.done.is_empty() || matches!(facts.input, Divisible::Pieces { .. }),
    }
}

/// Simulates a plan: what every message and every piece of work costs is charged, nothing is run.
///
/// Where the profile has spreads, the makespan is the mean of up to 15 runs with prices drawn anew
/// (always the same ones), and the interval holds their spread and the error of the profile's
/// figures. The ranks' timelines are those of a run in which every call takes what is expected of it, from when ranks have started on,
/// and stretched so that the last ends with the makespan.
///
/// # Errors
/// Where virtual time cannot say; interrupted.
pub fn simulate(
    facts: &Facts,
    plan: &Plan,
    costs: &ReductionProfile,
    platform: &Platform,
    interrupt: &Interrupt,
) -> Result<Outcome, CliError> {
    let explain = |e: RunError| match (e, interrupt.signal()) {
        (RunError::Cancelled, Some(signal)) => CliError::Interrupted(signal),
        (e, _) => failed(e),
    };
    let untimed = options(plan, 0, interrupt);
    let scene = Scene::settled(facts, plan, costs, platform, &untimed).map_err(explain)?;
    let mut first = scene.play(&scene.pricing, &options(plan, TIMELINE, interrupt)).map_err(explain)?;
    let finish = scene.finish(first.delivered_bytes);
    // What no draw changes.
    let fixed = scene.start_up + finish;
    let profile = &scene.profile;
    let mut drawn = Vec::new();
    for seed in 0..draws(profile, scene.tasks) {
        let pricing = scene.pricing.clone().with_spread(seed);
        let played = scene.play(&pricing, &untimed).map_err(explain)?;
        drawn.push((scene.seconds(&played) - fixed, busy(&played.stages)));
    }
    let (between_s, deviation) =
        mean_and_deviation(&drawn, busy(&first.stages)).unwrap_or((scene.seconds(&first) - fixed, 0.0));
    let makespan_s = fixed + between_s;
    let deviation = deviation.hypot(common_error(profile, &first.stages, finish) * makespan_s);
    // What is shown of the ranks is the run without draws, in which each has a core: as long as the makespan says.
    let times = if first.makespan_s > 0.0 { between_s / first.makespan_s } else { 1.0 };
    first.ranks.iter_mut().for_each(|rank| rank.placed(scene.start_up, times));
    append_finish(&mut first.ranks, scene.start_up + between_s, finish);
    let mut outcome = Outcome::from_ranks(Way::Simulated, plan.clone(), makespan_s, first.ranks, scene.tasks);
    outcome.stages = first.stages;
    outcome.stages.insert(Stage::Finish, StageTotal { count: 1, total_s: finish });
    outcome.messages = first.messages;
    outcome.bytes = first.bytes;
    outcome.predicted = Some(Interval::around(makespan_s, deviation));
    outcome.job.clone_from(&facts.name);
    outcome.input.clone_from(&facts.given);
    outcome.platform.clone_from(&platform.name);
    Ok(outcome)
}

/// The tasks that a grain cuts the input into, with those that are done, and which those are: where the run has
/// arranged them if the merge commutes, else as they lie in the input.
fn inputs(facts: &Facts, plan: &Plan) -> (Inputs, Vec<u64>) {
    let (grain, tasks) = (plan.grain.bytes, plan.grain.tasks);
    let done = facts.done.len();
    // What is left, and how many of it come before each that is done.
    let (left, mut before): (Vec<u64>, Vec<usize>) = match &facts.input {
        Divisible::Tasks { tasks, bytes } => {
            return (Inputs::Uniform { tasks: *tasks, bytes: *bytes as u64 }, Vec::new());
        }
        Divisible::Anywhere { total_bytes, .. } => {
            let all = |tasks: u64| tasks.saturating_sub(done as u64);
            let tasks = tasks.map_or_else(|| total_bytes.div_ceil(grain.max(1)), all);
            let bytes = total_bytes / tasks.max(1);
            if done == 0 {
                return (Inputs::Uniform { tasks, bytes }, Vec::new());
            }
            if facts.before.len() == done {
                // As a cut does it: what is between two that are done is in tasks of nearly one size.
                let (mut left, mut before, mut from) = (Vec::new(), Vec::new(), 0);
                for &at in facts.before.iter().chain([total_bytes]) {
                    let gap = at.saturating_sub(from);
                    let n = gap.div_ceil(grain.max(1));
                    let begin = |k: u64| (u128::from(gap) * u128::from(k) / u128::from(n)) as u64;
                    left.extend((0..n).map(|k| begin(k + 1) - begin(k)));
                    before.push(left.len());
                    from = at;
                }
                (left, before)
            } else {
                let n = usize::try_from(tasks).unwrap_or(0);
                (vec![bytes; n], (0..done).map(|k| n * (2 * k + 1) / (2 * done)).collect())
            }
        }
        Divisible::Pieces { sizes, breaks, .. } => {
            let (mut left, mut before, mut from) = (Vec::new(), Vec::new(), 0);
            for &at in breaks.iter().chain([&sizes.len()]) {
                left.extend(groups_of(&sizes[from..at], &[], grain));
                before.push(left.len());
                from = at;
            }
            (left, before)
        }
    };
    if facts.commutative {
        before = places(done, left.len(), plan.parts());
    }
    let (all, which) = between(facts.done.clone(), left, &before);
    (Inputs::Each(all), which)
}

/// How far the figures of the profile itself may be off, relative to the makespan: each stage's
/// error by its share of the busy time, all with one sign, as they were measured together.
fn common_error(profile: &ReductionProfile, stages: &BTreeMap<Stage, StageTotal>, finish: f64) -> f64 {
    let seconds = |stage| stages.get(&stage).map_or(0.0, |t| t.total_s);
    let parts = [
        (seconds(Stage::Task), profile.task.error),
        (seconds(Stage::Merge), profile.merge.error),
        (seconds(Stage::Sink), profile.sink.error),
        (finish, profile.finish.error),
    ];
    let busy: f64 = parts.iter().map(|p| p.0).sum();
    if busy > 0.0 { parts.iter().map(|(s, e)| s / busy * e).sum::<f64>() } else { 0.0 }
}

/// Seconds of all ranks together in tasks, merges and sinks, whose prices are drawn.
fn busy(stages: &BTreeMap<Stage, StageTotal>) -> f64 {
    [Stage::Task, Stage::Merge, Stage::Sink].iter().filter_map(|s| stages.get(s)).map(|t| t.total_s).sum()
}

/// Mean and deviation of makespans that were drawn, each with its busy seconds. The busy seconds are expected to come
/// to `expected`; where those that were drawn are more or less, so is the mean by as much (a ratio estimator: few
/// draws of few tasks do not come to what is expected of them).
fn mean_and_deviation(drawn: &[(f64, f64)], expected: f64) -> Option<(f64, f64)> {
    let n = drawn.len() as f64;
    if drawn.is_empty() {
        return None;
    }
    let mean = drawn.iter().map(|d| d.0).sum::<f64>() / n;
    let variance = drawn.iter().map(|d| (d.0 - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let busy = drawn.iter().map(|d| d.1).sum::<f64>() / n;
    let ratio = if busy > 0.0 { expected / busy } else { 1.0 };
    Some((mean * ratio, variance.sqrt()))
}

/// What a simulated run gave.
struct Simulated {
    makespan_s: f64,
    stages: BTreeMap<Stage, StageTotal>,
    messages: u64,
    bytes: u64,
    ranks: Vec<RankTimes>,
    delivered_bytes: u64,
}

/// Runs in virtual time; of very many ranks only the sums are kept.
struct Virtually<'a> {
    network: &'a LogGps,
    pricing: &'a Profiled,
    options: &'a Options,
}

impl<M: Message> Runner<M, Option<forerun_sim::costed::Tallied>> for Virtually<'_> {
    type Ran = Simulated;

    fn run<P>(self, program: &P) -> Result<Simulated, RunError>
    where
        P: Program<Msg = M, Out = Option<forerun_sim::costed::Tallied>> + Sync,
    {
        let Virtually { network, pricing, options } = self;
        let delivered =
            |outs: &[Option<forerun_sim::costed::Tallied>]| outs.iter().flatten().map(|t| t.bytes).sum();
        if options.ranks > RANKS_IN_FULL {
            let t = run_totals(program, network, pricing, options)?;
            return Ok(Simulated {
                makespan_s: t.makespan_s,
                stages: t.stages,
                messages: t.messages,
                bytes: t.bytes,
                ranks: Vec::new(),
                delivered_bytes: delivered(&t.outs),
            });
        }
        let Ran { outs, makespan_s, ranks } = run(program, network, pricing, options)?;
        Ok(Simulated {
            makespan_s,
            stages: RankTimes::stages_of(&ranks),
            messages: ranks.iter().map(|r| r.messages).sum(),
            bytes: ranks.iter().map(|r| r.bytes).sum(),
            ranks,
            delivered_bytes: delivered(&outs),
        })
    }
}

#[cfg(test)]
mod tests {
    use forerun_model::planner::Divisible;
    use forerun_platform::{Grain, Plan, Strategy};
    use forerun_sim::costed::Inputs;

    use super::{inputs, mean_and_deviation};
    use crate::planning::Facts;

    #[test]
    fn what_is_done_lies_where_the_run_has_it() {
        let facts = |commutative, input| Facts {
            name: "t".into(),
            given: None,
            input,
            done: vec![100, 200],
            before: Vec::new(),
            commutative,
            known: true,
            beside: None,
            tried: None,
        };
        let plan = |groups, tasks| Plan {
            groups,
            ..Plan::new(Strategy::ReductionTree, 2, Grain { tasks, bytes: 6 })
        };
        let of = |facts: &Facts, plan: &Plan| match inputs(facts, plan) {
            (Inputs::Each(sizes), done) => (sizes, done),
            (Inputs::Uniform { .. }, _) => (Vec::new(), Vec::new()),
        };
        let pieces = || Divisible::Pieces { sizes: vec![1, 2, 3, 4], breaks: vec![1, 3], max_grain: 10 };
        let (one, two) = (plan(1, None), plan(2, None));
        assert_eq!(of(&facts(false, pieces()), &one), (vec![1, 100, 5, 200, 4], vec![1, 3]));
        assert_eq!(of(&facts(true, pieces()), &one), (vec![100, 200, 1, 5, 4], vec![0, 1]));
        assert_eq!(of(&facts(true, pieces()), &two), (vec![100, 1, 200, 5, 4], vec![0, 2]));
        let anywhere = || Divisible::Anywhere { total_bytes: 40, min_grain: 1, max_grain: 40 };
        let (sizes, done) = of(&facts(false, anywhere()), &plan(1, Some(6)));
        assert_eq!((sizes, done), (vec![10, 100, 10, 10, 200, 10], vec![1, 4]));
        assert_eq!(of(&facts(true, anywhere()), &plan(1, Some(6))).1, [0, 1]);
        // Where it is known what they lie between: 14 bytes and 26 in tasks of 6 at most.
        let known = Facts { before: vec![0, 14], ..facts(false, anywhere()) };
        let (sizes, done) = of(&known, &plan(1, Some(6)));
        assert_eq!((sizes, done), (vec![100, 4, 5, 5, 200, 5, 5, 5, 5, 6], vec![0, 4]));
    }

    #[test]
    fn draws_that_come_to_more_than_expected_say_no_more() {
        assert_eq!(mean_and_deviation(&[], 1.0), None);
        // One rank: the makespan is what it is busy for, and a second besides that none draws.
        let (mean, deviation) =
            mean_and_deviation(&[(5.0, 4.0), (7.0, 6.0), (9.0, 8.0)], 4.8).expect("three");
        assert!((mean - 7.0 * 0.8).abs() < 1e-12 && (deviation - 2.0).abs() < 1e-12, "{mean} {deviation}");
        assert_eq!(mean_and_deviation(&[(3.0, 0.0)], 0.0), Some((3.0, 0.0)));
    }
}
