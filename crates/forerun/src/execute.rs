//! Running a job as planned.

use std::time::Instant;

use forerun_apps::{Erased, ErasedApp, ErasedJob, ErasedMessage, ErasedSource};
use forerun_model::reduction::start_up;
use forerun_platform::{Machine, Outcome, Plan, Platform, RankTimes, Span, Stage, StageTotal, Way};
use forerun_sim::pricing::Measured;
use forerun_skeleton::reduction::{Reduce, Reduction, Runner, Shape, Source};
use forerun_skeleton::{AppError, Failure, Options, Program, Ran, RunError, threads};
use indicatif::ProgressBar;

use crate::allocation;
use crate::error::{CliError, failed};
use crate::gathering;
use crate::signals::Interrupt;
use crate::turns::Turns;

/// Spans kept of each rank's timeline.
pub const TIMELINE: usize = 2_000;

/// What a run left beside its outcome.
#[derive(Debug)]
pub struct Done {
    /// Where the time went.
    pub outcome: Outcome,
    /// What the job says of its result.
    pub result: String,
    /// What a person should know, a sentence each.
    pub notes: Vec<String>,
}

/// Runs `job` as `plan` says, on threads or emulated on `platform`.
///
/// # Errors
/// What failed, with the input's name; interrupted.
pub fn execute(
    job: &dyn ErasedJob,
    plan: &Plan,
    way: Way,
    platform: &Platform,
    bar: &ProgressBar,
    interrupt: &Interrupt,
) -> Result<Done, CliError> {
    if way != Way::Emulated {
        allocation::has_room(plan.ranks())?;
    }
    if job.outside() {
        let ranks = if way == Way::Emulated { 1 } else { plan.ranks() as u64 };
        allocation::may_start_programs(plan.grain.tasks.map_or(ranks, |tasks| ranks.min(tasks.max(1))))?;
    }
    let source = job.cut(plan).map_err(failed)?;
    // What a pilot kept and limits of the application may cut it otherwise than planned.
    let mut plan = plan.clone();
    plan.grain.tasks = source.len();
    if let Some(tasks) = source.len() {
        bar.set_length(tasks);
    }
    let app = Observed { app: job.app(), bar };
    let sinks = job.sinks();
    let options = options(&plan, interrupt);
    let explain = |e| explain(Some(&*source), e, interrupt.signal());
    let reduction = Reduction::new(&app, &source, &sinks, Shape::from(&plan)).map_err(explain)?;
    let ran = match way {
        Way::Emulated => reduction.run(Emulated { platform, options, wall: job.outside() }),
        _ => reduction.run(OnThreads { options }),
    }
    .map_err(explain)?;
    bar.set_message("finishing");
    let left: Vec<Erased> = ran.outs.into_iter().flatten().collect();
    // On threads the groups have it in the same memory.
    let brought_s = match way {
        Way::Emulated if left.len() > 1 => {
            let holders = left.iter().map(|left| job.left_bytes(left)).collect::<Result<Vec<_>, AppError>>();
            gathering::seconds(&holders.map_err(failed)?, platform, plan.processors).map_err(explain)?
        }
        _ => 0.0,
    };
    let (result, finish_s) = finished(interrupt, || job.finish(left))?;
    let finish_s = brought_s + finish_s;
    bar.finish_and_clear();
    let tasks = source.len().unwrap_or_else(|| bar.position());
    // On threads ranks are really started; in virtual time that is charged, as where they are simulated.
    let begun_s = if way == Way::Emulated { start_up(plan.processors, platform) } else { 0.0 };
    let ranks_s = begun_s + ranks_s(way, &ran.ranks, ran.makespan_s, platform).map_err(explain)?;
    let mut ranks = ran.ranks;
    append_finish(&mut ranks, ran.makespan_s, finish_s);
    let mut outcome = measured(way, plan, (ranks_s, finish_s), ranks, tasks);
    outcome.job = job.name().to_string();
    outcome.input = job.input();
    outcome.platform = platform.name.clone();
    Ok(Done { outcome, result, notes: job.notes() })
}

/// How the ranks of a plan are run.
pub fn options(plan: &Plan, interrupt: &Interrupt) -> Options {
    Options {
        ranks: plan.processors,
        window: plan.window,
        timeline: TIMELINE,
        cancel: interrupt.cancel().clone(),
    }
}

/// Does what a job has left when all ranks have ended; with the seconds that it takes. A signal that
/// comes after the result stands is too late to end anything.
///
/// # Errors
/// What failed; interrupted.
pub fn finished(
    interrupt: &Interrupt,
    finish: impl FnOnce() -> Result<String, AppError>,
) -> Result<(String, f64), CliError> {
    let begun = Instant::now();
    let result = finish().map_err(|e| {
        let interrupted = interrupt.signal().map(CliError::Interrupted);
        interrupted.unwrap_or_else(|| failed(e))
    })?;
    Ok((result, begun.elapsed().as_secs_f64()))
}

