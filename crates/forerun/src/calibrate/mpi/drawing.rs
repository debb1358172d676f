//! What was measured between MPI processes as drawings: every value, and the lines that were put through them.

use forerun_mpi::Probe;

use super::shared::medians;
use super::{Fitted, Samples};
use crate::calibrate::Key;
use crate::chart::{LineChart, Series, Spacing, Style, stacked};
use forerun_platform::statistics::Line;

/// Microseconds, milliseconds.
const US: f64 = 1e6;
const MS: f64 = 1e3;
const KB: f64 = 1e-3;

/// The drawings, one below the other, as an SVG file.
pub(super) fn drawing(samples: &Samples<'_>, fitted: &Fitted) -> String {
    let value = |key| fitted.figures.iter().find(|f| f.key == key).map_or(0.0, |f| f.estimate.value);
    let streams = scaled(samples.sized(Probe::Stream), KB, MS);
    let (gap, per_byte) = (value(Key::Gap), value(Key::GapPerByte));
    let link = |kb: f64| (gap + per_byte * kb / KB) * MS;
    let trips = scaled(samples.sized(Probe::RoundTrip), KB, MS);
    let mut charts = vec![
        chart(
            "Streams: time by message",
            "bytes of a message (kB)",
            "ms",
            Spacing::Even,
            vec![points("measured", streams.clone()), straight("g + G k", &streams, link)],
        ),
        chart(
            "Round trips to a rank that looks out",
            "bytes of a message (kB)",
            "ms",
            Spacing::Auto,
            vec![points("measured", trips)],
        ),
    ];
    let fine = samples.sized(Probe::Segments);
    if !fine.is_empty() {
        let mut series = vec![points("measured", scaled(fine.clone(), KB, MS))];
        if let Some(segment) = &fitted.segment {
            let mut sizes: Vec<f64> = fine.iter().map(|p| p.0).collect();
            sizes.sort_unstable_by(f64::total_cmp);
            let steps = sizes.into_iter().map(|bytes| (bytes, segment.at(bytes))).collect();
            let name = "a + b k, and a step for each further segment".into();
            series.push(Series { name, points: scaled(steps, KB, MS), ..Series::default() });
        }
        charts.push(chart(
            "Short streams: time by message, for segments",
            "bytes of a message (kB)",
            "ms",
            Spacing::Even,
            series,
        ));
    }
    for (probes, lines, title, x, scale) in [
        (samples.overheads(), fitted.by_byte, "Overheads over bytes", "bytes of a message (kB)", KB),
        (
            [Probe::Send, Probe::Receive],
            fitted.by_rank,
            "Overheads of empty messages over ranks",
            "ranks",
            1.0,
        ),
    ] {
        let mut series = Vec::new();
        for ((probe, line), name) in probes.into_iter().zip(lines).zip(["send", "receive"]) {
            let of = if scale == KB { samples.sized(probe) } else { samples.over_ranks(probe) };
            let of = scaled(of, scale, US);
            series.extend(
                line.map(|line: Line| straight(&format!("{name}, fitted"), &of, |x| line.at(x / scale) * US)),
            );
            series.push(points(name, of));
        }
        charts.push(chart(title, x, "µs", Spacing::Even, series));
    }
    let beside = samples.side_by_side();
    if !beside.is_empty() {
        let all = beside.iter().map(|(width, slower)| (*width as f64, *slower)).collect();
        let middle = medians(&beside).into_iter().map(|(width, slower)| (width as f64, slower)).collect();
        charts.push(chart(
            "Streams side by side",
            "streams",
            "times as long as alone",
            Spacing::Even,
            vec![
                points("measured", all),
                Series { name: "median".into(), points: middle, ..Series::default() },
            ],
        ));
    }
    stacked(&charts)
}

fn chart(title: &str, x: &str, y: &str, x_spacing: Spacing, series: Vec<Series>) -> LineChart {
    LineChart { title: title.into(), x: x.into(), y: y.into(), x_spacing, y_spacing: Spacing::Even, series }
}

fn points(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.into(), style: Style::Points, points, ..Series::default() }
}

/// A line over the same stretch as `points`.
fn straight(name: &str, points: &[(f64, f64)], at: impl Fn(f64) -> f64) -> Series {
    let least = points.iter().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|p| p.0).fold(f64::NEG_INFINITY, f64::max);
    let ends = if least < most { vec![(least, at(least)), (most, at(most))] } else { Vec::new() };
    Series { name: name.into(), points: ends, ..Series::default() }
}

fn scaled(points: Vec<(f64, f64)>, x: f64, y: f64) -> Vec<(f64, f64)> {
    points.into_iter().map(|(a, b)| (a * x, b * y)).collect()
}
