//! `forerun predict`: a job's time on given numbers of processors.

use std::sync::{Mutex, MutexGuard, PoisonError};

use forerun_platform::{Outcome, Platform, ReductionProfile, Strategy, Way};

use crate::cli::PredictOptions;
use crate::commands::run::Predictions;
use crate::commands::{Context, isoefficiency, run};
use crate::error::{CliError, request};
use crate::planning::{self, Facts, plan};
use crate::{algebra, describe, drawings, file, text};

/// Predicts a job.
///
/// # Errors
/// A number of processors on which it cannot be run.
pub fn run(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &PredictOptions,
    context: &Context,
) -> Result<(), CliError> {
    facts.not_empty()?;
    if let Some(efficiency) = how.efficiency {
        let ps = processors(how, platform);
        context.note_shared(&ps, platform)?;
        return isoefficiency::run(facts, costs, platform, how, (efficiency, &ps), context);
    }
    let outcomes = predictions(facts, costs, platform, how, context)?.answered(how, context)?;
    tell(&outcomes, how, context)?;
    write_model(facts, costs, platform, how, context)
}

/// That there is a plan on each of the numbers of processors, whatever the job's costs.
///
/// # Errors
/// The first number on which there is none, and why.
pub(crate) fn possible(how: &PredictOptions) -> impl Fn(&Facts, &Platform) -> Result<(), CliError> {
    move |facts, platform| {
        let ps = processors(how, platform);
        if how.efficiency.is_some() {
            isoefficiency::possible(&ps, &how.shape)?;
        }
        ps.into_iter().try_for_each(|p| planning::possible(facts, platform, &how.shape, Some(p), None))
    }
}

/// What is predicted for each of the numbers of processors, and why some of it is not.
///
/// # Errors
/// A number of processors on which it cannot be run.
pub(crate) fn predictions(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &PredictOptions,
    context: &Context,
) -> Result<Predictions, CliError> {
    facts.not_empty()?;
    context.note_shared(processors(how, platform), platform)?;
    context.note_beside(facts.beside, processors(how, platform))?;
    facts.note_without_bytes(costs, &context.console)?;
    let mut all = Predictions::default();
    let (numbers, ways) = (processors(how, platform), once(&how.by));
    let bar = context.console.ticking(numbers.len(), "predicting");
    let under_way = UnderWay::default();
    for p in numbers {
        under_way.begin(p, &ways);
        context.console.telling(
            &bar,
            || under_way.told(),
            || {
                let choice =
                    plan(facts, costs, platform, &how.shape, Some(p), None, &context.interrupt)?.best;
                for &way in &ways {
                    let found = run::predictions(&[way], facts, &choice, costs, platform, context)?;
                    under_way.done(way, &found.outcomes);
                    all.extend(found);
                }
                Ok::<(), CliError>(())
            },
        )?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(all)
}

impl Predictions {
    /// What is predicted, where anything is; says why some is not.
    ///
    /// # Errors
    /// Why nothing is.
    pub(crate) fn answered(self, how: &PredictOptions, context: &Context) -> Result<Vec<Outcome>, CliError> {
        match (self.refused.first(), how.write_model.is_some()) {
            // Where the model is written, there is something to show for it.
            (Some(refused), false) if self.outcomes.is_empty() => Err(request(refused)),
            _ => {
                self.note(context)?;
                Ok(self.outcomes)
            }
        }
    }
}

/// What is predicted on several numbers of processors by several ways: what of it is known, and what is under way.
#[derive(Debug, Default)]
pub(crate) struct UnderWay(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// What is known and was not told yet, a sentence each.
    known: Vec<String>,
    /// The number of processors that is under way, and the ways that have not predicted for it.
    processors: usize,
    ways: Vec<Way>,
}

impl UnderWay {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many processors are next, and these ways.
    pub(crate) fn begin(&self, processors: usize, ways: &[Way]) {
        let mut state = self.state();
        (state.processors, state.ways) = (processors, ways.to_vec());
    }

    /// One of the ways is done; with what it predicts, if anything.
    pub(crate) fn done(&self, way: Way, found: &[Outcome]) {
        let mut state = self.state();
        state.ways.retain(|&other| other != way);
        state.known.extend(
            found.iter().map(|of| {
                format!("known: {} by {}, {}", on(of.processors), of.way.name(), describe::time(of))
            }),
        );
    }

    /// What is known since this was asked last, and what is under way.
    pub(crate) fn told(&self) -> String {
        let mut state = self.state();
        let mut lines = std::mem::take(&mut state.known);
        let ways: Vec<&str> = state.ways.iter().map(|way| way.name()).collect();
        if !ways.is_empty() {
            lines.push(format!("under way: {} by {}", on(state.processors), ways.join(", ")));
        }
        lines.iter().map(|line| format!("{:<9} {line}\n", "predict")).collect()
    }
}

fn on(processors: usize) -> String {
    text::plural(processors as u64, "processor")
}

/// Writes the PEPA model, where that is asked for.
///
/// # Errors
/// A number of processors on which the job cannot be run; a file that cannot be written.
pub(crate) fn write_model(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &PredictOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Some((path, p)) = how.write_model.as_deref().zip(how.processors.first()) else { return Ok(()) };
    let choice = plan(facts, costs, platform, &how.shape, Some(*p), None, &context.interrupt)?.best;
    let (model, refused) = algebra::model(facts, &choice, costs, platform, &context.interrupt)?;
    file::write(path, model.as_bytes())?;
    if let Some(refused) = refused.filter(|_| !how.by.contains(&Way::Pepa)) {
        context.console.note("note", &refused)?;
    }
    context.console.note("model", &file::shown(path))
}

/// Shows predicted outcomes: as a table, drawn where that is asked for, and as data.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn tell(outcomes: &[Outcome], how: &PredictOptions, context: &Context) -> Result<(), CliError> {
    context.console.text(&describe::predictions(outcomes))?;
    write(outcomes, how, context)
}

