//! `run`, `plan` and `predict` of jobs as scatter-gather.

use forerun_apps::{ReductionJob, ScatterGatherJob};
use forerun_model::scatter_gather::{Choice, Planned};
use forerun_platform::{Bytes, Outcome, Platform, Profile, ScatterGatherProfile, Skeleton, Way};

use super::{Calibrated, Facts, calibrate, execute, planning, simulate, words};
use crate::cli::{FigureOptions, PlanOptions, PredictOptions, RunOptions, ShapeOptions};
use crate::commands::{Context, predict, run};
use crate::error::{CliError, request};
use crate::figures::{self, Figures};
use crate::{compare, describe, drawings, execute as executing, file, sbatch, text};

/// What a job is planned from.
struct Costs {
    platform: Platform,
    costs: ScatterGatherProfile,
    facts: Facts,
}

/// Platform, costs and facts of a job, said as they are found.
fn costs<J: ReductionJob + ScatterGatherJob>(
    job: &J,
    processors: Option<usize>,
    shape: &ShapeOptions,
    options: &FigureOptions,
    context: &Context,
) -> Result<Costs, CliError> {
    let console = &context.console;
    if let Some(file) = &options.write_profile {
        file::check("--write-profile", file)?;
    }
    let given = options.profile.as_ref().map(|file| Profile::load(file).map_err(request)).transpose()?;
    if let Some(profile) = &given {
        of_profile(profile)?;
    }
    let platform = figures::platform(options.platform.as_deref(), context)?;
    console.note("machine", &describe::platform(&platform))?;
    console.note("job", &format!("{}: {}", job.name(), job.summary()))?;
    costs_on(job, processors, shape, options, given, platform, context)
}

fn costs_on<J: ReductionJob + ScatterGatherJob>(
    job: &J,
    processors: Option<usize>,
    shape: &ShapeOptions,
    options: &FigureOptions,
    given: Option<Profile>,
    mut platform: Platform,
    context: &Context,
) -> Result<Costs, CliError> {
    let Context { console, interrupt } = context;
    let ranks = processors.unwrap_or_else(figures::workers);
    let (profile, found) = match given {
        Some(profile) => (profile, None),
        None => {
            let workers = ranks.min(figures::workers());
            let found = calibrate(job, job.extent().bytes, workers, interrupt.cancel())
                .map_err(|e| super::execute::explain(e, interrupt))?;
            let source = format!("a pilot of {} blocks of {}", found.blocks, job.summary());
            let scatter_gather = Some(found.profile.clone());
            let profile = Profile { application: job.name().into(), source, reduction: None, scatter_gather };
            (profile, Some(found))
        }
    };
    let costs = of_profile(&profile)?.clone();
    let label = if found.is_some() { "pilot" } else { "profile" };
    console.note(label, &words::profile(&costs, found.as_ref()))?;
    if let Some(file) = &options.write_profile {
        file::write(file, profile.to_toml().as_bytes())?;
    }
    // Here the job's own limit holds, of which sorted blocks may have half.
    if options.platform.as_deref().is_none_or(|p| p == "this")
        && let Some(limit) = job.memory()
    {
        platform.hosts.iter_mut().for_each(|host| host.memory = Some(Bytes(limit)));
    }
    let largest = found.map(|f: Calibrated| f.largest);
    Ok(Costs { facts: Facts::of(job, ranks, largest, shape), platform, costs })
}

/// The scatter-gather part of a profile.
///
/// # Errors
/// That there is none.
pub fn of_profile(profile: &Profile) -> Result<&ScatterGatherProfile, CliError> {
    profile.scatter_gather.as_ref().ok_or_else(|| {
        request(format!(
            "the profile of {} has no costs of scatter-gather: give it a [scatter_gather] section",
            profile.application
        ))
    })
}

/// Runs a job.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn run_job<J: ReductionJob + ScatterGatherJob>(
    job: &J,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let costs = costs(job, how.processors.get(), &how.shape, &how.figures, context)?;
    let planned =
        planning::plan(&costs.facts, &costs.costs, &costs.platform, &how.shape, how.processors.get(), None)?;
    run_planned(job, &costs, &planned, how, context)
}

fn run_planned<J: ReductionJob + ScatterGatherJob>(
    job: &J,
    Costs { platform, costs, facts }: &Costs,
    planned: &Planned,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Context { console, interrupt } = context;
    console.note("plan", &words::plan(planned))?;
    let choice = &planned.best;
    if how.on == Way::Simulated {
        return simulated(facts, choice, costs, platform, how, context);
    }
    if how.on == Way::Threads && how.figures.platform.as_deref().is_some_and(|p| p != "this") {
        let name = &platform.name;
        console.note("note", &format!("the prediction is for {name}, the run is on this machine"))?;
    }
    let mut outcomes = predictions(&how.by, facts, choice, costs, platform, context)?;
    for outcome in &outcomes {
        console.note("", &compare::verdict(outcome))?;
    }
    for _ in 0..how.repeat {
        let bar = console.bar(choice.plan.grain.tasks, "blocks");
        let done = execute(job, &choice.plan, how.on, platform, &bar, interrupt)?;
        console.note("result", &done.result)?;
        for note in job.notes() {
            console.note("note", &note)?;
        }
        console.say("", &compare::verdict(&done.outcome))?;
        outcomes.push(done.outcome);
        executing::stop_if_interrupted(interrupt)?;
    }
    console.data(&outcomes)
}

