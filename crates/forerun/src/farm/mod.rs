//! Jobs as farms: a pilot, a plan, a run, and how far off it was.

mod pilot;
mod plan;
mod run;
mod subset;

use forerun_apps::FarmJob;
use forerun_platform::{FarmProfile, Profile};
use forerun_skeleton::threads::MOST_RANKS;

use crate::cli::{FarmShape, FarmWays};
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::{compare, describe, execute, figures, file, text};

/// Runs a job: as much of it as is not done already.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn run<J: FarmJob>(job: &J, how: &FarmWays, context: &Context) -> Result<(), CliError> {
    let Context { console, interrupt, .. } = context;
    if let Some(file) = &how.write_profile {
        file::check("--write-profile", file)?;
    }
    let slaves = how.shape.slaves();
    if slaves >= MOST_RANKS {
        return Err(request(format!(
            "--processors {slaves}: at most {} do tasks, each on a thread, beside one that hands them out",
            MOST_RANKS - 1
        )));
    }
    let platform = figures::platform(None, context)?;
    console.note("machine", &describe::platform(&platform))?;
    console.note("job", &format!("{}: {}", job.name(), job.summary()))?;
    let mut rest: Vec<u64> = (0..job.tasks()).filter(|&task| !job.is_done(task)).collect();
    let done = job.tasks() - rest.len() as u64;
    if done > 0 {
        console.note(
            "resume",
            &format!("{} of {} were finished before", done, text::plural(job.tasks(), "task")),
        )?;
    }
    let found = pilot::pilot(job, &mut rest, slaves, &how.shape, interrupt)?;
    let costs = found.as_ref().map(|found| &found.costs);
    if let Some(found) = &found {
        console.note("pilot", &pilot::words(found))?;
    }
    if let (Some(file), Some(costs)) = (&how.write_profile, costs) {
        file::write(file, profile(job, costs).to_toml().as_bytes())?;
    }
    let plan = plan::plan(costs, rest.len() as u64, slaves, &platform, &how.shape)?;
    console.note("plan", &plan::words(&plan))?;
    let done = run::run(job, &rest, &plan, &platform, context)?;
    console.note("result", &done.result)?;
    console.say("", &compare::verdict(&done.outcome))?;
    console.data(&[done.outcome])?;
    execute::stop_if_interrupted(interrupt)
}

fn profile<J: FarmJob>(job: &J, costs: &FarmProfile) -> Profile {
    let source = format!("a pilot of {}", job.summary());
    Profile { application: job.name().into(), source, farm: Some(costs.clone()), ..Profile::default() }
}

impl FarmShape {
    /// Processors that do tasks.
    fn slaves(&self) -> usize {
        self.processors.get().unwrap_or_else(figures::workers)
    }
}
