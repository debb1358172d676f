//! `forerun pepa solve`: the long run.

use std::collections::BTreeMap;

use forerun_pepa::chain::Chain;
use forerun_pepa::measures::Measures;
use forerun_pepa::solve::{Solving, irreducible};
use serde::Serialize;
use serde_json::{Map, Value};

use super::model::load;
use super::states::{describe, explore};
use crate::cli::pepa::SolveArgs;
use crate::commands::Context;
use crate::error::{CliError, failed};
use crate::text::{Align, Table, colour};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Solved {
    states: usize,
    transitions: usize,
    solver: String,
    residual: f64,
    throughput: Map<String, Value>,
    utilisation: BTreeMap<String, Map<String, Value>>,
    population: Map<String, Value>,
}

fn map(all: &[(String, f64)]) -> Map<String, Value> {
    all.iter().map(|(name, value)| (name.clone(), Value::from(*value))).collect()
}

pub(super) fn run(args: &SolveArgs, context: &Context) -> Result<(), CliError> {
    let loaded = load(&args.model)?;
    let space = explore(&loaded.system, &args.space, context)?;
    let chain = Chain::of(&space);
    let how = Solving { tolerance: args.tolerance, ..Solving::default() };
    let solution = irreducible(&chain, &how).map_err(failed)?;
    let measures = Measures::of(&loaded.system, &space, &solution.x);
    let console = &context.console;
    console.say("states", &describe(&space))?;
    console.say("solved", &format!("{}, residual {:.1e}", solution.solver, solution.residual))?;
    let stdout = colour(&std::io::stdout());
    let mut table = Table::new(&[("action", Align::Left), ("throughput", Align::Right)]);
    for (action, value) in &measures.throughput {
        table.row(vec![action.clone(), figure(*value)]);
    }
    console.text(&table.render(stdout))?;
    let mut table = Table::new(&[("local state", Align::Left), ("population", Align::Right)]);
    for (state, value) in &measures.population {
        table.row(vec![state.clone(), figure(*value)]);
    }
    console.text(&format!("\n{}", table.render(stdout)))?;
    console.data(&Solved {
        states: space.states(),
        transitions: space.transitions(),
        solver: solution.solver,
        residual: solution.residual,
        throughput: map(&measures.throughput),
        utilisation: measures.utilisation.iter().map(|u| (u.component.clone(), map(&u.shares))).collect(),
        population: map(&measures.population),
    })
}

/// A number with six significant digits.
fn figure(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor();
    if !(-5.0..=9.0).contains(&magnitude) {
        return format!("{value:.5e}");
    }
    format!("{value:.*}", (5.0 - magnitude).max(0.0) as usize)
}
