//! `forerun model packet`: the packet size of a pipeline.

use forerun_model::du::{self, FirstStage};
use forerun_model::packet::{Communication, Flat, Pipeline, Point};
use forerun_platform::Bytes;
use serde::Serialize;

use super::packet_file::{self, Described};
use crate::chart::{LineChart, Series, Spacing, Style};
use crate::cli::PacketArgs;
use crate::commands::Context;
use crate::drawn::Sheet;
use crate::error::{CliError, request};
use crate::paths::Paths;
use crate::text::{self, Align, Table};

/// Sizes of the curve, and up to how many times the least makespan it goes.
const POINTS: usize = 24;
const TIMES: f64 = 3.0;

/// What `--json` writes.
#[derive(Debug, Serialize)]
struct Data {
    name: String,
    communication: &'static str,
    stages: Vec<String>,
    elements: u64,
    element_bytes: f64,
    largest_elements: u64,
    best: Row,
    flat: FlatData,
    published: Option<Published>,
    curve: Vec<Row>,
}

/// A packet size.
#[derive(Debug, Clone, Serialize)]
struct Row {
    packets: u64,
    packet_elements: u64,
    packet_bytes: f64,
    last_elements: u64,
    makespan_s: f64,
    /// By what part the makespan is above the best.
    above_best: f64,
    bottleneck: String,
}

/// Sizes nearly as good.
#[derive(Debug, Serialize)]
struct FlatData {
    within: f64,
    smallest_elements: u64,
    largest_elements: u64,
    fewest_packets: u64,
    most_packets: u64,
    /// First and last size of every stretch without a gap.
    stretches: Vec<(u64, u64)>,
}

/// What the closed form gives that holds for the best packets' bottleneck.
#[derive(Debug, Serialize)]
struct Published {
    equation: u32,
    packets: u64,
    packet_elements: u64,
    makespan_s: f64,
    above_best: f64,
}

/// Shows the model of the pipeline that a file describes.
///
/// # Errors
/// What is wrong with the file; a file that cannot be written.
pub fn run(args: &PacketArgs, context: &mut Context) -> Result<(), CliError> {
    super::check(&args.file, None, &args.draw, Paths::new(), &mut context.console)?;
    let console = &context.console;
    let text = forerun_platform::file::contents(&args.file).map_err(request)?;
    let described = packet_file::read(&text, &forerun_platform::file::named(&args.file)).map_err(request)?;
    let pipeline = &described.pipeline;
    let flat = pipeline.flat(args.within.0);
    let points = match args.packets.as_slice() {
        [] => pipeline.curve(&flat.best, TIMES, POINTS),
        asked => asked.iter().map(|k| pipeline.point(pipeline.size_of(*k))).collect(),
    };
    let data = data(&described, &flat, &points);

    console.note("pipeline", &summary(&described, &data))?;
    if !described.source.is_empty() {
        console.note("source", &described.source)?;
    }
    console.say("best", &best(&data))?;
    console.say("flat", &nearly(&data, pipeline))?;
    if let Some(p) = &data.published {
        let size = size(p.packet_elements, pipeline);
        let beside = match p.packet_elements > data.largest_elements {
            true => "more than memory allows".into(),
            false => format!("{} above the best", text::share(p.above_best)),
        };
        console.note(
            "published",
            &format!(
                "equation {} of Du and Agrawal gives {} of {size}: {}, {beside}",
                p.equation,
                text::plural(p.packets, "packet"),
                text::seconds(p.makespan_s),
            ),
        )?;
    }
    console.text(&table(&data).render(text::colour(&std::io::stdout())))?;
    args.draw.write(|| sheet(&data), || chart(&data, pipeline))?;
    console.data(&data)
}

fn data(described: &Described, flat: &Flat, points: &[Point]) -> Data {
    let Described { name, pipeline, names, .. } = described;
    let best = flat.best;
    let above = |seconds: f64| if best.makespan_s > 0.0 { seconds / best.makespan_s - 1.0 } else { 0.0 };
    let row = |p: &Point| Row {
        packets: p.packets,
        packet_elements: p.size,
        packet_bytes: p.size as f64 * pipeline.element_bytes(),
        last_elements: p.last,
        makespan_s: p.makespan_s,
        above_best: above(p.makespan_s),
        bottleneck: names[p.bottleneck].clone(),
    };
    let published = published(pipeline, &best).map(|(equation, k)| {
        let p = pipeline.point(pipeline.size_of(k));
        Published {
            equation,
            packets: k,
            packet_elements: p.size,
            makespan_s: p.makespan_s,
            above_best: above(p.makespan_s),
        }
    });
    Data {
        name: name.clone(),
        communication: pipeline.communication().name(),
        stages: names.clone(),
        elements: pipeline.elements(),
        element_bytes: pipeline.element_bytes(),
        largest_elements: pipeline.largest(),
        best: row(&best),
        flat: FlatData {
            within: flat.within,
            smallest_elements: flat.smallest(),
            largest_elements: flat.largest(),
            fewest_packets: pipeline.elements().div_ceil(flat.largest()),
            most_packets: pipeline.elements().div_ceil(flat.smallest()),
            stretches: flat.sizes.iter().map(|run| (*run.start(), *run.end())).collect(),
        },
        published,
        curve: points.iter().map(row).collect(),
    }
}

