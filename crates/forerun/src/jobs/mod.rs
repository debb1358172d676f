//! From the command line's words to jobs.

mod farms;
mod features;
mod file;

use std::path::{Path, PathBuf};
use std::time::Duration;

use forerun_apps::command::{CommandJob, Inputs, Names, Selection, Settings, keeps_coming, read_list};
use forerun_apps::lsi::{LsiJob, LsiOptions, RankingTable, RunFile, Store};
use forerun_apps::sort::{LEAST_MEMORY, SortJob, SortOptions};
use forerun_apps::timed::{self, TimedJob};
use forerun_lsi::{Model, collection};
use forerun_model::planner::Divisible;
use forerun_platform::{Bytes, ReductionProfile, Seconds};
use forerun_skeleton::Cancel;

use crate::cli::{LsiJobArgs, ReduceArgs, ShapeOptions, SortArgs, TasksArgs};
use crate::effort::MOST;
use crate::error::{CliError, request};
use crate::file::shown;
use crate::planning::Facts;
use crate::signals::Interrupt;
use crate::{allocation, paths, planning, scatter, text};

pub use farms::{command_farm, draw_hip, hip, mandelbrot};
pub use features::{check_features, features, features_of_a_team, features_of_sample, sample, seeds};
pub use file::{APPLICATIONS, JobFile, Takes, is_given, job_file};

/// How long names are waited for before the run begins with those that came: with a pilot, without one.
const GATHERED: (Duration, Duration) = (Duration::from_secs(1), Duration::from_millis(100));

/// How long inputs that keep coming are waited for before a run begins with those that came, which it does `at_once` without a pilot.
pub(crate) fn gathered(at_once: bool) -> Duration {
    if at_once { GATHERED.1 } else { GATHERED.0 }
}

/// Most tasks of which only the costs are known that are run: their sizes are listed.
const MOST_TIMED: u64 = 1 << 24;
/// Most bytes of all tasks together that are predicted for: results and messages, which may have more, are counted too.
const MOST_BYTES: u64 = 1 << 60;
/// Most of which it is known that virtual time follows them, whatever the plan: some messages each, in the few runs that so many get.
const MOST_FOLLOWED: u64 = MOST / 32;

/// The inputs that `reduce` asks for, and what they were selected by as far as it is known. Where the run can begin before their
/// end (`follow`), those that a pipe names may keep coming; `at_once` says that no pilot waits for a sample.
///
/// # Errors
/// What is wrong with them.
pub fn inputs(
    args: &ReduceArgs,
    follow: bool,
    at_once: bool,
    interrupt: &Interrupt,
) -> Result<(Inputs, Selection), CliError> {
    paths::files(&args.input)?;
    paths::once(&args.input)?;
    let mut selection = Selection { paths: args.input.clone(), include: args.include.clone() };
    let Some(from) = &args.files_from else {
        if selection.paths.is_empty() {
            return Err(request("no input: name files or directories, or give --files-from"));
        }
        return Ok((Inputs::open_once(&selection).map_err(request)?, selection));
    };
    if !follow || args.split_lines || !keeps_coming(from) {
        listed(from, &mut selection.paths)?;
        return Ok((Inputs::open_once(&selection).map_err(request)?, selection));
    }
    let names = Names::open(from).map_err(request)?;
    let time = gathered(at_once);
    // The input is not ended by a signal before it is known to keep coming.
    let close = Cancel::new();
    let inputs = Inputs::follow(&selection, names, (time, 1), &close, interrupt.cancel()).map_err(request)?;
    if inputs.keep_coming() {
        interrupt.closes(close);
    }
    Ok((inputs, selection))
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
        guardian: crate::guardian::start(),
        ..Settings::new(&args.map, &args.merge)
    };
    let job = CommandJob::new(settings, inputs, args.split_lines, args.out.clone(), cancel.clone());
    let job = job.and_then(|job| match args.every {
        Some(every) => job.written_every(every),
        None => Ok(job),
    });
    let job = job.and_then(|job| match &args.deliver {
        Some(directory) => job.delivered_to(directory),
        None => Ok(job),
    });
    job.map_err(request)
}

