//! From a job and its figures to a plan as scatter-gather.

use forerun_apps::ScatterGatherJob;
use forerun_model::scatter_gather::{self, Blocks, Choice, Fixed, Planned, Prediction, Request};
use forerun_platform::{Bytes, Input, Outcome, Platform, ScatterGatherProfile, Tried, Way};

use crate::cli::ShapeOptions;
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::load::Beside;
use crate::planning::{MOST_AHEAD, NOTHING, analytic};
use crate::signals::Interrupt;
use crate::text;

/// What planning needs to know of a job.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The application's name.
    pub name: String,
    /// What it was given to work on, if that is known.
    pub given: Option<Input>,
    /// Bytes of the input.
    pub bytes: u64,
    /// Least and most bytes of a block.
    pub block: (u64, u64),
    /// What the bytes of a block are a multiple of.
    pub step: u64,
    /// How busy others are where it is to run, if that is known.
    pub beside: Option<Beside>,
}

impl Facts {
    /// The facts of a job that up to `ranks` ranks run; where the planner is to choose, blocks are of the
    /// sizes that were `tried`, or between: what others cost, which caches no longer hold, is not known.
    pub fn of(job: &dyn ScatterGatherJob, ranks: usize, tried: Option<Tried>, shape: &ShapeOptions) -> Self {
        let (least, most) = job.blocks(ranks, shape.window);
        let tried = tried.filter(|_| shape.block.is_none());
        let (least, most) = tried.map_or((least, most), |Tried { smallest, largest }| {
            let most = most.min(largest as u64).max(least);
            ((smallest as u64).clamp(least, most), most)
        });
        let (name, given, bytes) = (job.name().into(), job.input(), job.extent().bytes);
        Facts { name, given, bytes, block: (least, most), step: job.step(), beside: None }
    }

    /// The same job where others are so busy.
    pub fn beside(self, beside: Option<Beside>) -> Self {
        Facts { beside, ..self }
    }

    /// The same job, run that way.
    pub fn of_run(self, on: Way, context: &Context) -> Self {
        Facts { beside: context.of_run(self.beside, on), ..self }
    }

    /// Widens what is predicted of it by what others do.
    pub fn widen(&self, outcome: &mut Outcome) {
        if let Some(beside) = self.beside {
            beside.widen(&mut outcome.predicted, outcome.processors);
        }
    }

    /// That there is something to plan and to predict.
    ///
    /// # Errors
    /// That there is not.
    pub fn not_empty(&self) -> Result<(), CliError> {
        if self.bytes == 0 { Err(request(NOTHING)) } else { Ok(()) }
    }
}

/// Looks at what is pinned, before anything is measured for a plan that cannot be.
///
/// # Errors
/// The option that cannot be, or that is of another skeleton.
pub fn check(shape: &ShapeOptions) -> Result<(), CliError> {
    check_own(shape)?;
    let of_reductions = [
        ("--strategy", shape.strategy.get().is_some()),
        ("--groups", shape.groups.is_some()),
        ("--arity", shape.arity.is_some()),
        ("--grain", shape.grain.is_some()),
        ("--set", shape.set.is_some()),
    ];
    match of_reductions.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(request(format!(
            "{option} is of reductions: with --skeleton scatter-gather give --block and --ahead, or leave both out"
        ))),
        None => Ok(()),
    }
}

/// Looks at what is pinned of scatter-gather alone.
///
/// # Errors
/// The option that cannot be.
pub fn check_own(shape: &ShapeOptions) -> Result<(), CliError> {
    block(shape)?;
    match shape.ahead.filter(|&ahead| ahead > MOST_AHEAD) {
        Some(ahead) => Err(request(format!("--ahead {ahead}: at most {MOST_AHEAD} blocks are read ahead"))),
        None => Ok(()),
    }
}

/// The size of blocks that is asked for, where it is one that the job can have: a block has so much at most, so that more than there is
/// is all of it.
///
/// # Errors
/// That it is none, and which are.
pub(super) fn fitting(facts: &Facts, shape: &ShapeOptions) -> Result<Option<u64>, CliError> {
    let asked = block(shape)?;
    let taken = asked.map(|block| block.min(facts.bytes.max(facts.block.0)));
    match asked.filter(|_| taken.is_some_and(|s| s > facts.block.1 || s < facts.block.0)) {
        None => few(facts, taken.unwrap_or(facts.block.1)).map(|()| taken),
        Some(size) => Err(request(format!(
            "--block {}: blocks of this job can have {} to {}: with more memory (--memory) there is room for larger ones, \
             and for more of them",
            Bytes(size),
            Bytes(facts.block.0),
            Bytes(facts.block.1)
        ))),
    }
}

/// Blocks that are followed at most, by the closed form too, which a plan asks some twenty times for each number of processors.
const MOST_BLOCKS: u64 = 1 << 22;

/// That blocks of at most so many bytes are not too many to be followed.
fn few(facts: &Facts, size: u64) -> Result<(), CliError> {
    let blocks = Blocks::of(facts.bytes, size).count;
    match blocks <= MOST_BLOCKS {
        true => Ok(()),
        false => Err(request(format!(
            "scatter-gather is predicted block by block, whatever the way: {} of {} are too many, and at most {} are followed; give larger \
             blocks (--block), or --skeleton reduction",
            text::plural(blocks, "block"),
            Bytes(size),
            text::count(MOST_BLOCKS)
        ))),
    }
}

fn block(shape: &ShapeOptions) -> Result<Option<u64>, CliError> {
    let Some(text) = &shape.block else { return Ok(None) };
    match text.parse::<Bytes>() {
        Ok(Bytes(0)) => Err(request(format!("--block {text}: a block has at least 1 B"))),
        Ok(Bytes(bytes)) => Ok(Some(bytes)),
        Err(e) => Err(request(format!("--block {text}: {e}"))),
    }
}

/// Plans a job: what is pinned in `shape` and `processors` stays, the rest is chosen.
///
/// # Errors
/// Why there is no such plan.
pub fn plan(
    facts: &Facts,
    profile: &ScatterGatherProfile,
    platform: &Platform,
    shape: &ShapeOptions,
    processors: Option<usize>,
    max_processors: Option<usize>,
    interrupt: &Interrupt,
) -> Result<Planned, CliError> {
    let fixed = Fixed { processors, block: fitting(facts, shape)?, ahead: shape.ahead };
    let asked = Request {
        platform,
        profile,
        bytes: facts.bytes,
        block: facts.block,
        step: facts.step,
        max_processors: max_processors.or(processors).unwrap_or(platform.cores()),
        window: shape.window,
        fixed,
    };
    let planned = scatter_gather::plan(&asked, interrupt.cancel());
    let mut planned =
        planned.map_err(|e| interrupt.signal().map_or_else(|| request(e), CliError::Interrupted))?;
    if let Some(beside) = facts.beside {
        for choice in planned.by_processors.iter_mut().chain([&mut planned.best]) {
            let intervals = choice.plan.predicted.iter_mut().chain([&mut choice.prediction.interval]);
            beside.widen(intervals, choice.plan.processors);
        }
    }
    Ok(planned)
}

/// What a prediction says, as an outcome.
pub fn predicted(facts: &Facts, choice: &Choice, platform: &Platform) -> Outcome {
    let Prediction { interval, messages, bytes, stages, .. } = &choice.prediction;
    Outcome {
        messages: *messages,
        bytes: *bytes,
        stages: stages.clone(),
        ..analytic((&facts.name, facts.given.as_ref()), &choice.plan, *interval, platform)
    }
}
