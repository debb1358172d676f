//! A batch script for Slurm that runs a job as planned.

mod needs;
mod words;

use std::ffi::OsString;
use std::path::Path;

use forerun_apps::Job;
use forerun_platform::{Plan, Platform, Skeleton};

use self::needs::{NO_LIMIT, Needs, Nodes};
use self::words::Words;
use crate::allocation;
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::figures::THIS;
use crate::{file, text};

/// What is refused of tasks that are known only by their costs.
const NO_JOB: &str = "--sbatch: no script is written for tasks that are known only by their costs; give a job that runs, such as \
     sort, reduce or farm";

/// That there is no job that a script could run.
pub fn no_job() -> CliError {
    request(NO_JOB)
}

/// That a platform has so many processors as are asked for: what can be said before anything is measured. `platform` is what was named.
///
/// # Errors
/// That it has fewer, or is none.
pub fn check(processors: Option<usize>, platform: Option<&str>) -> Result<(), CliError> {
    let Some(processors) = processors else { return Ok(()) };
    match described(platform)? {
        Some(platform) => Nodes::of(processors, &platform).map(drop),
        None => needs::enough(processors, allocation::cores(), None),
    }
}

/// Whether ranks of such a plan may be processes of several hosts: whether the job can be on MPI is asked then, before anything is
/// measured.
///
/// # Errors
/// That the platform is none.
pub fn may_be_many(processors: Option<usize>, platform: Option<&str>) -> Result<bool, CliError> {
    let Some(platform) = described(platform)? else { return Ok(false) };
    let least = processors.unwrap_or_else(|| platform.cores()).min(platform.cores());
    Ok(Nodes::of(least, &platform)?.are_many())
}

/// The platform that is named, where that is not this machine.
fn described(platform: Option<&str>) -> Result<Option<Platform>, CliError> {
    match platform.filter(|&name| name != THIS) {
        Some(name) => Platform::resolve(name).map(Some).map_err(request),
        None => Ok(None),
    }
}

/// That a job whose plan may be for several hosts cannot be run there by processes, as `why` says.
pub fn not_on_many(why: &CliError) -> CliError {
    let why = why.to_string();
    let why = why.strip_prefix("--on mpi: ").unwrap_or(&why);
    request(format!("--sbatch: on several hosts the script runs it with --on mpi, where {why}"))
}

/// What the script is told of a job beside its plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct About {
    /// Whether its work is done by programs that are not known.
    pub outside: bool,
    /// Bytes for what the job works on, where it can be told to keep to them.
    pub memory_needed: Option<u64>,
    /// Bytes of all results of tasks together.
    pub result_bytes: f64,
    /// Whether its ranks are processes on one host as well.
    pub processes: bool,
}

impl About {
    /// Of a job that is no farm.
    pub fn of(job: &dyn Job, result_bytes: f64) -> About {
        let (outside, memory_needed) = (job.outside(), job.memory_needed());
        About { outside, memory_needed, result_bytes, processes: false }
    }
}

/// Writes the script of a plan to `path`; `words` say of the plan what the terminal has been told.
///
/// # Errors
/// That the platform has not so many processors; what cannot be written.
pub fn write(
    path: &Path,
    (plan, platform): (&Plan, &Platform),
    words: &str,
    about: &About,
    context: &Context,
) -> Result<(), CliError> {
    // Tasks that wait take turns on the cores of one machine.
    let take_turns = plan.skeleton == Skeleton::Farm && !about.processes;
    let cores = if take_turns { plan.processors.min(platform.cores()) } else { plan.processors };
    let nodes = Nodes { processes: about.processes, ..Nodes::of(cores, platform)? };
    let needs = Needs::of(about, plan, nodes);
    let command: Vec<OsString> = std::env::args_os().collect();
    file::write(path, script((plan, words), nodes, &needs, &command).as_bytes())?;
    if needs.minutes.is_none() {
        context.console.say("note", NO_LIMIT)?;
    }
    context.console.note("sbatch", &file::shown(path))
}

/// The script: asks for what the plan needs, and runs the job with the plan pinned. `command` is the command line that made
/// the plan.
fn script((plan, words): (&Plan, &str), nodes: Nodes, needs: &Needs, command: &[OsString]) -> String {
    let Nodes { hosts, per_host, .. } = nodes;
    let (tasks, cpus) = if nodes.are_processes() { (plan.processors, 1) } else { (1, per_host) };
    let mut asked = vec![
        "--job-name=forerun".to_owned(),
        format!("--nodes={hosts}"),
        format!("--ntasks={tasks}"),
        format!("--cpus-per-task={cpus}"),
    ];
    if nodes.are_processes() {
        asked.push(format!("--ntasks-per-node={per_host}"));
    }
    asked.extend(needs.memory.map(|_| format!("--mem={}M", needs.mebibytes_asked())));
    asked.extend(needs.minutes.map(|minutes| format!("--time={minutes}")));
    let asked: String = asked.iter().map(|word| format!("#SBATCH {word}\n")).collect();
    let words: String = words.lines().map(|line| format!("# {line}\n")).collect();
    let predicted = plan.predicted.map_or("nothing".into(), |p| text::interval(&p));
    let many = if nodes.are_processes() {
        "# Ranks are processes: this needs a forerun with its feature mpi, and files that all nodes see.\n"
    } else {
        ""
    };
    format!(
        "#!/bin/bash\n{asked}\n{words}# Predicted: {predicted}.\n# {}\n# {}\n{many}\n{}\n",
        needs.time_in_words(),
        needs.memory_in_words(),
        run(plan, nodes, needs, command).join(" \\\n    "),
    )
}

/// The command that runs the job, in parts that go on lines of their own.
fn run(plan: &Plan, nodes: Nodes, needs: &Needs, command: &[OsString]) -> Vec<String> {
    let job = Words::of_job(command);
    let mut run = vec![format!("forerun run {}", job.line)];
    if nodes.are_processes() {
        run.push("--on mpi".into());
    }
    run.extend(match plan.skeleton {
        Skeleton::Reduction => vec![
            format!("--strategy {}", plan.strategy.name()),
            format!("--processors {}", plan.processors),
            format!("--groups {}", plan.groups),
            format!("--arity {}", plan.arity),
            format!("--grain '{} B'", plan.grain.bytes),
        ],
        Skeleton::ScatterGather => vec![
            format!("--skeleton {}", plan.skeleton.name()),
            format!("--processors {}", plan.processors),
            format!("--block '{} B'", plan.grain.bytes),
            format!("--ahead {}", plan.ahead),
        ],
        Skeleton::Farm => farm(plan),
    });
    // Without it, it is a half of the memory of where the job runs.
    let said = job.has("--memory");
    run.extend(needs.of_input.filter(|_| !said).map(|bytes| format!("--memory '{bytes} B'")));
    run
}

/// What pins the plan of a farm.
fn farm(plan: &Plan) -> Vec<String> {
    let mut pinned = vec![format!("--processors {}", plan.processors)];
    if let Some(farm) = &plan.farm {
        let masters = if farm.dynamic { "dynamic".into() } else { farm.masters.max(1).to_string() };
        pinned.push(format!("--masters {masters}"));
        pinned.push(format!("--tasks-per-message {}", farm.grain));
        pinned.push(format!("--prefetch {}", farm.prefetch));
    }
    pinned
}

#[cfg(test)]
mod tests;
