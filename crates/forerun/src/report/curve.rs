//! Makespan against processors: a panel a strategy or other skeleton, all on the same axes.
//!
//! Every panel is drawn twice, for a desktop and for a phone, and the style sheet shows the one that fits,
//! so that text keeps its size.

use forerun_platform::Way;

use super::mark::{Scale, TimeAxis, by_class, escape, n};
use super::scene::Scene;
use crate::compare::{By, Compared, Prediction, Runs};
use crate::text;

/// Room around the plot, in pixels.
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 34.0;

/// What all panels share.
struct Axes {
    processors: Vec<usize>,
    log_processors: bool,
    time: TimeAxis,
}

/// The panels and their legend.
pub(super) fn render(scene: &Scene<'_>) -> String {
    let patterns = scene.patterns();
    let axes = axes(scene);
    let (columns, width, height) = match patterns.len() {
        1 => (1, 760.0, 340.0),
        3 => (3, 360.0, 260.0),
        _ => (2, 548.0, 270.0),
    };
    let mut out = legend(scene, patterns.len() > 1);
    out += &format!("<div class=\"panels of-{columns}\">\n");
    for pattern in patterns {
        out += &format!("<figure><figcaption>{}</figcaption>\n", caption(scene, pattern));
        for (class, width, height) in [("wide", width, height), ("narrow", 346.0, 250.0)] {
            out += &panel(scene, pattern, &axes, class, width, height);
        }
        out += "</figure>\n";
    }
    out + "</div>\n"
}

fn axes(scene: &Scene<'_>) -> Axes {
    let processors = scene.processors();
    let (first, last) = (processors.first().copied().unwrap_or(1), processors.last().copied().unwrap_or(1));
    let (mut min, mut max) = (f64::INFINITY, 0.0_f64);
    for c in &scene.compared {
        let measured = c.measured.iter().flat_map(|r| [r.min(), r.max()]);
        let predicted =
            c.predictions.iter().flat_map(|p| [p.makespan.low_s, p.makespan.makespan_s, p.makespan.high_s]);
        for seconds in measured.chain(predicted).filter(|s| *s > 0.0) {
            (min, max) = (min.min(seconds), max.max(seconds));
        }
    }
    let wide = max / min >= 5.0;
    let time = if wide { TimeAxis::logarithmic(min, max, 6) } else { TimeAxis::linear(max, 5) };
    Axes { log_processors: last >= 8 * first, processors, time }
}

fn caption(scene: &Scene<'_>, pattern: &str) -> String {
    let of = scene.compared.iter().filter(|c| c.configuration.pattern() == pattern);
    let best = of.flat_map(|c| c.measured.iter().map(move |r| (r.median(), c.configuration.processors)));
    let best = best.min_by(|(a, _), (b, _)| a.total_cmp(b));
    let note =
        best.map(|(time, p)| format!(" <span>measured best {} at P = {p}</span>", text::seconds(time)));
    format!("<b>{}</b>{}", pattern, note.unwrap_or_default())
}

fn legend(scene: &Scene<'_>, several: bool) -> String {
    let key = |mark: &str, name: &str| {
        format!(
            "<li><svg class=\"key\" width=\"26\" height=\"14\" aria-hidden=\"true\">{mark}</svg>{name}</li>"
        )
    };
    let mut out = String::from("<ul class=\"legend\">");
    for way in [Way::Threads, Way::Mpi] {
        if scene.compared.iter().any(|c| c.measured.iter().any(|r| r.way == way)) {
            let whisker = "<path class=\"whisker\" d=\"M13 1v12\"/>";
            out += &key(&format!("{whisker}{}", point(13.0, 7.0, way)), &format!("measured, {}", way.name()));
        }
    }
    for by in scene.predictors().into_iter().filter(|by| drawn(scene, *by)) {
        let mark = format!("<path class=\"line {}\" d=\"M1 7h24\"/>", by_class(by));
        out += &key(&mark, &format!("predicted, {}", by.name()));
    }
    if several && scene.compared.iter().any(|c| !c.measured.is_empty()) {
        out += &key("<path class=\"context\" d=\"M1 7h24\"/>", "measured, the other strategies");
    }
    out + "</ul>\n"
}

