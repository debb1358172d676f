//! Predicted beside measured.
//!
//! A *configuration* is a job with its input on a platform with a strategy, ranks, groups and arity. Its measured runs
//! (ways `threads` and `mpi`) are put together by way: median, least and greatest makespan. Every
//! prediction of it (by the ways that run nothing in real time, and the one a run was planned with) stands
//! beside them with its relative error, (predicted − measured) / measured, measured being the median.
//! Predictions for another platform or input are never compared with a measurement of this one. Outcomes that do not
//! say what their input was, as those of earlier builds, are taken to be of one. What tasks, blocks or messages a plan has is no part of a
//! configuration, since every pilot finds others: where outcomes of several plans, or predictions that differ, are put together, that is said.

mod several;
mod summary;
mod table;

use std::collections::HashMap;

use forerun_platform::statistics::median_of_sorted;
use forerun_platform::{Bytes, Input, Interval, Outcome, Skeleton, Stage, Strategy, Throughput, Way};
use serde_json::Value;

use crate::text;

pub use summary::{Summary, summaries};
pub use table::table;

/// Whether a way really runs the job in real time.
pub fn is_measured(way: Way) -> bool {
    matches!(way, Way::Threads | Way::Mpi)
}

/// What an outcome is of: outcomes that agree in all of it are compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The job, as the command line had it.
    pub job: String,
    /// What it was given to work on; none where that is not known, or kept coming.
    pub input: Option<Input>,
    /// Name of the platform.
    pub platform: String,
    /// The pattern.
    pub skeleton: Skeleton,
    /// Strategy.
    pub strategy: Strategy,
    /// Ranks.
    pub processors: usize,
    /// Groups of ranks side by side.
    pub groups: usize,
    /// Fan-in of the tree.
    pub arity: usize,
}

impl Configuration {
    /// The configuration of an outcome.
    pub fn of(outcome: &Outcome) -> Configuration {
        Configuration {
            job: match outcome.pages {
                Some(_) => format!("{} of a crawl", outcome.job),
                None => outcome.job.clone(),
            },
            input: outcome.input.clone(),
            platform: outcome.platform.clone(),
            skeleton: outcome.plan.skeleton,
            strategy: outcome.strategy,
            processors: outcome.processors,
            groups: outcome.plan.groups,
            arity: outcome.plan.arity,
        }
    }

    /// The strategy, with groups and arity where they are not one group and a binary tree; of another
    /// skeleton than the reduction, its name.
    pub fn strategy_label(&self) -> String {
        if self.skeleton != Skeleton::Reduction {
            return self.skeleton.name().into();
        }
        let mut label = self.strategy.name().to_string();
        if self.groups > 1 {
            label += &format!(", {} groups", self.groups);
        }
        if self.arity > 2 {
            label += &format!(", arity {}", self.arity);
        }
        label
    }

    /// What the job was given to work on, where that is known. A size that words round is given to the byte, so that no two
    /// inputs are called the same.
    pub fn input_label(&self) -> Option<String> {
        let Input { bytes, words, .. } = self.input.as_ref()?;
        let exactly = bytes.filter(|&bytes| Bytes(bytes).to_string().parse() != Ok(Bytes(bytes)));
        Some(exactly.map_or_else(|| words.clone(), |bytes| format!("{words}: {} B", text::count(bytes))))
    }

    /// The job with its input: `sort (1 file, 400 MB of i32)`.
    pub fn job_label(&self) -> String {
        match self.input_label() {
            None => self.job.clone(),
            Some(input) if self.job.is_empty() => input,
            Some(input) => format!("{} ({input})", self.job),
        }
    }

    /// What blocks of tables and parts of reports are of.
    pub fn subject(&self) -> (&str, Option<&Input>, &str) {
        (&self.job, self.input.as_ref(), &self.platform)
    }

