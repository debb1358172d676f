//! `forerun plan` and `forerun predict` of pages that a crawl will fetch: by a sample of them, what a page takes to come and what
//! it takes to extract.
//!
//! A run extracts pages while others come, so that it takes as long as the slower of both; where all pages come while the
//! run gathers its first ones, one after the other. What the last page takes after it came is left out.

use forerun_apps::ErasedJob;
use forerun_model::planner::Divisible;
use forerun_platform::{Interval, Outcome, Throughput, Way};

use super::run::predictions;
use super::{Context, predict};
use crate::cli::{PlanOptions, PredictOptions};
use crate::crawling::{HowMany, Sampled};
use crate::error::{CliError, request};
use crate::figures::{self, Figures};
use crate::jobs::GATHERED;
use crate::planning::Facts;
use crate::{describe, planning, text};

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
    not_by_pepa(&how.by)?;
    let Context { console, interrupt, .. } = context;
    let pinned = how.processors.get();
    let Figures { platform, profile, largest } = figures::of(job, pinned, &how.shape, &how.figures, context)?;
    let facts = facts(job, largest, sampled, &how.shape)?;
    let costs = figures::reduction(&profile)?;
    context.note_shared(pinned.as_slice(), &platform)?;
    let planned =
        planning::plan(&facts, costs, &platform, &how.shape, pinned, how.max_processors, interrupt)?;
    console.say("plan", &describe::plan(&planned))?;
    let mut ways = vec![Way::Analytic];
    ways.extend(how.by.iter().filter(|way| **way != Way::Analytic));
    let mut predicted = predictions(&ways, &facts, &planned.best, costs, &platform, context)?;
    note_number(sampled, context)?;
    let mut plan = planned.best.plan;
    for outcome in &mut predicted.outcomes {
        let pages = Paged::new(outcome, &facts, sampled);
        plan.predicted = plan.predicted.or(outcome.predicted).filter(|_| sampled.pages != HowMany::Unknown);
        console.say("", &format!("{} ({})", pages.said(outcome), outcome.way.name()))?;
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
    not_by_pepa(&how.by)?;
    let Figures { platform, profile, largest } =
        figures::of(job, how.one_number(), &how.shape, &how.figures, context)?;
    let facts = facts(job, largest, sampled, &how.shape)?;
    how.draw.check(&context.console)?;
    let costs = figures::reduction(&profile)?;
    let mut outcomes = predict::outcomes(&facts, costs, &platform, how, context)?;
    note_number(sampled, context)?;
    let pages: Vec<Paged> = outcomes.iter_mut().map(|o| Paged::new(o, &facts, sampled)).collect();
    let rows = outcomes.iter().zip(&pages).map(|(outcome, pages)| pages.row(outcome));
    context.console.text(&describe::pages(rows, sampled.count()))?;
    predict::write(&outcomes, how, context)
}

fn not_by_pepa(ways: &[Way]) -> Result<(), CliError> {
    match ways.contains(&Way::Pepa) {
        true => Err(request(
            "--by pepa: a model has as many tasks as are known, and of a crawl's pages they are not; predict by analytic or simulated",
        )),
        false => Ok(()),
    }
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

/// What sets the pace of an outcome.
struct Paged {
    pages: u64,
    /// Pages a second that could be extracted, and that come.
    extracted: f64,
    come: f64,
}

impl Paged {
    /// Makes an outcome of extracting the pages of `facts` one of crawling and extracting all of the sample's crawl.
    fn new(outcome: &mut Outcome, facts: &Facts, sampled: &Sampled) -> Self {
        let pages = sampled.count();
        let of = match &facts.input {
            Divisible::Pieces { sizes, .. } => sizes.len() as f64,
            _ => 1.0,
        };
        let alone = outcome.predicted.unwrap_or(Interval::around(outcome.makespan_s, 0.0));
        // What is known to be all is predicted as it is; of what is not, as many as there will be.
        let times = if facts.known { 1.0 } else { pages as f64 / of };
        let (crawl, extract) = (sampled.time(), |end: f64| end * times);
        let serial = facts.known && crawl.makespan_s <= GATHERED.0.as_secs_f64();
        let both = |a: f64, b: f64| if serial { a + b } else { a.max(b) };
        let time = Interval {
            makespan_s: both(crawl.makespan_s, extract(alone.makespan_s)),
            low_s: both(crawl.low_s, extract(alone.low_s)),
            high_s: both(crawl.high_s, extract(alone.high_s)),
        };
        let rate = |seconds: f64| if seconds > 0.0 { pages as f64 / seconds } else { 0.0 };
        outcome.predicted = Some(time);
        outcome.makespan_s = time.makespan_s;
        outcome.throughput = rate(time.makespan_s);
        outcome.predicted_throughput = Some(Throughput {
            tasks_per_s: rate(time.makespan_s),
            low: rate(time.high_s),
            high: rate(time.low_s),
        });
        Paged { pages, extracted: of / alone.makespan_s.max(f64::MIN_POSITIVE), come: sampled.rate() }
    }

    fn by_crawl(&self) -> bool {
        self.come < self.extracted
    }

    /// What is predicted, and what sets it, in a sentence.
    fn said(&self, outcome: &Outcome) -> String {
        let time =
            outcome.predicted.map_or_else(|| text::seconds(outcome.makespan_s), |i| text::interval(&i));
        let (on, extracted) =
            (text::plural(outcome.processors as u64, "processor"), text::digits(self.extracted));
        let pace = match self.by_crawl() {
            true => format!(
                "the crawl sets the pace, {} pages/s: {on} could extract {extracted}",
                text::digits(self.come)
            ),
            false if self.come.is_finite() => format!(
                "{on} set the pace, {extracted} pages/s: the crawl could give {}",
                text::digits(self.come)
            ),
            false => format!("all pages are there, and {on} extract {extracted} pages/s"),
        };
        format!("predicted {time} for {}; {pace}", text::plural(self.pages, "page"))
    }

    /// The cells of a table's row.
    fn row(&self, outcome: &Outcome) -> [String; 6] {
        [
            outcome.processors.to_string(),
            outcome.way.name().into(),
            outcome.plan.pattern().into(),
            text::digits(self.extracted),
            if self.come.is_finite() { text::digits(self.come) } else { "–".into() },
            outcome.predicted.map_or_else(|| text::seconds(outcome.makespan_s), |i| text::interval(&i)),
        ]
    }
}
