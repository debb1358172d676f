//! Predictions by PEPA models, generated of a job's plan and costs.

use forerun_model::planner::Choice;
use forerun_model::reduction::Steps;
use forerun_pepa::job::{self, Activity, Form, JobError, Limits, Predicted};
use forerun_pepa::model::COMPONENTS;
use forerun_platform::{Deal, Interval, Outcome, Platform, ReductionProfile, Strategy, Way};
use forerun_skeleton::reduction::Shape;

use crate::commands::Context;
use crate::effort::WORTH_SAYING;
use crate::error::{CliError, failed};
use crate::planning::{Facts, predicted};
use crate::signals::Interrupt;
use crate::text;

/// A prediction, or why there is none.
#[derive(Debug)]
pub enum Answer {
    /// An outcome.
    Predicted(Box<Outcome>),
    /// The model is too large: a sentence with what to do.
    Refused(String),
}

/// Predicts a plan by the model of its group that has most tasks.
///
/// The plan's reason says which form of the model it is by, and its size. The interval is the model's own, where it is of
/// a whole run, together with what the profile's figures may be off by. Messages, bytes and what stages take are
/// those of the closed form: the program is the same.
///
/// # Errors
/// Figures that cannot be; a model without a solution; interrupted.
pub fn predict(
    facts: &Facts,
    choice: &Choice,
    costs: &ReductionProfile,
    platform: &Platform,
    context: &Context,
) -> Result<Answer, CliError> {
    let Context { console, interrupt, .. } = context;
    let steps = steps(facts, choice, costs, platform)?;
    let seconds = seconds(&steps);
    let of = reduction(facts, choice, &steps, &seconds);
    let (limits, stop) = (Limits::default(), || interrupt.signal().is_some());
    let found = match job::choose(&of, &limits, &stop) {
        Ok(chosen) => chosen.predict(&of, &stop),
        Err(JobError::TooLarge { model, .. }) => {
            let least = job::sampling_s(&of, &limits);
            if least > WORTH_SAYING {
                let takes = text::seconds(least);
                console.progress(
                    "pepa",
                    &format!("too many states to be solved are simulated; it takes some {takes} or more"),
                );
            }
            job::sample(&of, &limits, model, &stop)
        }
        Err(e) => Err(e),
    };
    match found {
        Ok(found) => Ok(Answer::Predicted(Box::new(outcome(facts, choice, platform, &steps, &found)))),
        Err(JobError::TooLarge { limit, .. }) => {
            let states = text::count(limit as u64);
            let most =
                format!("more than {states} states, and one of them takes too many bits to be simulated");
            Ok(Answer::Refused(too_large(choice, &most)))
        }
        Err(JobError::TooLong { limit, seconds }) => {
            let states = text::count(limit as u64);
            let most = format!(
                "more than {states} states, and to simulate it would take some {}, which is too long",
                text::seconds(seconds)
            );
            Ok(Answer::Refused(too_large(choice, &most)))
        }
        // Trees and pipelines have a component for each rank, and some beside.
        Err(JobError::Unsolved(_)) if 2 * choice.plan.group_size() > COMPONENTS => {
            let most = format!("more than {} components, which is the limit", text::count(COMPONENTS as u64));
            Ok(Answer::Refused(too_large(choice, &most)))
        }
        Err(e) => Err(ended(&e, interrupt)),
    }
}

/// The model that a plan is predicted by; with it, where it has too many states to be solved, a sentence that says so.
///
/// # Errors
/// As [`predict`].
pub fn model(
    facts: &Facts,
    choice: &Choice,
    costs: &ReductionProfile,
    platform: &Platform,
    interrupt: &Interrupt,
) -> Result<(String, Option<String>), CliError> {
    let steps = steps(facts, choice, costs, platform)?;
    let seconds = seconds(&steps);
    let of = reduction(facts, choice, &steps, &seconds);
    let stop = || interrupt.signal().is_some();
    let beside = beside(facts, platform, &steps);
    match job::choose(&of, &Limits::default(), &stop) {
        Ok(chosen) => Ok((beside + &chosen.model, None)),
        Err(JobError::TooLarge { limit, model }) => {
            let states = text::count(limit as u64);
            let sentence = format!(
                "the model has more than {states} states, the limit: --by pepa simulates it, and so does `forerun pepa simulate FILE`"
            );
            Ok((beside + &model, Some(sentence)))
        }
        Err(e) => Err(ended(&e, interrupt)),
    }
}

fn ended(e: &JobError, interrupt: &Interrupt) -> CliError {
    match (e, interrupt.signal()) {
        (JobError::Stopped, Some(signal)) => CliError::Interrupted(signal),
        (e, _) => failed(e),
    }
}