    /// What the ranks do in a word: the strategy of a reduction, else the skeleton.
    pub fn pattern(&self) -> &'static str {
        match self.skeleton {
            Skeleton::Reduction => self.strategy.name(),
            Skeleton::ScatterGather | Skeleton::Farm => self.skeleton.name(),
        }
    }

    /// The order of tables: job, input and platform, then strategies as listed everywhere, then ranks.
    fn order(&self) -> impl Ord + use<> {
        let strategy = Strategy::ALL.iter().position(|s| *s == self.strategy);
        (
            self.job.clone(),
            self.input.clone(),
            self.platform.clone(),
            self.skeleton,
            strategy,
            self.groups,
            self.arity,
            self.processors,
        )
    }
}

/// The measured runs of a configuration by one way.
#[derive(Debug, Clone, PartialEq)]
pub struct Runs {
    /// `threads` or `mpi`.
    pub way: Way,
    /// Makespans in seconds, ascending; at least one.
    pub makespans_s: Vec<f64>,
}

impl Runs {
    /// The median makespan in seconds, the mean of the middle two where they are even in number.
    pub fn median(&self) -> f64 {
        median(&self.makespans_s)
    }

    /// The least makespan in seconds.
    pub fn min(&self) -> f64 {
        self.makespans_s.first().copied().unwrap_or(f64::NAN)
    }

    /// The greatest makespan in seconds.
    pub fn max(&self) -> f64 {
        self.makespans_s.last().copied().unwrap_or(f64::NAN)
    }
}

/// Who predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// The prediction that measured runs were planned with.
    Plan,
    /// An outcome of one of the ways that predict.
    Way(Way),
}

impl By {
    /// All predictors, in the order of tables.
    pub const ALL: [By; 5] = [
        By::Plan,
        By::Way(Way::Analytic),
        By::Way(Way::Pepa),
        By::Way(Way::Simulated),
        By::Way(Way::Emulated),
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            By::Plan => "plan",
            By::Way(way) => way.name(),
        }
    }
}

/// A configuration's predicted makespan by one predictor: the median of its predictions, each end of the
/// interval likewise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Who predicted.
    pub by: By,
    /// Makespan and interval in seconds; without an interval its ends are the makespan.
    pub makespan: Interval,
}

/// A configuration with what was predicted and measured of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// What all of it is of.
    pub configuration: Configuration,
    /// Measured runs, threads before MPI; may be empty.
    pub measured: Vec<Runs>,
    /// Predictions in the order of [`By::ALL`]; may be empty.
    pub predictions: Vec<Prediction>,
    /// Where runs or predictions of several plans are put together, or predictions that differ: a sentence each, without a full stop.
    pub several: Vec<String>,
}

/// Relative error of a prediction: (predicted − measured) / measured, none where nothing took any time.
pub fn relative_error(predicted_s: f64, measured_s: f64) -> Option<f64> {
    let error = (predicted_s - measured_s) / measured_s;
    (measured_s > 0.0 && error.is_finite()).then_some(error)
}

/// Groups outcomes by configuration, in the order of tables. Cost: n log n in the outcomes.
pub fn compare(outcomes: &[Outcome]) -> Vec<Compared> {
    let mut sorted: Vec<(Configuration, &Outcome)> =
        outcomes.iter().map(|o| (Configuration::of(o), o)).collect();
    sorted.sort_by_cached_key(|(configuration, _)| configuration.order());
    sorted
        .chunk_by(|(a, _), (b, _)| a == b)
        .map(|chunk| {
            let all: Vec<&Outcome> = chunk.iter().map(|(_, outcome)| *outcome).collect();
            Compared {
                configuration: chunk[0].0.clone(),
                measured: [Way::Threads, Way::Mpi].into_iter().filter_map(|way| runs(&all, way)).collect(),
                predictions: By::ALL.into_iter().filter_map(|by| prediction(&all, by)).collect(),
                several: several::said(&chunk[0].0, &all),
            }
        })
        .collect()
}

