//! Running a job's pattern on the processes of a communicator.

use std::cell::RefCell;

use forerun_apps::command::Inputs;
use forerun_apps::sort::SortJob;
use forerun_apps::{Erased, ErasedJob, ScatterGatherJob, Together};
use forerun_mpi::{Inside, Setting, local_ranks, run_with};
use forerun_platform::{Plan, Skeleton};
use forerun_skeleton::reduction::{PacketCodec, Reduction, Shape, Source as _};
use forerun_skeleton::scatter_gather::{ParcelCodec, Scatter, Shape as Team};
use forerun_skeleton::threads::{ReadAhead, WriteBehind};
use forerun_skeleton::wire::Plain;
use forerun_skeleton::{AppError, Cancel, Codec, Options, Ran, RunError};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;

use super::programs::{Finishing, Keeping, each, holders};
use super::{JobOrder, Told, Work, farm};
use crate::error::CliError;
use crate::execute::{TIMELINE, explain as explain_reduction};
use crate::jobs;
use crate::scatter::explain as explain_scatter;

/// A job as this process opened it.
enum Opened {
    Sort(Box<SortJob>),
    /// One that runs as a reduction only.
    Other(Box<dyn ErasedJob>),
}

impl Opened {
    fn job(&self) -> &dyn ErasedJob {
        match self {
            Opened::Sort(job) => &**job,
            Opened::Other(job) => &**job,
        }
    }

    fn scattered(&self) -> Result<&dyn ScatterGatherJob, CliError> {
        match self {
            Opened::Sort(job) => Ok(&**job),
            Opened::Other(job) => Err(CliError::Request(format!("{} runs as a reduction", job.name()))),
        }
    }
}

/// What is common to all that the ranks of a run do.
pub(super) struct Crew<'a> {
    pub(super) world: SimpleCommunicator,
    pub(super) options: Options,
    pub(super) plan: &'a Plan,
}

/// Runs the job of `order`; gives what it came to on the first rank.
///
/// # Errors
/// The same on every rank: what failed.
pub(super) fn run(inside: &Inside, order: &JobOrder) -> Result<Option<Told>, CliError> {
    let plan = &order.plan;
    let options = Options {
        ranks: plan.ranks(),
        window: plan.window,
        timeline: TIMELINE,
        cancel: inside.cancel().clone(),
    };
    let team = Crew { world: inside.world(), options, plan };
    if plan.skeleton == Skeleton::Farm {
        return farm::run(&team, order);
    }
    let opened = opened(&team, order, || open(order, inside.cancel()))?;
    if matches!(order.work, Work::Reduce(_)) {
        each(&team.world, &team.options, || opened.job().take_over(&order.kept)).map_err(unready)?;
    }
    match plan.skeleton {
        Skeleton::ScatterGather => scatter(&team, opened.scattered()?),
        Skeleton::Reduction | Skeleton::Farm => reduce(&team, order, opened.job()),
    }
}

/// What was wrong with a request, as ranks tell it.
pub(super) fn said(e: CliError) -> AppError {
    AppError::new(e.to_string())
}

/// Goes to the directory that names of files are relative to.
///
/// # Errors
/// That it cannot be entered.
fn enter(order: &JobOrder) -> Result<(), AppError> {
    std::env::set_current_dir(&order.directory).map_err(|e| {
        AppError::new(format!("the directory {} cannot be entered: {e}", order.directory.display()))
    })
}

/// Opens the job.
fn open(order: &JobOrder, cancel: &Cancel) -> Result<Opened, AppError> {
    Ok(match &order.work {
        Work::Sort(args) => {
            let here = local_ranks(order.plan.processors);
            Opened::Sort(Box::new(
                jobs::sort(args, jobs::Team { ranks: 1, processes: here }, true, cancel).map_err(said)?,
            ))
        }
        Work::Reduce(args) => {
            let inputs = Inputs::again(&order.seen)?;
            Opened::Other(Box::new(jobs::reduce(args, inputs, cancel).map_err(said)?))
        }
        Work::Tasks(args, profile) => {
            Opened::Other(Box::new(jobs::timed_tasks(args, profile, cancel).map_err(said)?))
        }
        Work::Features(args) => {
            Opened::Other(Box::new(jobs::features_of_a_team(args, &order.kept, cancel).map_err(said)?))
        }
        Work::Lsi(args) => Opened::Other(Box::new(jobs::lsi(args, cancel).map_err(said)?)),
        Work::Mandelbrot(_) | Work::Hip(_) | Work::Farm(_) => {
            return Err(AppError::new("a farm was planned as another pattern"));
        }
    })
}

/// Opens a job on every rank, of the files that it was planned by and its pilot read. From then on, what a process saw when it opened them
/// holds.
///
/// # Errors
/// The same on every rank: the first file that is another by now; what is wrong with the job here.
pub(super) fn opened<J>(
    team: &Crew<'_>,
    order: &JobOrder,
    open: impl Fn() -> Result<J, AppError>,
) -> Result<J, CliError> {
    let Crew { world, options, .. } = team;
    each(world, options, || enter(order)).map_err(unopened)?;
    // What is wrong with a file that is another is not the job's fault.
    each(world, options, || unchanged(order)).map_err(unready)?;
    let job = each(world, options, open).map_err(unopened)?;
    each(world, options, || unchanged(order)).map_err(unready)?;
    Ok(job)
}

