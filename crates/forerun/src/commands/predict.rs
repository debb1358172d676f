//! `forerun predict`: a job's time on given numbers of processors.

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
    how.draw.check(&context.console)?;
    facts.not_empty()?;
    if let Some(efficiency) = how.efficiency {
        let ps = processors(how, platform);
        context.note_shared(&ps, platform)?;
        return isoefficiency::run(facts, costs, platform, how, (efficiency, &ps), context);
    }
    let outcomes = outcomes(facts, costs, platform, how, context)?;
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

/// What is predicted for each of the numbers of processors.
///
/// # Errors
/// A number of processors on which it cannot be run.
pub(crate) fn outcomes(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &PredictOptions,
    context: &Context,
) -> Result<Vec<Outcome>, CliError> {
    facts.not_empty()?;
    context.note_shared(processors(how, platform), platform)?;
    context.note_beside(facts.beside, processors(how, platform))?;
    facts.note_without_bytes(costs, &context.console)?;
    let mut all = Predictions::default();
    let numbers = processors(how, platform);
    let bar = context.console.ticking(numbers.len(), "predicting");
    let mut known = Known::default();
    for p in numbers {
        let found = context.console.telling(&bar, &known.and_under_way(&all.outcomes, p, &how.by), || {
            let choice = plan(facts, costs, platform, &how.shape, Some(p), None, &context.interrupt)?.best;
            run::predictions(&once(&how.by), facts, &choice, costs, platform, context)
        })?;
        all.outcomes.extend(found.outcomes);
        all.refused.extend(found.refused);
        bar.inc(1);
    }
    bar.finish_and_clear();
    match (all.refused.first(), how.write_model.is_some()) {
        // Where the model is written, there is something to show for it.
        (Some(refused), false) if all.outcomes.is_empty() => Err(request(refused)),
        _ => {
            all.note(context)?;
            Ok(all.outcomes)
        }
    }
}

/// How much of what is predicted was told already while the rest is under way.
#[derive(Debug, Default)]
pub(crate) struct Known(usize);

impl Known {
    /// What is known since it was asked last, and that the prediction on so many processors is under way.
    pub(crate) fn and_under_way(&mut self, all: &[Outcome], processors: usize, by: &[Way]) -> String {
        let on = |p: usize| text::plural(p as u64, "processor");
        let from = std::mem::replace(&mut self.0, all.len()).min(all.len());
        let mut lines: Vec<String> = all[from..]
            .iter()
            .map(|of| format!("known: {} by {}, {}", on(of.processors), of.way.name(), describe::time(of)))
            .collect();
        let ways: Vec<&str> = by.iter().map(|way| way.name()).collect();
        lines.push(format!("under way: {} by {}", on(processors), ways.join(", ")));
        lines.iter().map(|line| format!("{:<9} {line}\n", "predict")).collect()
    }
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
    context.console.note("model", &path.display().to_string())
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
    use super::usual;

    #[test]
    fn usual_numbers_end_with_all_cores() {
        assert_eq!(usual(0), [1]);
        assert_eq!(usual(1), [1]);
        assert_eq!(usual(2), [1, 2]);
        assert_eq!(usual(6), [1, 2, 4, 6]);
    }
}
