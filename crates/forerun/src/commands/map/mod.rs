//! `forerun map`: where the stages of a pipeline go.

mod watch;

use std::path::Path;

use forerun_pepa::mapping::{
    self, Counts, Grid, Mapping, MappingError, Objective, Ranked, Search, named, rank, search,
};
use forerun_platform::file::contents;
use serde::Serialize;

use crate::cli::map::{self, MapArgs};
use crate::commands::Context;
use crate::error::{CliError, failed, reason, request};
use crate::execute::stop_if_interrupted;
use crate::file;
use crate::guardian;
use crate::mapping::{Candidate, Candidates, Description, Source};
use crate::paths::Paths;
use crate::text::{Align, Table, colour, count, seconds};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Shown {
    best: Candidate,
    candidates: Vec<Candidate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<Work>,
}

/// How much work a search was.
#[derive(Debug, Serialize)]
struct Work {
    mappings: f64,
    bounded: usize,
    complete: usize,
    models: usize,
}

/// Finds the best mapping, or watches for a better one.
///
/// # Errors
/// A description that cannot be read, a throughput or latency that no mapping has; a monitor or a model that fails.
pub fn run(args: &MapArgs, context: &mut Context) -> Result<(), CliError> {
    Paths::new().reads([&args.description]).check(&mut context.console, |_| false)?;
    for (name, value) in [("--at-least", args.at_least), ("--margin", Some(args.margin))] {
        if value.is_some_and(|v| v.is_nan() || v < 0.0) {
            return Err(request(format!("{name}: expected a number from 0 on")));
        }
    }
    if let Some(directory) = &args.models {
        file::check_directory("--models", directory)?;
    }
    if args.top == 0 {
        return Err(request("--top 0: expected a number from 1 on"));
    }
    let text = contents(&args.description).map_err(request)?;
    let description = Description::read(&text, &file::shown(&args.description)).map_err(request)?;
    let source = match (&args.monitor, &args.monitor_command) {
        (Some(path), _) => Some(Source::File(path.clone())),
        (None, command) => command.clone().map(Source::Command),
    };
    let guardian = args.monitor_command.as_ref().and_then(|_| guardian::start());
    if args.watch {
        let source = source.ok_or_else(|| request("--watch needs --monitor or --monitor-command"))?;
        return watch::run(args, &description, &source, guardian.as_ref(), context);
    }
    let stop = || context.interrupt.signal().is_some();
    let reading = |source: Source| {
        context.interrupt.busy(|| source.reading(description.processors(), guardian.as_ref(), &stop))
    };
    let now = source.map(reading).transpose()?;
    stop_if_interrupted(&context.interrupt)?;
    let grid = description.grid(now.as_ref());
    let (ranked, counts) = best(args, &description.candidates, &grid, context)?;
    if let Some(directory) = &args.models {
        models(directory, &grid, &ranked)?;
    }
    show(args, &ranked, counts, context)
}

/// How a command line says to search.
fn how(args: &MapArgs) -> Search {
    let objective = match args.objective {
        map::Objective::Throughput => Objective::Throughput,
        map::Objective::Latency => Objective::Latency,
    };
    let (at_least, at_most) = (args.at_least, args.at_most.map(|s| s.0));
    let keep = if args.exhaustive { usize::MAX } else { args.top };
    Search { objective, at_least, at_most, keep, prune: !args.exhaustive, ..Search::default() }
}

/// The best mappings, best first, and, if they were searched for, how much work it was.
fn best(
    args: &MapArgs,
    candidates: &Candidates,
    grid: &Grid,
    context: &Context,
) -> Result<(Vec<Ranked>, Option<Counts>), CliError> {
    let stop = || context.interrupt.signal().is_some();
    let how = how(args);
    let found = context.interrupt.busy(|| match candidates {
        Candidates::All => {
            // Those left out by a bound are decided too.
            let bar = context.console.bar(Some(grid.mappings().min(MOST) as u64), "mappings");
            let found = search(grid, &how, &stop, &mut |c: &Counts| {
                bar.set_position(c.decided.min(MOST) as u64);
                bar.set_message(reached(c, how.objective));
            });
            bar.finish_and_clear();
            Ok(found.map(|found| (found.best, Some(found.counts))))
        }
        Candidates::Listed(all) => {
            let bar = context.console.bar(Some(all.len() as u64), "mappings");
            let found = rank(grid, all, how.objective, how.threads, &stop, &|| bar.inc(1));
            bar.finish_and_clear();
            Ok(found.map(|mut found| {
                found.retain(|r| how.admits(&r.solved));
                (found, None)
            }))
        }
    })?;
    stop_if_interrupted(&context.interrupt)?;
    let (ranked, counts) = found.map_err(|e| match e {
        MappingError::TooMany(_) => request(e),
        _ => failed(e),
    })?;
    if ranked.is_empty() {
        return Err(request(match (how.at_least, how.at_most) {
            (Some(_), None) => "no mapping has the throughput of --at-least; ask for less",
            (None, Some(_)) => "no mapping has the latency of --at-most; ask for a longer one",
            _ => {
                "no mapping has the throughput of --at-least and the latency of --at-most; ask for less of one of them"
            }
        }));
    }
    Ok((ranked, counts))
}

