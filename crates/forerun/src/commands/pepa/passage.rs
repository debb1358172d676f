//! `forerun pepa passage`: how long it takes.

use forerun_pepa::model::System;
use forerun_pepa::space::Space;
use forerun_pepa::transient::{PassageError, Targets, Until, UntilError, events, passage, until};
use serde::Serialize;

use super::course::{Columns, times};
use super::figure;
use super::model::load;
use super::progress::counted;
use super::solve::long_run;
use super::states::{describe, explore};
use crate::cli::pepa::PassageArgs;
use crate::commands::Context;
use crate::error::{CliError, failed, request};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Found {
    states: usize,
    transitions: usize,
    times: Vec<f64>,
    cdf: Vec<f64>,
    pdf: Vec<f64>,
    quantiles: Vec<Quantile>,
    /// The probability that it takes longer than the last time.
    open: f64,
    /// None where it may never end.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    /// None where it is hidden by the error of the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
}

/// A quantile.
#[derive(Debug, Serialize)]
struct Quantile {
    share: f64,
    /// None: longer than the last time.
    time: Option<f64>,
}

pub(super) fn run(args: &PassageArgs, context: &Context) -> Result<(), CliError> {
    let times = times(&args.times)?;
    if let Some(wrong) = args.quantiles.iter().find(|q| !(**q > 0.0 && **q < 1.0)) {
        return Err(request(format!(
            "--quantiles {wrong}: expected shares between 0 and 1, such as 0.5,0.99"
        )));
    }
    let loaded = load(&args.model)?;
    let space = explore(&loaded.system, &args.space, context)?;
    let steady = match args.from {
        Some(_) => Some(long_run(&loaded.system, &space, 1e-10, context)?),
        None => None,
    };
    let targets = Targets { from: args.from.clone(), to: args.to.clone() };
    let begin = steady.as_ref().map(|s| s.x.as_slice());
    let expected = events(&space, args.times.until);
    let found = counted(context, Some(expected), "events", |stop| {
        passage(&loaded.system, &space, begin, &targets, &times, &args.quantiles, stop)
    })?
    .map_err(|e| match e {
        PassageError::TooLong(_) => request(e.to_string()),
        _ => request(format!("{e}; its actions are {}", loaded.system.actions[1..].join(", "))),
    })?;
    let (whole, never) = match mean(&loaded.system, &space, begin, &targets, context)? {
        Ok(whole) => (Some(whole), None),
        Err(why) => (None, Some(why)),
    };
    let console = &context.console;
    console.say("states", &describe(&space))?;
    let rows =
        (0..times.len()).map(|i| vec![found.times[i], found.distribution[i], found.density[i]]).collect();
    let head = ["time", "distribution", "density"].map(String::from).to_vec();
    let columns = Columns { head, rows };
    columns.show(context)?;
    columns.csv(args.times.csv.as_deref())?;
    if let Some(whole) = &whole {
        let deviation =
            whole.deviation.map_or(String::new(), |d| format!(", standard deviation {}", figure(d)));
        console.say("mean", &format!("{}{deviation}", figure(whole.mean)))?;
    }
    if let Some(why) = &never {
        console.say("mean", why)?;
    }
    for (share, time) in &found.quantiles {
        let of = crate::text::share(*share);
        let sentence = match time {
            Some(time) => format!("{of} of all take at most {}", figure(*time)),
            None => {
                let tells = if never.is_some() { "if so many ever end, a longer" } else { "a longer" };
                format!("fewer than {of} of all have ended by {}: {tells} --until tells", args.times.until)
            }
        };
        console.say("quantile", &sentence)?;
    }
    console.data(&Found {
        states: space.states(),
        transitions: space.transitions(),
        times: found.times,
        cdf: found.distribution,
        pdf: found.density,
        quantiles: found
            .quantiles
            .iter()
            .map(|(share, time)| Quantile { share: *share, time: *time })
            .collect(),
        open: found.open,
        mean: whole.map(|w| w.mean),
        deviation: whole.and_then(|w| w.deviation),
    })
}

/// The mean; why there is none, where it may never end.
fn mean(
    system: &System,
    space: &Space,
    begin: Option<&[f64]>,
    targets: &Targets,
    context: &Context,
) -> Result<Result<Until, String>, CliError> {
    match counted(context, None, "mean", |stop| until(system, space, begin, targets, stop))? {
        Ok(found) => Ok(Ok(found)),
        Err(e @ UntilError::Maybe(_)) => Ok(Err(e.to_string())),
        Err(e) => Err(failed(e)),
    }
}
