//! `forerun predict --efficiency E`: how much work each strategy needs to reach an efficiency.

use forerun_model::Load;
use forerun_model::planner::Divisible;
use forerun_model::reduction::{Isoefficiency, isoefficiency};
use forerun_platform::{Platform, ReductionProfile, Strategy};
use forerun_skeleton::reduction::Shape;
use serde::Serialize;

use crate::chart::{LineChart, Series, Spacing};
use crate::cli::{PredictOptions, ShapeOptions};
use crate::commands::Context;
use crate::drawn::Sheet;
use crate::error::{CliError, request};
use crate::planning::{Facts, plan};
use crate::text::{self, Align, Table};

/// A strategy's isoefficiency function.
#[derive(Debug, Serialize)]
struct Curve {
    strategy: Strategy,
    /// The efficiency to reach.
    efficiency: f64,
    task_bytes: f64,
    points: Vec<Point>,
}

/// The least work with which it is reached on so many processors; nothing where no amount is enough.
#[derive(Debug, Serialize)]
struct Point {
    processors: usize,
    tasks: Option<u64>,
    work_s: Option<f64>,
    makespan_s: Option<f64>,
    efficiency: Option<f64>,
    /// As the work grows; none where the strategy cannot be run on so many.
    ceiling: Option<f64>,
    /// Why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

impl From<Isoefficiency> for Point {
    fn from(of: Isoefficiency) -> Self {
        let held = of.reached;
        Point {
            processors: of.processors,
            tasks: held.map(|h| h.tasks),
            work_s: held.map(|h| h.work().0),
            makespan_s: held.map(|h| h.at.makespan.0),
            efficiency: held.map(|h| h.at.efficiency),
            ceiling: Some(of.ceiling),
            refused: None,
        }
    }
}

/// Says how the work must grow with the processors `ps` for each strategy, or for the one that is pinned.
///
/// # Errors
/// An efficiency that is none, or a strategy that cannot be run on such numbers of processors.
pub fn run(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &PredictOptions,
    (efficiency, ps): (f64, &[usize]),
    context: &Context,
) -> Result<(), CliError> {
    let bytes = task_bytes(facts, costs, platform, how, ps, context)?;
    let load = Load { commutative: facts.commutative, known: facts.known, ..Load::new(0, bytes) };
    possible(ps, &how.shape)?;
    let pinned = how.shape.strategy.get();
    let mut curves = Vec::new();
    for strategy in Strategy::ALL.into_iter().filter(|s| pinned.is_none_or(|p| p == *s)) {
        let shape = |p| shape(strategy, p, &how.shape);
        let mut points = Vec::with_capacity(ps.len());
        for &p in ps {
            match shape(p).check() {
                Ok(()) => {
                    let found = isoefficiency(shape, efficiency, &[p], &load, costs, platform);
                    points.extend(found.map_err(request)?.into_iter().map(Point::from));
                }
                // Where no strategy was asked for in particular, it is said which cannot be.
                Err(e) => points.push(Point::refused(p, e.to_string())),
            }
        }
        curves.push(Curve { strategy, efficiency, task_bytes: bytes, points });
    }
    let console = &context.console;
    console.note("shape", &shape_words(&how.shape))?;
    console.text(&table(&curves))?;
    for why in curves.iter().flat_map(|c| c.points.iter().filter_map(|p| p.refused.as_ref())) {
        console.note("note", why)?;
    }
    how.draw.write(|| sheet(&curves), || chart(&curves))?;
    console.data(&curves)
}

/// That the strategy that is asked for, if one is, can be run on these numbers of processors.
///
/// # Errors
/// The first on which it cannot.
pub fn possible(ps: &[usize], pinned: &ShapeOptions) -> Result<(), CliError> {
    let Some(strategy) = pinned.strategy.get() else { return Ok(()) };
    ps.iter().try_for_each(|&p| shape(strategy, p, pinned).check().map_err(request))
}

/// The shape on so many processors: one binary group, tasks claimed, where the options do not say otherwise.
fn shape(strategy: Strategy, processors: usize, pinned: &ShapeOptions) -> Shape {
    let groups = pinned.groups.unwrap_or(1);
    let plain = Shape::new(strategy, processors / groups.max(1));
    Shape {
        groups,
        ranks: processors,
        arity: pinned.arity.unwrap_or(2),
        set: pinned.set.unwrap_or(plain.set),
        ..plain
    }
}

/// In what shape it is, since `predict` and `plan` choose another where that takes less time.
fn shape_words(pinned: &ShapeOptions) -> String {
    let groups = text::plural(pinned.groups.unwrap_or(1) as u64, "group");
    let set = match pinned.set {
        Some(set) => format!("sets of {}", text::count(set)),
        None => "sets of half as many results as a group has ranks".into(),
    };
    format!(
        "{groups}, fan-in {}; adaptive with {set}, tasks claimed; where --groups, --arity and --set are left out, a plan may \
         take others and less time\nwork is what the tasks and merges of the run itself take one after the other",
        pinned.arity.unwrap_or(2)
    )
}

impl Point {
    fn refused(processors: usize, why: String) -> Point {
        let (tasks, work_s, makespan_s, efficiency, ceiling) = (None, None, None, None, None);
        Point { processors, tasks, work_s, makespan_s, efficiency, ceiling, refused: Some(why) }
    }
}

/// The size of a task, which stays as the work grows: the tasks', the grain, or what a plan takes.
fn task_bytes(
    facts: &Facts,
    costs: &ReductionProfile,
    platform: &Platform,
    how: &PredictOptions,
    ps: &[usize],
    context: &Context,
) -> Result<f64, CliError> {
    if let Divisible::Tasks { bytes, .. } = facts.input {
        return Ok(bytes);
    }
    let most = ps.iter().copied().max();
    let planned = plan(facts, costs, platform, &how.shape, most, None, &context.interrupt)?;
    Ok(planned.best.plan.grain.bytes as f64)
}

fn table(curves: &[Curve]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("strategy", Left),
        ("P", Right),
        ("tasks", Right),
        ("work", Right),
        ("makespan", Right),
        ("efficiency", Right),
        ("as work grows", Right),
    ]);
    for curve in curves {
        for (at, point) in curve.points.iter().enumerate() {
            let name = if at == 0 { curve.strategy.name() } else { "" };
            let seconds = |s: Option<f64>| s.map_or("—".into(), text::seconds);
            table.row(vec![
                name.into(),
                point.processors.to_string(),
                match (&point.refused, point.tasks) {
                    (Some(_), _) => "not so".into(),
                    (None, tasks) => tasks.map_or("no amount".into(), text::count),
                },
                seconds(point.work_s),
                seconds(point.makespan_s),
                point.efficiency.map_or("—".into(), text::share),
                point.ceiling.map_or("—".into(), text::share),
            ]);
        }
    }
    table.render(false)
}

