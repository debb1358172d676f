//! `forerun pepa sweep`: one model, many values.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use forerun_pepa::measures::Measures;
use forerun_pepa::model::{Settings, compile};
use forerun_pepa::solve::{Solving, steady};
use forerun_pepa::space::{Exploration, Space};
use forerun_pepa::syntax::Model;
use serde::Serialize;

use super::course::Columns;
use super::measure::Wanted;
use super::model::{load, settings};
use super::states::exploration;
use crate::chart::{LineChart, Series};
use crate::cli::pepa::SweepArgs;
use crate::commands::Context;
use crate::error::{CliError, failed, request};
use crate::execute::stop_if_interrupted;
use crate::file;

/// More points than this are refused.
const POINTS: usize = 1_000_000;

/// What `--json` gets, a point each.
#[derive(Debug, Clone, Serialize)]
struct Point {
    settings: serde_json::Map<String, serde_json::Value>,
    states: usize,
    transitions: usize,
    residual: f64,
    measures: serde_json::Map<String, serde_json::Value>,
    /// The same in the order in which they were asked for.
    #[serde(skip)]
    ordered: (Vec<f64>, Vec<(String, f64)>),
}

/// A rate and its values.
struct Axis {
    name: String,
    values: Vec<f64>,
}

impl Axis {
    /// Reads `name=from:to:count` or `name=value,value`.
    fn read(text: &str) -> Result<Axis, CliError> {
        const FORMS: &str =
            "such as r=0.5,1,2 for these values, or n=10:100:10 for 10 of them from 10 to 100";
        let wrong = |what: &str| request(format!("--over {text}: {what}"));
        let (name, body) =
            text.split_once('=').ok_or_else(|| wrong(&format!("expected a rate and its values, {FORMS}")))?;
        let number = |t: &str| {
            let number = t.trim().parse::<f64>().ok().filter(|v| v.is_finite());
            number.ok_or_else(|| wrong(&format!("`{}` is no number; expected values {FORMS}", t.trim())))
        };
        let parts: Vec<&str> = body.split(':').collect();
        let values = match parts[..] {
            [from, to, count] => {
                let (first, last, count) = (number(from)?, number(to)?, number(count)?);
                if count.fract() != 0.0 || !(2.0..=POINTS as f64).contains(&count) {
                    return Err(wrong(&format!(
                        "a range is FROM:TO:COUNT, so many values evenly apart from one end to the other; expected a \
                         whole number from 2 to {POINTS} for COUNT, such as {name}={from}:{to}:10"
                    )));
                }
                (0..count as usize).map(|i| first + (last - first) * i as f64 / (count - 1.0)).collect()
            }
            [list] => list.split(',').map(number).collect::<Result<Vec<f64>, _>>()?,
            _ => return Err(wrong(&format!("a range is FROM:TO:COUNT; expected values {FORMS}"))),
        };
        Ok(Axis { name: name.trim().to_string(), values })
    }
}

pub(super) fn run(args: &SweepArgs, context: &Context) -> Result<(), CliError> {
    let axes: Vec<Axis> = args.over.iter().map(|o| Axis::read(o)).collect::<Result<_, _>>()?;
    let wanted: Vec<Wanted> = args.measure.iter().map(|m| Wanted::read(m)).collect::<Result<_, _>>()?;
    for (option, path) in [("--csv", &args.csv), ("--svg", &args.svg)] {
        if let Some(path) = path {
            file::check(option, path)?;
        }
    }
    for (n, axis) in axes.iter().enumerate() {
        let name = &axis.name;
        if axes[..n].iter().any(|other| other.name == *name) {
            return Err(request(format!("--over: {name} is there twice; give all its values at once")));
        }
        if settings(&args.model.set)?.contains_key(name) {
            return Err(request(format!("--set {name} and --over {name}: drop one of the two")));
        }
    }
    let total = axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.values.len())).filter(|n| *n <= POINTS);
    let total = total.ok_or_else(|| {
        request(format!("--over: there are more than {POINTS} combinations; take fewer values"))
    })?;
    // Names are checked as those of --set are.
    let mut first = args.model.clone();
    first.set.extend(axes.iter().map(|a| format!("{}={}", a.name, a.values[0])));
    let model = load(&first)?.model;
    let base = settings(&args.model.set)?;
    let how = Exploration { threads: 1, ..exploration(&args.space)? };
    let threads = exploration(&args.space)?.threads;

    let at = |point: usize| {
        let mut left = point;
        let mut set = base.clone();
        for axis in axes.iter().rev() {
            set.insert(axis.name.clone(), axis.values[left % axis.values.len()]);
            left /= axis.values.len();
        }
        set
    };
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Option<Result<Point, CliError>>>> = Mutex::new((0..total).map(|_| None).collect());
    let bar = context.console.bar(Some(total as u64), "points");
    let stop = || context.interrupt.signal().is_some();
    context.interrupt.busy(|| {
        std::thread::scope(|scope| {
            for _ in 0..threads.min(total) {
                scope.spawn(|| {
                    loop {
                        let point = next.fetch_add(1, Ordering::Relaxed);
                        if point >= total || stop() {
                            return;
                        }
                        let solved = solve(&model, &at(point), &axes, &how, args.tolerance, &wanted, &stop);
                        found.lock().unwrap_or_else(PoisonError::into_inner)[point] = Some(solved);
                        bar.inc(1);
                    }
                });
            }
        });
        Ok(())
    })?;
    bar.finish_and_clear();
    stop_if_interrupted(&context.interrupt)?;
    let points: Vec<Point> = found
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .into_iter()
        .flatten()
        .collect::<Result<_, _>>()?;
    let columns = columns(&axes, &points);
    columns.show(context)?;
    columns.csv(args.csv.as_deref())?;
    if let Some(path) = &args.svg {
        file::write(path, drawing(args, &axes, &points).svg().as_bytes())?;
    }
    context.console.data(&points)
}