fn runs(outcomes: &[&Outcome], way: Way) -> Option<Runs> {
    let mut makespans_s: Vec<f64> = outcomes.iter().filter(|o| o.way == way).map(|o| o.makespan_s).collect();
    makespans_s.sort_by(f64::total_cmp);
    (!makespans_s.is_empty()).then_some(Runs { way, makespans_s })
}

fn prediction(outcomes: &[&Outcome], by: By) -> Option<Prediction> {
    let all: Vec<Interval> = match by {
        By::Plan => outcomes.iter().filter(|o| is_measured(o.way)).filter_map(|o| planned(o)).collect(),
        By::Way(way) => {
            let pages = outcomes.iter().filter(|o| is_measured(o.way)).find_map(|o| o.pages);
            outcomes
                .iter()
                .filter(|o| o.way == way)
                .map(|o| scaled(own_interval(o), o.pages, pages))
                .collect()
        }
    };
    let middle = |end: fn(&Interval) -> f64| {
        let mut ends: Vec<f64> = all.iter().map(end).collect();
        ends.sort_by(f64::total_cmp);
        median(&ends)
    };
    (!all.is_empty()).then(|| Prediction {
        by,
        makespan: Interval {
            makespan_s: middle(|i| i.makespan_s),
            low_s: middle(|i| i.low_s),
            high_s: middle(|i| i.high_s),
        },
    })
}

/// The prediction that a measured run was started with. Where tasks a second were predicted, it is the time that
/// the tasks that came would take.
fn planned(outcome: &Outcome) -> Option<Interval> {
    outcome.predicted.or(outcome.plan.predicted).or_else(|| {
        let rate = outcome.predicted_throughput?;
        let tasks = outcome.throughput * outcome.makespan_s;
        let time = |per_second: f64| if per_second > 0.0 { tasks / per_second } else { 0.0 };
        let of =
            Interval { makespan_s: time(rate.tasks_per_s), low_s: time(rate.high), high_s: time(rate.low) };
        (of.makespan_s > 0.0).then_some(of)
    })
}

/// What is predicted for so many pages of a crawl, for as many as a measured run had: before it, nobody knew how many there are.
fn scaled(of: Interval, pages: Option<u64>, measured: Option<u64>) -> Interval {
    let times = match (pages, measured) {
        (Some(pages), Some(measured)) if pages > 0 => measured as f64 / pages as f64,
        _ => 1.0,
    };
    Interval { makespan_s: of.makespan_s * times, low_s: of.low_s * times, high_s: of.high_s * times }
}

/// A predicted outcome's makespan with its interval, if it has one around that makespan.
fn own_interval(outcome: &Outcome) -> Interval {
    let makespan_s = outcome.makespan_s;
    match outcome.predicted {
        Some(i) if i.low_s <= makespan_s && makespan_s <= i.high_s => Interval { makespan_s, ..i },
        _ => Interval { makespan_s, low_s: makespan_s, high_s: makespan_s },
    }
}

/// The median of ascending values; not a number of none.
pub(crate) fn median(ascending: &[f64]) -> f64 {
    median_of_sorted(ascending).unwrap_or(f64::NAN)
}

/// What `compare --json` writes: the outcomes, each with `"relative_error"`. A measured outcome has the error
/// of the prediction it was started with; a predicted one its own against the median measured (threads, else
/// MPI); null where there is nothing to compare.
///
/// # Errors
/// Where an outcome cannot be written as JSON.
pub fn json(outcomes: &[Outcome]) -> Result<Value, serde_json::Error> {
    let all = compare(outcomes);
    let measured: HashMap<&Configuration, &Runs> =
        all.iter().filter_map(|c| c.measured.first().map(|runs| (&c.configuration, runs))).collect();
    let pages: HashMap<Configuration, u64> = outcomes
        .iter()
        .filter(|o| is_measured(o.way))
        .filter_map(|o| Some((Configuration::of(o), o.pages?)))
        .collect();
    let mut list = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        let error = if is_measured(outcome.way) {
            planned(outcome).and_then(|p| relative_error(p.makespan_s, outcome.makespan_s))
        } else {
            let configuration = Configuration::of(outcome);
            let predicted = scaled(own_interval(outcome), outcome.pages, pages.get(&configuration).copied());
            let runs = measured.get(&configuration);
            runs.and_then(|runs| relative_error(predicted.makespan_s, runs.median()))
        };
        let mut value = serde_json::to_value(outcome)?;
        if let Value::Object(fields) = &mut value {
            fields.insert("relative_error".into(), error.into());
        }
        list.push(value);
    }
    Ok(Value::Array(list))
}

