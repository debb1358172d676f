//! Farms that are not run: how they would be, and how long that would take.

use std::path::Path;
use std::sync::Mutex;

use forerun_apps::FarmJob;
use forerun_platform::Plan;

use super::{Seen, Team, plan, ways, widest};
use crate::cli::FarmWays;
use crate::commands::Context;
use crate::commands::plan::tell;
use crate::commands::predict::{UnderWay, once, usual};
use crate::commands::run::Predictions;
use crate::describe;
use crate::error::{CliError, request};
use crate::sbatch::{self, About};

/// How a job would be run, as a whole: nothing of the pilot is kept.
///
/// # Errors
/// What is wrong with the request; what failed in the pilot.
pub(super) fn plan<J: FarmJob>(
    job: &J,
    how: &FarmWays,
    script: Option<&Path>,
    context: &Context,
) -> Result<(), CliError> {
    let processors = how.processors.get();
    let seen = seen(job, (how, processors, processors.is_none()), context)?;
    let planned = seen.best(how, seen.left)?;
    let plan = &planned.plan;
    context.console.say("plan", &plan::words(plan, (seen.all, seen.left)))?;
    context.note_shared([plan.processors], &seen.platform)?;
    context.note_beside(seen.beside, [plan.processors])?;
    let predicted = seen.predictions(job, &how.by, &planned, context)?;
    if let Some(path) = script {
        let result_bytes = seen.costs.as_ref().map_or(0.0, |costs| {
            costs.result_bytes.0 * seen.all as f64
                + costs.result_bytes.1 * seen.sizes.0.iter().sum::<u64>() as f64
        });
        // With a platform, the farm is planned for processes.
        let processes = how.platform.is_some();
        let about = About { outside: job.outside(), memory_needed: None, result_bytes, processes };
        // Where there is no closed form, the limit is what another way predicts.
        let other = || predicted.outcomes.iter().find_map(|o| o.predicted);
        let plan = &Plan { predicted: plan.predicted.or_else(other), ..plan.clone() };
        sbatch::write(path, (plan, &seen.platform), &about, context)?;
    }
    tell(plan, predicted, context)
}

/// How long it would take on these numbers of processors, or on those that are usual.
///
/// # Errors
/// What is wrong with the request; what failed in the pilot; masters or costs of which no time is predicted.
pub(super) fn predict<J: FarmJob>(
    job: &J,
    how: &FarmWays,
    processors: &[usize],
    context: &Context,
) -> Result<(), CliError> {
    // What cannot be is said before anything is tried.
    processors.iter().try_for_each(|&p| Team::of(how, p).map(drop))?;
    ways::possible(how, processors)?;
    let seen = seen(job, (how, processors.iter().copied().max(), false), context)?;
    let processors = match processors {
        [] => {
            // All that there are at least, if only to say why these are not enough.
            let cores = seen.platform.cores();
            usual(cores).into_iter().filter(|&p| p == cores || Team::of(how, p).is_ok()).collect()
        }
        some => some.to_vec(),
    };
    context.note_beside(seen.beside, &processors)?;
    let mut all = Predictions::default();
    let bar = context.console.ticking(processors.len(), "predicting");
    let (under_way, ways) = (UnderWay::default(), once(&how.by));
    for p in processors {
        under_way.begin(p, &ways);
        let predicted = context.console.telling(
            &bar,
            || under_way.told(),
            || -> Result<bool, CliError> {
                let planned = seen.plan(how, p, seen.left)?;
                for &way in &ways {
                    let found = seen.predictions(job, &[way], &planned, context)?;
                    under_way.done(way, &found.outcomes);
                    all.extend(found);
                }
                Ok(planned.basis.is_some())
            },
        )?;
        if !predicted {
            return Err(request(match seen.left {
                0 => "there is nothing to predict: all tasks are done",
                _ => "there is nothing to predict: too few tasks are left to try some",
            }));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if all.outcomes.is_empty() {
        return Err(ways::nothing(&all.refused));
    }
    all.note(context)?;
    context.console.text(&describe::predictions(&all.outcomes))?;
    context.console.data(&all.outcomes)
}

/// What a pilot tells of a job that is not run, for so many processors where that is said, or as many as it finds to be best where that is `wide`.
///
/// # Errors
/// What is wrong with the request; what failed in the pilot.
fn seen<J: FarmJob>(
    job: &J,
    (how, processors, wide): (&FarmWays, Option<usize>, bool),
    context: &Context,
) -> Result<Seen, CliError> {
    let at_once = |team: Team, cores: usize| match how.platform.is_some() {
        true => (1, 1),
        false => {
            (team.slaves.min(cores), widest(processors.filter(|_| !wide).or((!wide).then_some(cores)), team))
        }
    };
    // A job that can rehearse its finish takes the pilot's answers; of others they are forgotten.
    let kept = (!job.rehearses()).then(Mutex::default);
    Seen::of(job, (how, processors), at_once, kept.as_ref(), context)
}