fn steps(
    facts: &Facts,
    choice: &Choice,
    costs: &ReductionProfile,
    platform: &Platform,
) -> Result<Steps, CliError> {
    let plan = &choice.plan;
    let load = facts.load(plan.grain.bytes, plan.grain.tasks.unwrap_or(0));
    Steps::of(&Shape::from(plan), &load, costs, platform).map_err(crate::error::request)
}

fn seconds(steps: &Steps) -> impl Fn(Activity) -> f64 + '_ {
    |activity| match activity {
        Activity::Task => steps.task_s(),
        Activity::Merge(left, right) => steps.merge_s(left, right),
        Activity::Move(results) => steps.message_s(results),
        Activity::Deliver(results) => steps.deliver_s(results),
        Activity::Open => steps.open_s(),
    }
}

fn reduction<'a>(
    facts: &Facts,
    choice: &Choice,
    steps: &Steps,
    seconds: &'a dyn Fn(Activity) -> f64,
) -> job::Reduction<'a> {
    let shape = Shape::from(&choice.plan);
    // Merges that keep the order gather whole sets.
    let gather = if facts.commutative { shape.gathered() } else { shape.set };
    job::Reduction {
        arity: shape.arity,
        set: shape.set,
        gather,
        commutative: facts.commutative,
        dealt: facts.known && matches!(shape.deal, Deal::Even { .. }),
        tasks: steps.tasks,
        ..job::Reduction::new(shape.strategy, steps.ranks, seconds)
    }
}

fn outcome(facts: &Facts, choice: &Choice, platform: &Platform, steps: &Steps, found: &Predicted) -> Outcome {
    // A run's own deviation, and what the mean may be off by where it is an estimate.
    let estimated =
        found.simulated.as_ref().map_or(0.0, |s| found.seconds * s.half / s.mean / Interval::DEVIATIONS);
    let own = found.deviation.unwrap_or(0.0).hypot(estimated);
    let makespan_s = steps.beside_s + found.seconds + steps.late_s(own);
    let interval = Interval::around(makespan_s, own.hypot(steps.error * makespan_s));
    let mut outcome = predicted(facts, choice, platform);
    let tasks = outcome.plan.grain.tasks.unwrap_or(0) as f64;
    outcome.way = Way::Pepa;
    outcome.makespan_s = makespan_s;
    outcome.predicted = Some(interval);
    outcome.throughput = if makespan_s > 0.0 { tasks / makespan_s } else { 0.0 };
    outcome.plan.predicted = Some(interval);
    outcome.plan.reason = reason(steps, found);
    outcome
}

/// By what the prediction is.
fn reason(steps: &Steps, found: &Predicted) -> String {
    let states = match &found.simulated {
        None => format!("model of {}", text::plural(found.states as u64, "state")),
        Some(s) => format!(
            "model, which has too many states to be solved and was simulated {} times (±{})",
            text::count(s.replications as u64),
            text::share(s.half / s.mean)
        ),
    };
    let by = match found.form {
        Form::Run => format!("mean time until the run's {states} has finished"),
        Form::Stream => {
            format!("tasks over their throughput in a stream's {states}, filling and draining left out")
        }
    };
    let groups = match steps.groups {
        1 => String::new(),
        groups => format!("; the last of {}", text::plural(groups as u64, "group")),
    };
    format!("{by}{groups}; all times exponential, which makes ranks wait longer than times that vary less")
}

/// What to do about a model that is too large to be solved, and to be simulated here.
fn too_large(choice: &Choice, has: &str) -> String {
    let plan = &choice.plan;
    let processors = text::plural(plan.group_size() as u64, "processor");
    let other = match plan.strategy {
        Strategy::ParallelPipeline | Strategy::ReductionTree => {
            "predict fewer processors or more --groups, or a --strategy whose ranks are alike (master-slave, adaptive)"
        }
        Strategy::MasterSlave | Strategy::Adaptive => "predict fewer processors or more --groups",
    };
    format!("pepa: the model of {processors} by {} has {has}; {other}", plan.strategy.name())
}

/// What the model leaves out, for its reader.
fn beside(facts: &Facts, platform: &Platform, steps: &Steps) -> String {
    let mut out = format!("// {} on {}", text::printable(&facts.name), text::printable(&platform.name));
    if steps.groups > 1 {
        out += &format!(", one of {} groups", steps.groups);
    }
    if steps.beside_s > 0.0 {
        out += &format!(
            "; starting the ranks and the finish, {} in all, come on top",
            text::seconds(steps.beside_s)
        );
    }
    out + ".\n"
}
