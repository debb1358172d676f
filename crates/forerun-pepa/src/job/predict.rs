//! The makespan that a job's model predicts.

use std::fmt;

use super::{Farm, Form, Reduction};
use crate::measures::Measures;
use crate::model::{Settings, System, compile};
use crate::simulate::{Passages, ROUND, Sampling, passages};
use crate::solve::{SolveError, Solving, steady};
use crate::space::{Exploration, Space, SpaceError};
use crate::syntax::{Diagnostic, Dialect, parse};
use crate::transient::{Targets, UntilError, until};

/// How large a model may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most states.
    pub states: usize,
    /// The most tasks of a model of a whole run, whose text grows with them.
    pub tasks: u64,
    /// The most that is looked at where a model is simulated: what each rank can do next, after each activity.
    pub looks: u64,
    /// Threads that find states.
    pub threads: usize,
}

impl Default for Limits {
    /// A million states, which take a few seconds, 4096 tasks, and as many looks as take about a minute.
    fn default() -> Self {
        let threads = Exploration::default().threads;
        Limits { states: 1_000_000, tasks: 4096, looks: 300_000_000, threads }
    }
}

/// What a model predicts.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// The makespan: its mean.
    pub seconds: f64,
    /// Its standard deviation, of a whole run.
    pub deviation: Option<f64>,
    /// What the model follows.
    pub form: Form,
    /// The model.
    pub model: String,
    /// Its states, those that differ only in which of equal ranks does what put together; 0 where it was simulated.
    pub states: usize,
    /// Its transitions.
    pub transitions: usize,
    /// Where its states are too many: what it was estimated from.
    pub simulated: Option<Passages>,
}

/// A model that is not too large, with its states.
#[derive(Debug)]
pub struct Chosen {
    /// What it follows.
    pub form: Form,
    /// The model.
    pub model: String,
    system: System,
    space: Space,
}

/// Why there is no prediction.
#[derive(Debug, Clone, PartialEq)]
pub enum JobError {
    /// The model has too many states, or a state of it takes too many bits to be simulated.
    TooLarge {
        /// How many are allowed.
        limit: usize,
        /// The model: of a whole run where it has not too many tasks, else of a stream.
        model: String,
    },
    /// The model has too many states, and too many ranks that do too much for it to be simulated.
    TooLong {
        /// How many states are allowed.
        limit: usize,
        /// Seconds that simulating it would take at least, about.
        seconds: f64,
    },
    /// It was stopped from outside.
    Stopped,
    /// The model has no solution, as a sentence.
    Unsolved(String),
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobError::TooLarge { limit, .. } => {
                write!(f, "the PEPA model of so many ranks has more than {limit} states, which is the limit")
            }
            JobError::TooLong { limit, seconds } => {
                write!(
                    f,
                    "the PEPA model of so many ranks has more than {limit} states, which is the limit, and to simulate it would take \
                     {seconds:.0} s"
                )
            }
            JobError::Stopped => f.write_str("stopped"),
            JobError::Unsolved(why) => write!(f, "the PEPA model has no solution: {why}"),
        }
    }
}

impl std::error::Error for JobError {}

/// The model of a whole run, where it has not too many tasks and states, else of a stream.
///
/// Cost: finding states, up to the limit twice; none where it is known beforehand that there are more.
///
/// # Errors
/// That both are too large.
pub fn choose(of: &Reduction<'_>, limits: &Limits, stop: &dyn Fn() -> bool) -> Result<Chosen, JobError> {
    let of_form = |form: Form| -> Result<Result<Chosen, String>, JobError> {
        let model = of.model(form);
        // Known before any is looked for.
        if of.least_states(form) > limits.states as f64 {
            return Ok(Err(model));
        }
        Ok(match explore(&model, limits, stop)? {
            Some((system, space)) => Ok(Chosen { form, model, system, space }),
            None => Err(model),
        })
    };
    let has_run = of.tasks <= limits.tasks;
    // With a task or two a rank, ranks are not in all the states that they come to in a stream.
    let is_short = of.tasks / FEW < of.ranks as u64;
    if has_run
        && is_short
        && let Ok(run) = of_form(Form::Run)?
    {
        return Ok(run);
    }
    let stream = match of_form(Form::Stream)? {
        Ok(stream) => stream,
        // A longer run would have more states still.
        Err(model) => {
            let model = if has_run { of.model(Form::Run) } else { model };
            return Err(JobError::TooLarge { limit: limits.states, model });
        }
    };
    match has_run && !is_short {
        true => Ok(of_form(Form::Run)?.unwrap_or(stream)),
        false => Ok(stream),
    }
}

