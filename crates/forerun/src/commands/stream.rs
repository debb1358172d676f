//! A run that begins while its inputs keep coming: what is predicted is not its time but its pace; of pages of a crawl, that of
//! crawl and extraction together, and the time that as many as came take.

use forerun_apps::ErasedJob;
use forerun_model::planner::Choice;
use forerun_platform::{Grain, Plan, Strategy, Throughput, Way};
use forerun_skeleton::reduction::Shape;

use super::run::note_platform;
use super::{Context, crawled};
use crate::cli::RunOptions;
use crate::error::{CliError, request};
use crate::figures::Figures;
use crate::file::shown;
use crate::planning::{self, Facts, plan};
use crate::{allocation, compare, describe, execute, figures, mpi};

/// Runs a job whose input keeps coming.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn run(job: &dyn ErasedJob, how: &RunOptions, context: &Context) -> Result<(), CliError> {
    let Context { console, interrupt, .. } = context;
    let told = how.shape.strategy.get().filter(|_| how.figures.profile.is_none());
    if let Some(file) = how.figures.write_profile.as_ref().filter(|_| told.is_some()) {
        return Err(request(format!(
            "--write-profile {}: a run whose inputs keep coming and whose --strategy is given begins without a pilot, so there \
             is no profile: leave out one of the two, or give --profile",
            shown(file)
        )));
    }
    let (mut both, mut beside) = (None, None);
    let (platform, lines, plan, predicted) = if let Some(strategy) = told {
        let platform = figures::platform(how.figures.platform.as_deref(), context)?;
        console.note("machine", &describe::platform(&platform))?;
        console.note("job", &format!("{}: {}", job.name(), job.summary()))?;
        let plan = as_told(strategy, how)?;
        (platform, describe::shape(&plan), plan, None)
    } else {
        let Figures { platform, profile, largest, beside: others, .. } = figures::of(
            job,
            how.processors.get(),
            &how.shape,
            &how.figures,
            super::run::possible(how),
            context,
        )?;
        beside = context.of_run(others, how.on);
        let facts = Facts::of(job, largest, &how.shape).beside(beside);
        let costs = figures::reduction(&profile)?;
        let mut planned = plan(&facts, costs, &platform, &how.shape, how.processors.get(), None, interrupt)?;
        let predicted = throughput(&planned.best);
        if context.crawl.is_some() {
            crawled::in_pages(&mut planned, &facts);
        }
        let mut lines = describe::plan(&planned, &facts);
        if let Some(crawl) = &context.crawl {
            let extract = planning::predicted(&facts, &planned.best, &platform);
            let (of_both, _, left) = crawled::of_run(job, &extract, &facts, crawl);
            lines.push('\n');
            lines.push_str(&of_both.said(planned.best.plan.processors, left, true));
            both = Some(of_both);
        }
        (platform, lines, planned.best.plan, Some(predicted))
    };
    console.note("plan", &lines)?;
    if predicted.is_some() {
        context.note_beside(beside, [plan.processors])?;
    }
    if predicted.is_some() {
        note_platform(how.on, how.figures.platform.as_deref(), &platform, context)?;
    }
    let mut done = match (&context.work, how.on) {
        (Some(work), Way::Mpi) => mpi::run(work, job, &plan, &platform.name, &how.mpi, context)?,
        _ => {
            let bar = console.bar(None, "tasks");
            execute::execute(job, &plan, Way::Threads, &platform, &bar, interrupt)?
        }
    };
    match &context.crawl {
        Some(crawl) => crawled::ran(&mut done.outcome, job, crawl, false, both.as_ref()),
        None => done.outcome.predicted_throughput = predicted,
    }
    console.note("result", &done.result)?;
    for note in &done.notes {
        console.note("note", note)?;
    }
    console.say("", &compare::verdict(&done.outcome))?;
    console.data(&[done.outcome])
}

/// Tasks a second in the long run, with an interval as wide as that of the time.
fn throughput(choice: &Choice) -> Throughput {
    let prediction = &choice.prediction;
    let tasks_per_s = prediction.rate * choice.plan.groups as f64;
    let of = |seconds: f64| match seconds > 0.0 {
        true => tasks_per_s * prediction.makespan_s / seconds,
        false => tasks_per_s,
    };
    Throughput { tasks_per_s, low: of(prediction.interval.high_s), high: of(prediction.interval.low_s) }
}

/// The plan that the command line tells, on all processors where it does not say how many: without a
/// pilot nothing is known to choose by.
fn as_told(strategy: Strategy, how: &RunOptions) -> Result<Plan, CliError> {
    let arity = how.shape.arity.unwrap_or(2);
    let groups = how.shape.groups.unwrap_or(1);
    let processors = how.processors.get().unwrap_or_else(|| {
        let all = allocation::cores();
        let size = (all / groups).max(1);
        // The largest team that the strategy allows.
        groups * if strategy == Strategy::ParallelPipeline { arity.pow(size.ilog(arity)) } else { size }
    });
    let shape = Shape { groups, arity, ..Shape::new(strategy, processors) };
    let Shape { ranks, set, gather, deal, .. } = shape;
    let set = how.shape.set.unwrap_or(set / groups as u64).max(1);
    Shape { set, ..shape }.check().map_err(request)?;
    // One file a task, where no size is given.
    let bytes = planning::grain(&how.shape)?.unwrap_or(0);
    Ok(Plan {
        groups,
        arity,
        set,
        gather,
        deal,
        window: how.shape.window,
        ..Plan::new(strategy, ranks, Grain { tasks: None, bytes })
    })
}