/// The prediction that runs were planned with is drawn only where nothing else predicted: it is one of the
/// others most of the time, and the table has it.
fn drawn(scene: &Scene<'_>, by: By) -> bool {
    by != By::Plan || scene.predictors() == [By::Plan]
}

fn panel(scene: &Scene<'_>, pattern: &str, axes: &Axes, class: &str, width: f64, height: f64) -> String {
    let ends = (axes.processors[0] as f64, axes.processors[axes.processors.len() - 1] as f64);
    let x = Scale::new(ends, (LEFT + 14.0, width - RIGHT - 14.0), axes.log_processors);
    let y = Scale::new(axes.time.range, (height - BOTTOM, TOP), axes.time.log);
    let mut out = format!(
        "<svg class=\"{class}\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"Makespan of {pattern} \
         against processors; the figures are in the table of relative errors\">\n",
        n(width),
        n(height)
    );
    out += &frame(axes, &x, &y, width, height);
    let own: Vec<&Compared> =
        scene.compared.iter().filter(|c| c.configuration.pattern() == pattern).collect();
    for other in scene.patterns().into_iter().filter(|p| *p != pattern) {
        let points = medians(scene.compared.iter().filter(|c| c.configuration.pattern() == other));
        if points.len() > 1 {
            out += &format!(
                "<path class=\"context\" d=\"{}\"><title>{}</title></path>\n",
                path(&points, &x, &y),
                other
            );
        }
    }
    for by in scene.predictors().into_iter().filter(|by| drawn(scene, *by)) {
        out += &predictor(&own, by, &x, &y);
    }
    for c in own {
        for runs in &c.measured {
            out += &measured(c, runs, &x, &y);
        }
    }
    out + "</svg>\n"
}

fn frame(axes: &Axes, x: &Scale, y: &Scale, width: f64, height: f64) -> String {
    let mut out = String::new();
    for (seconds, label) in &axes.time.ticks {
        let at = y.at(*seconds);
        out += &format!("<path class=\"grid\" d=\"M{} {}H{}\"/>", n(LEFT), n(at), n(width - RIGHT));
        out += &format!("<text class=\"end\" x=\"{}\" y=\"{}\">{label}</text>\n", n(LEFT - 6.0), n(at + 4.0));
    }
    let log = if axes.time.log { " (log)" } else { "" };
    out += &format!("<text x=\"0\" y=\"12\">makespan in {}{log}</text>\n", axes.time.unit.symbol);
    let mut last = f64::NEG_INFINITY;
    for p in &axes.processors {
        let (at, label) = (x.at(*p as f64), text::count(*p as u64));
        let half = 3.6 * label.len() as f64;
        if at - half < last {
            continue;
        }
        last = at + half + 6.0;
        let base = height - BOTTOM;
        out += &format!("<path class=\"tick\" d=\"M{} {}v4\"/>", n(at), n(base));
        out += &format!("<text class=\"mid\" x=\"{}\" y=\"{}\">{label}</text>\n", n(at), n(base + 16.0));
    }
    let log = if axes.log_processors { " (log₂)" } else { "" };
    out += &format!(
        "<text class=\"end\" x=\"{}\" y=\"{}\">processors{log}</text>\n",
        n(width - RIGHT),
        n(height - 4.0)
    );
    out + &format!("<path class=\"axis\" d=\"M{} {}H{}\"/>\n", n(LEFT), n(height - BOTTOM), n(width - RIGHT))
}

/// The least median measured at each number of processors.
fn medians<'a>(compared: impl Iterator<Item = &'a Compared>) -> Vec<(f64, f64)> {
    least(
        compared
            .flat_map(|c| c.measured.iter().map(|r| (c.configuration.processors, r.median(), r.median()))),
    )
    .into_iter()
    .map(|(p, (time, _))| (p as f64, time))
    .collect()
}

