//! `forerun run`: calibrate, try a sample, predict, plan, run, compare.

use forerun_apps::ErasedJob;
use forerun_model::planner::{Choice, Planned};
use forerun_platform::file::without_numbers;
use forerun_platform::{Outcome, Platform, ReductionProfile, Way};

use super::treat::one_group;
use super::{Context, crawled, stream};
use crate::algebra::Answer;
use crate::cli::RunOptions;
use crate::effort::Effort;
use crate::error::{CliError, request};
use crate::figures::Figures;
use crate::planning::{self, Facts, NOTHING, plan, predicted};
use crate::{algebra, compare, describe, execute, figures, mpi, simulate, text};

/// Runs a job.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn run(job: &dyn ErasedJob, how: &RunOptions, context: &Context) -> Result<(), CliError> {
    let how = &RunOptions { shape: one_group(job, &how.shape)?, ..how.clone() };
    if job.first_sizes().is_some() {
        return stream::run(job, how, context);
    }
    if how.on == Way::Simulated {
        let Figures { platform, profile, largest, beside, .. } =
            figures::of(job, how.processors.get(), &how.shape, &how.figures, possible(how), context)?;
        job.forget();
        let facts = Facts::of(job, largest, &how.shape).beside(beside);
        facts.not_empty()?;
        return simulated(&facts, figures::reduction(&profile)?, &platform, how, context);
    }
    let Figures { platform, profile, largest, sampled, beside, .. } =
        figures::of(job, how.processors.get(), &how.shape, &how.figures, possible(how), context)?;
    let costs = figures::reduction(&profile)?;
    let beside = context.of_run(beside, how.on);
    let facts = Facts::of(job, largest, &how.shape).beside(beside);
    let planned =
        plan(&facts, costs, &platform, &how.shape, how.processors.get(), how.most(), &context.interrupt)?;
    run_planned(job, &facts, costs, &platform, (planned, sampled), how, context)
}

/// That there is a plan for such a run on a platform, whatever the job's costs.
///
/// # Errors
/// Why there is none.
pub fn possible(how: &RunOptions) -> impl Fn(&Facts, &Platform) -> Result<(), CliError> {
    let (pinned, most) = (how.processors.get(), how.most());
    move |facts, platform| planning::possible(facts, platform, &how.shape, pinned, most)
}

/// Runs a job as it is planned, of which a pilot has done some tasks or not.
///
/// # Errors
/// What failed.
pub fn run_planned(
    job: &dyn ErasedJob,
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    (mut planned, sampled): (Planned, bool),
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Context { console, interrupt, .. } = context;
    if facts.nothing_left() {
        let why = match sampled {
            true => {
                "the pilot's sample was the whole job, and its results are kept: only their merge is left, of which \
                 no time is predicted"
            }
            _ if facts.done.is_empty() => NOTHING,
            _ => "there is nothing to predict: all of the input is done already",
        };
        planned.best.plan.predicted = None;
        planned.best.plan.reason.clear();
        console.note("plan", why)?;
    } else {
        console.note("plan", &describe::plan(&planned, facts))?;
    }
    if how.on != Way::Mpi {
        context.note_shared(how.processors.get().as_slice(), platform)?;
    }
    if planned.best.plan.predicted.is_some() {
        context.note_beside(facts.beside, [planned.best.plan.processors])?;
    }
    if how.on == Way::Simulated {
        return in_virtual_time(facts, &planned.best, costs, platform, how, context);
    }
    let mut both = None;
    if let Some(crawl) = context.crawl.as_ref().filter(|_| planned.best.plan.predicted.is_some()) {
        let extract = predicted(facts, &planned.best, platform);
        let (of_both, sampled, left) = crawled::of_run(job, &extract, facts, crawl);
        planned.best.plan.predicted = Some(of_both.time(sampled.count(), left));
        console.note("", &of_both.said(planned.best.plan.processors, left, false))?;
        both = Some(of_both);
    }
    let plan = &planned.best.plan;
    if plan.predicted.is_some() {
        note_platform(how.on, how.figures.platform.as_deref(), platform, context)?;
    }
    let predicted = predictions(&how.by, facts, &planned.best, costs, platform, context)?;
    let mut outcomes = predicted.told(context)?;
    for _ in 0..how.repeat {
        let mut done = match (&context.work, how.on) {
            (Some(work), Way::Mpi) => mpi::run(work, job, plan, &platform.name, &how.mpi, context)?,
            _ => {
                let bar = console.bar(plan.grain.tasks, "tasks");
                execute::execute(job, plan, how.on, platform, &bar, interrupt)?
            }
        };
        if let Some(crawl) = &context.crawl {
            crawled::ran(&mut done.outcome, job, crawl, true, both.as_ref());
        }
        tell(&mut done, context)?;
        outcomes.push(done.outcome);
        execute::stop_if_interrupted(interrupt)?;
    }
    console.data(&outcomes)
}

