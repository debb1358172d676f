//! Running tasks of a job on threads.

use std::sync::{Mutex, PoisonError};

use forerun_apps::FarmJob;
use forerun_platform::{Input, Plan, Platform, RankTimes, Stage, Way};
use forerun_skeleton::farm::{Answer, Farm, Masters, Parcel, Shape};
use forerun_skeleton::reduction::Runner;
use forerun_skeleton::{Failure, Options, Program, Ran, RunError, threads};
use indicatif::ProgressBar;

use super::subset::{Aside, Deliveries, Subset, Trials};
use crate::allocation;
use crate::commands::Context;
use crate::error::CliError;
use crate::execute::{Done, finished, measured};
use crate::signals::Interrupt;

/// Spans kept of each rank's timeline.
const SPANS: usize = 2000;
/// Answers that wait in memory for one before them.
const AHEAD: u64 = 1024;

/// The shape of the farm of a plan.
pub(crate) fn shape<J: FarmJob>(job: &J, plan: &Plan) -> Shape {
    let mut shape = Shape { ordered: job.in_order(), ahead: AHEAD, ..Shape::new(plan.ranks()) };
    if let Some(farm) = plan.farm {
        (shape.grain, shape.prefetch, shape.attempts) = (farm.grain, farm.prefetch, farm.attempts);
        shape.masters = if farm.dynamic { Masters::Dynamic } else { Masters::Fixed(farm.masters.max(1)) };
    }
    shape
}

/// Does what is left of a job as planned; `input` is what was left when the command began.
///
/// # Errors
/// What failed; interrupted.
pub(super) fn run<J: FarmJob>(
    (job, input): (&J, Input),
    rest: &[u64],
    plan: &Plan,
    platform: &Platform,
    context: &Context,
) -> Result<Done, CliError> {
    let Context { console, interrupt, .. } = context;
    let bar = console.bar(Some(rest.len() as u64), "tasks");
    let ran = farm((job, rest), shape(job, plan), SPANS, (&bar, None, (None, None)), interrupt)?;
    bar.set_message("finishing");
    let (result, finish_s) = finished(interrupt, || job.finish())?;
    bar.finish_and_clear();
    let ranks: Vec<RankTimes> = ran.ranks;
    let mut outcome =
        measured(Way::Threads, plan.clone(), (ran.makespan_s, finish_s), ranks, rest.len() as u64);
    outcome.job = job.name().to_string();
    outcome.input = Some(input);
    outcome.platform = platform.name.clone();
    Ok(Done { outcome, result, notes: Vec::new() })
}

/// Does these tasks of a job, keeps their answers as bytes where that is asked for, and puts the first of them aside where that is.
///
/// # Errors
/// What failed, with its input; interrupted.
pub(super) fn farm<J: FarmJob>(
    (job, tasks): (&J, &[u64]),
    shape: Shape,
    timeline: usize,
    (bar, tried, (kept, aside)): (&ProgressBar, Option<&Trials>, Elsewhere<'_, J>),
    interrupt: &Interrupt,
) -> Result<Ran<Option<Vec<u8>>>, CliError> {
    allocation::has_room(shape.ranks)?;
    if job.outside() {
        allocation::may_start_programs((shape.ranks as u64).min(tasks.len() as u64).max(1))?;
    }
    let subset = Subset { job, tasks, bar, tried };
    let sinks = Deliveries { job, tasks, keep: kept.is_some(), aside };
    let options = Options {
        window: shape.window().max(4),
        timeline,
        cancel: interrupt.cancel().clone(),
        ..Options::new(shape.ranks)
    };
    let farm = Farm::new(&subset, &sinks, shape).map_err(|e| CliError::Request(e.to_string()))?;
    let ran = farm.run(OnThreads(options)).map_err(|e| explain(job, tasks, e, interrupt.signal()))?;
    if let Some(kept) = kept {
        let kept = &mut *kept.lock().unwrap_or_else(PoisonError::into_inner);
        ran.outs.iter().flatten().for_each(|bytes| kept.extend_from_slice(bytes));
    }
    Ok(ran)
}

/// Where answers go that are not delivered.
pub(super) type Elsewhere<'a, J> = (Option<&'a Mutex<Vec<u8>>>, Option<&'a Aside<<J as Answer>::Answer>>);

struct OnThreads(Options);

impl<R: forerun_skeleton::Message + Send> Runner<Parcel<R>, Option<Vec<u8>>> for OnThreads {
    type Ran = Ran<Option<Vec<u8>>>;

    fn run<P>(self, program: &P) -> Result<Self::Ran, RunError>
    where
        P: Program<Msg = Parcel<R>, Out = Option<Vec<u8>>> + Sync,
    {
        threads::run(program, &self.0)
    }
}

/// Says which input failed.
pub(crate) fn explain<J: FarmJob>(job: &J, tasks: &[u64], e: RunError, signal: Option<i32>) -> CliError {
    if let Some(signal) = signal {
        return CliError::Interrupted(signal);
    }
    match e {
        RunError::Failed(Failure { of_input: true, message, .. }) => CliError::Request(message),
        RunError::Failed(Failure { rank, stage: Stage::Task, item, panicked, message, .. }) => {
            let verb = if panicked { "panicked" } else { "failed" };
            let task = tasks.get(item as usize).copied().unwrap_or(item);
            let name = job.input_name(task);
            CliError::Run(format!("task {task} ({name}) {verb} on rank {rank}: {message}"))
        }
        RunError::Failed(failure) => {
            CliError::Run(format!("the {} failed: {}", failure.stage.name(), failure.message))
        }
        RunError::Invalid(what) => CliError::Request(what),
        other => CliError::Run(other.to_string()),
    }
}