/// That the files of a job are still those that it was planned by and its pilot read.
///
/// # Errors
/// The first that is another by now.
fn unchanged(order: &JobOrder) -> Result<(), AppError> {
    match &order.work {
        // Files that are not cut are their commands', which each have one as it is then, on threads as well.
        Work::Reduce(args) if !args.split_lines => Ok(()),
        Work::Farm(_) => Ok(()),
        _ => order.seen.check(),
    }
}

/// Says why a job cannot be opened.
fn unopened(e: RunError) -> CliError {
    match e {
        RunError::Failed(failure) => {
            CliError::Request(format!("{} (on rank {})", failure.message, failure.rank))
        }
        RunError::Invalid(what) => CliError::Request(what),
        other => CliError::Run(other.to_string()),
    }
}

/// Says why a job that could be opened cannot be begun: a run that failed, as it is on threads.
pub(super) fn unready(e: RunError) -> CliError {
    match unopened(e) {
        CliError::Request(what) => CliError::Run(what),
        other => other,
    }
}

fn reduce(team: &Crew<'_>, order: &JobOrder, job: &dyn ErasedJob) -> Result<Option<Told>, CliError> {
    let Crew { world, options, plan } = team;
    // Ranks that cut a file by its lines cut the same one.
    let cut = || job.cut(plan).and_then(|source| unchanged(order).map(|()| source));
    let source = each(world, options, cut).map_err(unready)?;
    let explain = |e| explain_reduction(Some(&*source), e, None);
    let (app, sinks, codec) = (job.app(), job.sinks(), job.codec());
    let reduction = Reduction::new(&app, &source, &sinks, Shape::from(*plan)).map_err(explain)?;
    let left = RefCell::new(None);
    let ran =
        reduction.run(Keeping { world, options: options.clone(), codec: PacketCodec(&*codec), kept: &left });
    let ran = ran.map_err(explain)?;
    let left = left.into_inner().flatten();
    let finish = |left| job.finish(left);
    finished(team, left, &*job.left_codec(), (finish, || job.notes()), explain)?
        .told(ran, source.len().unwrap_or(0))
}

fn scatter(team: &Crew<'_>, job: &dyn ScatterGatherJob) -> Result<Option<Told>, CliError> {
    let Crew { world, options, plan } = team;
    let explain = |e| explain_scatter(e, None);
    let Together { app, source, sinks, blocks, packets } = &job.together(plan.grain.bytes);
    let left = RefCell::new(None);
    let shape = || Team::from(*plan);
    let codec = ParcelCodec(&**blocks, &**packets);
    let runner = Keeping { world, options: options.clone(), codec, kept: &left };
    let ran = if plan.ahead == 0 || world.rank() != 0 {
        Scatter::new(app, source, sinks, shape()).and_then(|scatter| scatter.run(runner))
    } else {
        std::thread::scope(|scope| {
            let ahead = ReadAhead::start(scope, source, plan.ahead);
            // Without the thread, the first rank reads itself.
            match ahead {
                Ok(ahead) => {
                    let behind = WriteBehind::new(scope, sinks, plan.ahead);
                    Scatter::new(app, &ahead, &behind, shape()).and_then(|scatter| scatter.run(runner))
                }
                Err(_) => Scatter::new(app, source, sinks, shape()).and_then(|scatter| scatter.run(runner)),
            }
        })
    };
    let ran = ran.map_err(explain)?;
    let left = left.into_inner().flatten();
    let finish = |left: Vec<Erased>| match left.into_iter().next() {
        Some(written) => job.conclude(written),
        None => Err(AppError::new("the first rank left no result")),
    };
    finished(team, left, &*job.left_codec(), (finish, || job.notes()), explain)?
        .told(ran, source.len().unwrap_or(0))
}

/// How a run was finished, as the first rank heard.
pub(super) struct Finished {
    ran: Option<Ran<(Option<String>, Vec<String>)>>,
    finisher: usize,
}

/// Makes the result of what was left, and asks every rank what there is to note.
pub(super) fn finished<T>(
    team: &Crew<'_>,
    left: Option<T>,
    codec: &(impl Codec<T> + ?Sized),
    (finish, notes): (impl Fn(Vec<T>) -> Result<String, AppError>, impl Fn() -> Vec<String>),
    explain: impl Fn(RunError) -> CliError,
) -> Result<Finished, CliError> {
    let Crew { world, options, .. } = team;
    let holders = holders(world, left.is_some());
    let program = Finishing { holders: &holders, left: RefCell::new(left), codec, finish, notes };
    let options = Options { timeline: 0, ..options.clone() };
    let ran = run_with(world, &program, &options, &Setting::new(Plain, Plain)).map_err(explain)?;
    Ok(Finished { ran, finisher: holders.first().copied().unwrap_or(0) })
}

impl Finished {
    /// What the run came to, on the first rank.
    pub(super) fn told(self, pattern: Option<Ran<bool>>, tasks: u64) -> Result<Option<Told>, CliError> {
        let (Some(pattern), Some(end)) = (pattern, self.ran) else { return Ok(None) };
        let (mut result, mut notes) = (None, Vec::new());
        for (rank, (said, noted)) in end.outs.into_iter().enumerate() {
            result = result.or(said);
            notes.extend(noted.into_iter().map(|note| format!("rank {rank}: {note}")));
        }
        let result = result.ok_or_else(|| CliError::Run("no rank was left with a result".into()))?;
        let (finish_s, finisher) = (end.makespan_s, self.finisher);
        let Ran { makespan_s: ranks_s, ranks, .. } = pattern;
        Ok(Some(Told { ranks, ranks_s, finish_s, finisher, tasks, result, notes, missing: None }))
    }
}