/// Adds the names in a list that `--files-from` gives to those of inputs.
///
/// # Errors
/// That it cannot be read, or that there is no input then.
pub fn listed(from: &Path, inputs: &mut Vec<PathBuf>) -> Result<(), CliError> {
    inputs.extend(read_list(from).map_err(request)?);
    if inputs.is_empty() {
        let list = shown(from);
        return Err(request(format!(
            "--files-from {list}: no input is named there; expected a name on each line"
        )));
    }
    Ok(())
}

/// Threads of a sort beside those of its ranks, at most: what hears signals, shows progress, reads ahead and writes behind.
const BESIDE: usize = 6;

/// Least bytes that a limit must leave a sort: for what it plans and predicts by, beside what it sorts in.
const LEAST_LEFT: u64 = 50_000_000;

/// Bytes that a sort takes at most for each of its input: sorted runs may rest in two fifths of the memory, and no more is then of use.
const MEMORY_OF_INPUT: u64 = 3;

/// Who shares the memory of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Team {
    /// Ranks of this process.
    pub ranks: usize,
    /// Processes of the host.
    pub processes: usize,
}

/// The job that `sort` asks for, whose result is `written` or only foreseen.
///
/// # Errors
/// What is wrong with the files, the type, or the memory.
pub fn sort(args: &SortArgs, team: Team, written: bool, cancel: &Cancel) -> Result<SortJob, CliError> {
    let left = allocation::left(team.ranks + BESIDE);
    if let Some(left) = left.filter(|&left| left < LEAST_LEFT) {
        return Err(request(format!(
            "a limit of memory (ulimit -v or -d) leaves this process {}: a sort on {} needs at least {}, \
             so allow it more",
            Bytes(left),
            text::plural(team.ranks as u64, "rank"),
            Bytes(LEAST_LEFT)
        )));
    }
    let memory = match &args.memory {
        Some(text) => size("--memory", text)?,
        None => allocation::memory().map_or(1 << 30, |all| all / 2),
    };
    let mut memory = memory / team.processes.max(1) as u64;
    if let (None, Some(left)) = (&args.memory, left) {
        memory = memory.min(left / 2);
    }
    if let Some(text) = args.memory.as_ref().filter(|_| memory < LEAST_MEMORY) {
        let each = if team.processes > 1 { " in each process" } else { "" };
        return Err(request(format!("--memory {text}: a sort needs at least {}{each}", Bytes(LEAST_MEMORY))));
    }
    let options = SortOptions {
        element: args.element.parse().map_err(|e| request(format!("--type {}: {e}", args.element)))?,
        output: args.out.clone(),
        written,
        temporary: args.tmp.clone(),
        memory,
        ranks: team.ranks,
        cancel: cancel.clone(),
        ..SortOptions::default()
    };
    let job = SortJob::open(&args.input, options).map_err(request)?;
    if let (Some(text), Some(left)) = (&args.memory, left)
        && memory.min(MEMORY_OF_INPUT.saturating_mul(job.bytes())) > left / 4 * 3
    {
        return Err(request(format!(
            "--memory {text}: a limit (ulimit -v or -d) leaves this process {}, of which a sort may have three quarters; \
             give less, or leave it out",
            Bytes(left)
        )));
    }
    Ok(job)
}

/// The job that `lsi` asks for.
///
/// # Errors
/// What is wrong with the model, the queries, or where the result is to go.
pub fn lsi(args: &LsiJobArgs, cancel: &Cancel) -> Result<LsiJob, CliError> {
    let [model, queries] = &args.input[..] else {
        return Err(request("lsi takes a model and a file of queries"));
    };
    let model = Model::open(model).map_err(request)?;
    let queries = collection::queries(queries).map_err(request)?;
    let store: Box<dyn Store> = match &args.db {
        Some(address) => {
            let database = address.parse().map_err(|e| request(format!("--db: {e}")))?;
            let patience = time("--patience", &args.patience)?;
            Box::new(RankingTable::open(database, patience, cancel).map_err(request)?)
        }
        None => Box::new(RunFile::open(args.out.as_deref(), cancel).map_err(request)?),
    };
    let options = LsiOptions { most: args.top, cancel: cancel.clone() };
    LsiJob::new(model, &queries, store, options).map_err(request)
}

