//! A batch script for Slurm that runs a job as planned.

mod needs;
mod words;

use std::ffi::OsString;
use std::path::Path;

use forerun_apps::Job;
use forerun_platform::{Plan, Platform, Skeleton};

use self::needs::{Needs, Nodes};
use self::words::Words;
use crate::commands::Context;
use crate::describe::shape;
use crate::error::{CliError, request};
use crate::{file, text};

/// Writes the script of a plan to `path`; `result_bytes` are those of all results of tasks together. Without a job there is
/// nothing that a script could run.
///
/// # Errors
/// That there is no job, or that the platform has not so many processors; what cannot be written.
pub fn write(
    path: &Path,
    (plan, platform): (&Plan, &Platform),
    job: Option<&dyn Job>,
    result_bytes: f64,
    context: &Context,
) -> Result<(), CliError> {
    let Some(job) = job else {
        return Err(request(
            "--sbatch: no script is written for tasks that are known only by their costs; give sort or reduce",
        ));
    };
    let nodes = Nodes::of(plan, platform)?;
    let needs = Needs::of(job, plan, nodes, result_bytes);
    let command: Vec<OsString> = std::env::args_os().collect();
    file::write(path, script(plan, nodes, &needs, &command).as_bytes())?;
    context.console.note("sbatch", &path.display().to_string())
}

/// The script: asks for what the plan needs, and runs the job with the plan pinned. `command` is the command line that made
/// the plan.
fn script(plan: &Plan, nodes: Nodes, needs: &Needs, command: &[OsString]) -> String {
    let Nodes { hosts, per_host } = nodes;
    let (tasks, cpus) = if nodes.are_many() { (plan.processors, 1) } else { (1, plan.processors) };
    let mut asked = vec![
        "--job-name=forerun".to_owned(),
        format!("--nodes={hosts}"),
        format!("--ntasks={tasks}"),
        format!("--cpus-per-task={cpus}"),
    ];
    if nodes.are_many() {
        asked.push(format!("--ntasks-per-node={per_host}"));
    }
    asked.extend(needs.memory.map(|_| format!("--mem={}M", needs.mebibytes_asked())));
    asked.push(format!("--time={}", needs.minutes));
    let asked: String = asked.iter().map(|word| format!("#SBATCH {word}\n")).collect();
    let predicted =
        plan.predicted.map_or("nothing is predicted".into(), |p| format!("{} predicted", text::interval(&p)));
    let many = if nodes.are_many() {
        "# Ranks are processes: this needs a forerun with its feature mpi, and files that all nodes see.\n"
    } else {
        ""
    };
    format!(
        "#!/bin/bash\n{asked}\n# {}: {predicted}.\n# {}\n# {}\n{many}\n{}\n",
        shape(plan),
        needs.time_in_words(),
        needs.memory_in_words(),
        run(plan, nodes, needs, command).join(" \\\n    "),
    )
}

/// The command that runs the job, in parts that go on lines of their own.
fn run(plan: &Plan, nodes: Nodes, needs: &Needs, command: &[OsString]) -> Vec<String> {
    let job = Words::of_job(command);
    let mut run = vec![format!("forerun run {}", job.line)];
    if nodes.are_many() {
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
        Skeleton::Farm => vec![format!("--processors {}", plan.processors)],
    });
    // Without it, it is a half of the memory of where the job runs.
    let said = job.has("--memory");
    run.extend(needs.of_input.filter(|_| !said).map(|bytes| format!("--memory '{bytes} B'")));
    run
}

#[cfg(test)]
mod tests;
