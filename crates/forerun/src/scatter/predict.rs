//! `forerun predict` of jobs as scatter-gather.

use forerun_apps::ScatterGatherJob;
use forerun_model::scatter_gather::Choice;
use forerun_platform::{Platform, ScatterGatherProfile, Way};

use super::figures::{Costs, costs};
use super::{Facts, effort, planning, simulate};
use crate::cli::PredictOptions;
use crate::commands::run::{Predictions, tell_effort};
use crate::commands::{Context, predict};
use crate::error::{CliError, request};

/// Why scatter-gather has no PEPA model.
pub const NO_MODEL: &str = "pepa: there are PEPA models of reductions, farms and pipelines, not of scatter-gather, which analytic and simulated \
     predict: leave pepa out of --by, and leave --write-model out";

/// Predicts a job.
///
/// # Errors
/// A number of processors on which it cannot be run.
pub fn predict_job(
    job: &dyn ScatterGatherJob,
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
    if how.write_model.is_some() {
        return Err(request(NO_MODEL));
    }
    context.note_shared(predict::processors(how, platform), platform)?;
    context.note_beside(facts.beside, predict::processors(how, platform))?;
    let outcomes = predicted(facts, costs, platform, how, context)?.answered(how, context)?;
    predict::tell(&outcomes, how, context)
}

/// What is predicted for each of the numbers of processors, and why some of it is not.
pub(super) fn predicted(
    facts: &Facts,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    how: &PredictOptions,
    context: &Context,
) -> Result<Predictions, CliError> {
    facts.not_empty()?;
    // Whatever the number of processors.
    planning::fitting(facts, &how.shape)?;
    let mut all = Predictions::default();
    let (numbers, ways) = (predict::processors(how, platform), predict::once(&how.by));
    let bar = context.console.ticking(numbers.len(), "predicting");
    let under_way = predict::UnderWay::default();
    for p in numbers {
        under_way.begin(p, &ways);
        let planned = context.console.telling(
            &bar,
            || under_way.told(),
            || {
                let planned =
                    planning::plan(facts, costs, platform, &how.shape, Some(p), None, &context.interrupt);
                let planned = match planned {
                    Ok(planned) => planned,
                    Err(e) => return Ok(Err(e)),
                };
                for &way in &ways {
                    let found = predictions(&[way], facts, &planned.best, costs, platform, context)?;
                    under_way.done(way, &found.outcomes);
                    all.extend(found);
                }
                Ok::<_, CliError>(Ok(()))
            },
        )?;
        match planned {
            Ok(()) => {}
            // Others, which fit, are still worth seeing.
            Err(CliError::Request(why)) => all.refused.push(why),
            Err(e) => return Err(e),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

/// What each of the ways predicts for a plan.
///
/// # Errors
/// Where virtual time cannot say; a way that has no model; interrupted. What would take too long is refused instead.
pub(super) fn predictions(
    by: &[Way],
    facts: &Facts,
    choice: &Choice,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    context: &Context,
) -> Result<Predictions, CliError> {
    let mut all = Predictions::default();
    for way in by {
        all.outcomes.push(match way {
            Way::Pepa => return Err(request(NO_MODEL)),
            Way::Simulated => {
                let effort = effort(choice);
                if let Err(why) = effort.check() {
                    all.refused.push(format!("simulated: {why}"));
                    continue;
                }
                tell_effort(effort, context);
                let mut outcome = simulate(facts, &choice.plan, costs, platform, &context.interrupt)?;
                facts.widen(&mut outcome);
                outcome
            }
            _ => planning::predicted(facts, choice, platform),
        });
    }
    Ok(all)
}
