//! `forerun map --watch`: whether another mapping has become better.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forerun_apps::command::Guardian;
use forerun_pepa::mapping::{Mapping, Ranked, named, rank};
use serde::Serialize;

use crate::cli::map::MapArgs;
use crate::commands::Context;
use crate::error::{CliError, failed, request};
use crate::execute::stop_if_interrupted;
use crate::mapping::{Candidate, Description, Source};
use crate::text::percent;

/// Time between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);

/// What one reading of the monitor led to.
#[derive(Debug, Serialize)]
struct Seen {
    /// Seconds since the beginning.
    at_s: f64,
    /// The mapping that was in use.
    current: Candidate,
    /// The best now.
    best: Candidate,
    /// By which share of itself the best is better.
    gain: f64,
    /// Whether that is reported, and the best is taken as in use from then on.
    change: bool,
}

/// Watches until it is interrupted, which ends it well, or for as many readings as were asked for, before which an
/// interruption is one.
pub(super) fn run(
    args: &MapArgs,
    description: &Description,
    source: &Source,
    guardian: Option<&Arc<Guardian>>,
    context: &Context,
) -> Result<(), CliError> {
    let begin = Instant::now();
    let stop = || context.interrupt.signal().is_some();
    let mut current = args.current.as_ref().map(|text| mapping(text, description)).transpose()?;
    let mut seen: Vec<Seen> = Vec::new();
    let mut readings = 0;
    context.interrupt.busy(|| {
        while !stop() && args.readings.is_none_or(|n| readings < n) {
            if readings > 0 {
                wait(Duration::try_from_secs_f64(args.every.0).map_err(request)?, &stop);
                if stop() {
                    break;
                }
            }
            readings += 1;
            let now = match source.reading(description.processors(), guardian, &stop) {
                Ok(now) => now,
                // Once it was readable, it will be again.
                Err(why) if readings > 1 => {
                    context.console.note("monitor", &format!("{why}; going on with what was read before"))?;
                    continue;
                }
                Err(why) if !stop() => return Err(why),
                Err(_) => break,
            };
            let grid = description.grid(Some(&now));
            let Some(best) = interrupted(super::best(args, &description.candidates, &grid, context))? else {
                break;
            };
            let best = best.0[0].clone();
            let in_use = current.clone().unwrap_or_else(|| best.mapping.clone());
            let objective = super::how(args).objective;
            let solved = rank(&grid, std::slice::from_ref(&in_use), objective, 1, &stop, &|| {});
            if stop() {
                break;
            }
            let used = solved.map_err(failed)?.remove(0);
            let gain = match args.objective {
                crate::cli::map::Objective::Throughput => {
                    best.solved.throughput / used.solved.throughput - 1.0
                }
                crate::cli::map::Objective::Latency => used.solved.latency / best.solved.latency - 1.0,
            };
            let change = best.mapping != in_use && gain > args.margin;
            say(&used, &best, gain, change, begin, context)?;
            current = Some(if change { best.mapping.clone() } else { in_use });
            let at_s = begin.elapsed().as_secs_f64();
            seen.push(Seen { at_s, current: (&used).into(), best: (&best).into(), gain, change });
        }
        Ok(())
    })?;
    context.console.data(&seen)?;
    match args.readings {
        // It has no other end.
        None => Ok(()),
        Some(_) => stop_if_interrupted(&context.interrupt),
    }
}

/// Nothing where it was only interrupted.
fn interrupted<T>(result: Result<T, CliError>) -> Result<Option<T>, CliError> {
    match result {
        Err(CliError::Interrupted(_)) => Ok(None),
        other => other.map(Some),
    }
}

fn say(
    used: &Ranked,
    best: &Ranked,
    gain: f64,
    change: bool,
    begin: Instant,
    context: &Context,
) -> Result<(), CliError> {
    let figure = |r: &Ranked| crate::commands::pepa::figure(r.solved.throughput);
    let at = format!("{:.0} s", begin.elapsed().as_secs_f64());
    let text = if change {
        format!(
            "{} instead of {}: {} a second instead of {}, {} better",
            named(&best.mapping),
            named(&used.mapping),
            figure(best),
            figure(used),
            percent(gain)
        )
    } else {
        format!("{}: {} a second; the best is {} better", named(&used.mapping), figure(used), percent(gain))
    };
    context.console.say(&at, &text)
}

fn wait(time: Duration, stop: &dyn Fn() -> bool) {
    let begin = Instant::now();
    while begin.elapsed() < time && !stop() {
        std::thread::sleep(LOOK.min(time));
    }
}

/// A mapping on a command line: `1,2+3,1`.
fn mapping(text: &str, description: &Description) -> Result<Mapping, CliError> {
    let number = |word: &str| {
        let n: usize = word.trim().parse().ok()?;
        (1..=description.processors()).contains(&n).then(|| n - 1)
    };
    let stage = |part: &str| part.split('+').map(number).collect::<Option<Vec<usize>>>();
    let mapping: Option<Mapping> = text.split(',').map(stage).collect();
    let apart = |of: &Vec<usize>| (1..of.len()).all(|i| !of[..i].contains(&of[i]));
    let mapping = mapping.filter(|m| m.len() == description.times.len() && m.iter().all(apart));
    mapping.ok_or_else(|| {
        request(format!(
            "--current {text}: expected one of the {} processors for each of the {} stages, such as 1,1,2; or several, \
             such as 1,2+3,1",
            description.processors(),
            description.times.len()
        ))
    })
}
