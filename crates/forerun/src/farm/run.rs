//! Running tasks of a job on threads.

use std::sync::Mutex;

use forerun_apps::FarmJob;
use forerun_platform::{Plan, Platform, RankTimes, Stage, Way};
use forerun_skeleton::farm::{Farm, Masters, Parcel, Shape};
use forerun_skeleton::reduction::Runner;
use forerun_skeleton::{Failure, Options, Program, Ran, RunError, threads};
use indicatif::ProgressBar;

use super::subset::{Deliveries, Subset};
use crate::cli::FarmShape;
use crate::commands::Context;
use crate::error::CliError;
use crate::execute::{Done, finished, measured};
use crate::signals::Interrupt;

/// Spans kept of each rank's timeline.
const SPANS: usize = 2000;
/// Answers that wait in memory for one before them.
const AHEAD: u64 = 1024;

/// The shape of a farm of so many slaves that nothing else is known of.
pub(super) fn shape<J: FarmJob>(how: &FarmShape, slaves: usize, job: &J) -> Shape {
    Shape {
        ranks: if slaves > 1 { slaves + 1 } else { 1 },
        masters: Masters::Fixed(1),
        ordered: job.in_order(),
        ahead: AHEAD,
        attempts: how.retries.saturating_add(1),
        ..Shape::new(1)
    }
}

/// Does what is left of a job as planned.
///
/// # Errors
/// What failed; interrupted.
pub(super) fn run<J: FarmJob>(
    job: &J,
    rest: &[u64],
    plan: &Plan,
    platform: &Platform,
    context: &Context,
) -> Result<Done, CliError> {
    let Context { console, interrupt, .. } = context;
    let bar = console.bar(Some(rest.len() as u64), "tasks");
    let mut shape = Shape::new(if plan.processors > 1 { plan.processors + 1 } else { 1 });
    shape.ordered = job.in_order();
    shape.ahead = AHEAD;
    if let Some(farm) = plan.farm {
        (shape.grain, shape.prefetch, shape.attempts) = (farm.grain, farm.prefetch, farm.attempts);
    }
    let ran = farm(job, rest, shape, SPANS, &bar, None, interrupt)?;
    bar.set_message("finishing");
    let (result, finish_s) = finished(interrupt, || job.finish())?;
    bar.finish_and_clear();
    let ranks: Vec<RankTimes> = ran.ranks;
    let mut outcome =
        measured(Way::Threads, plan.clone(), (ran.makespan_s, finish_s), ranks, rest.len() as u64);
    outcome.job = job.name().to_string();
    outcome.platform = platform.name.clone();
    Ok(Done { outcome, result, notes: Vec::new() })
}

/// Does these tasks of a job.
///
/// # Errors
/// What failed, with its input; interrupted.
pub(super) fn farm<J: FarmJob>(
    job: &J,
    tasks: &[u64],
    shape: Shape,
    timeline: usize,
    bar: &ProgressBar,
    tried: Option<&Mutex<Vec<(f64, u64)>>>,
    interrupt: &Interrupt,
) -> Result<Ran<Option<()>>, CliError> {
    let subset = Subset { job, tasks, bar, tried };
    let sinks = Deliveries { job, tasks };
    let options = Options {
        window: shape.window().max(4),
        timeline,
        cancel: interrupt.cancel().clone(),
        ..Options::new(shape.ranks)
    };
    let farm = Farm::new(&subset, &sinks, shape).map_err(|e| CliError::Request(e.to_string()))?;
    farm.run(OnThreads(options)).map_err(|e| explain(job, tasks, e, interrupt))
}

struct OnThreads(Options);

impl<R: forerun_skeleton::Message + Send> Runner<Parcel<R>, Option<()>> for OnThreads {
    type Ran = Ran<Option<()>>;

    fn run<P>(self, program: &P) -> Result<Self::Ran, RunError>
    where
        P: Program<Msg = Parcel<R>, Out = Option<()>> + Sync,
    {
        threads::run(program, &self.0)
    }
}

/// Says which input failed.
fn explain<J: FarmJob>(job: &J, tasks: &[u64], e: RunError, interrupt: &Interrupt) -> CliError {
    if let Some(signal) = interrupt.signal() {
        return CliError::Interrupted(signal);
    }
    match e {
        RunError::Failed(Failure { rank, stage: Stage::Task, item, panicked, message }) => {
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
