//! Running a job as scatter-gather, as planned.

use forerun_apps::{Erased, ErasedMessage, ScatterGatherJob, Together};
use forerun_platform::{Plan, Platform, Stage, Way};
use forerun_sim::pricing::Measured;
use forerun_skeleton::reduction::{Sink, Sinks, Source};
use forerun_skeleton::scatter_gather::{Cooperate, Scatter, Shape};
use forerun_skeleton::threads::{self, ReadAhead, WriteBehind};
use forerun_skeleton::{AppError, Failure, Options, Ran, RunError};
use indicatif::ProgressBar;

use crate::error::{CliError, failed};
use crate::execute::{Done, append_finish, finished, measured, options, ranks_s};
use crate::signals::Interrupt;

/// Runs `job` as `plan` says, on threads or emulated on `platform`. In virtual time the first rank
/// reads and writes itself: what is done beside it has no clock there.
///
/// # Errors
/// What failed; interrupted.
pub fn execute(
    job: &dyn ScatterGatherJob,
    plan: &Plan,
    way: Way,
    platform: &Platform,
    bar: &ProgressBar,
    interrupt: &Interrupt,
) -> Result<Done, CliError> {
    bar.set_length(plan.grain.tasks.unwrap_or(0));
    let options = options(plan, interrupt);
    let together = &job.together(plan.grain.bytes);
    let ran =
        run(together, plan, way, platform, &options, bar).map_err(|e| explain(e, interrupt.signal()))?;
    bar.set_message("finishing");
    let written = ran.outs.into_iter().flatten().next();
    let written = written.ok_or_else(|| failed("the first rank left no result"))?;
    let (result, finish_s) = finished(interrupt, || job.conclude(written))?;
    bar.finish_and_clear();
    let blocks = plan.grain.tasks.unwrap_or(0);
    let ranks_s =
        ranks_s(way, &ran.ranks, ran.makespan_s, platform).map_err(|e| explain(e, interrupt.signal()))?;
    let mut ranks = ran.ranks;
    append_finish(&mut ranks, ran.makespan_s, finish_s);
    let mut outcome = measured(way, plan.clone(), (ranks_s, finish_s), ranks, blocks);
    outcome.job = job.name().to_string();
    outcome.input = job.input();
    outcome.platform = platform.name.clone();
    Ok(Done { outcome, result, notes: job.notes() })
}

/// Says what failed, unless a signal was heard.
pub fn explain(e: RunError, signal: Option<i32>) -> CliError {
    if let Some(signal) = signal {
        return CliError::Interrupted(signal);
    }
    match e {
        // Where it is, the sentence says.
        RunError::Failed(Failure { of_input: true, message, .. }) => CliError::Request(message),
        RunError::Failed(Failure { rank, stage, item, panicked, message, .. }) => {
            let verb = if panicked { "panicked" } else { "failed" };
            let what = match stage {
                Stage::Read => format!("reading block {item}"),
                Stage::Process => format!("processing block {item}"),
                Stage::ResolveLocal => "merging the blocks of one rank".into(),
                Stage::ResolveGlobal => "merging the packets of all ranks".into(),
                Stage::Write => format!("writing packet {item}"),
                other => format!("the {}", other.name()),
            };
            CliError::Run(format!("{what} {verb} on rank {rank}: {message}"))
        }
        RunError::Invalid(what) => CliError::Request(what),
        other => CliError::Run(other.to_string()),
    }
}

/// Runs the parts of a job.
fn run(
    Together { app, source, sinks, .. }: &Together<'_>,
    plan: &Plan,
    way: Way,
    platform: &Platform,
    options: &Options,
    bar: &ProgressBar,
) -> Result<Ran<Option<Erased>>, RunError> {
    let shape = Shape::from(plan);
    let source = &Observed { source: &**source, bar };
    if way == Way::Emulated {
        let scatter = Scatter::new(app, source, sinks, shape)?;
        let network = forerun_sim::LogGps::on(platform, options.ranks)?;
        let pricing = Measured::new(platform, options.ranks)?;
        return forerun_sim::run(&scatter, &network, &pricing, options);
    }
    on_threads((app, source, sinks), shape, plan.ahead, options)
}

/// Runs an application on threads, with so many blocks read ahead and packets written behind beside the first rank; with 0 it
/// reads and writes itself.
///
/// # Errors
/// What stops the run; that reading ahead cannot be started.
pub(super) fn on_threads<A, S, K, O>(
    (app, source, sinks): (&A, &S, &K),
    shape: Shape,
    ahead: usize,
    options: &Options,
) -> Result<Ran<Option<O>>, RunError>
where
    A: Cooperate<Block = ErasedMessage, Packet = ErasedMessage> + Sync,
    S: Source<Input = ErasedMessage> + Sync,
    K: Sinks<ErasedMessage, Sink: Sink<ErasedMessage, Out = O>> + Sync,
    O: Send + 'static,
{
    if ahead == 0 {
        return threads::run(&Scatter::new(app, source, sinks, shape)?, options);
    }
    std::thread::scope(|scope| {
        let read = ReadAhead::start(scope, source, ahead)
            .map_err(|e| RunError::Invalid(format!("reading ahead cannot be started: {e}")))?;
        let write = WriteBehind::new(scope, sinks, ahead);
        threads::run(&Scatter::new(app, &read, &write, shape)?, options)
    })
}

/// A source that moves a progress bar.
struct Observed<'a> {
    source: &'a (dyn Source<Input = ErasedMessage> + Sync),
    bar: &'a ProgressBar,
}

impl Source for Observed<'_> {
    type Input = ErasedMessage;

    fn len(&self) -> Option<u64> {
        self.source.len()
    }

    fn bytes(&self, index: u64) -> u64 {
        self.source.bytes(index)
    }

    fn get(&self, index: u64) -> Result<Option<ErasedMessage>, AppError> {
        self.bar.inc(1);
        self.source.get(index)
    }
}
