//! What each way predicts of a farm's plan: its closed form, virtual time, and a model of PEPA.

use std::collections::BTreeMap;

use forerun_apps::FarmJob;
use forerun_model::sharing;
use forerun_pepa::job::{self, JobError, Limits};
use forerun_platform::{Cost, Input, Interval, Outcome, Plan, Platform, RankTimes, Stage, StageTotal, Way};
use forerun_sim::costed::{CostedTasks, Inputs, Tallied};
use forerun_sim::pricing::Profiled;
use forerun_sim::{LogGps, run, run_totals};
use forerun_skeleton::farm::{Farm, HEADER, Masters, Parcel, Shape};
use forerun_skeleton::reduction::Runner;
use forerun_skeleton::{Message, Options, Program, Ran, RunError};

use super::plan::{Basis, DYNAMIC, Planned, interval};
use super::run::shape;
use crate::cli::FarmWays;
use crate::commands::Context;
use crate::commands::run::{Predictions, tell_effort};
use crate::effort::Effort;
use crate::error::{CliError, failed, request};
use crate::execute::{TIMELINE, append_finish, stop_if_interrupted};
use crate::models::farm_model;
use crate::planning::analytic;
use crate::signals::Interrupt;
use crate::text;

/// Ranks up to which each one's times are kept.
const RANKS_IN_FULL: usize = 1024;
/// Runs with prices drawn anew, where prices spread: as many as fit into so many tasks.
const DRAWS: (u64, u64) = (15, 2_000_000);

/// What is said where there is no model of PEPA.
const NO_MODEL: &str = "pepa: the model of a farm has one master, who stays, and slaves";

/// That one of the ways predicts a farm on one of these numbers of processors (on those that are usual, if there is none), whatever
/// its costs.
///
/// # Errors
/// Why none does.
pub(super) fn possible(how: &FarmWays, processors: &[usize]) -> Result<(), CliError> {
    let (alone, more) = match processors {
        [] => (true, true),
        some => (some.contains(&1), some.iter().any(|&p| p > 1)),
    };
    let why = |way: &Way| match (way, how.shape.masters) {
        (Way::Pepa, Masters::Fixed(1)) if more => None,
        (Way::Pepa, _) => Some(NO_MODEL.to_string()),
        // One processor has no masters.
        (Way::Analytic, Masters::Dynamic) if !alone => Some(format!("analytic: {DYNAMIC}")),
        _ => None,
    };
    match how.by.iter().map(why).collect::<Option<Vec<_>>>() {
        Some(refused) if !refused.is_empty() => Err(nothing(&refused)),
        _ => Ok(()),
    }
}

/// That none of the ways predicts anything, and why.
pub(super) fn nothing(refused: &[String]) -> CliError {
    request(format!("there is nothing to predict: {}", refused.join("; ")))
}

/// What these ways predict of a plan; a sentence for each that does not.
///
/// # Errors
/// Where virtual time cannot say, or a model has no solution; interrupted.
pub(super) fn predictions<J: FarmJob>(
    (job, input): (&J, &Input),
    by: &[Way],
    planned: &Planned,
    platform: &Platform,
    context: &Context,
) -> Result<Predictions, CliError> {
    let mut all = Predictions::default();
    let Planned { plan, basis: Some(basis) } = planned else { return Ok(all) };
    for way in by {
        let predicted = match way {
            Way::Simulated => match effort(basis, plan).check() {
                Ok(()) => {
                    tell_effort(effort(basis, plan), context);
                    Ok(simulated(basis, plan, shape(job, plan), &context.interrupt)?)
                }
                Err(why) => Err(format!("simulated: {why}")),
            },
            Way::Pepa => by_pepa(basis, plan, &context.interrupt)?,
            _ => match plan.predicted {
                Some(interval) => Ok(analytic((job.name(), Some(input)), plan, interval, platform)),
                None => Err(format!("analytic: {}", plan.reason)),
            },
        };
        match predicted {
            Ok(mut outcome) => {
                if *way != Way::Simulated {
                    (outcome.messages, outcome.bytes) = sent(&shape(job, plan), basis);
                }
                let (job, input) = (job.name().into(), Some(input.clone()));
                all.outcomes.push(Outcome { job, input, platform: platform.name.clone(), ..outcome });
            }
            Err(why) => all.refused.push(why),
        }
    }
    Ok(all)
}

