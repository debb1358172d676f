//! `forerun pepa states`: how many there are.

use forerun_pepa::chain::lump;
use forerun_pepa::model::System;
use forerun_pepa::space::{Exploration, Space, SpaceError};
use serde::Serialize;

use super::model::load;
use crate::cli::pepa::{SpaceArgs, StatesArgs};
use crate::commands::Context;
use crate::error::{CliError, failed, request};
use crate::text::{bytes, count, seconds};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Found {
    states: usize,
    transitions: usize,
    seconds: f64,
    bytes_per_state: f64,
    states_per_second: f64,
    /// How many there would be with every copy told apart; none beyond 10³⁰⁸.
    distinguished: Option<f64>,
    deadlocks: usize,
    /// The classes of the coarsest lumping, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    lumped: Option<usize>,
}

pub(super) fn run(args: &StatesArgs, context: &Context) -> Result<(), CliError> {
    let loaded = load(&args.model)?;
    let space = explore(&loaded.system, &args.space, context)?;
    let elapsed = space.elapsed.as_secs_f64();
    let deadlocks: Vec<usize> = (0..space.states()).filter(|s| space.from(*s).next().is_none()).collect();
    let distinguished = space.distinguished();
    let found = Found {
        states: space.states(),
        transitions: space.transitions(),
        seconds: elapsed,
        bytes_per_state: space.bytes_per_state(),
        states_per_second: space.states() as f64 / elapsed,
        distinguished: Some(distinguished).filter(|d| d.is_finite()),
        deadlocks: deadlocks.len(),
        lumped: args.lump.then(|| lump(&space).members.len()),
    };
    let console = &context.console;
    console.say("states", &describe(&space))?;
    console.note(
        "search",
        &format!(
            "{}, {} states/s, {:.0} bytes a state",
            seconds(elapsed),
            count(found.states_per_second as u64),
            found.bytes_per_state
        ),
    )?;
    if distinguished > space.states() as f64 {
        let all = match distinguished {
            d if d < 1e15 => count(d as u64),
            d if d.is_finite() => format!("{d:.3e}"),
            _ => "more than 10^308".into(),
        };
        console.say("", &format!("{all} with every copy of equal components told apart"))?;
    }
    if let Some(lumped) = found.lumped {
        console.say("lumped", &format!("{} classes of states that behave the same", count(lumped as u64)))?;
    }
    if let Some(first) = deadlocks.first() {
        let state = space.describe(&loaded.system, *first);
        console.say(
            "deadlock",
            &format!(
                "{} without a way out, such as ({state})",
                crate::text::plural(deadlocks.len() as u64, "state")
            ),
        )?;
    }
    for state in 0..args.list.min(space.states()) {
        console.text(&format!("{state:>9} {}", space.describe(&loaded.system, state)))?;
    }
    console.data(&found)
}

/// How large a space is, in words.
pub(super) fn describe(space: &Space) -> String {
    format!("{}, {} transitions", count(space.states() as u64), count(space.transitions() as u64))
}

/// Finds all states, with progress.
pub(super) fn explore(system: &System, args: &SpaceArgs, context: &Context) -> Result<Space, CliError> {
    let how = exploration(args)?;
    let bar = context.console.bar(None, "states");
    let room = room();
    let mut full = None;
    let space = context.interrupt.busy(|| {
        Ok(Space::explore(system, &how, &mut |progress| {
            bar.set_position(progress.states as u64);
            full = room.filter(|room| progress.bytes as u64 > *room).map(|_| progress.states);
            full.is_none() && context.interrupt.signal().is_none()
        }))
    });
    bar.finish_and_clear();
    space?.map_err(|e| match (e, full, room) {
        (SpaceError::Stopped, Some(states), Some(room)) => failed(format!(
            "the model has more than {} states, which take more than the {} that are half of the free memory; put equal \
             components together with --aggregate, or use `fluid` or `simulate`, which need no states",
            count(states as u64),
            bytes(room)
        )),
        (e @ SpaceError::TooMany(_), ..) => failed(e),
        (other, ..) => request(other),
    })
}

/// Half of the memory that is free: the other half is for solving.
fn room() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024 / 2)
}

/// The limits asked for.
pub(super) fn exploration(args: &SpaceArgs) -> Result<Exploration, CliError> {
    let wrong =
        || request(format!("--states {}: expected a whole number such as 1000000 or 1e7", args.limit));
    let limit: f64 = args.limit.replace(['_', ','], "").parse().map_err(|_| wrong())?;
    if !(1.0..=1e18).contains(&limit) {
        return Err(wrong());
    }
    let default = Exploration::default();
    let threads = match args.threads {
        Some(0) => return Err(request("--threads 0: expected at least 1")),
        Some(n) => n.min(256),
        None => default.threads,
    };
    Ok(Exploration { aggregate: args.aggregate, limit: (limit as usize).min(default.limit), threads })
}