/// Tasks known only by their costs.
///
/// # Errors
/// What is wrong with their size.
pub fn tasks(args: &TasksArgs) -> Result<Facts, CliError> {
    let bytes = size_of_tasks(args)?;
    let input = Divisible::Tasks { tasks: args.count, bytes: bytes as f64 };
    Ok(Facts {
        name: timed::NAME.into(),
        given: Some(timed::input(args.count, bytes)),
        input,
        done: Vec::new(),
        before: Vec::new(),
        commutative: !args.ordered,
        known: true,
        beside: None,
        tried: None,
    })
}

/// The size of tasks known only by their costs, of which all together and what may be made of them can be counted.
fn size_of_tasks(args: &TasksArgs) -> Result<u64, CliError> {
    let bytes = size("--size", &args.size)?;
    match bytes.checked_mul(args.count) {
        Some(..=MOST_BYTES) => Ok(bytes),
        _ => Err(request(format!(
            "--size {}: {} of that have more than {} in all, the most that is predicted for; give fewer or smaller ones",
            args.size,
            text::plural(args.count, "task"),
            Bytes(MOST_BYTES)
        ))),
    }
}

/// That tasks are as large as the grain that is asked for: they are neither cut nor put together.
///
/// # Errors
/// That they are not, or that it is not said how large they are.
pub fn check_grain(args: &TasksArgs, shape: &ShapeOptions) -> Result<(), CliError> {
    let Some(grain) = planning::grain(shape)? else { return Ok(()) };
    let asked = shape.grain.as_deref().unwrap_or_default();
    match size_of_tasks(args)? {
        size if size == grain => Ok(()),
        0 => Err(request(format!(
            "--grain {asked}: tasks have no size: give it by --size, and leave --grain out"
        ))),
        _ => Err(request(format!(
            "--grain {asked}: tasks of --size {} are neither cut nor put together: leave --grain out",
            args.size
        ))),
    }
}

/// Tasks that take the time that they cost.
///
/// # Errors
/// What is wrong with their size, or that there are too many.
pub fn timed_tasks(
    args: &TasksArgs,
    profile: &ReductionProfile,
    cancel: &Cancel,
) -> Result<TimedJob, CliError> {
    let bytes = size_of_tasks(args)?;
    if args.count > MOST_TIMED {
        let instead = match args.count <= MOST_FOLLOWED {
            true => "more can be simulated, with --on simulated",
            false => "forerun predict tasks, by analytic, tells how long more take",
        };
        return Err(request(format!("{} tasks: at most {MOST_TIMED} are run; {instead}", args.count)));
    }
    Ok(TimedJob::new(profile.clone(), args.count, bytes, !args.ordered, cancel.clone()))
}

/// Blocks known only by their costs: as many of the size as said, unless `--block` cuts them otherwise.
///
/// # Errors
/// What is wrong with their size.
pub fn blocks(args: &TasksArgs, shape: &ShapeOptions) -> Result<scatter::Facts, CliError> {
    let bytes = size_of_tasks(args)?;
    if bytes == 0 {
        return Err(request(format!("--size {}: the bytes of a block are needed, at least 1 B", args.size)));
    }
    let all = bytes * args.count;
    let block = if shape.block.is_some() { (1, all.max(1)) } else { (bytes.max(1), bytes.max(1)) };
    let given = Some(timed::input(args.count, bytes));
    Ok(scatter::Facts { name: timed::NAME.into(), given, bytes: all, block, step: 1, beside: None })
}

/// A time given as an option.
///
/// # Errors
/// What is wrong with it.
pub fn time(option: &str, text: &str) -> Result<Duration, CliError> {
    let seconds: Seconds = text.parse().map_err(|e| request(format!("{option} {text}: {e}")))?;
    Duration::try_from_secs_f64(seconds.0)
        .map_err(|_| request(format!("{option} {text}: expected a time of at most 500 billion years")))
}

/// The time after which a command is killed.
///
/// # Errors
/// What is wrong with it, or that every command takes longer.
fn timeout(text: &str) -> Result<Duration, CliError> {
    match time("--timeout", text)? {
        Duration::ZERO => {
            Err(request(format!("--timeout {text}: every command takes longer; give more time")))
        }
        time => Ok(time),
    }
}

/// A size given as an option.
///
/// # Errors
/// What is wrong with it.
pub fn size(option: &str, text: &str) -> Result<u64, CliError> {
    text.parse::<Bytes>().map(|b| b.0).map_err(|e| request(format!("{option} {text}: {e}")))
}