/// The measures over the first rate; a line for each measure and combination of the other rates.
fn drawing(args: &SweepArgs, axes: &[Axis], points: &[Point]) -> LineChart {
    let mut series: Vec<Series> = Vec::new();
    for point in points {
        let (settings, measures) = &point.ordered;
        let others: Vec<String> = axes
            .iter()
            .zip(settings)
            .skip(1)
            .map(|(axis, value)| format!("{} = {value}", axis.name))
            .collect();
        for (name, value) in measures {
            let name = [std::slice::from_ref(name), &others].concat().join(", ");
            let at = series.iter().position(|s| s.name == name).unwrap_or_else(|| {
                series.push(Series { name, ..Series::default() });
                series.len() - 1
            });
            series[at].points.push((settings[0], *value));
        }
    }
    LineChart {
        title: file::shown(&args.model.file),
        x: axes[0].name.clone(),
        y: "in the long run".into(),
        series,
        ..LineChart::default()
    }
}

fn columns(axes: &[Axis], points: &[Point]) -> Columns {
    let mut head: Vec<String> = axes.iter().map(|a| a.name.clone()).collect();
    head.push("states".into());
    head.extend(points.iter().take(1).flat_map(|p| p.ordered.1.iter().map(|(name, _)| name.clone())));
    let row = |point: &Point| {
        let (settings, measures) = &point.ordered;
        let states = std::iter::once(point.states as f64);
        settings.iter().copied().chain(states).chain(measures.iter().map(|(_, v)| *v)).collect()
    };
    Columns { head, rows: points.iter().map(row).collect() }
}

/// Solves the model with other values.
fn solve(
    model: &Model,
    set: &Settings,
    axes: &[Axis],
    how: &Exploration,
    tolerance: f64,
    wanted: &[Wanted],
    stop: &dyn Fn() -> bool,
) -> Result<Point, CliError> {
    let place: Vec<String> = axes.iter().map(|a| format!("{} = {}", a.name, set[&a.name])).collect();
    let place = place.join(", ");
    let compiled = compile(model, set);
    let Some(system) = compiled.system else {
        let why = compiled.problems.first().map_or(String::new(), |p| p.message.clone());
        return Err(request(format!("with {place}: {why}")));
    };
    let space =
        Space::explore(&system, how, &mut |_| !stop()).map_err(|e| failed(format!("with {place}: {e}")))?;
    let solving = Solving { tolerance, ..Solving::default() };
    let solved = steady(&system, &space, &solving, stop).map_err(|e| failed(format!("with {place}: {e}")))?;
    let measures = Measures::of(&system, &space, &solved.x);
    let values: Vec<(String, f64)> = match wanted {
        [] => measures.throughput.clone(),
        some => {
            some.iter().map(|w| Ok((w.name.clone(), w.value(&measures)?))).collect::<Result<_, CliError>>()?
        }
    };
    Ok(Point {
        settings: axes.iter().map(|a| (a.name.clone(), set[&a.name].into())).collect(),
        states: space.states(),
        transitions: space.transitions(),
        residual: solved.residual,
        measures: values.iter().map(|(n, v)| (n.clone(), (*v).into())).collect(),
        ordered: (axes.iter().map(|a| set[&a.name]).collect(), values),
    })
}
