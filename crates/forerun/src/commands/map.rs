//! `forerun map`: where the stages of a pipeline go.

use forerun_platform::file::contents;
use serde::Serialize;

use crate::cli::map::MapArgs;
use crate::commands::Context;
use crate::error::{CliError, failed, request};
use crate::execute::stop_if_interrupted;
use crate::file;
use crate::mapping::{Candidate, Description, rank};
use crate::paths::Paths;
use crate::text::{Align, Table, colour, count, plural};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Ranked {
    best: Candidate,
    candidates: Vec<Candidate>,
}

/// Solves all candidates and says which is best.
///
/// # Errors
/// A description that cannot be read, a model that cannot be solved.
pub fn run(args: &MapArgs, context: &mut Context) -> Result<(), CliError> {
    Paths::new().reads([&args.description]).check(&mut context.console, |_| false)?;
    let text = contents(&args.description).map_err(request)?;
    let description = Description::read(&text, &args.description.display().to_string()).map_err(request)?;
    if let Some(directory) = &args.models {
        if !directory.is_dir() {
            return Err(request(format!(
                "--models {}: there is no such directory; make it",
                directory.display()
            )));
        }
        for mapping in &description.candidates {
            let name: Vec<String> = mapping.iter().map(usize::to_string).collect();
            let path = directory.join(format!("pipeline-{}.pepa", name.join("-")));
            file::write(&path, description.pipeline(mapping).model().as_bytes())?;
        }
    }
    let bar = context.console.bar(Some(description.candidates.len() as u64), "mappings");
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let stop = || context.interrupt.signal().is_some();
    let ranked = context.interrupt.busy(|| Ok(rank(&description, threads, &stop, &|| bar.inc(1))))?;
    bar.finish_and_clear();
    stop_if_interrupted(&context.interrupt)?;
    let ranked = ranked.map_err(failed)?;
    let best = ranked.first().cloned().ok_or_else(|| request("the description names no candidate"))?;

    let console = &context.console;
    console.say(
        "best",
        &format!("{}: {} a second", tuple(&best.mapping), super::pepa::figure(best.throughput)),
    )?;
    let mut table = Table::new(&[
        ("mapping", Align::Left),
        ("throughput/s", Align::Right),
        ("states", Align::Right),
        ("transitions", Align::Right),
    ]);
    for candidate in ranked.iter().take(args.top) {
        table.row(vec![
            tuple(&candidate.mapping),
            super::pepa::figure(candidate.throughput),
            count(candidate.states as u64),
            count(candidate.transitions as u64),
        ]);
    }
    console.text(&table.render(colour(&std::io::stdout())))?;
    if ranked.len() > args.top {
        console.note("", &format!("of {}; --top N shows more", plural(ranked.len() as u64, "mapping")))?;
    }
    console.data(&Ranked { best, candidates: ranked })
}

fn tuple(mapping: &[usize]) -> String {
    let all: Vec<String> = mapping.iter().map(usize::to_string).collect();
    format!("({})", all.join(", "))
}
