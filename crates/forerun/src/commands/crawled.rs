//! `forerun plan` and `forerun predict` of pages that a crawl will fetch: by a sample of them, what a page takes to come and what
//! it takes to extract.
//!
//! What a run's own crawl tells is treated alike, so that what it predicts and measures is of the same: crawl and extraction
//! together, from the first request until the last row is written.

use std::time::Duration;

use forerun_apps::ErasedJob;
use forerun_model::planner::{Choice, Divisible, Planned};
use forerun_platform::{Outcome, Stage, Way};

use super::run::predictions;
use super::{Context, predict};
use crate::cli::{PlanOptions, PredictOptions};
use crate::crawling::{Begins, Both, HowMany, Sampled, Watch};
use crate::error::CliError;
use crate::figures::{self, Figures};
use crate::planning::Facts;
use crate::{describe, jobs, planning, text};

/// Plans it.
///
/// # Errors
/// What is wrong with the request; what failed in the pilot.
pub fn plan(
    job: &dyn ErasedJob,
    sampled: &Sampled,
    how: &PlanOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Context { console, interrupt, .. } = context;
    let pinned = how.processors.get();
    let Figures { platform, profile, largest, beside, .. } =
        figures::of(job, pinned, &how.shape, &how.figures, super::plan::possible(how), context)?;
    let facts = facts(job, largest, sampled, &how.shape)?.beside(beside);
    let costs = figures::reduction(&profile)?;
    context.note_shared(pinned.as_slice(), &platform)?;
    let mut planned =
        planning::plan(&facts, costs, &platform, &how.shape, pinned, how.max_processors, interrupt)?;
    in_pages(&mut planned, &facts);
    console.say("plan", &describe::plan(&planned, &facts))?;
    context.note_beside(facts.beside, [planned.best.plan.processors])?;
    let mut ways = vec![Way::Analytic];
    ways.extend(how.by.iter().filter(|way| **way != Way::Analytic));
    let mut predicted = predictions(&ways, &facts, &planned.best, costs, &platform, context)?;
    note_number(sampled, context)?;
    let mut plan = planned.best.plan;
    let gathered = jobs::gathered(figures::at_once(&how.figures, &how.shape));
    for outcome in &mut predicted.outcomes {
        let (both, left) = both(outcome, &facts, sampled, gathered);
        plan.predicted = plan.predicted.or(outcome.predicted).filter(|_| sampled.pages != HowMany::Unknown);
        console
            .say("", &format!("{} ({})", both.said(outcome.processors, left, false), outcome.way.name()))?;
    }
    predicted.note(context)?;
    super::plan::data(&plan, predicted, context)
}

/// Predicts it.
///
/// # Errors
/// As [`plan`].
pub fn predict(
    job: &dyn ErasedJob,
    sampled: &Sampled,
    how: &PredictOptions,
    context: &Context,
) -> Result<(), CliError> {
    let Figures { platform, profile, largest, beside, .. } =
        figures::of(job, how.one_number(), &how.shape, &how.figures, predict::possible(how), context)?;
    let facts = facts(job, largest, sampled, &how.shape)?.beside(beside);
    let costs = figures::reduction(&profile)?;
    let mut outcomes =
        predict::predictions(&facts, costs, &platform, how, context)?.answered(how, context)?;
    note_number(sampled, context)?;
    let gathered = jobs::gathered(figures::at_once(&how.figures, &how.shape));
    let told: Vec<Both> = outcomes.iter_mut().map(|o| both(o, &facts, sampled, gathered).0).collect();
    let rows = outcomes.iter().zip(&told).map(|(outcome, both)| row(outcome, both));
    context.console.text(&describe::pages(rows, sampled.count()))?;
    predict::write(&outcomes, how, context)
}

fn note_number(sampled: &Sampled, context: &Context) -> Result<(), CliError> {
    sampled.of_their_number().map_or(Ok(()), |note| context.console.note("note", &note))
}

