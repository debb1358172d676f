//! The table of relative errors, each error also drawn on one scale.

use super::mark::{Scale, by_class, escape, n, nice};
use super::scene::Scene;
use crate::compare::{self, By, Compared, Prediction, Runs};
use crate::text;

const WIDTH: f64 = 150.0;

/// The table; a prediction without a measurement is listed without an error.
pub(super) fn render(scene: &Scene<'_>) -> String {
    let pairs = scene
        .compared
        .iter()
        .flat_map(|c| c.measured.iter().flat_map(move |r| c.predictions.iter().map(move |p| error(p, r))));
    let greatest = pairs.flatten().map(f64::abs).fold(0.05, f64::max);
    // One wild error must not flatten all others: the scale ends at 50 %, and marks beyond it sit at its end.
    let greatest = nice(greatest).min(0.5);
    let scale = Scale::new((-greatest, greatest), (6.0, WIDTH - 6.0), false);
    let repeats = scene.compared.iter().any(|c| c.measured.iter().any(|r| r.makespans_s.len() > 1));
    let several: Vec<String> = scene
        .compared
        .iter()
        .flat_map(|c| &c.several)
        .map(|line| format!("<li>{}</li>", escape(line)))
        .collect();
    let mut out = match &several[..] {
        [] => String::new(),
        all => format!("<ul class=\"note\">{}</ul>\n", all.concat()),
    };
    out += &format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Relative errors\"><table class=\"errors\">\n<thead><tr>\
         <th scope=\"col\" class=\"num\">P</th><th scope=\"col\" class=\"num\">Measured</th><th scope=\"col\">Predictor</th>\
         <th scope=\"col\">Predicted</th><th scope=\"col\" class=\"num needed\">Error</th>\
         <th scope=\"col\" class=\"drawn\"><span class=\"sr\">Error, drawn</span>{}</th><th scope=\"col\">Measured by</th>{}</tr></thead>\n",
        ends(greatest),
        if repeats {
            ["Runs", "Min", "Max"].map(|name| format!("<th scope=\"col\" class=\"num\">{name}</th>")).concat()
        } else {
            String::new()
        }
    );
    let columns = if repeats { 10 } else { 7 };
    let label = |c: &Compared| c.configuration.strategy_label();
    for group in scene.compared.chunk_by(|a, b| label(a) == label(b)) {
        let name = escape(&label(&group[0]));
        out += &format!("<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"{columns}\">{name}</th></tr>\n");
        out += &group.iter().map(|c| body(c, repeats, &scale)).collect::<String>();
        out += "</tbody>\n";
    }
    out + "</table></div>\n"
}

fn error(p: &Prediction, runs: &Runs) -> Option<f64> {
    compare::relative_error(p.makespan.makespan_s, runs.median())
}

/// The ends of the drawn scale.
fn ends(greatest: f64) -> String {
    let shown = |value: f64| text::percent(value).replace(".0 ", " ");
    format!(
        "<svg width=\"{0}\" height=\"14\" viewBox=\"0 0 {0} 14\" aria-hidden=\"true\"><text x=\"0\" y=\"11\">{1}</text>\
         <text class=\"mid\" x=\"{2}\" y=\"11\">0</text><text class=\"end\" x=\"{0}\" y=\"11\">{3}</text></svg>",
        n(WIDTH),
        shown(-greatest),
        n(WIDTH / 2.0),
        shown(greatest)
    )
}

/// The lines of a configuration: one a prediction for each way that measured it.
fn body(c: &Compared, repeats: bool, scale: &Scale) -> String {
    let measured: Vec<Option<&Runs>> =
        if c.measured.is_empty() { vec![None] } else { c.measured.iter().map(Some).collect() };
    let rows = c.predictions.len().max(1);
    let processors = text::count(c.configuration.processors as u64);
    let mut p = format!("<td class=\"num\" rowspan=\"{}\">{processors}</td>", rows * measured.len());
    let mut out = String::new();
    for runs in measured {
        let time = runs.map_or("not run".into(), |r| text::seconds(r.median()));
        let mut before = format!("<td class=\"num\" rowspan=\"{rows}\">{time}</td>");
        let mut after = about(runs, rows, repeats);
        for at in 0..rows {
            let class = if p.is_empty() { "" } else { " class=\"first\"" };
            out += &format!("<tr{class}>{}{}", std::mem::take(&mut p), std::mem::take(&mut before));
            out += &predicted(runs, c.predictions.get(at), scale);
            out += &format!("{}</tr>\n", std::mem::take(&mut after));
        }
    }
    out
}

/// Who measured, how often, from where to where.
fn about(runs: Option<&Runs>, rows: usize, repeats: bool) -> String {
    let mut out = format!("<td rowspan=\"{rows}\">{}</td>", runs.map_or("", |r| r.way.name()));
    let mut cell = |value: String| out += &format!("<td class=\"num\" rowspan=\"{rows}\">{value}</td>");
    if repeats {
        cell(runs.map_or(String::new(), |r| text::count(r.makespans_s.len() as u64)));
        cell(runs.map_or(String::new(), |r| text::seconds(r.min())));
        cell(runs.map_or(String::new(), |r| text::seconds(r.max())));
    }
    out
}

fn predicted(runs: Option<&Runs>, prediction: Option<&Prediction>, scale: &Scale) -> String {
    let Some(p) = prediction else {
        return "<td class=\"none\" colspan=\"3\">not predicted</td><td class=\"drawn\"></td>".into();
    };
    let error = runs.and_then(|runs| error(p, runs));
    let mut out =
        format!("<td>{}</td><td class=\"breaks\">{}</td>", p.by.name(), text::interval(&p.makespan));
    out += &format!("<td class=\"num\">{}</td><td class=\"drawn\">", error.map_or("—".into(), text::percent));
    if let (Some(error), Some(runs)) = (error, runs) {
        let all = [runs.max(), runs.median(), runs.min()]
            .map(|m| compare::relative_error(p.makespan.makespan_s, m).unwrap_or(error));
        out += &drawn(p.by, all, scale);
    }
    out + "</td>"
}

/// The error against the median as a dot, against the greatest and least run as a line.
fn drawn(by: By, [low, middle, high]: [f64; 3], scale: &Scale) -> String {
    let at = |error: f64| n(scale.at(error).clamp(4.0, WIDTH - 4.0));
    format!(
        "<svg width=\"{0}\" height=\"14\" viewBox=\"0 0 {0} 14\" role=\"img\" aria-label=\"{1}\"><title>{1} against the median run, {2} to {3} \
         over all runs</title><path class=\"grid\" d=\"M{4} -6v26\"/><path class=\"line solid {5}\" d=\"M{6} 7H{7}\"/>\
         <circle class=\"dot {5}\" cx=\"{8}\" cy=\"7\" r=\"3.5\"/></svg>",
        n(WIDTH),
        text::percent(middle),
        text::percent(low),
        text::percent(high),
        n(WIDTH / 2.0),
        by_class(by),
        at(low),
        at(high),
        at(middle),
    )
}
