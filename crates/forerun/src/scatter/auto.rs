//! The skeleton with the shorter prediction, of jobs that can be both.

use forerun_apps::ScatterGatherJob;
use forerun_platform::{Interval, Platform, Skeleton, Way};

use super::figures::{Costs, costs_on};
use super::{plan as planned, planning, predict as predicted, run as running};
use crate::cli::{FigureOptions, PlanOptions, PredictOptions, RunOptions, ShapeOptions};
use crate::commands::{Context, plan, predict, run};
use crate::error::CliError;
use crate::figures::{self, Figures};
use crate::{allocation, planning as reduction, text};

/// What both pilots found.
struct Both {
    figures: Figures,
    facts: reduction::Facts,
    costs: Costs,
}

fn both(
    job: &dyn ScatterGatherJob,
    processors: Option<usize>,
    shape: &ShapeOptions,
    options: &FigureOptions,
    possible: impl FnOnce(&reduction::Facts, &Platform) -> Result<(), CliError>,
    context: &Context,
) -> Result<Both, CliError> {
    let ranks = processors.unwrap_or_else(allocation::cores);
    planning::fitting(&planning::Facts::of(job, ranks, None, shape), shape)?;
    figures::check_written(options)?;
    // The profile that is written has the costs of both.
    let alone = FigureOptions { write_profile: None, ..options.clone() };
    let figures = figures::of(job, processors, shape, &alone, possible, context)?;
    figures::reduction(&figures.profile)?;
    let facts = reduction::Facts::of(job, figures.largest, shape).beside(figures.beside);
    let (given, platform) = (figures.found.scatter_gather.is_some(), figures.platform.clone());
    let profiles = (given.then(|| figures.found.clone()), Some(&figures.found));
    let costs = costs_on(job, processors, shape, options, profiles, platform, context)?;
    Ok(Both { figures, facts, costs })
}

/// Which skeleton it is, and says so.
fn choose(by_reduction: &Interval, scattered: &Interval, context: &Context) -> Result<Skeleton, CliError> {
    let shorter = scattered.makespan_s < by_reduction.makespan_s;
    let chosen = if shorter { Skeleton::ScatterGather } else { Skeleton::Reduction };
    let apart = scattered.high_s < by_reduction.low_s || by_reduction.high_s < scattered.low_s;
    let line = format!(
        "{}: {} predicted by reduction, {} by scatter-gather{}",
        chosen.name(),
        text::interval(by_reduction),
        text::interval(scattered),
        if apart { "" } else { "; the intervals overlap" }
    );
    context.console.note("skeleton", &line)?;
    Ok(chosen)
}

/// Runs a job by the skeleton for which less time is predicted.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn auto_run(job: &dyn ScatterGatherJob, how: &RunOptions, context: &Context) -> Result<(), CliError> {
    let (shape, processors) = (&how.shape, how.processors.get());
    let Both { figures, facts, costs } =
        both(job, processors, shape, &how.figures, run::possible(how), context)?;
    let beside = context.of_run(facts.beside, how.on);
    let facts = facts.beside(beside);
    let costs = Costs { facts: costs.facts.of_run(how.on, context), ..costs };
    let Figures { platform, profile, sampled, .. } = figures;
    let reduced = figures::reduction(&profile)?;
    let by_reduction =
        reduction::plan(&facts, reduced, &platform, shape, processors, how.most(), &context.interrupt)?;
    let scattered = costs.plan(shape, processors, how.most(), &context.interrupt)?;
    let (one, other) = (&by_reduction.best.prediction.interval, &scattered.best.prediction.interval);
    // Of nothing no time is predicted, so that there is nothing to choose by.
    let skeleton = match facts.not_empty() {
        Ok(()) => choose(one, other, context)?,
        Err(_) => Skeleton::Reduction,
    };
    match skeleton {
        Skeleton::ScatterGather => {
            let by = without_pepa(&how.by, context)?;
            let how = &RunOptions { by, ..how.clone() };
            running::run_planned(job, &costs, &scattered, how, context)
        }
        Skeleton::Reduction | Skeleton::Farm => {
            run::run_planned(job, &facts, reduced, &platform, (by_reduction, sampled), how, context)
        }
    }
}

/// Plans a job by the skeleton for which less time is predicted.
///
/// # Errors
/// Why there is no such plan; a file that cannot be written.
pub fn auto_plan(job: &dyn ScatterGatherJob, how: &PlanOptions, context: &Context) -> Result<(), CliError> {
    let (shape, processors, most) = (&how.shape, how.processors.get(), how.max_processors);
    let Both { figures, facts, costs } =
        both(job, processors, shape, &how.figures, plan::possible(how), context)?;
    let Figures { platform, profile, .. } = figures;
    let reduced = figures::reduction(&profile)?;
    let by_reduction =
        reduction::plan(&facts, reduced, &platform, shape, processors, most, &context.interrupt)?;
    let scattered = costs.plan(shape, processors, most, &context.interrupt)?;
    let (one, other) = (&by_reduction.best.prediction.interval, &scattered.best.prediction.interval);
    facts.not_empty()?;
    match choose(one, other, context)? {
        Skeleton::ScatterGather => {
            let by = without_pepa(&how.by, context)?;
            let how = &PlanOptions { by, ..how.clone() };
            planned::plan_costed(&costs.facts, &costs.costs, &costs.platform, Some(job), how, context)
        }
        Skeleton::Reduction | Skeleton::Farm => {
            plan::run(&facts, reduced, &platform, Some(job), how, context)
        }
    }
}

/// Predicts a job by both skeletons, on each of the numbers of processors.
///
/// # Errors
/// A number of processors on which it cannot be run.
pub fn auto_predict(
    job: &dyn ScatterGatherJob,
    how: &PredictOptions,
    context: &Context,
) -> Result<(), CliError> {
    let most = how.processors.iter().copied().max();
    let Both { figures, facts, costs } =
        both(job, most, &how.shape, &how.figures, predict::possible(how), context)?;
    let Figures { platform, profile, .. } = figures;
    let mut all = predict::predictions(&facts, figures::reduction(&profile)?, &platform, how, context)?;
    let by = without_pepa(&how.by, context)?;
    let scattered = &PredictOptions { by, ..how.clone() };
    if !scattered.by.is_empty() {
        all.extend(predicted::predicted(&costs.facts, &costs.costs, &costs.platform, scattered, context)?);
    }
    // Where one skeleton is refused, the other may still answer.
    let outcomes = all.answered(how, context)?;
    predict::tell(&outcomes, how, context)?;
    predict::write_model(&facts, figures::reduction(&profile)?, &platform, how, context)
}

/// The ways that predict scatter-gather too; says that pepa, where it is asked for, is of the reduction alone.
fn without_pepa(by: &[Way], context: &Context) -> Result<Vec<Way>, CliError> {
    if by.contains(&Way::Pepa) {
        context.console.say("pepa", "of the reduction alone: scatter-gather has no PEPA model")?;
    }
    Ok(by.iter().copied().filter(|way| *way != Way::Pepa).collect())
}