/// Draws predicted outcomes where that is asked for, and writes them as data.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write(outcomes: &[Outcome], how: &PredictOptions, context: &Context) -> Result<(), CliError> {
    how.draw.write(|| drawings::outcomes_sheet(outcomes), || drawings::makespans(outcomes))?;
    context.console.data(&outcomes)
}

/// Each once, where it is named first.
pub(crate) fn once<T: Copy + PartialEq>(named: &[T]) -> Vec<T> {
    let mut all = Vec::with_capacity(named.len());
    for &one in named {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// The numbers asked for; else 1, every power of 2 that the platform has, and all that it has.
pub(crate) fn processors(how: &PredictOptions, platform: &Platform) -> Vec<usize> {
    if !how.processors.is_empty() {
        return once(&how.processors);
    }
    let needs_power = how.shape.strategy.get() == Some(Strategy::ParallelPipeline);
    let groups = how.shape.groups.unwrap_or(1).max(1);
    let can = |p: usize| p.is_multiple_of(groups) && (!needs_power || (p / groups).is_power_of_two());
    let mut all = usual(platform.cores());
    // All that there are at least, if only to say why they cannot be.
    if all.iter().any(|&p| can(p)) {
        all.retain(|&p| can(p));
    }
    all
}

/// 1, every power of 2 up to the cores, and all of them.
pub(crate) fn usual(cores: usize) -> Vec<usize> {
    let mut all: Vec<usize> =
        std::iter::successors(Some(1), |p| Some(p * 2)).take_while(|&p| p < cores).collect();
    all.push(cores.max(1));
    all
}

#[cfg(test)]
mod tests {
    use forerun_platform::{Grain, Outcome, Plan, Strategy, Way};

    use super::{UnderWay, usual};

    #[test]
    fn what_is_done_is_not_under_way_and_is_told_once() {
        let found = |processors, way, seconds| {
            let plan = Plan::new(Strategy::Adaptive, processors, Grain { tasks: None, bytes: 1 });
            Outcome::from_ranks(way, plan, seconds, Vec::new(), 0)
        };
        let (ways, of) = ([Way::Analytic, Way::Simulated, Way::Pepa], UnderWay::default());
        of.begin(1, &ways);
        // Quickly done: nobody asked.
        ways.iter().for_each(|&way| of.done(way, &[found(1, way, 2.0)]));
        assert!(!of.told().contains("under way"));
        of.begin(2, &ways);
        of.done(Way::Analytic, &[found(2, Way::Analytic, 1.0)]);
        // One that was refused has nothing that is known.
        of.done(Way::Simulated, &[]);
        let told = of.told();
        assert_eq!(
            told,
            "predict   known: 2 processors by analytic, 1.00 s\npredict   under way: 2 processors by pepa\n"
        );
        of.done(Way::Pepa, &[]);
        assert_eq!(of.told(), "");
    }

    #[test]
    fn usual_numbers_end_with_all_cores() {
        assert_eq!(usual(0), [1]);
        assert_eq!(usual(1), [1]);
        assert_eq!(usual(2), [1, 2]);
        assert_eq!(usual(6), [1, 2, 4, 6]);
    }
}