/// Says of which machine the prediction is, where that is not plain.
///
/// # Errors
/// Where it cannot be written.
pub fn note_platform(
    on: Way,
    asked: Option<&str>,
    platform: &Platform,
    context: &Context,
) -> Result<(), CliError> {
    let given = asked.is_some_and(|p| p != "this");
    let name = &platform.name;
    match on {
        Way::Threads if given => {
            context.console.note("note", &format!("the prediction is for {name}, the run is on this machine"))
        }
        Way::Mpi if !given => context.console.note(
            "note",
            "the prediction is for threads of this machine, whose messages cost less than MPI's: describe the hosts by --platform",
        ),
        _ => Ok(()),
    }
}

/// Says what a run came to.
pub fn tell(done: &mut execute::Done, context: &Context) -> Result<(), CliError> {
    context.console.note("result", &done.result)?;
    for note in &done.notes {
        context.console.note("note", note)?;
    }
    context.console.say("", &compare::verdict(&done.outcome))?;
    context.note_waited(&mut done.outcome)
}

/// Simulates a job by its costs.
///
/// # Errors
/// What is wrong with the request.
pub fn simulated(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Context { console, interrupt, .. } = context;
    let planned = plan(facts, costs, platform, &how.shape, how.processors.get(), None, interrupt)?;
    console.note("plan", &describe::plan(&planned, facts))?;
    context.note_shared(how.processors.get().as_slice(), platform)?;
    context.note_beside(facts.beside, [planned.best.plan.processors])?;
    facts.note_without_bytes(costs, console)?;
    in_virtual_time(facts, &planned.best, costs, platform, how, context)
}

/// Simulates a plan, beside what other ways predict for it.
fn in_virtual_time(
    facts: &Facts,
    choice: &Choice,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &RunOptions,
    context: &Context,
) -> Result<(), CliError> {
    facts.not_empty()?;
    let effort = simulate::effort(facts, choice, costs);
    affordable(effort)?;
    let predicted = predictions(&how.by, facts, choice, costs, platform, context)?;
    let mut outcomes = predicted.told(context)?;
    tell_effort(effort, context);
    for _ in 0..how.repeat {
        let mut outcome = simulate::simulate(facts, &choice.plan, costs, platform, &context.interrupt)?;
        facts.widen(&mut outcome);
        context.console.say("", &compare::verdict(&outcome))?;
        outcomes.push(outcome);
    }
    context.console.data(&outcomes)
}

/// That a run in virtual time is not too much to follow.
///
/// # Errors
/// How much it is.
pub fn affordable(effort: Effort) -> Result<(), CliError> {
    effort.check().map_err(|why| request(format!("--on simulated: {why}")))
}

/// Says how long following a run in virtual time takes, where that is some seconds.
pub fn tell_effort(effort: Effort, context: &Context) {
    if let Some(told) = effort.told() {
        context.console.progress("simulated", &told);
    }
}

/// What ways predict, and why some do not.
#[derive(Debug, Default)]
pub struct Predictions {
    /// One for each way that does.
    pub outcomes: Vec<Outcome>,
    /// A sentence for each that does not.
    pub refused: Vec<String>,
}

impl Predictions {
    /// Adds what further ways predict.
    pub fn extend(&mut self, more: Predictions) {
        self.outcomes.extend(more.outcomes);
        self.refused.extend(more.refused);
    }

    /// Says what is predicted beside a run, and why some of it is not; gives the predictions.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn told(self, context: &Context) -> Result<Vec<Outcome>, CliError> {
        for outcome in &self.outcomes {
            context.console.note("", &compare::verdict(outcome))?;
        }
        self.note(context)?;
        Ok(self.outcomes)
    }

    /// Says why some do not, however quiet it is to be: what was asked for is missing; and by what model a PEPA prediction is.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn note(&self, context: &Context) -> Result<(), CliError> {
        for refused in &self.refused {
            context.console.say("note", &without_numbers(refused))?;
        }
        for outcome in self.outcomes.iter().filter(|o| o.way == Way::Pepa) {
            let on = text::plural(outcome.processors as u64, "processor");
            context.console.note("pepa", &format!("{on}: {}", outcome.plan.reason))?;
        }
        Ok(())
    }
}

/// What each of the ways predicts for a plan.
///
/// # Errors
/// Where virtual time cannot say, or a PEPA model has no solution; interrupted. What would take too long is refused instead.
pub fn predictions(
    by: &[Way],
    facts: &Facts,
    choice: &Choice,
    costs: &ReductionProfile,
    platform: &Platform,
    context: &Context,
) -> Result<Predictions, CliError> {
    let mut all = Predictions::default();
    for way in by {
        let mut outcome = match way {
            Way::Simulated => {
                let effort = simulate::effort(facts, choice, costs);
                if let Err(why) = effort.check() {
                    all.refused.push(format!("simulated: {why}"));
                    continue;
                }
                tell_effort(effort, context);
                simulate::simulate(facts, &choice.plan, costs, platform, &context.interrupt)?
            }
            Way::Pepa => match algebra::predict(facts, choice, costs, platform, context)? {
                Answer::Predicted(outcome) => *outcome,
                Answer::Refused(why) => {
                    all.refused.push(why);
                    continue;
                }
            },
            _ => predicted(facts, choice, platform),
        };
        // In the closed form's it is already.
        if matches!(way, Way::Simulated | Way::Pepa) {
            facts.widen(&mut outcome);
        }
        all.outcomes.push(outcome);
    }
    Ok(all)
}
