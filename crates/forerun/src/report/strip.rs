//! Makespans on one time axis, a row a prediction or measurement: where all outcomes have one P.

use super::curve::{point, tooltip};
use super::mark::{Scale, TimeAxis, by_class, escape, n};
use super::scene::Scene;
use crate::compare::{Compared, Prediction, Runs};
use crate::text;

const ROW: f64 = 24.0;

/// What a row shows.
enum Mark<'a> {
    Head,
    Predicted(&'a Prediction),
    Measured(&'a Runs),
}

/// The chart, once for a desktop and once for a phone.
pub(super) fn render(scene: &Scene<'_>) -> String {
    let mut rows: Vec<(&Compared, Mark<'_>)> = Vec::new();
    for c in &scene.compared {
        if scene.compared.len() > 1 {
            rows.push((c, Mark::Head));
        }
        rows.extend(c.predictions.iter().map(|p| (c, Mark::Predicted(p))));
        rows.extend(c.measured.iter().map(|r| (c, Mark::Measured(r))));
    }
    let ends = rows.iter().map(|(_, mark)| match mark {
        Mark::Head => 0.0,
        Mark::Predicted(p) => p.makespan.high_s.max(p.makespan.makespan_s),
        Mark::Measured(r) => r.max(),
    });
    let max = ends.fold(0.0, f64::max);
    let mut out = String::from("<figure class=\"strip\">\n");
    for (class, width, left, right) in [("wide", 860.0, 150.0, 130.0), ("narrow", 346.0, 116.0, 12.0)] {
        out += &chart(&rows, max, class, width, left, right);
    }
    out + "</figure>\n"
}

fn chart(rows: &[(&Compared, Mark<'_>)], max: f64, class: &str, width: f64, left: f64, right: f64) -> String {
    let axis = TimeAxis::linear(max, if class == "wide" { 6 } else { 4 });
    let x = Scale::new(axis.range, (left, width - right), false);
    let bottom = ROW * rows.len() as f64 + 4.0;
    let height = bottom + 38.0;
    let mut out = format!(
        "<svg class=\"{class}\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"Predicted and measured \
         makespans; the figures are in the table of relative errors\">\n",
        n(width),
        n(height)
    );
    for (seconds, label) in &axis.ticks {
        let at = n(x.at(*seconds));
        out += &format!(
            "<path class=\"grid\" d=\"M{at} 0V{0}\"/><text class=\"mid\" x=\"{at}\" y=\"{1}\">{label}</text>\n",
            n(bottom),
            n(bottom + 16.0)
        );
    }
    out += &format!(
        "<text class=\"end\" x=\"{}\" y=\"{}\">makespan in {}</text>\n",
        n(width - right),
        n(height - 5.0),
        axis.unit.symbol
    );
    for (at, (c, mark)) in rows.iter().enumerate() {
        out += &row(c, mark, &x, ROW * (at as f64 + 0.5), class == "wide", width - right + 12.0);
    }
    out + "</svg>\n"
}

fn row(c: &Compared, mark: &Mark<'_>, x: &Scale, y: f64, values: bool, value_x: f64) -> String {
    let label = |class: &str, words: &str| {
        format!("<text class=\"{class}\" x=\"0\" y=\"{}\">{}</text>", n(y + 4.0), escape(words))
    };
    let value = |words: String| match values {
        true => format!("<text class=\"strong\" x=\"{}\" y=\"{}\">{words}</text>", n(value_x), n(y + 4.0)),
        false => String::new(),
    };
    match mark {
        Mark::Head => label("strong", &c.configuration.strategy_label()) + "\n",
        Mark::Predicted(p) => {
            let (low, at, high) =
                (x.at(p.makespan.low_s), x.at(p.makespan.makespan_s), x.at(p.makespan.high_s));
            let class = by_class(p.by);
            format!(
                "{}<g><title>{}: {} predicts {}</title><rect class=\"range {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\"/>\
                 <path class=\"line solid {class}\" d=\"M{} {}v16\"/></g>{}\n",
                label("", p.by.name()),
                escape(&c.configuration.strategy_label()),
                p.by.name(),
                text::interval(&p.makespan),
                n(low),
                n(y - 5.0),
                n((high - low).max(0.0)),
                n(at),
                n(y - 8.0),
                value(text::interval(&p.makespan)),
            )
        }
        Mark::Measured(runs) => {
            let (low, high) = (x.at(runs.min()), x.at(runs.max()));
            format!(
                "{}<g><title>{}</title><path class=\"whisker\" d=\"M{} {}H{}\"/>{}</g>{}\n",
                label("", runs.way.name()),
                tooltip(c, runs),
                n(low),
                n(y),
                n(high),
                point(x.at(runs.median()), y, runs.way),
                value(text::seconds(runs.median())),
            )
        }
    }
}