/// A run of fewer tasks a rank than this is short.
const FEW: u64 = 2;

/// Predicts a group's makespan (see [the module](crate::job) for what it means).
///
/// A model that has too many states is simulated instead, a whole run where it has not too many tasks, until the mean is known to 1 %.
///
/// Cost: that of [`choose`], and one pass over the transitions, or of a stream its long run; simulating takes up to some ten
/// seconds, of hundreds of ranks that each do their own steps a minute; what would take longer is not begun.
///
/// # Errors
/// That the model is too large even for that, that it would take too long, or that it has no solution that is good enough.
pub fn predict(
    of: &Reduction<'_>,
    limits: &Limits,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Predicted, JobError> {
    match choose(of, limits, stop) {
        Ok(chosen) => chosen.predict(of, stop),
        Err(JobError::TooLarge { model, .. }) => sample(of, limits, model, stop),
        Err(e) => Err(e),
    }
}

/// Predicts a group's makespan by simulating a model that [`choose`] found too large.
///
/// # Errors
/// As [`predict`].
pub fn sample(
    of: &Reduction<'_>,
    limits: &Limits,
    model: String,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Predicted, JobError> {
    let limit = limits.states;
    sampled(of, limits, model, stop)?.map_or_else(|model| Err(JobError::TooLarge { limit, model }), Ok)
}

/// Seconds that [`sample`] takes at least, about.
pub fn sampling_s(of: &Reduction<'_>, limits: &Limits) -> f64 {
    Sampled::of(of, limits).least * A_LOOK / limits.threads.clamp(1, ROUND) as f64
}

/// Tasks of a stream that go by before the clock starts, for each rank, and those that it then sees.
const SETTLES: u64 = 20;
const SEEN: u64 = 4096;
/// How long it takes to look at what a rank can do next, in seconds.
const A_LOOK: f64 = 2e-7;

/// What is simulated of a model that is too large.
struct Sampled {
    form: Form,
    /// Tasks of a stream that go by before it is looked at.
    from: u64,
    /// The least that is looked at.
    least: f64,
}

impl Sampled {
    fn of(of: &Reduction<'_>, limits: &Limits) -> Sampled {
        let form = if of.tasks <= limits.tasks { Form::Run } else { Form::Stream };
        let from = of.ranks as u64 * SETTLES;
        let tasks = if form == Form::Run { of.tasks } else { from + SEEN };
        Sampled { form, from, least: of.looks(form, tasks) * ROUND as f64 }
    }
}

/// The prediction of a model that was too large, by simulation; the model where that is not possible either.
fn sampled(
    of: &Reduction<'_>,
    limits: &Limits,
    model: String,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Result<Predicted, String>, JobError> {
    let Sampled { form, from, least } = Sampled::of(of, limits);
    if least > limits.looks as f64 {
        return Err(JobError::TooLong { limit: limits.states, seconds: sampling_s(of, limits) });
    }
    let system = system(&model)?;
    let mut how = Sampling { threads: limits.threads, ..Sampling::default() };
    if least > 0.0 {
        // An activity of many ranks takes as many looks.
        how.events = how.events.min(limits.looks / of.ranks as u64);
    }
    let found = match form {
        Form::Run => passages(&system, &|a| a == "finish", &how, stop),
        Form::Stream => {
            passages(&system, &|a| a.starts_with("task"), &Sampling { from, to: from + SEEN, ..how }, stop)
        }
    };
    let found = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Err(JobError::Unsolved("it comes to a state in which nothing can happen".into())),
        Err(SpaceError::TooWide(_)) => return Ok(Err(model)),
        Err(SpaceError::Stopped) => return Err(JobError::Stopped),
        Err(e) => return Err(JobError::Unsolved(e.to_string())),
    };
    let (seconds, deviation) = match form {
        Form::Run => ((found.mean - super::rates::Rates::of(of).finish_s()).max(0.0), Some(found.deviation)),
        Form::Stream => {
            let ends = 2.0 * of.seconds(super::Activity::Open);
            (found.mean / SEEN as f64 * of.tasks as f64 + ends, None)
        }
    };
    let simulated = Some(found);
    Ok(Ok(Predicted { seconds, deviation, form, model, states: 0, transitions: 0, simulated }))
}

/// Predicts a farm's makespan as that of a stream.
///
/// # Errors
/// As [`predict`].
pub fn predict_farm(of: &Farm, limits: &Limits, stop: &dyn Fn() -> bool) -> Result<Predicted, JobError> {
    let model = of.model();
    if of.states() > limits.states as f64 {
        return Err(JobError::TooLarge { limit: limits.states, model });
    }
    let Some((system, space)) = explore(&model, limits, stop)? else {
        return Err(JobError::TooLarge { limit: limits.states, model });
    };
    let chosen = Chosen { form: Form::Stream, model, system, space };
    let seconds = of.tasks as f64 / chosen.throughput("work", stop)?;
    Ok(chosen.predicted(seconds, None))
}

impl Chosen {
    /// How many states it has.
    pub fn states(&self) -> usize {
        self.space.states()
    }

    /// The prediction for the reduction that it was chosen for.
    ///
    /// # Errors
    /// As [`predict`].
    pub fn predict(self, of: &Reduction<'_>, stop: &dyn Fn() -> bool) -> Result<Predicted, JobError> {
        let ends = 2.0 * of.seconds(super::Activity::Open);
        match self.form {
            Form::Stream => {
                let seconds = of.tasks as f64 / self.throughput("task", stop)? + ends;
                Ok(self.predicted(seconds, None))
            }
            Form::Run => {
                let targets = Targets { from: None, to: "finish".into() };
                let found = until(&self.system, &self.space, None, &targets, stop).map_err(|e| match e {
                    UntilError::Solve(SolveError::Stopped) => JobError::Stopped,
                    e => JobError::Unsolved(e.to_string()),
                })?;
                // The end is not part of the run.
                let seconds = (found.mean - super::rates::Rates::of(of).finish_s()).max(0.0);
                Ok(self.predicted(seconds, found.deviation))
            }
        }
    }

    fn predicted(self, seconds: f64, deviation: Option<f64>) -> Predicted {
        let (states, transitions) = (self.space.states(), self.space.transitions());
        Predicted {
            seconds,
            deviation,
            form: self.form,
            model: self.model,
            states,
            transitions,
            simulated: None,
        }
    }

    /// How often actions happen whose names begin so.
    fn throughput(&self, actions: &str, stop: &dyn Fn() -> bool) -> Result<f64, JobError> {
        let found = steady(&self.system, &self.space, &Solving::default(), stop).map_err(|e| match e {
            SolveError::Stopped => JobError::Stopped,
            e => JobError::Unsolved(e.to_string()),
        })?;
        let measures = Measures::of(&self.system, &self.space, &found.x);
        Ok(measures
            .throughput
            .iter()
            .filter(|(name, _)| name.starts_with(actions))
            .map(|(_, often)| often)
            .sum())
    }
}

/// What a model's text means.
fn system(model: &str) -> Result<System, JobError> {
    let wrong =
        |all: &[Diagnostic]| JobError::Unsolved(all.first().map_or(String::new(), |d| d.message.clone()));
    let parsed = parse(model, Dialect::Any);
    let read = parsed.model.ok_or_else(|| wrong(&parsed.diagnostics))?;
    let compiled = compile(&read, &Settings::new());
    compiled.system.ok_or_else(|| wrong(&compiled.problems))
}

/// A model's states; none if they are too many.
fn explore(
    model: &str,
    limits: &Limits,
    stop: &dyn Fn() -> bool,
) -> Result<Option<(System, Space)>, JobError> {
    let system = system(model)?;
    let how = Exploration { aggregate: true, limit: limits.states, threads: limits.threads };
    match Space::explore(&system, &how, &mut |_| !stop()) {
        Ok(space) => Ok(Some((system, space))),
        Err(SpaceError::TooMany(_) | SpaceError::TooManyTransitions | SpaceError::TooWide(_)) => Ok(None),
        Err(SpaceError::Stopped) => Err(JobError::Stopped),
        Err(e) => Err(JobError::Unsolved(e.to_string())),
    }
}
