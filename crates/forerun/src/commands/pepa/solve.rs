//! `forerun pepa solve`: the long run.

use std::collections::BTreeMap;

use forerun_pepa::measures::{Measures, response};
use forerun_pepa::model::System;
use forerun_pepa::solve::{Confirmation, LongRun, SolveError, Solving, Steady, steady};
use forerun_pepa::space::Space;
use serde::Serialize;
use serde_json::{Map, Value};

use super::figure;
use super::measure::Wanted;
use super::model::load;
use super::progress::counted;
use super::states::{describe, explore};
use crate::cli::pepa::SolveArgs;
use crate::commands::Context;
use crate::error::{CliError, failed, request};
use crate::text::{Align, Table, colour, plural};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Solved {
    states: usize,
    transitions: usize,
    solver: String,
    residual: f64,
    /// The largest relative change of a measure when the tolerance was tightened; 0 for direct solvers.
    confirmed: f64,
    long_run: String,
    throughput: Map<String, Value>,
    utilisation: BTreeMap<String, Map<String, Value>>,
    population: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    measures: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Stay>,
}

/// How long components stay somewhere.
#[derive(Debug, Serialize)]
struct Stay {
    states: Vec<String>,
    number: f64,
    arrivals: f64,
    time: f64,
}

fn map(all: &[(String, f64)]) -> Map<String, Value> {
    all.iter().map(|(name, value)| (name.clone(), Value::from(*value))).collect()
}

/// Finds the long run, with a word for what goes wrong.
pub(super) fn long_run(
    system: &System,
    space: &Space,
    tolerance: f64,
    context: &Context,
) -> Result<Steady, CliError> {
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(request(format!(
            "--tolerance {tolerance}: expected a number between 0 and 1, such as 1e-10"
        )));
    }
    let how = Solving { tolerance, ..Solving::default() };
    let found = counted(context, None, "solving", |stop| steady(system, space, &how, stop));
    found?.map_err(|e: SolveError| failed(e))
}

pub(super) fn run(args: &SolveArgs, context: &Context) -> Result<(), CliError> {
    let wanted: Vec<Wanted> = args.measure.iter().map(|m| Wanted::read(m)).collect::<Result<_, _>>()?;
    let loaded = load(&args.model)?;
    let system = &loaded.system;
    let space = explore(system, &args.space, context)?;
    let solved = long_run(system, &space, args.tolerance, context)?;
    let measures = Measures::of(system, &space, &solved.x);
    let extra: Vec<(String, f64)> =
        wanted.iter().map(|w| Ok((w.name.clone(), w.value(&measures)?))).collect::<Result<_, CliError>>()?;
    let stay =
        if args.response.is_empty() { None } else { Some(stay(args, system, &space, &solved, &measures)?) };

    let console = &context.console;
    console.say("states", &describe(&space))?;
    let confirmed = match solved.confirmation {
        Confirmation::Exact => 0.0,
        Confirmation::Moved(moved) => moved,
    };
    let how = match solved.confirmation {
        Confirmation::Exact => String::new(),
        Confirmation::Moved(moved) => format!("; confirmed, measures moved by {moved:.0e} at most"),
    };
    console.say("solved", &format!("{}, residual {:.1e}{how}", solved.solver, solved.residual))?;
    let meaning = meaning(&solved, system, &space);
    if space.transitions() == 0 {
        console.say("deadlock", "nothing can ever happen: the initial state is the only one")?;
    }
    if solved.long_run != LongRun::Irreducible {
        console.say("note", &meaning)?;
    }
    let actions = rows(&["action", "throughput"], &measures.throughput);
    console.text(&actions)?;
    console.text(&format!("\n{}", rows(&["local state", "population"], &measures.population)))?;
    if !extra.is_empty() {
        console.text(&format!("\n{}", rows(&["measure", "value"], &extra)))?;
    }
    if let Some(stay) = &stay {
        console.text("")?;
        console.say(
            "response",
            &format!(
                "{} in {}: {} of them, {} come in a unit of time",
                figure(stay.time),
                stay.states.join(", "),
                figure(stay.number),
                figure(stay.arrivals)
            ),
        )?;
    }
    console.data(&Solved {
        states: space.states(),
        transitions: space.transitions(),
        solver: solved.solver,
        residual: solved.residual,
        confirmed,
        long_run: meaning,
        throughput: map(&measures.throughput),
        utilisation: measures.utilisation.iter().map(|u| (u.component.clone(), map(&u.shares))).collect(),
        population: map(&measures.population),
        measures: map(&extra),
        response: stay,
    })
}

fn rows(head: &[&str; 2], all: &[(String, f64)]) -> String {
    let mut table = Table::new(&[(head[0], Align::Left), (head[1], Align::Right)]);
    for (name, value) in all {
        table.row(vec![crate::text::printable(name), figure(*value)]);
    }
    table.render(colour(&std::io::stdout()))
}

fn stay(
    args: &SolveArgs,
    system: &System,
    space: &Space,
    solved: &Steady,
    measures: &Measures,
) -> Result<Stay, CliError> {
    let labels: Vec<&str> = args.response.iter().map(|s| s.trim()).collect();
    if let Some(unknown) = labels.iter().find(|l| measures.population_of(l).is_none()) {
        let known = measures.population.iter().map(|(n, _)| n.as_str());
        let advice = forerun_platform::nearest(unknown, known)
            .map_or(String::new(), |c| format!("; did you mean {c}?"));
        return Err(request(format!("--response {unknown}: the model has no such local state{advice}")));
    }
    let found = response(system, space, &solved.x, &labels)
        .ok_or_else(|| request(format!("--response {}: nothing ever comes in", labels.join(","))))?;
    let states = labels.iter().map(|l| l.to_string()).collect();
    Ok(Stay { states, number: found.number, arrivals: found.arrivals, time: found.time })
}

/// What the answer means.
fn meaning(solved: &Steady, system: &System, space: &Space) -> String {
    match solved.long_run {
        LongRun::Irreducible => "every state leads to every other".into(),
        LongRun::Transient { transient, absorbing } => {
            let left = plural(transient as u64, "state");
            let (are, have) = if transient == 1 { ("is", "has") } else { ("are", "have") };
            let rest = if absorbing { "; it ends in one state, where nothing happens any more" } else { "" };
            format!("{left} {are} left for ever and {have} no probability in the long run{rest}")
        }
        LongRun::Several { closed, absorbing, .. } => {
            let stuck = match absorbing {
                0 => String::new(),
                n => format!(" ({n} of which are single states where nothing happens any more)"),
            };
            let mut ends = solved.ends.clone();
            ends.sort_by(|a, b| b.1.total_cmp(&a.1));
            let most = ends.first().map_or(String::new(), |(state, p)| {
                format!(
                    "; most often ({}) with that of ({})",
                    figure(*p),
                    space.describe(system, *state as usize)
                )
            });
            format!(
                "the system stays for ever in one of {closed} sets of states{stuck}; chance decides which, and the figures are means over that{most}"
            )
        }
    }
}