/// Messages of a farm whose masters stay, and their bytes: for each message of tasks one of answers, and for each slave that it is
/// the end, which has none.
fn sent(shape: &Shape, basis: &Basis) -> (u64, u64) {
    let (mut rank, mut slaves, mut given) = (0, 0, 0);
    while rank < shape.ranks {
        let group = shape.group(rank, basis.rest);
        slaves += (group.beyond - group.master - 1) as u64;
        given += (group.tasks.end - group.tasks.start).div_ceil(shape.grain.max(1));
        rank = group.beyond;
    }
    if slaves == 0 {
        return (0, 0);
    }
    let answers = basis.rest as f64 * basis.costs.result_bytes.0.round();
    (2 * given + slaves, 2 * given * HEADER + answers as u64)
}

/// How often a farm is followed with prices drawn anew.
fn draws(basis: &Basis) -> u64 {
    if basis.costs.task.spread > 0.0 { DRAWS.0.min(DRAWS.1 / basis.rest.max(1)) } else { 0 }
}

/// How much virtual time has to follow for a plan.
fn effort(basis: &Basis, plan: &Plan) -> Effort {
    let (grain, masters) = plan.farm.as_ref().map_or((1, 1), |farm| (farm.grain.max(1), farm.masters));
    // A message with tasks, and one with their answers.
    let messages = if masters > 0 { basis.rest.div_ceil(grain).saturating_mul(2) } else { 0 };
    Effort { processors: plan.ranks(), tasks: basis.rest, messages, runs: 1 + draws(basis), sizes: false }
}

/// A farm in virtual time: what every message and every task costs is charged, nothing is run. Where tasks spread, the makespan is
/// the mean of up to 15 runs with prices drawn anew (always the same ones).
fn simulated(basis: &Basis, plan: &Plan, shape: Shape, interrupt: &Interrupt) -> Result<Outcome, CliError> {
    let explain = |e: RunError| match (e, interrupt.signal()) {
        (RunError::Cancelled, Some(signal)) => CliError::Interrupted(signal),
        (e, _) => failed(e),
    };
    let Basis { hosts, rest, .. } = basis;
    let (costs, inputs) = match &basis.sized {
        Some((costs, sizes)) => (costs, Inputs::Each(sizes.clone())),
        None => (&basis.costs, Inputs::Uniform { tasks: *rest, bytes: 0 }),
    };
    let options = |timeline| Options {
        window: shape.window().max(4),
        timeline,
        cancel: interrupt.cancel().clone(),
        ..Options::new(shape.ranks)
    };
    let app = CostedTasks::new(costs, inputs).map_err(explain)?;
    let network = LogGps::on(hosts, shape.ranks).map_err(explain)?;
    let pricing = Profiled::new(&costs.into(), hosts, shape.ranks).map_err(explain)?;
    let play = |pricing: &Profiled, timeline| {
        let farm = Farm::new(&app, &app, shape).map_err(explain)?;
        farm.run(Virtually { network: &network, pricing, options: &options(timeline) }).map_err(explain)
    };
    let mut first = play(&pricing, TIMELINE)?;
    let draws = draws(basis);
    let (mut sum_s, mut busy_s) = (0.0, 0.0);
    for seed in 0..draws {
        let played = play(&pricing.clone().with_spread(seed), 0)?;
        sum_s += basis.seconds(&played);
        busy_s += tasks_s(&played.stages);
    }
    // Few draws of few tasks do not come to what is expected of them.
    let ratio = if busy_s > 0.0 { draws as f64 * tasks_s(&first.stages) / busy_s } else { 1.0 };
    let makespan_s = if draws > 0 { sum_s / draws as f64 * ratio } else { basis.seconds(&first) };
    append_finish(&mut first.ranks, first.makespan_s, basis.finish_s);
    let mut outcome = Outcome::from_ranks(Way::Simulated, plan.clone(), makespan_s, first.ranks, *rest);
    outcome.stages = first.stages;
    outcome.stages.insert(Stage::Finish, StageTotal { count: 1, total_s: basis.finish_s });
    (outcome.messages, outcome.bytes) = (first.messages, first.bytes);
    outcome.predicted = Some(interval(makespan_s, basis.finish_s, &basis.costs, *rest));
    Ok(outcome)
}

