//! `forerun plan`: the way to run a job, and why.

use forerun_apps::Job;
use forerun_platform::{Outcome, Plan, Platform, ReductionProfile};
use serde::Serialize;

use crate::cli::PlanOptions;
use crate::commands::run::Predictions;
use crate::commands::{Context, run};
use crate::error::CliError;
use crate::planning::{self, Facts, plan};
use crate::sbatch::{self, About};
use crate::{compare, describe, text};

/// Plans a job, or tasks that are known only by their costs.
///
/// # Errors
/// Why there is no such plan; a file that cannot be written.
pub fn run(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    job: Option<&dyn Job>,
    how: &PlanOptions,
    context: &Context,
) -> Result<(), CliError> {
    facts.not_empty()?;
    let Context { console, interrupt, .. } = context;
    let (pinned, most) = (how.processors.get(), how.max_processors);
    let cores = platform.cores();
    if let Some(most) = most.filter(|&most| most > cores) {
        console.note(
            "note",
            &format!(
                "--max-processors {most}: {} has {}, and no more ranks than that are planned; ranks that \
                 share a core only take turns",
                platform.name,
                text::plural(cores as u64, "core")
            ),
        )?;
    }
    context.note_shared(pinned.as_slice(), platform)?;
    let planned = plan(facts, costs, platform, &how.shape, pinned, most, interrupt)?;
    let words = describe::plan(&planned, facts);
    console.say("plan", &words)?;
    console.text(&describe::alternatives(&planned))?;
    facts.note_without_bytes(costs, console)?;
    context.note_beside(facts.beside, [planned.best.plan.processors])?;
    if let Some((path, job)) = how.sbatch.as_ref().zip(job) {
        let best = &planned.best.plan;
        let (tasks, all) = (best.grain.tasks.unwrap_or(0) as f64, facts.input.bytes());
        let results = tasks * costs.result_of(all / tasks.max(1.0));
        sbatch::write(path, (best, platform), &words, &About::of(job, results), context)?;
    }
    let predicted = run::predictions(&how.by, facts, &planned.best, costs, platform, context)?;
    tell(&planned.best.plan, predicted, context)
}

/// That there is such a plan on a platform, whatever the job's costs.
///
/// # Errors
/// Why there is none.
pub(crate) fn possible(how: &PlanOptions) -> impl Fn(&Facts, &Platform) -> Result<(), CliError> {
    let (pinned, most) = (how.processors.get(), how.max_processors);
    move |facts, platform| planning::possible(facts, platform, &how.shape, pinned, most)
}

/// What `--json` gets: the plan, what the ways asked for predict of it, and a sentence for each that does not.
#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    plan: &'a Plan,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    predictions: Vec<Outcome>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<String>,
}

/// Says what is predicted of a plan, and writes both as data.
///
/// # Errors
/// What cannot be written.
pub(crate) fn tell(plan: &Plan, predicted: Predictions, context: &Context) -> Result<(), CliError> {
    for outcome in &predicted.outcomes {
        context.console.say("", &compare::verdict(outcome))?;
    }
    predicted.note(context)?;
    data(plan, predicted, context)
}

/// Writes a plan and what is predicted of it as data.
///
/// # Errors
/// What cannot be written.
pub(crate) fn data(plan: &Plan, predicted: Predictions, context: &Context) -> Result<(), CliError> {
    let Predictions { outcomes: predictions, refused } = predicted;
    context.console.data(&Told { plan, predictions, refused })
}