/// More mappings than this are not told apart by a progress bar.
const MOST: f64 = 1e18;

/// What is best so far, and what could be.
fn reached(counts: &Counts, objective: Objective) -> String {
    let figure = |value: f64| match objective {
        Objective::Throughput => format!("{}/s", crate::commands::pepa::figure(value)),
        Objective::Latency => seconds(value),
    };
    match (counts.best, counts.bound) {
        (Some(best), Some(bound)) if best == bound => format!("mappings, the best has {}", figure(best)),
        (Some(best), Some(bound)) => {
            format!("mappings, best {}, none beyond {}", figure(best), figure(bound))
        }
        _ => "mappings".into(),
    }
}

/// Writes the models of mappings, and makes the directory if it is not there.
fn models(directory: &Path, grid: &Grid, ranked: &[Ranked]) -> Result<(), CliError> {
    let made = std::fs::create_dir_all(directory);
    made.map_err(|e| {
        failed(format!("--models {}: cannot be made ({})", file::shown(directory), reason(&e)))
    })?;
    for Ranked { mapping, .. } in ranked {
        let path = directory.join(format!("pipeline-{}.pepa", dashed(mapping)));
        file::write(&path, grid.line(mapping).model().as_bytes())?;
    }
    Ok(())
}

/// A mapping in a name of a file, such as `1-2+3-1`.
fn dashed(mapping: &Mapping) -> String {
    mapping::named(mapping).trim_matches(['(', ')']).replace(", ", "-")
}

fn show(
    args: &MapArgs,
    ranked: &[Ranked],
    counts: Option<Counts>,
    context: &Context,
) -> Result<(), CliError> {
    let console = &context.console;
    let best = &ranked[0];
    let (mapping, solved) = (named(&best.mapping), best.solved);
    let throughput = crate::commands::pepa::figure(solved.throughput);
    console.say("best", &format!("{mapping}: {throughput} a second, latency {}", seconds(solved.latency)))?;
    let mut table = Table::new(&[
        ("mapping", Align::Left),
        ("throughput/s", Align::Right),
        ("latency", Align::Right),
        ("states", Align::Right),
        ("transitions", Align::Right),
        ("alike", Align::Right),
    ]);
    for Ranked { mapping, solved, alike } in ranked.iter().take(args.top) {
        table.row(vec![
            named(mapping),
            crate::commands::pepa::figure(solved.throughput),
            seconds(solved.latency),
            count(solved.states as u64),
            count(solved.transitions as u64),
            count(*alike as u64),
        ]);
    }
    console.text(&table.render(colour(&std::io::stdout())))?;
    match counts {
        Some(c) => {
            let all = count(c.mappings as u64);
            let (complete, bounded, models) =
                (count(c.complete as u64), count(c.bounded as u64), count(c.models as u64));
            let said = format!(
                "the best of {all} mappings: {bounded} bounds, {complete} whole models, {models} solved in all"
            );
            console.note("searched", &said)?;
        }
        None if ranked.len() > args.top => {
            console.note("", &format!("of {} mappings; --top N shows more", count(ranked.len() as u64)))?;
        }
        None => {}
    }
    let candidates: Vec<Candidate> = ranked.iter().map(Candidate::from).collect();
    let search = counts.map(|c| Work {
        mappings: c.mappings,
        bounded: c.bounded,
        complete: c.complete,
        models: c.models,
    });
    console.data(&Shown { best: best.into(), candidates, search })
}