impl Basis {
    /// From the start of the ranks to the end of the finish. Where more slaves than cores take turns: virtual time gives each a
    /// core of its own.
    fn seconds(&self, played: &Played) -> f64 {
        let mut makespan_s = played.makespan_s;
        if self.least_s > 0.0 {
            makespan_s = match &played.ranks[..] {
                _ if self.costs.task.wait.fixed > 0.0 => makespan_s.max(self.least_s) + self.first_s,
                [] => makespan_s.max(self.least_s),
                ranks => sharing(ranks.iter().map(|r| self.worked(&r.stages)), makespan_s, self.cores)
                    .max(self.rest as f64 * self.each_s),
            };
        }
        self.start_s + makespan_s + self.finish_s
    }

    /// Seconds for which a rank needed a core.
    fn worked(&self, stages: &BTreeMap<Stage, StageTotal>) -> f64 {
        let waits = [Stage::Wait, Stage::Input];
        let all: f64 =
            stages.iter().filter(|(stage, _)| !waits.contains(stage)).map(|(_, t)| t.total_s).sum();
        let Cost { wait, .. } = self.costs.task;
        let tasks = stages.get(&Stage::Task).map_or(0, |t| t.count);
        (all - tasks as f64 * wait.fixed).max(0.0)
    }
}

/// Seconds of all ranks in tasks.
fn tasks_s(stages: &BTreeMap<Stage, StageTotal>) -> f64 {
    stages.get(&Stage::Task).map_or(0.0, |t| t.total_s)
}

/// Tasks over their throughput in the model of a stream, which has one master; or why not.
fn by_pepa(basis: &Basis, plan: &Plan, interrupt: &Interrupt) -> Result<Result<Outcome, String>, CliError> {
    let one_master = plan.farm.is_some_and(|farm| farm.masters == 1 && !farm.dynamic);
    let Some(model) = basis.model.as_ref().filter(|_| one_master) else {
        return Ok(Err(NO_MODEL.into()));
    };
    let stop = || interrupt.signal().is_some();
    let found = match job::predict_farm(&farm_model(model, plan.ranks())?, &Limits::default(), &stop) {
        Ok(found) => found,
        Err(JobError::TooLarge { limit, .. }) => {
            return Ok(Err(format!(
                "pepa: the model of {} has more than {} states, the limit; predict fewer processors",
                text::plural(plan.slaves() as u64, "slave"),
                text::count(limit as u64)
            )));
        }
        Err(e) => {
            stop_if_interrupted(interrupt)?;
            return Err(failed(e));
        }
    };
    let makespan_s = basis.start_s + found.seconds.max(basis.least_s) + basis.finish_s;
    let off: Interval = interval(makespan_s, basis.finish_s, &basis.costs, basis.rest);
    let mut outcome = analytic(("", None), plan, off, &basis.hosts);
    outcome.way = Way::Pepa;
    outcome.plan.predicted = Some(off);
    outcome.plan.reason = format!(
        "tasks over their throughput in a stream's model of {}, filling and draining left out; all times exponential, whatever \
         their spread",
        text::plural(found.states as u64, "state")
    );
    Ok(Ok(outcome))
}