/// Seconds until the last rank has ended, of ranks that took `makespan_s`. On threads those in excess of the cores have taken turns;
/// emulated they are charged for it on the cores of the `platform`.
///
/// # Errors
/// A figure of the platform's network that cannot be.
pub fn ranks_s(way: Way, ranks: &[RankTimes], makespan_s: f64, platform: &Platform) -> Result<f64, RunError> {
    match way {
        Way::Emulated => Ok(Turns::on(platform, ranks.len())?.seconds(ranks, makespan_s)),
        _ => Ok(makespan_s),
    }
}

/// The outcome of a run on this machine: seconds of the ranks, and of the finish after them. What is emulated is a prediction, with an
/// interval as wide, relative to its makespan, as that of its plan: what the run itself tells is one makespan.
pub fn measured(
    way: Way,
    plan: Plan,
    (ranks_s, finish_s): (f64, f64),
    ranks: Vec<RankTimes>,
    tasks: u64,
) -> Outcome {
    let mut outcome = Outcome::from_ranks(way, plan, ranks_s + finish_s, ranks, tasks);
    outcome.stages.insert(Stage::Finish, StageTotal { count: 1, total_s: finish_s });
    outcome.machine = Some(Machine::here());
    if way == Way::Emulated {
        let makespan_s = outcome.makespan_s;
        outcome.predicted = outcome.predicted.map(|planned| planned.moved(makespan_s));
    }
    outcome
}

/// Puts what the job does when all ranks have ended on the timeline of the first.
pub fn append_finish(ranks: &mut [RankTimes], start_s: f64, seconds: f64) {
    if let Some(first) = ranks.first_mut().filter(|first| seconds > 0.0 && !first.timeline.is_empty()) {
        first.timeline.push(Span { stage: Stage::Finish, item: 0, start_s, end_s: start_s + seconds });
    }
}

/// An error if a signal was heard.
///
/// # Errors
/// [`CliError::Interrupted`].
pub fn stop_if_interrupted(interrupt: &Interrupt) -> Result<(), CliError> {
    interrupt.signal().map_or(Ok(()), |signal| Err(CliError::Interrupted(signal)))
}

/// Says which input failed, unless a signal was heard.
pub fn explain(source: Option<&dyn ErasedSource>, e: RunError, signal: Option<i32>) -> CliError {
    if let Some(signal) = signal {
        return CliError::Interrupted(signal);
    }
    match e {
        // Where it is, the sentence says.
        RunError::Failed(Failure { of_input: true, message, .. }) => CliError::Request(message),
        RunError::Failed(Failure { rank, stage, item, panicked, message, .. }) => {
            let verb = if panicked { "panicked" } else { "failed" };
            let name = source.map(|s| s.input_name(item)).filter(|name| !name.is_empty());
            let name = name.map_or(String::new(), |name| format!(" ({name})"));
            let what = match stage {
                Stage::Task => format!("task {item}{name} {verb}"),
                Stage::Input => format!("the input of task {item}{name} {verb}"),
                Stage::Merge => format!("a merge of results from task {item}{name} on {verb}"),
                _ => format!("the {} {verb}", stage.name()),
            };
            CliError::Run(format!("{what} on rank {rank}: {message}"))
        }
        RunError::Invalid(what) => CliError::Request(what),
        other => CliError::Run(other.to_string()),
    }
}

/// Runs a program on threads.
struct OnThreads {
    options: Options,
}

impl<M: forerun_skeleton::Message + Send, O: Send> Runner<M, O> for OnThreads {
    type Ran = Ran<O>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Ran<O>, RunError> {
        threads::run(program, &self.options)
    }
}

/// Runs a program in virtual time, its work really done.
struct Emulated<'p> {
    platform: &'p Platform,
    options: Options,
    /// Whether only the wall clock sees the work.
    wall: bool,
}

impl<M: forerun_skeleton::Message, O> Runner<M, O> for Emulated<'_> {
    type Ran = Ran<O>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Ran<O>, RunError> {
        let ranks = self.options.ranks;
        let network = forerun_sim::LogGps::on(self.platform, ranks)?;
        let mut pricing = Measured::new(self.platform, ranks)?;
        if self.wall {
            pricing = pricing.by_wall_clock();
        }
        forerun_sim::run(program, &network, &pricing, &self.options)
    }
}

/// An application that moves a progress bar.
struct Observed<'a> {
    app: ErasedApp<'a>,
    bar: &'a ProgressBar,
}

impl Reduce for Observed<'_> {
    type Input = Erased;
    type Partial = ErasedMessage;

    fn commutative(&self) -> bool {
        self.app.commutative()
    }

    fn task(&self, index: u64, input: Erased) -> Result<ErasedMessage, AppError> {
        let partial = self.app.task(index, input);
        self.bar.inc(1);
        partial
    }

    fn merge(&self, left: ErasedMessage, right: ErasedMessage) -> Result<ErasedMessage, AppError> {
        self.app.merge(left, right)
    }
}
