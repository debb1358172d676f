//! `forerun plan`: the way to run a job, and why.

use forerun_platform::{Platform, ReductionProfile};

use crate::cli::PlanOptions;
use crate::commands::Context;
use crate::error::CliError;
use crate::file;
use crate::planning::{Facts, plan};
use crate::{describe, sbatch, text};

/// Plans a job.
///
/// # Errors
/// Why there is no such plan; a file that cannot be written.
pub fn run(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &PlanOptions,
    context: &Context,
) -> Result<(), CliError> {
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
    let planned = plan(facts, costs, platform, &how.shape, pinned, most, interrupt)?;
    console.say("plan", &describe::plan(&planned))?;
    console.text(&describe::alternatives(&planned))?;
    if let Some(path) = &how.sbatch {
        sbatch::check(&planned.best.plan, platform)?;
        let script = sbatch::script(&planned.best.plan, platform, &std::env::args_os().collect::<Vec<_>>());
        file::write(path, script.as_bytes())?;
        console.note("sbatch", &path.display().to_string())?;
    }
    console.data(&planned.best.plan)
}