/// What a simulated run gave.
struct Played {
    makespan_s: f64,
    stages: BTreeMap<Stage, StageTotal>,
    messages: u64,
    bytes: u64,
    ranks: Vec<RankTimes>,
}

/// Runs in virtual time; of very many ranks only the sums are kept.
struct Virtually<'a> {
    network: &'a LogGps,
    pricing: &'a Profiled,
    options: &'a Options,
}

impl<R: Message + Send> Runner<Parcel<R>, Option<Tallied>> for Virtually<'_> {
    type Ran = Played;

    fn run<P>(self, program: &P) -> Result<Played, RunError>
    where
        P: Program<Msg = Parcel<R>, Out = Option<Tallied>> + Sync,
    {
        let Virtually { network, pricing, options } = self;
        if options.ranks > RANKS_IN_FULL {
            let t = run_totals(program, network, pricing, options)?;
            let (messages, bytes) = (t.messages, t.bytes);
            return Ok(Played {
                makespan_s: t.makespan_s,
                stages: t.stages,
                messages,
                bytes,
                ranks: Vec::new(),
            });
        }
        let Ran { makespan_s, ranks, .. } = run(program, network, pricing, options)?;
        Ok(Played {
            makespan_s,
            stages: RankTimes::stages_of(&ranks),
            messages: ranks.iter().map(|r| r.messages).sum(),
            bytes: ranks.iter().map(|r| r.bytes).sum(),
            ranks,
        })
    }
}

#[cfg(test)]
mod tests {
    use forerun_platform::{FarmProfile, Host, Measured, Network, Overhead, Seconds};
    use forerun_skeleton::farm::Masters;

    use super::super::{Team, plan};
    use super::*;
    use crate::cli::FarmShape;

    fn hosts(count: usize, cores: usize, speed: f64) -> Platform {
        let us = |us: f64| Measured::stated(Seconds(us * 1e-6));
        let overhead = Overhead { base: us(3.0), ..Overhead::default() };
        let network = Network {
            latency: us(40.0),
            send_overhead: overhead,
            receive_overhead: overhead,
            wake_up: us(10.0),
            start_up: None,
            ..Network::default()
        };
        Platform::new("p", vec![Host { speed, ..Host::new("h", count, cores) }], network)
    }

    fn costs(spread: f64) -> FarmProfile {
        let finish = Cost { per_result: 1e-5, ..Cost::default() };
        let task = Cost { spread, ..Cost::constant(1e-3) };
        FarmProfile { task, finish, result_bytes: (8.0, 0.0), ..FarmProfile::default() }
    }

    /// The same with a sink that costs so many times as much as is usual, and tasks that slow each other.
    fn hand_made(times: f64) -> FarmProfile {
        let sink = Cost {
            fixed: 20e-6 * times,
            per_result: 30e-6 * times,
            per_byte: 1e-6 * times,
            ..Cost::default()
        };
        FarmProfile { sink, contention: 0.1, ..costs(0.0) }
    }

    fn planned(costs: &FarmProfile, team: Team, (platform, on): (&Platform, Way), prefetch: u64) -> Planned {
        planned_for(costs, team, (platform, (on == Way::Mpi).then_some(platform), on), prefetch)
    }

    fn planned_for(
        costs: &FarmProfile,
        team: Team,
        (platform, hosts, on): (&Platform, Option<&Platform>, Way),
        prefetch: u64,
    ) -> Planned {
        let masters = if team.dynamic { Masters::Dynamic } else { Masters::Fixed(team.masters.max(1)) };
        let how = FarmShape { tasks_per_message: Some(1), prefetch: Some(prefetch), masters, retries: 0 };
        let left = plan::Left { tasks: 600, all: 600, sizes: &[], each_s: 0.0 };
        plan::plan(Some(costs), &left, (team, on), (platform, hosts), &how).expect("a plan")
    }