fn sheet(curves: &[Curve]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "strategy",
        "efficiency_to_reach",
        "task_bytes",
        "processors",
        "tasks",
        "work_s",
        "makespan_s",
        "efficiency",
        "ceiling",
    ]);
    for (curve, point) in curves.iter().flat_map(|c| c.points.iter().map(move |p| (c, p))) {
        sheet.rows.push(vec![
            curve.strategy.name().into(),
            curve.efficiency.into(),
            curve.task_bytes.into(),
            point.processors.into(),
            point.tasks.into(),
            point.work_s.into(),
            point.makespan_s.into(),
            point.efficiency.into(),
            point.ceiling.into(),
        ]);
    }
    sheet
}

fn chart(curves: &[Curve]) -> LineChart {
    let efficiency = curves.first().map_or(0.0, |c| c.efficiency);
    let series = |curve: &Curve| Series {
        name: curve.strategy.name().into(),
        points: curve.points.iter().map(|p| (p.processors as f64, p.work_s.unwrap_or(f64::NAN))).collect(),
        ..Series::default()
    };
    LineChart {
        title: format!("Least work that reaches an efficiency of {}", text::share(efficiency)),
        x: "processors".into(),
        y: "work in s".into(),
        x_spacing: Spacing::Logarithmic,
        y_spacing: Spacing::Logarithmic,
        series: curves.iter().map(series).collect(),
    }
}