/// The number of the equation that holds for the best packets' bottleneck, and its k; none where a packet
/// costs nothing there, so that k would be infinite.
fn published(pipeline: &Pipeline, best: &Point) -> Option<(u32, u64)> {
    let (stages, b) = (pipeline.stages(), best.bottleneck + 1);
    let bytes = pipeline.elements() as f64 * pipeline.element_bytes();
    let (equation, k) = match (pipeline.communication(), b) {
        (Communication::FixedFrequency, 1) => (7, du::best_k_at_fixed_frequency_first(stages, bytes)),
        (Communication::FixedFrequency, b) => {
            (11, du::best_k_at_fixed_frequency_later(stages, b, bytes, FirstStage::Once))
        }
        (Communication::FixedSize, 1) => (21, du::best_k_at_fixed_size_first(stages, bytes)),
        (Communication::FixedSize, b) => (17, du::best_k_at_fixed_size_later(stages, b, bytes)),
    };
    (k.is_finite() && k <= pipeline.elements() as f64).then(|| (equation, du::packets(k)))
}

fn size(elements: u64, pipeline: &Pipeline) -> String {
    let bytes = Bytes((elements as f64 * pipeline.element_bytes()).round() as u64);
    if pipeline.element_bytes() == 1.0 {
        format!("{} bytes", text::count(elements))
    } else {
        format!("{} ({bytes})", text::plural(elements, "element"))
    }
}

fn summary(described: &Described, data: &Data) -> String {
    let input = Bytes((data.elements as f64 * data.element_bytes).round() as u64);
    format!(
        "{}: {}, {}, {input} in {}",
        data.name,
        text::plural(data.stages.len() as u64, "stage"),
        data.communication,
        text::plural(data.elements, "element"),
    ) + if described.limited { ", memory limited" } else { "" }
}

fn best(data: &Data) -> String {
    let Row { packets, packet_elements, packet_bytes, last_elements, makespan_s, bottleneck, .. } =
        &data.best;
    let limit = if *packet_elements == data.largest_elements && *packets > 1 {
        "; memory allows no larger ones"
    } else {
        ""
    };
    format!(
        "{} of {} ({}), the last of {}: {}; the bottleneck is {bottleneck}{limit}",
        text::plural(*packets, "packet"),
        text::plural(*packet_elements, "element"),
        Bytes(packet_bytes.round() as u64),
        text::count(*last_elements),
        text::seconds(*makespan_s),
    )
}

fn nearly(data: &Data, pipeline: &Pipeline) -> String {
    let flat = &data.flat;
    let gaps = match flat.stretches.len() {
        0 | 1 => String::new(),
        n => format!(", with {} among the largest", text::plural(n as u64 - 1, "gap")),
    };
    format!(
        "within {} are packets of {} to {}, {} to {} of them{gaps}",
        text::share(flat.within),
        text::count(flat.smallest_elements),
        size(flat.largest_elements, pipeline),
        text::count(flat.fewest_packets),
        text::count(flat.most_packets),
    )
}

fn table(data: &Data) -> Table {
    let mut table = Table::new(&[
        ("packets", Align::Right),
        ("elements", Align::Right),
        ("size", Align::Right),
        ("last", Align::Right),
        ("makespan", Align::Right),
        ("above best", Align::Right),
        ("bottleneck", Align::Left),
    ]);
    for row in &data.curve {
        table.row(vec![
            text::count(row.packets),
            text::count(row.packet_elements),
            Bytes(row.packet_bytes.round() as u64).to_string(),
            text::count(row.last_elements),
            text::seconds(row.makespan_s),
            if row.packet_elements == data.best.packet_elements {
                "best".into()
            } else {
                text::percent(row.above_best)
            },
            text::printable(&row.bottleneck),
        ]);
    }
    table
}

fn sheet(data: &Data) -> Sheet {
    let mut sheet = Sheet::new(&[
        "packets",
        "packet_elements",
        "packet_bytes",
        "last_elements",
        "makespan_s",
        "above_best",
        "bottleneck",
    ]);
    for row in &data.curve {
        sheet.rows.push(vec![
            row.packets.into(),
            row.packet_elements.into(),
            row.packet_bytes.into(),
            row.last_elements.into(),
            row.makespan_s.into(),
            row.above_best.into(),
            row.bottleneck.as_str().into(),
        ]);
    }
    sheet
}

fn chart(data: &Data, pipeline: &Pipeline) -> LineChart {
    let point = |row: &Row| (row.packet_bytes, row.makespan_s);
    let mut curve = data.curve.clone();
    curve.sort_by_key(|row| row.packet_elements);
    let flat = [data.flat.smallest_elements, data.flat.largest_elements]
        .map(|size| (size as f64 * pipeline.element_bytes(), pipeline.makespan(size)));
    let series = |name: String, style, points| Series { name, style, points, band: Vec::new() };
    LineChart {
        title: format!("Makespan of {} against the size of packets", data.name),
        x: "bytes of a packet".into(),
        y: "makespan in s".into(),
        y_spacing: Spacing::Even,
        series: vec![
            series("makespan".into(), Style::Line, curve.iter().map(point).collect()),
            series(format!("within {}", text::share(data.flat.within)), Style::Dashed, flat.to_vec()),
            series("best".into(), Style::Points, vec![point(&data.best)]),
        ],
        ..LineChart::default()
    }
}