/// The facts of the job with as many pages as are predicted for, or so many that more make no difference.
fn facts(
    job: &dyn ErasedJob,
    largest: Option<u64>,
    sampled: &Sampled,
    shape: &crate::cli::ShapeOptions,
) -> Result<Facts, CliError> {
    job.forget();
    let mut facts = Facts::of(job, largest, shape);
    facts.not_empty()?;
    if let (Divisible::Pieces { sizes, .. }, false) = (&mut facts.input, facts.known) {
        sizes.truncate(usize::try_from(sampled.count()).unwrap_or(usize::MAX).max(1));
    }
    Ok(facts)
}

/// What is predicted of the sample's crawl and the extraction of its pages, of an outcome of extracting those of `facts`, which
/// it is made of, by a run that begins when it has gathered pages for so long.
fn both(outcome: &mut Outcome, facts: &Facts, sampled: &Sampled, gathered: Duration) -> (Both, u64) {
    let of = facts.pieces();
    // What is known to be all is predicted as it is; of what is not, as many as there will be.
    let left = if facts.known { of as u64 } else { sampled.count() };
    let both = Both::new(outcome, of, sampled, Begins::Gathered(gathered.as_secs_f64()));
    both.tell(outcome, sampled.count(), left);
    (both, left)
}

/// The cells of a table's row.
fn row(outcome: &Outcome, both: &Both) -> [String; 6] {
    let come = both.come();
    [
        outcome.processors.to_string(),
        outcome.way.name().into(),
        outcome.plan.pattern().into(),
        text::digits(both.extracted()),
        if come.is_finite() { text::digits(come) } else { "–".into() },
        outcome.predicted.map_or_else(|| text::seconds(outcome.makespan_s), |i| text::interval(&i)),
    ]
}

/// Has a plan for pages that keep coming compare strategies by pages a second: of tasks each has others.
pub fn in_pages(planned: &mut Planned, facts: &Facts) {
    if facts.known {
        return;
    }
    let pages = facts.pieces() as f64;
    let rate = |choice: &Choice| {
        format!("{} pages/s", text::digits(pages / choice.prediction.makespan_s.max(f64::MIN_POSITIVE)))
    };
    let others = planned.distinct().skip(1);
    let others: Vec<String> =
        others.map(|(choice, _)| format!("{} {}", choice.plan.strategy.name(), rate(choice))).collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
    let best = &mut planned.best;
    best.plan.reason = format!("{} extracted{others}; {}", rate(best), best.prediction.reason);
}

/// What is predicted of a run that begins with the pages that have come: of their crawl and of extracting them.
pub fn of_run(job: &dyn ErasedJob, extract: &Outcome, facts: &Facts, crawl: &Watch) -> (Both, Sampled, u64) {
    let sampled = crawl.sampled();
    // Without more to come, what the pilot took is no part of it, as with files.
    let begins = if facts.known { sampled.requests.1 } else { crawl.seconds() };
    let both = Both::new(extract, facts.pieces(), &sampled, Begins::At(begins));
    let (_, already) = job.came();
    let left = if facts.known { facts.pieces() as u64 } else { sampled.count().saturating_sub(already) };
    (both, sampled, left)
}

/// Makes the outcome of a run one of crawling and extracting, with what was predicted of that. `known` is whether all pages had
/// come when it began.
pub fn ran(outcome: &mut Outcome, job: &dyn ErasedJob, crawl: &Watch, known: bool, both: Option<&Both>) {
    let sampled = crawl.sampled();
    let whole_s = if known { sampled.requests.1 + outcome.makespan_s } else { crawl.seconds() };
    let before_s = (whole_s - outcome.makespan_s).max(0.0);
    let (pages, _) = job.came();
    for rank in &mut outcome.ranks {
        rank.waited_before(before_s);
    }
    let waited = outcome.stages.entry(Stage::Input).or_default();
    waited.total_s += before_s * outcome.processors as f64;
    outcome.makespan_s = whole_s;
    (outcome.pages, outcome.input) = (Some(pages), None);
    outcome.throughput = if whole_s > 0.0 { pages as f64 / whole_s } else { 0.0 };
    outcome.predicted = both.filter(|_| pages > 0).map(|both| both.time(sampled.count(), pages));
    outcome.plan.predicted = outcome.predicted;
    outcome.predicted_throughput = outcome.predicted.map(|time| crate::crawling::rate(pages, &time));
}
