//! From the command line's words to jobs.

mod file;

use std::time::Duration;

use forerun_apps::command::{CommandJob, Inputs, Selection, Settings, read_list};
use forerun_apps::sort::{SortJob, SortOptions};
use forerun_model::planner::Divisible;
use forerun_platform::{Bytes, Machine, Seconds};
use forerun_skeleton::Cancel;

use crate::cli::{ReduceArgs, SortArgs, TasksArgs};
use crate::error::{CliError, request};
use crate::planning::Facts;

pub use file::words;

/// The inputs that `reduce` asks for.
///
/// # Errors
/// What is wrong with them.
pub fn inputs(args: &ReduceArgs) -> Result<Inputs, CliError> {
    let mut paths = args.input.clone();
    if let Some(from) = &args.files_from {
        paths.extend(read_list(from).map_err(request)?);
    }
    if paths.is_empty() && args.files_from.is_none() {
        return Err(request("no input: name files or directories, or give --files-from"));
    }
    Inputs::open(&Selection { paths, include: args.include.clone() }).map_err(request)
}

/// The job that `reduce` asks for.
///
/// # Errors
/// What is wrong with the commands or where the result is to go.
pub fn reduce(args: &ReduceArgs, inputs: Inputs, cancel: &Cancel) -> Result<CommandJob, CliError> {
    let settings = Settings {
        shell: args.shell,
        commutative: args.commutative,
        timeout: args.timeout.as_deref().map(timeout).transpose()?,
        max_output: args.max_output.as_deref().map(|s| size("--max-output", s)).transpose()?,
        tmp: args.tmp.clone(),
        ..Settings::new(&args.map, &args.merge)
    };
    CommandJob::new(settings, inputs, args.split_lines, args.out.clone(), cancel.clone()).map_err(request)
}

/// The job that `sort` asks for, shared by `ranks` ranks.
///
/// # Errors
/// What is wrong with the files, the type, or the memory.
pub fn sort(args: &SortArgs, ranks: usize, cancel: &Cancel) -> Result<SortJob, CliError> {
    let memory = match &args.memory {
        Some(text) => size("--memory", text)?,
        None => Machine::here().memory.map_or(1 << 30, |m| m.0 / 2),
    };
    let options = SortOptions {
        element: args.element.parse().map_err(|e| request(format!("--type {}: {e}", args.element)))?,
        output: args.out.clone(),
        temporary: args.tmp.clone(),
        memory,
        ranks,
        cancel: cancel.clone(),
        ..SortOptions::default()
    };
    SortJob::open(&args.input, options).map_err(request)
}

/// Tasks known only by their costs.
///
/// # Errors
/// What is wrong with their size.
pub fn tasks(args: &TasksArgs) -> Result<Facts, CliError> {
    let bytes = size("--size", &args.size)? as f64;
    let input = Divisible::Tasks { tasks: args.count, bytes };
    Ok(Facts { name: "tasks".into(), input, commutative: !args.ordered })
}

fn timeout(text: &str) -> Result<Duration, CliError> {
    let seconds: Seconds = text.parse().map_err(|e| request(format!("--timeout {text}: {e}")))?;
    Duration::try_from_secs_f64(seconds.0).map_err(|e| request(format!("--timeout {text}: {e}")))
}

/// A size given as an option.
///
/// # Errors
/// What is wrong with it.
pub fn size(option: &str, text: &str) -> Result<u64, CliError> {
    text.parse::<Bytes>().map(|b| b.0).map_err(|e| request(format!("{option} {text}: {e}")))
}
