//! Farms that are not run: how they would be, and how long that would take.

use std::sync::Mutex;

use forerun_apps::FarmJob;
use forerun_platform::{Interval, Outcome, Plan, Platform};

use super::{Team, pilot, plan, profile};
use crate::cli::{FarmWays, Pin};
use crate::commands::Context;
use crate::commands::plan::data;
use crate::commands::run::Predictions;
use crate::error::{CliError, request};
use crate::planning::analytic;
use crate::{describe, figures, file, text};

/// How a job would be run, as a whole: nothing of the pilot is kept.
///
/// # Errors
/// What is wrong with the request; what failed in the pilot.
pub(super) fn plan<J: FarmJob>(job: &J, how: &FarmWays, context: &Context) -> Result<(), CliError> {
    let seen = Seen::of(job, how, context)?;
    let plan = seen.plan(how)?;
    context.console.say("plan", &plan::words(&plan))?;
    context.note_shared([plan.processors], &seen.platform)?;
    data(&plan, Predictions::default(), context)
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
    let seen = Seen::of(job, how, context)?;
    let processors = match processors {
        [] => usual(seen.platform.cores()),
        some => some.to_vec(),
    };
    let mut outcomes = Vec::new();
    for p in processors {
        let plan = seen.plan(&FarmWays { processors: Pin::To(p), ..how.clone() })?;
        let Some(interval) = plan.predicted else {
            let why =
                if plan.reason.is_empty() { "too few tasks are left to try some" } else { &plan.reason };
            return Err(request(format!("there is nothing to predict: {why}")));
        };
        outcomes.push(seen.outcome(job.name(), &plan, interval));
    }
    context.console.text(&describe::predictions(&outcomes))?;
    context.console.data(&outcomes)
}

/// 1, every power of 2 up to the cores, and all of them.
fn usual(cores: usize) -> Vec<usize> {
    let mut all: Vec<usize> =
        std::iter::successors(Some(1), |p| Some(p * 2)).take_while(|&p| p < cores).collect();
    all.push(cores.max(1));
    all
}

/// A job as a pilot sees it.
struct Seen {
    platform: Platform,
    found: Option<pilot::Found>,
    /// Tasks that are left, and all.
    tasks: (u64, u64),
}

impl Seen {
    fn of<J: FarmJob>(job: &J, how: &FarmWays, context: &Context) -> Result<Seen, CliError> {
        let console = &context.console;
        let slaves = Team::of(how)?.slaves;
        let platform = figures::platform(how.platform.as_deref(), context)?;
        console.note("machine", &describe::platform(&platform))?;
        console.note("job", &format!("{}: {}", job.name(), job.summary()))?;
        let mut rest: Vec<u64> = (0..job.tasks()).filter(|&task| !job.is_done(task)).collect();
        let tasks = (rest.len() as u64, job.tasks());
        if tasks.0 < tasks.1 {
            let done = text::plural(tasks.1, "task");
            console.note("resume", &format!("{} of {done} were finished before", tasks.1 - tasks.0))?;
        }
        let here = platform.cores();
        let at_once = if how.platform.is_some() { 1 } else { slaves.min(here) };
        // A job that can rehearse its finish takes the pilot's answers; of others they are forgotten.
        let kept = (!job.rehearses()).then(Mutex::default);
        let found =
            pilot::pilot(job, &mut rest, (at_once, here), &how.shape, kept.as_ref(), &context.interrupt)?;
        if let Some(found) = &found {
            console.note("pilot", &pilot::words(found))?;
            if let Some(file) = &how.write_profile {
                file::write(file, profile(job, &found.costs).to_toml().as_bytes())?;
            }
        }
        Ok(Seen { platform, found, tasks })
    }

    fn plan(&self, how: &FarmWays) -> Result<Plan, CliError> {
        let costs = self.found.as_ref().map(|found| &found.costs);
        let hosts = how.platform.is_some().then_some(&self.platform);
        plan::plan(costs, self.tasks, (Team::of(how)?, how.on), (&self.platform, hosts), &how.shape)
    }

    fn outcome(&self, job: &str, plan: &Plan, interval: Interval) -> Outcome {
        analytic(job, plan, interval, &self.platform)
    }
}

#[cfg(test)]
mod tests {
    use super::usual;

    #[test]
    fn usual_numbers_end_with_all_cores() {
        assert_eq!(usual(0), [1]);
        assert_eq!(usual(1), [1]);
        assert_eq!(usual(2), [1, 2]);
        assert_eq!(usual(6), [1, 2, 4, 6]);
    }
}