fn simulated(
    facts: &Facts,
    choice: &Choice,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let mut outcomes = Vec::new();
    for _ in 0..how.repeat {
        let outcome = simulate(facts, &choice.plan, costs, platform, &context.interrupt)?;
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
    let platform = figures::platform(how.figures.platform.as_deref(), context)?;
    let costs = of_profile(profile)?;
    let planned = planning::plan(facts, costs, &platform, &how.shape, how.processors.get(), None)?;
    context.console.note("plan", &words::plan(&planned))?;
    simulated(facts, &planned.best, costs, &platform, how, context)
}

/// Plans a job.
///
/// # Errors
/// Why there is no such plan; a file that cannot be written.
pub fn plan_job<J: ReductionJob + ScatterGatherJob>(
    job: &J,
    how: &PlanOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Costs { platform, costs, facts } =
        costs(job, how.processors.get(), &how.shape, &how.figures, context)?;
    plan_costed(&facts, &costs, &platform, how, context)
}

/// Plans from costs.
///
/// # Errors
/// Why there is no such plan; a file that cannot be written.
pub fn plan_costed(
    facts: &Facts,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    how: &PlanOptions,
    context: &Context,
) -> Result<(), CliError> {
    let (pinned, most) = (how.processors.get(), how.max_processors);
    let planned = planning::plan(facts, costs, platform, &how.shape, pinned, most)?;
    context.console.say("plan", &words::plan(&planned))?;
    context.console.text(&words::alternatives(&planned))?;
    if let Some(path) = &how.sbatch {
        sbatch::check(&planned.best.plan, platform)?;
        let script = sbatch::script(&planned.best.plan, platform, &std::env::args_os().collect::<Vec<_>>());
        file::write(path, script.as_bytes())?;
        context.console.note("sbatch", &path.display().to_string())?;
    }
    context.console.data(&planned.best.plan)
}

/// Predicts a job.
///
/// # Errors
/// A number of processors on which it cannot be run.
pub fn predict_job<J: ReductionJob + ScatterGatherJob>(
    job: &J,
    how: &PredictOptions,
    context: &Context,
) -> Result<(), CliError> {
    let most = how.processors.iter().copied().max();
    let Costs { platform, costs, facts } = costs(job, most, &how.shape, &how.figures, context)?;
    predict_costed(&facts, &costs, &platform, how, context)
}

/// Predicts from costs.
///
/// # Errors
/// A number of processors on which it cannot be run.
pub fn predict_costed(
    facts: &Facts,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    how: &PredictOptions,
    context: &Context,
) -> Result<(), CliError> {
    how.draw.check(&context.console)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    for p in predict::processors(how, platform) {
        let planned = planning::plan(facts, costs, platform, &how.shape, Some(p), None);
        match planned {
            Ok(planned) => {
                outcomes.extend(predictions(&how.by, facts, &planned.best, costs, platform, context)?);
            }
            // Of several numbers, those that fit are still worth seeing.
            Err(e) if how.processors.len() != 1 => context.console.note("note", &e.to_string())?,
            Err(e) => return Err(e),
        }
    }
    if outcomes.is_empty() {
        return Err(request("the job fits on none of these numbers of processors"));
    }
    context.console.text(&describe::predictions(&outcomes))?;
    how.draw.write(|| drawings::outcomes_sheet(&outcomes), || drawings::makespans(&outcomes))?;
    context.console.data(&outcomes)
}

/// What each of the ways predicts for a plan.
fn predictions(
    by: &[Way],
    facts: &Facts,
    choice: &Choice,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    context: &Context,
) -> Result<Vec<Outcome>, CliError> {
    let predict = |&way: &Way| match way {
        Way::Simulated => simulate(facts, &choice.plan, costs, platform, &context.interrupt),
        _ => Ok(planning::predicted(facts, choice, platform)),
    };
    by.iter().map(predict).collect()
}

/// Runs a job by the skeleton for which less time is predicted.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn auto<J: ReductionJob + ScatterGatherJob>(
    job: &J,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Context { console, interrupt } = context;
    let processors = how.processors.get();
    let figures = figures::of(job, processors, &how.figures, context)?;
    let facts = crate::planning::Facts::of(job, figures.largest, &how.shape);
    let reduction = figures::reduction(&figures.profile)?;
    let reduced =
        crate::planning::plan(&facts, reduction, &figures.platform, &how.shape, processors, None, interrupt)?;
    let given = figures.profile.scatter_gather.is_some().then(|| figures.profile.clone());
    // The profile written has the reduction's costs.
    let options = FigureOptions { write_profile: None, ..how.figures.clone() };
    let costs = costs_on(job, processors, &how.shape, &options, given, figures.platform.clone(), context)?;
    let scattered =
        planning::plan(&costs.facts, &costs.costs, &costs.platform, &how.shape, processors, None)?;
    let seconds = (reduced.best.prediction.interval, scattered.best.prediction.interval);
    let chosen = if seconds.1.makespan_s < seconds.0.makespan_s {
        Skeleton::ScatterGather
    } else {
        Skeleton::Reduction
    };
    let apart = seconds.1.high_s < seconds.0.low_s || seconds.0.high_s < seconds.1.low_s;
    console.note(
        "skeleton",
        &format!(
            "{}: {} predicted by reduction, {} by scatter-gather{}",
            chosen.name(),
            text::interval(&seconds.0),
            text::interval(&seconds.1),
            if apart { "" } else { "; the intervals overlap" }
        ),
    )?;
    match chosen {
        Skeleton::ScatterGather => run_planned(job, &costs, &scattered, how, context),
        Skeleton::Reduction => {
            let Figures { platform, profile, largest } = figures;
            let costs = figures::reduction(&profile)?;
            run::run_planned(job, &facts, costs, &platform, (reduced, largest), how, context)
        }
    }
}