/// The last line of `run`: `predicted 12.4 s ± 0.8, measured 12.9 s (−3.9 %)`.
pub fn verdict(outcome: &Outcome) -> String {
    let measured = text::seconds(outcome.makespan_s);
    if !is_measured(outcome.way) {
        return format!("predicted {} ({})", text::interval(&own_interval(outcome)), outcome.way.name());
    }
    if let Some(pages) = outcome.pages {
        return pages_verdict(outcome, pages);
    }
    if let Some(rate) = &outcome.predicted_throughput {
        return throughput_verdict(outcome, rate);
    }
    let Some(predicted) = planned(outcome) else {
        // Of an input that kept coming the time says little.
        return match outcome.plan.grain.tasks {
            Some(_) => format!("measured {measured}, nothing predicted"),
            None => format!("measured {} over {measured}, nothing predicted", text::rate(outcome.throughput)),
        };
    };
    if predicted.makespan_s <= 0.0 {
        return format!("measured {measured}; nothing was left to predict");
    }
    let error = relative_error(predicted.makespan_s, outcome.makespan_s);
    let error = error.map(|error| format!(" ({})", text::percent(error))).unwrap_or_default();
    format!("predicted {}, measured {measured}{error}", text::interval(&predicted))
}

/// The same of a crawl and the job on its pages together: `predicted 61.2 s ± 3.0, measured 61.9 s (−1.1 %) from the first request to the
/// end: 60 pages, 0.969 pages/s`.
fn pages_verdict(outcome: &Outcome, pages: u64) -> String {
    let measured = text::seconds(outcome.makespan_s);
    let came = format!("{}, {} pages/s", text::plural(pages, "page"), text::digits(outcome.throughput));
    let Some(predicted) = outcome.predicted else {
        return format!("measured {measured} from the first request to the end: {came}; nothing predicted");
    };
    let error = relative_error(predicted.makespan_s, outcome.makespan_s);
    let error = error.map(|error| format!(" ({})", text::percent(error))).unwrap_or_default();
    let predicted = text::interval(&predicted);
    format!("predicted {predicted}, measured {measured}{error} from the first request to the end: {came}")
}

/// Ranks that waited for inputs for more than this part of a run were not what bounded it.
const IDLE: f64 = 0.1;

/// The same of a run over an input of unknown length: `predicted 31.2 tasks/s (28.0 to 34.4), measured
/// 30.1 tasks/s (+3.7 %)`.
fn throughput_verdict(outcome: &Outcome, predicted: &Throughput) -> String {
    let measured = outcome.throughput;
    let ranks_s = outcome.makespan_s * outcome.processors as f64;
    let waited =
        outcome.stages.get(&Stage::Input).map_or(0.0, |t| t.total_s) / ranks_s.max(f64::MIN_POSITIVE);
    let text = format!(
        "predicted {} ({} to {}), measured {}",
        text::rate(predicted.tasks_per_s),
        text::digits(predicted.low),
        text::digits(predicted.high),
        text::rate(measured)
    );
    match relative_error(predicted.tasks_per_s, measured) {
        _ if waited > IDLE => format!(
            "{text}: ranks waited for inputs to come {} of the time, so these set the pace",
            text::share(waited.min(1.0))
        ),
        Some(error) => format!("{text} ({})", text::percent(error)),
        None => text,
    }
}
