//! `forerun run` of jobs as scatter-gather.

use forerun_apps::ScatterGatherJob;
use forerun_model::scatter_gather::{Choice, Planned};
use forerun_platform::{Platform, Profile, ScatterGatherProfile, Way};

use super::figures::{Costs, costs, of_costed, of_profile};
use super::{Facts, effort, execute, planning, predict, simulate, words};
use crate::cli::RunOptions;
use crate::commands::{Context, run as commands};
use crate::error::{CliError, request};
use crate::{compare, execute as executing, mpi};

/// Runs a job.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn run_job(job: &dyn ScatterGatherJob, how: &RunOptions, context: &Context) -> Result<(), CliError> {
    let costs = costs(job, how.processors.get(), &how.shape, &how.figures, context)?;
    let costs = Costs { facts: costs.facts.of_run(how.on, context), ..costs };
    let planned = costs.plan(&how.shape, how.processors.get(), how.most(), &context.interrupt)?;
    run_planned(job, &costs, &planned, how, context)
}

/// Runs a job as it is planned.
pub(super) fn run_planned(
    job: &dyn ScatterGatherJob,
    Costs { platform, costs, facts }: &Costs,
    planned: &Planned,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Context { console, interrupt, .. } = context;
    match facts.not_empty() {
        Ok(()) => console.note("plan", &words::plan(planned))?,
        Err(nothing) => console.note("plan", &nothing.to_string())?,
    }
    if how.on != Way::Mpi {
        context.note_shared(how.processors.get().as_slice(), platform)?;
    }
    let choice = &planned.best;
    if facts.not_empty().is_ok() {
        context.note_beside(facts.beside, [choice.plan.processors])?;
    }
    if how.on == Way::Simulated {
        facts.not_empty()?;
        return simulated(facts, choice, costs, platform, how, context);
    }
    if facts.not_empty().is_ok() {
        commands::note_platform(how.on, how.figures.platform.as_deref(), platform, context)?;
    }
    let predicted = predict::predictions(&how.by, facts, choice, costs, platform, context)?;
    let mut outcomes = predicted.told(context)?;
    for _ in 0..how.repeat {
        let plan = &choice.plan;
        let mut done = match (&context.work, how.on) {
            (Some(work), Way::Mpi) => mpi::run(work, job, plan, &platform.name, &how.mpi, context)?,
            _ => {
                let bar = console.bar(plan.grain.tasks, "blocks");
                execute(job, plan, how.on, platform, &bar, interrupt)?
            }
        };
        commands::tell(&mut done, context)?;
        outcomes.push(done.outcome);
        executing::stop_if_interrupted(interrupt)?;
    }
    console.data(&outcomes)
}

/// Simulates a plan, beside what other ways predict for it.
fn simulated(
    facts: &Facts,
    choice: &Choice,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let effort = effort(choice);
    commands::affordable(effort)?;
    let predicted = predict::predictions(&how.by, facts, choice, costs, platform, context)?;
    let mut outcomes = predicted.told(context)?;
    commands::tell_effort(effort, context);
    for _ in 0..how.repeat {
        let mut outcome = simulate(facts, &choice.plan, costs, platform, &context.interrupt)?;
        facts.widen(&mut outcome);
        context.console.say("", &compare::verdict(&outcome))?;
        outcomes.push(outcome);
    }
    context.console.data(&outcomes)
}

/// Simulates blocks of which only the costs are known.
///
/// # Errors
/// That they are to be really run; what is wrong with the request.
pub fn run_costed(
    facts: &Facts,
    profile: &Profile,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    if how.on != Way::Simulated {
        return Err(request(format!(
            "tasks known only by their costs cannot be run on {}: use --on simulated",
            how.on.name()
        )));
    }
    facts.not_empty()?;
    let costs = of_profile(profile)?;
    let platform = of_costed(facts, costs, &how.figures, context)?;
    let planned =
        planning::plan(facts, costs, &platform, &how.shape, how.processors.get(), None, &context.interrupt)?;
    context.console.note("plan", &words::plan(&planned))?;
    simulated(facts, &planned.best, costs, &platform, how, context)
}