/// By processors, ascending: the entry with the least time.
fn least<T>(points: impl Iterator<Item = (usize, f64, T)>) -> std::collections::BTreeMap<usize, (f64, T)> {
    let mut out: std::collections::BTreeMap<usize, (f64, T)> = Default::default();
    for (p, time, what) in points {
        if out.get(&p).is_none_or(|(least, _)| time < *least) {
            out.insert(p, (time, what));
        }
    }
    out
}

fn path(points: &[(f64, f64)], x: &Scale, y: &Scale) -> String {
    let step = |(at, (p, time)): (usize, &(f64, f64))| {
        format!("{}{} {}", if at == 0 { 'M' } else { 'L' }, n(x.at(*p)), n(y.at(*time)))
    };
    points.iter().enumerate().map(step).collect()
}

/// The line of one predictor, its intervals as a band (a whisker where there is one point), and its points.
fn predictor(own: &[&Compared], by: By, x: &Scale, y: &Scale) -> String {
    let of = own.iter().flat_map(|c| c.predictions.iter().map(move |p| (c, p))).filter(|(_, p)| p.by == by);
    let line: Vec<(f64, &Compared, &Prediction)> =
        least(of.map(|(c, p)| (c.configuration.processors, p.makespan.makespan_s, (*c, p))))
            .into_iter()
            .map(|(processors, (_, (c, p)))| (processors as f64, c, p))
            .collect();
    let class = by_class(by);
    let end = |of: fn(&Prediction) -> f64| line.iter().map(|(at, _, p)| (*at, of(p))).collect::<Vec<_>>();
    let mut out = String::new();
    if line.len() > 1 {
        let mut back = end(|p| p.makespan.low_s);
        back.reverse();
        let outline = [end(|p| p.makespan.high_s), back].concat();
        out += &format!("<path class=\"band {class}\" d=\"{}z\"/>\n", path(&outline, x, y));
        out += &format!(
            "<path class=\"line {class}\" d=\"{}\"/>\n",
            path(&end(|p| p.makespan.makespan_s), x, y)
        );
    } else if let Some((at, _, p)) = line.first() {
        let ends = [(*at, p.makespan.low_s), (*at, p.makespan.high_s)];
        out += &format!("<path class=\"line {class}\" d=\"{}\"/>\n", path(&ends, x, y));
    }
    for (at, c, p) in &line {
        out += &format!(
            "<circle class=\"dot {class}\" cx=\"{}\" cy=\"{}\" r=\"2.5\"><title>{}: {} predicts {} on {}</title></circle>\n",
            n(x.at(*at)),
            n(y.at(p.makespan.makespan_s)),
            escape(&c.configuration.strategy_label()),
            by.name(),
            text::interval(&p.makespan),
            text::plural(c.configuration.processors as u64, "processor"),
        );
    }
    out
}

fn measured(c: &Compared, runs: &Runs, x: &Scale, y: &Scale) -> String {
    let at = x.at(c.configuration.processors as f64);
    let (low, high) = (n(y.at(runs.min())), n(y.at(runs.max())));
    let left = n(at - 3.0);
    format!(
        "<g><title>{}</title><path class=\"whisker\" d=\"M{} {low}V{high}M{left} {low}h6M{left} {high}h6\"/>{}</g>\n",
        tooltip(c, runs),
        n(at),
        point(at, y.at(runs.median()), runs.way),
    )
}

/// What a measured point says.
pub(super) fn tooltip(c: &Compared, runs: &Runs) -> String {
    format!(
        "{}: measured {} on {} ({}, {}, {} to {})",
        escape(&c.configuration.strategy_label()),
        text::seconds(runs.median()),
        text::plural(c.configuration.processors as u64, "processor"),
        runs.way.name(),
        text::plural(runs.makespans_s.len() as u64, "run"),
        text::seconds(runs.min()),
        text::seconds(runs.max()),
    )
}

/// A measured point: a disc for threads, a square for MPI.
pub(super) fn point(x: f64, y: f64, way: Way) -> String {
    match way {
        Way::Mpi => format!(
            "<rect class=\"point\" x=\"{}\" y=\"{}\" width=\"8\" height=\"8\"/>",
            n(x - 4.0),
            n(y - 4.0)
        ),
        _ => format!("<circle class=\"point\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", n(x), n(y)),
    }
}
