//! `forerun pepa simulate`.

use forerun_pepa::simulate::{Estimate, Simulation, simulate};
use serde::Serialize;

use super::figure;
use super::model::load;
use crate::cli::pepa::SimulateArgs;
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::execute::stop_if_interrupted;
use crate::text::{Align, Table, colour, count, plural};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Found {
    replications: usize,
    time: f64,
    warm_up: f64,
    events: u64,
    confidence: f64,
    deadlocks: usize,
    throughput: Vec<Figure>,
    population: Vec<Figure>,
}

/// A figure with its interval.
#[derive(Debug, Serialize)]
struct Figure {
    name: String,
    mean: f64,
    low: f64,
    high: f64,
}

fn figures(all: &[Estimate]) -> Vec<Figure> {
    all.iter()
        .map(|e| Figure { name: e.name.clone(), mean: e.mean, low: e.mean - e.half, high: e.mean + e.half })
        .collect()
}

pub(super) fn run(args: &SimulateArgs, context: &Context) -> Result<(), CliError> {
    if !(args.until > 0.0 && args.until.is_finite()) {
        return Err(request(format!("--until {}: expected a time above 0", args.until)));
    }
    if !(2..=1_000_000).contains(&args.replications) {
        return Err(request(format!(
            "--replications {}: an interval takes from 2 to 1000000",
            args.replications
        )));
    }
    if !(args.confidence > 0.0 && args.confidence < 1.0) {
        return Err(request(format!("--confidence {}: expected a number between 0 and 1", args.confidence)));
    }
    if let Some(warm_up) = args.warm_up.filter(|w| !(*w >= 0.0 && *w < args.until)) {
        return Err(request(format!(
            "--warm-up {warm_up}: expected a time from 0 to below --until {}",
            args.until
        )));
    }
    let loaded = load(&args.model)?;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let how = Simulation {
        time: args.until,
        replications: args.replications,
        warm_up: args.warm_up,
        confidence: args.confidence,
        seed: args.seed,
        threads: args.threads.unwrap_or(cores),
    };
    let stop = || context.interrupt.signal().is_some();
    let found = context.interrupt.busy(|| Ok(simulate(&loaded.system, &how, &stop)))?;
    stop_if_interrupted(&context.interrupt)?;
    let found = found.map_err(request)?;
    let console = &context.console;
    console.say(
        "simulated",
        &format!(
            "{} of time {}, {} activities; the first {} left out",
            plural(args.replications as u64, "replication"),
            figure(args.until),
            count(found.events),
            figure(found.warm_up)
        ),
    )?;
    if found.events == 0 {
        console.say("note", "nothing happened in that time: a longer --until tells more")?;
    }
    if found.deadlocks > 0 {
        console.say(
            "deadlock",
            &format!(
                "{} ended where nothing can happen any more",
                plural(found.deadlocks as u64, "replication")
            ),
        )?;
    }
    for (head, all) in [("action", &found.throughput), ("local state", &found.population)] {
        let what = if head == "action" { "throughput" } else { "population" };
        let mut table = Table::new(&[(head, Align::Left), (what, Align::Right), ("±", Align::Right)]);
        for e in all {
            table.row(vec![e.name.clone(), figure(e.mean), figure(e.half)]);
        }
        console.text(&format!(
            "{}{}",
            if head == "action" { "" } else { "\n" },
            table.render(colour(&std::io::stdout()))
        ))?;
    }
    console.data(&Found {
        replications: args.replications,
        time: args.until,
        warm_up: found.warm_up,
        events: found.events,
        confidence: args.confidence,
        deadlocks: found.deadlocks,
        throughput: figures(&found.throughput),
        population: figures(&found.population),
    })
}
