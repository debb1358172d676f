//! `forerun model farm`: a farm's processors and masters.

use forerun_model::farm::{Farm, Prediction, Tasks};
use forerun_platform::{Platform, Way};
use serde::Serialize;

use super::{farm_algebra, farm_file};
use crate::chart::{LineChart, Series, Style};
use crate::cli::FarmArgs;
use crate::commands::Context;
use crate::drawn::Sheet;
use crate::error::{CliError, request};
use crate::figures;
use crate::paths::Paths;
use crate::text::{self, Align, Table};

/// What `--json` writes.
#[derive(Debug, Serialize)]
struct Data {
    name: String,
    platform: String,
    processors: usize,
    tasks: u64,
    trip: TripData,
    /// The least number of processors at which one master is busy all the time.
    saturates_at: Option<usize>,
    /// With one master.
    best: Row,
    /// With all processors.
    best_masters: Row,
    /// Tasks that a slave has to have at a time so as never to wait for a round trip, among all processors.
    prefetch_needed: u64,
    by_processors: Vec<Row>,
    by_masters: Vec<Row>,
}

/// A round trip among all processors.
#[derive(Debug, Serialize)]
struct TripData {
    master_s: f64,
    slave_s: f64,
    total_s: f64,
}

/// A number of processors and masters.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) processors: usize,
    masters: usize,
    makespan_s: f64,
    /// Without spread.
    even_s: f64,
    /// Makespan of the work alone on one processor over this.
    speedup: f64,
    master_utilisation: f64,
    bound_by: &'static str,
    /// By the PEPA model, of one master; none where it is not asked for or too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pepa_s: Option<f64>,
}

/// Shows the model of the farm that a file describes.
///
/// # Errors
/// What is wrong with the file or the platform; a file that cannot be written.
pub fn run(args: &FarmArgs, context: &mut Context) -> Result<(), CliError> {
    let of = || Paths::new().writes("--write-model", args.write_model.as_deref());
    super::check(&args.file, args.platform.as_deref(), &args.draw, of(), &mut context.console)?;
    farm_algebra::check(args)?;
    let text = forerun_platform::file::contents(&args.file).map_err(request)?;
    let described = farm_file::read(&text, &forerun_platform::file::named(&args.file)).map_err(request)?;
    let spec = args.platform.as_deref().or(described.platform.as_deref());
    // The description may name one as well.
    super::check(&args.file, spec, &args.draw, of(), &mut context.console)?;
    let Context { console, .. } = &*context;
    let platform = figures::platform(spec, context)?;
    let farm = Farm::on(&platform, described.tasks).map_err(request)?;
    let cores = platform.cores();
    let all = described.processors.unwrap_or(cores);
    if all < 2 {
        return Err(request(format!(
            "{} has 1 processor, and a farm has a master and at least one slave: give processors = 2 or more",
            platform.name
        )));
    }
    let asked: Vec<usize> = args.processors.iter().map(|p| *p as usize).collect();
    let mut data = data(described.name.clone(), &platform, &farm, all, &asked)?;
    let notes = match args.by.contains(&Way::Pepa) {
        true => farm_algebra::predict(&farm, &mut data.by_processors, context)?,
        false => Vec::new(),
    };

    console.note("farm", &summary(&data, farm.tasks()))?;
    if !described.source.is_empty() {
        console.note("source", &described.source)?;
    }
    if asked.iter().copied().chain([all]).any(|p| p > cores) {
        let has = text::plural(cores as u64, "processor");
        console.note("note", &format!("{} has {has}; more are taken to be like them", platform.name))?;
    }
    for note in notes {
        console.note("pepa", &note)?;
    }
    console.say("trip", &trip(&data))?;
    console.say("saturated", &saturated(&data))?;
    console.say("best", &row(&data.best))?;
    console.say("masters", &row(&data.best_masters))?;
    let colour = text::colour(&std::io::stdout());
    console.text(&table(&data.by_processors, &data.best).render(colour))?;
    if data.by_masters.len() > 1 {
        console.text(&table(&data.by_masters, &data.best_masters).render(colour))?;
    }
    args.draw.write(|| sheet(&data), || chart(&data))?;
    farm_algebra::write(&farm, args, console)?;
    console.data(&data)
}

