//! `forerun predict` of jobs as scatter-gather.

use forerun_apps::ScatterGatherJob;
use forerun_model::scatter_gather::Choice;
use forerun_platform::{Outcome, Platform, ScatterGatherProfile, Way};

use super::figures::{Costs, costs};
use super::{Facts, planning, simulate};
use crate::cli::PredictOptions;
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
    how.draw.check(&context.console)?;
    if how.write_model.is_some() {
        return Err(request(NO_MODEL));
    }
    context.note_shared(predict::processors(how, platform), platform)?;
    context.note_beside(facts.beside, predict::processors(how, platform))?;
    predict::tell(&outcomes(facts, costs, platform, how, context)?, how, context)
}

/// What is predicted for each of the numbers of processors.
pub(super) fn outcomes(
    facts: &Facts,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    how: &PredictOptions,
    context: &Context,
) -> Result<Vec<Outcome>, CliError> {
    facts.not_empty()?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    let numbers = predict::processors(how, platform);
    let bar = context.console.ticking(numbers.len(), "predicting");
    let mut known = predict::Known::default();
    for p in numbers {
        let told = known.and_under_way(&outcomes, p, &how.by);
        let found = context.console.telling(&bar, &told, || {
            planning::plan(facts, costs, platform, &how.shape, Some(p), None, &context.interrupt)
                .map(|planned| predictions(&how.by, facts, &planned.best, costs, platform, context))
        });
        match found {
            Ok(found) => outcomes.extend(found?),
            Err(e @ CliError::Interrupted(_)) => return Err(e),
            // Of several numbers, those that fit are still worth seeing.
            Err(e) if how.one_number().is_none() => context.console.note("note", &e.to_string())?,
            Err(e) => return Err(e),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if outcomes.is_empty() {
        return Err(request("the job fits on none of these numbers of processors"));
    }
    Ok(outcomes)
}

/// What each of the ways predicts for a plan.
pub(super) fn predictions(
    by: &[Way],
    facts: &Facts,
    choice: &Choice,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    context: &Context,
) -> Result<Vec<Outcome>, CliError> {
    let predict = |&way: &Way| match way {
        Way::Pepa => Err(request(NO_MODEL)),
        Way::Simulated => {
            let mut outcome = simulate(facts, &choice.plan, costs, platform, &context.interrupt)?;
            facts.widen(&mut outcome);
            Ok(outcome)
        }
        _ => Ok(planning::predicted(facts, choice, platform)),
    };
    by.iter().map(predict).collect()
}
