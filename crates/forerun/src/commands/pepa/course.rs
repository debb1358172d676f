//! `forerun pepa transient` and `fluid`: what happens over time.

use std::path::Path;

use forerun_pepa::chain::Chain;
use forerun_pepa::fluid::{Fluid, fluid as integrate};
use forerun_pepa::measures::Measures;
use forerun_pepa::transient::{Start, events, transient as uniformise};
use serde::Serialize;

use super::figure;
use super::model::load;
use super::progress::counted;
use super::states::{describe, explore};
use crate::cli::pepa::{FluidArgs, TimesArgs, TransientArgs};
use crate::commands::Context;
use crate::error::{CliError, failed, request};
use crate::file;
use crate::text::{Align, Table, colour, count, plural};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Course {
    times: Vec<f64>,
    population: serde_json::Map<String, serde_json::Value>,
    throughput: serde_json::Map<String, serde_json::Value>,
}

/// The times asked for.
pub(super) fn times(args: &TimesArgs) -> Result<Vec<f64>, CliError> {
    if !(args.until > 0.0 && args.until.is_finite()) {
        return Err(request(format!("--until {}: expected a time above 0", args.until)));
    }
    if args.points == 0 || args.points > 100_000 {
        return Err(request(format!("--points {}: expected a number from 1 to 100000", args.points)));
    }
    if let Some(path) = &args.csv {
        file::check("--csv", path)?;
    }
    Ok((1..=args.points).map(|i| args.until * i as f64 / args.points as f64).collect())
}

/// Columns over time.
pub(super) struct Columns {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<f64>>,
}

/// Whether it may be a number of something. Columns of nothing else are shown without digits behind the point.
fn is_number(value: f64) -> bool {
    value.fract() == 0.0 && (0.0..1e15).contains(&value)
}

/// Columns shown on a terminal.
const SHOWN: usize = 8;

impl Columns {
    pub(super) fn show(&self, context: &Context) -> Result<(), CliError> {
        let shown = self.head.len().min(SHOWN);
        let head: Vec<(&str, Align)> =
            self.head[..shown].iter().map(|h| (h.as_str(), Align::Right)).collect();
        let mut table = Table::new(&head);
        let whole: Vec<bool> = (0..shown).map(|at| self.rows.iter().all(|row| is_number(row[at]))).collect();
        for row in &self.rows {
            let cell = |(v, whole): (&f64, &bool)| if *whole { count(*v as u64) } else { figure(*v) };
            table.row(row.iter().zip(&whole).map(cell).collect());
        }
        context.console.text(&table.render(colour(&std::io::stdout())))?;
        if shown < self.head.len() {
            let more = plural((self.head.len() - shown) as u64, "more column");
            let more = format!("{more}; --csv FILE writes all");
            context.console.note("", &more)?;
        }
        Ok(())
    }

    pub(super) fn csv(&self, path: Option<&Path>) -> Result<(), CliError> {
        let Some(path) = path else { return Ok(()) };
        let quoted = |name: &String| match name.contains([',', '"']) {
            true => format!("\"{}\"", name.replace('"', "\"\"")),
            false => name.clone(),
        };
        let mut text = self.head.iter().map(quoted).collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in &self.rows {
            text.push_str(&row.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        file::write(path, text.as_bytes())
    }
}

/// Shows, writes and gives as data what happens over time.
fn give(
    args: &TimesArgs,
    locals: &[String],
    actions: &[String],
    rows: Vec<Vec<f64>>,
    context: &Context,
) -> Result<(), CliError> {
    let head =
        std::iter::once("time".to_string()).chain(locals.iter().cloned()).chain(actions.iter().cloned());
    let columns = Columns { head: head.collect(), rows };
    columns.show(context)?;
    columns.csv(args.csv.as_deref())?;
    let column = |at: usize| columns.rows.iter().map(|r| r[at]).collect::<Vec<f64>>();
    let named = |from: usize, names: &[String]| {
        names.iter().enumerate().map(|(i, n)| (n.clone(), column(from + i).into())).collect()
    };
    context.console.data(&Course {
        times: column(0),
        population: named(1, locals),
        throughput: named(1 + locals.len(), actions),
    })
}

pub(super) fn transient(args: &TransientArgs, context: &Context) -> Result<(), CliError> {
    let times = times(&args.times)?;
    if !(args.epsilon > 0.0 && args.epsilon < 1.0) {
        return Err(request(format!("--epsilon {}: expected a number between 0 and 1", args.epsilon)));
    }
    let loaded = load(&args.model)?;
    let space = explore(&loaded.system, &args.space, context)?;
    let chain = Chain::of(&space);
    let (mut rows, mut names) = (Vec::new(), (Vec::new(), Vec::new()));
    let expected = events(&space, args.times.until);
    counted(context, Some(expected), "events", |stop| {
        uniformise(&chain, &Start::Initial, &times, args.epsilon, stop, &mut |time, x| {
            if context.interrupt.signal().is_some() {
                return;
            }
            let measures = Measures::of(&loaded.system, &space, x);
            rows.push(
                std::iter::once(time)
                    .chain(measures.population.iter().map(|p| p.1))
                    .chain(measures.throughput.iter().map(|t| t.1))
                    .collect(),
            );
            let of = |all: &[(String, f64)]| all.iter().map(|(n, _)| n.clone()).collect();
            names = (of(&measures.population), of(&measures.throughput));
        })
        .map_err(|e| request(e.to_string()))
    })??;
    context.console.say("states", &describe(&space))?;
    give(&args.times, &names.0, &names.1, rows, context)
}

pub(super) fn fluid(args: &FluidArgs, context: &Context) -> Result<(), CliError> {
    let times = times(&args.times)?;
    if !(args.tolerance > 0.0 && args.tolerance < 1.0) {
        return Err(request(format!("--tolerance {}: expected a number between 0 and 1", args.tolerance)));
    }
    let loaded = load(&args.model)?;
    let how = Fluid { tolerance: args.tolerance, ..Fluid::default() };
    let course = counted(context, None, "following", |stop| integrate(&loaded.system, &times, &how, stop))?;
    if let Some(why) = course.ended {
        return Err(failed(format!(
            "the differential equations were followed up to time {}: {why}",
            course.points.last().map_or(0.0, |p| p.time)
        )));
    }
    let rows = course
        .points
        .iter()
        .map(|p| {
            std::iter::once(p.time)
                .chain(p.population.iter().copied())
                .chain(p.throughput.iter().copied())
                .collect()
        })
        .collect();
    give(&args.times, &course.locals, &course.actions, rows, context)
}
