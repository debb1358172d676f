//! `forerun plan` of jobs as scatter-gather.

use forerun_apps::{Job, ScatterGatherJob};
use forerun_platform::{Platform, ScatterGatherProfile};

use super::figures::{Costs, costs};
use super::predict::predictions;
use super::{Facts, planning, words as said};
use crate::cli::PlanOptions;
use crate::commands::{Context, plan};
use crate::error::CliError;
use crate::sbatch::{self, About};

/// Plans a job.
///
/// # Errors
/// Why there is no such plan; a file that cannot be written.
pub fn plan_job(job: &dyn ScatterGatherJob, how: &PlanOptions, context: &Context) -> Result<(), CliError> {
    let Costs { platform, costs, facts } =
        costs(job, how.processors.get(), &how.shape, &how.figures, context)?;
    plan_costed(&facts, &costs, &platform, Some(job), how, context)
}

/// Plans from costs.
///
/// # Errors
/// Why there is no such plan; a file that cannot be written.
pub fn plan_costed(
    facts: &Facts,
    costs: &ScatterGatherProfile,
    platform: &Platform,
    job: Option<&dyn Job>,
    how: &PlanOptions,
    context: &Context,
) -> Result<(), CliError> {
    facts.not_empty()?;
    let (pinned, most) = (how.processors.get(), how.max_processors);
    context.note_shared(pinned.as_slice(), platform)?;
    let planned = planning::plan(facts, costs, platform, &how.shape, pinned, most, &context.interrupt)?;
    let words = said::plan(&planned);
    context.console.say("plan", &words)?;
    context.console.text(&said::alternatives(&planned))?;
    context.note_beside(facts.beside, [planned.best.plan.processors])?;
    if let Some((path, job)) = how.sbatch.as_ref().zip(job) {
        let about = About::of(job, facts.bytes as f64);
        sbatch::write(path, (&planned.best.plan, platform), &words, &about, context)?;
    }
    let predicted = predictions(&how.by, facts, &planned.best, costs, platform, context)?;
    plan::tell(&planned.best.plan, predicted, context)
}