    fn in_virtual_time(of: &Planned, interrupt: &Interrupt) -> Outcome {
        let farm = of.plan.farm.expect("a farm");
        let masters = if farm.dynamic { Masters::Dynamic } else { Masters::Fixed(farm.masters.max(1)) };
        let shape = Shape { masters, prefetch: farm.prefetch, ..Shape::new(of.plan.ranks()) };
        simulated(of.basis.as_ref().expect("costs"), &of.plan, shape, interrupt).expect("it ends")
    }

    /// Start, sink, contention, finish and speed of the hosts count in virtual time as in the closed form; without spread they are equal.
    #[test]
    fn virtual_time_is_the_closed_form() {
        let interrupt = Interrupt::listen().expect("signals");
        let (here, slow) = (hosts(1, 16, 1.0), hosts(16, 1, 0.1));
        let teams = [(1, 0), (1, 1), (3, 1), (12, 1), (10, 2)];
        let all_costs = [costs(0.0), hand_made(1.0), hand_made(10.0)];
        for ((slaves, masters), costs) in
            teams.into_iter().flat_map(|t| all_costs.iter().map(move |c| (t, c)))
        {
            // Of processes on hosts that are not described, it is known that they find messages late.
            let all = [(&here, None, Way::Threads), (&slow, Some(&slow), Way::Mpi), (&here, None, Way::Mpi)];
            for (platform, hosts, on) in all {
                for prefetch in [1, 2] {
                    let team = Team { slaves, masters, dynamic: false };
                    let of = planned_for(costs, team, (platform, hosts, on), prefetch);
                    let expected = of.plan.predicted.expect("a prediction").makespan_s;
                    let found = in_virtual_time(&of, &interrupt);
                    let off = (found.makespan_s - expected).abs();
                    assert!(off < 1e-6 * expected, "{team:?} {on:?}: {expected} and {}", found.makespan_s);
                    assert_eq!(found.messages > 0, masters > 0);
                    let farm = of.plan.farm.expect("a farm");
                    let shape = Shape {
                        masters: Masters::Fixed(farm.masters.max(1)),
                        grain: farm.grain,
                        ..Shape::new(of.plan.ranks())
                    };
                    let sent = sent(&shape, of.basis.as_ref().expect("costs"));
                    assert_eq!(sent, (found.messages, found.bytes), "{team:?}");
                }
            }
        }
    }

    /// What is charged for a sink and for contention, by hand: of one rank, of slaves that wait for their master, and of slaves that
    /// slow each other as much as they are busy.
    #[test]
    fn sinks_and_contention_take_the_time_that_they_say() {
        let platform = Platform::new("p", vec![Host::new("h", 1, 4)], Network::default());
        let of = |costs: &FarmProfile, slaves: usize| {
            let team = Team { slaves, masters: usize::from(slaves > 1), dynamic: false };
            let planned = planned(costs, team, (&platform, Way::Threads), 1);
            planned.plan.predicted.expect("a prediction").makespan_s
        };
        let task = Cost::constant(1e-3);
        let result_bytes = (8.0, 0.0);
        let plain = FarmProfile { task, result_bytes, ..FarmProfile::default() };
        let sink = Cost { per_result: 1e-3, per_byte: 1e-3 / 8.0, ..Cost::default() };
        let sinks = FarmProfile { sink, ..plain.clone() };
        for (costs, slaves, expected) in [
            (&plain, 1, 0.6),
            (&sinks, 1, 0.6 * 3.0),
            // The master takes 2 ms for each.
            (&sinks, 4, 1.2),
            (&FarmProfile { contention: 0.1, ..plain.clone() }, 1, 0.6),
            (&FarmProfile { contention: 0.1, ..plain.clone() }, 4, 0.15 * 1.3),
            (&FarmProfile { contention: 0.1, ..plain.clone() }, 2, 0.3 * 1.1),
        ] {
            let found = of(costs, slaves);
            assert!((found / expected - 1.0).abs() < 0.01, "{slaves}, {costs:?}: {found} s");
        }
    }