fn data(
    name: String,
    platform: &Platform,
    farm: &Farm,
    all: usize,
    asked: &[usize],
) -> Result<Data, CliError> {
    let work = farm.tasks().work_s * farm.tasks().count as f64;
    let row = |p: &Prediction| Row {
        processors: p.ranks,
        masters: p.masters,
        makespan_s: p.makespan_s,
        even_s: p.even_s,
        speedup: if p.makespan_s > 0.0 { work / p.makespan_s } else { 0.0 },
        master_utilisation: p.utilisation,
        bound_by: p.bound.name(),
        pepa_s: None,
    };
    let best = farm.best_ranks(all).map_err(request)?;
    let best_masters = farm.best_masters(all).map_err(request)?;
    let mut processors = asked.to_vec();
    if asked.is_empty() {
        processors = powers(2, all);
        processors.push(best.ranks);
    }
    processors.sort_unstable();
    processors.dedup();
    let mut masters = powers(1, farm.most_masters(all));
    masters.push(best_masters.masters);
    masters.sort_unstable();
    masters.dedup();
    let predict = |ranks, masters| farm.predict(ranks, masters).map(|p| row(&p)).map_err(request);
    let trip = farm.trip(all).map_err(request)?;
    let slaves = all as u64 - 1;
    Ok(Data {
        name,
        platform: platform.name.clone(),
        processors: all,
        tasks: farm.tasks().count,
        // No slave has more at a time than are its part.
        prefetch_needed: trip.prefetch(slaves).min(farm.tasks().count.div_ceil(slaves)),
        trip: TripData { master_s: trip.master_s(), slave_s: trip.slave_s, total_s: trip.total_s },
        saturates_at: farm.saturation(all).map_err(request)?,
        best: row(&best),
        best_masters: row(&best_masters),
        by_processors: processors.iter().map(|p| predict(*p, 1)).collect::<Result<_, _>>()?,
        by_masters: masters.iter().map(|m| predict(all, *m)).collect::<Result<_, _>>()?,
    })
}

/// `from` times powers of two up to `to`, and `to`.
fn powers(from: usize, to: usize) -> Vec<usize> {
    std::iter::successors(Some(from), |p| p.checked_mul(2)).take_while(|p| *p < to).chain([to]).collect()
}

fn summary(data: &Data, tasks: &Tasks) -> String {
    let spread = match tasks.spread {
        0.0 => String::new(),
        spread => format!(" ±{}", text::share(spread)),
    };
    format!(
        "{}: {} of {}{spread} on {}, up to {}",
        data.name,
        text::plural(data.tasks, "task"),
        text::seconds(tasks.work_s),
        data.platform,
        text::plural(data.processors as u64, "processor"),
    )
}

fn trip(data: &Data) -> String {
    let needed = match data.prefetch_needed {
        1 => String::new(),
        n => format!("; with {n} tasks at a time a slave does not wait for it"),
    };
    format!(
        "among {} a task takes {}: {} of it the master's time, {} the slave's{needed}",
        text::plural(data.processors as u64, "processor"),
        text::seconds(data.trip.total_s),
        text::seconds(data.trip.master_s),
        text::seconds(data.trip.slave_s),
    )
}

fn saturated(data: &Data) -> String {
    match data.saturates_at {
        Some(p) => format!("one master is busy all the time from {} on", text::plural(p as u64, "processor")),
        None => format!("one master is not, up to {}", text::plural(data.processors as u64, "processor")),
    }
}

fn row(r: &Row) -> String {
    format!(
        "{} with {}: {}, bound by the {}",
        text::plural(r.processors as u64, "processor"),
        text::plural(r.masters as u64, "master"),
        text::seconds(r.makespan_s),
        r.bound_by,
    )
}

fn table(rows: &[Row], best: &Row) -> Table {
    let by_pepa = rows.iter().any(|r| r.pepa_s.is_some());
    let mut head = vec![
        ("processors", Align::Right),
        ("masters", Align::Right),
        ("makespan", Align::Right),
        ("speedup", Align::Right),
        ("master busy", Align::Right),
        ("bound by", Align::Left),
        ("", Align::Left),
    ];
    if by_pepa {
        head.insert(3, ("by pepa", Align::Right));
    }
    let mut table = Table::new(&head);
    for r in rows {
        let is_best = (r.processors, r.masters) == (best.processors, best.masters);
        let mut row = vec![
            r.processors.to_string(),
            r.masters.to_string(),
            text::seconds(r.makespan_s),
            text::ratio(r.speedup),
            text::share(r.master_utilisation),
            r.bound_by.into(),
            if is_best { "best".into() } else { String::new() },
        ];
        if by_pepa {
            row.insert(3, r.pepa_s.map_or("–".into(), text::seconds));
        }
        table.row(row);
    }
    table
}

fn sheet(data: &Data) -> Sheet {
    let mut sheet = Sheet::new(&[
        "processors",
        "masters",
        "makespan_s",
        "even_s",
        "speedup",
        "master_utilisation",
        "bound_by",
        "pepa_s",
    ]);
    let several = data.by_masters.iter().filter(|r| r.masters > 1);
    for r in data.by_processors.iter().chain(several) {
        sheet.rows.push(vec![
            r.processors.into(),
            r.masters.into(),
            r.makespan_s.into(),
            r.even_s.into(),
            r.speedup.into(),
            r.master_utilisation.into(),
            r.bound_by.into(),
            r.pepa_s.into(),
        ]);
    }
    sheet
}

fn chart(data: &Data) -> LineChart {
    let point = |r: &Row| (r.processors as f64, r.makespan_s);
    let mut series = vec![Series {
        name: "one master".into(),
        points: data.by_processors.iter().map(point).collect(),
        ..Series::default()
    }];
    if data.best_masters.masters > 1 {
        series.push(Series {
            name: format!("{} masters", data.best_masters.masters),
            style: Style::Points,
            points: vec![point(&data.best_masters)],
            ..Series::default()
        });
    }
    LineChart {
        title: format!("Makespan of {} on {}", data.name, data.platform),
        x: "processors".into(),
        y: "makespan in s".into(),
        series,
        ..LineChart::default()
    }
}