    /// Messages that cost more than tasks bound all three alike: whatever they cost, overheads, gap or latency, and however many a slave has.
    #[test]
    fn expensive_messages_cost_the_same_by_every_way() {
        let interrupt = Interrupt::listen().expect("signals");
        let ms = |ms: f64| Measured::stated(Seconds(ms * 1e-3));
        let overhead = |base| Overhead { base: ms(base), ..Overhead::default() };
        let networks = [
            Network { gap: ms(5.0), ..Network::default() },
            Network { gap: ms(5.0), latency: ms(1.0), send_overhead: overhead(0.1), ..Network::default() },
            Network { receive_overhead: overhead(5.0), ..Network::default() },
            Network { latency: ms(20.0), ..Network::default() },
        ];
        for network in networks {
            let platform = Platform::new("p", vec![Host::new("h", 16, 1)], network);
            for (slaves, prefetch, sink_s) in
                [(1, 1, 0.0), (3, 1, 0.0), (3, 2, 0.0), (12, 2, 0.0), (3, 1, 0.02), (12, 2, 0.02)]
            {
                let team = Team { slaves, masters: 1, dynamic: false };
                let sink = Cost { per_result: sink_s, ..Cost::default() };
                let of = planned(&FarmProfile { sink, ..costs(0.0) }, team, (&platform, Way::Mpi), prefetch);
                let expected = of.plan.predicted.expect("a prediction").makespan_s;
                let simulated = in_virtual_time(&of, &interrupt).makespan_s;
                let basis = of.basis.as_ref().expect("costs");
                let by_pepa = by_pepa(basis, &of.plan, &interrupt).expect("it ends").expect("a prediction");
                assert!((simulated - expected).abs() < 1e-6 * expected, "{expected} and {simulated}");
                let ratio = by_pepa.makespan_s / expected;
                assert!((0.9..1.5).contains(&ratio), "{slaves} {prefetch} {:?}: {ratio}", platform.network);
            }
        }
    }

    #[test]
    fn slaves_that_share_cores_take_turns_in_virtual_time_too() {
        let interrupt = Interrupt::listen().expect("signals");
        let team = Team { slaves: 16, masters: 1, dynamic: false };
        let of = planned(&costs(0.0), team, (&hosts(1, 2, 1.0), Way::Threads), 1);
        let expected = of.plan.predicted.expect("a prediction").makespan_s;
        let found = in_virtual_time(&of, &interrupt).makespan_s;
        assert!((found - expected).abs() < 0.03 * expected, "{expected} and {found}");
    }

    #[test]
    fn masters_that_change_have_a_time_and_models_have_one_master() {
        let interrupt = Interrupt::listen().expect("signals");
        let platform = hosts(1, 16, 1.0);
        let of = |masters, dynamic| {
            planned(&costs(0.5), Team { slaves: 4, masters, dynamic }, (&platform, Way::Threads), 1)
        };
        let dynamic = of(1, true);
        assert_eq!(dynamic.plan.predicted, None);
        let seconds = in_virtual_time(&dynamic, &interrupt).makespan_s;
        assert!(seconds > 0.15 && seconds < 0.19, "{seconds}");
        let by_pepa =
            |of: &Planned| by_pepa(of.basis.as_ref().expect("costs"), &of.plan, &interrupt).expect("it ends");
        for refused in [&dynamic, &of(2, false)] {
            assert!(by_pepa(refused).is_err_and(|why| why.contains("one master")));
        }
        let one = of(1, false);
        let found = by_pepa(&one).expect("a prediction");
        // Exponential times make slaves wait longer, and nothing else differs.
        let expected = one.plan.predicted.expect("a prediction").makespan_s;
        assert!((found.makespan_s - expected).abs() < 0.1 * expected, "{expected} and {}", found.makespan_s);
        assert!(found.makespan_s > 0.15 && found.plan.reason.contains("states"));
    }
}
