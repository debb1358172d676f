//! Reproduced entries as a table of data, and as a plot.

use super::outcome::{Kind, PREDICTORS, Reproduced, RowOutcome, estimates};
use crate::chart::{LineChart, Series, Spacing, Style};
use crate::drawn::{Cell, Sheet};
use crate::text;

/// The rows of entries.
pub fn sheet(entries: &[Reproduced]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "name",
        "label",
        "kind",
        "unit",
        "printed",
        "paper",
        "ours",
        "relative",
        "agrees",
        "digits",
        "explained",
        "reason",
        "their_model",
        "their_model_relative",
        "closed_form",
        "closed_form_relative",
        "simulated",
        "simulated_relative",
    ]);
    for (entry, row) in entries.iter().flat_map(|e| e.rows.iter().map(move |r| (e, r))) {
        let kind = match row.kind {
            Kind::Formula => "formula",
            Kind::Measured => "measured",
        };
        let mut cells: Vec<Cell> = vec![
            entry.name.as_str().into(),
            row.label.as_str().into(),
            kind.into(),
            row.unit.as_str().into(),
            row.printed.as_str().into(),
            row.paper.into(),
            row.ours.into(),
            row.relative.into(),
            row.agrees.map(|a| a.name()).into(),
            row.digits.map(|d| d.name()).into(),
            row.explained.into(),
            row.reason.as_deref().into(),
        ];
        for estimate in estimates(row) {
            cells.push(estimate.map(|e| e.value).into());
            cells.push(estimate.and_then(|e| e.relative).into());
        }
        sheet.rows.push(cells);
    }
    sheet
}

/// One entry: its numbers over what its lines are over, else how far off each row is. Several: predicted
/// over measured for every measured row, or where there are none how far off each row is.
pub fn plot(entries: &[Reproduced]) -> LineChart {
    match entries {
        [one] if one.over.is_some() => over_lines(one),
        [one] => differences(entries, &one.title),
        several if several.iter().any(|e| e.rows.iter().any(|r| r.kind == Kind::Measured)) => {
            predicted_over_measured(several)
        }
        several => differences(several, "How far ours is from the papers"),
    }
}

/// The paper's numbers as points, ours as lines, a pair for each label of rows.
fn over_lines(of: &Reproduced) -> LineChart {
    let over = of.over.clone().unwrap_or_default();
    let mut labels: Vec<&str> = Vec::new();
    let drawn = |row: &RowOutcome| row.kind == Kind::Measured || !has_measured(of);
    let rows = || of.rows.iter().zip(&of.at).filter(|(row, at)| at.is_some() && drawn(row));
    for (row, _) in rows() {
        if !labels.contains(&row.of.as_str()) {
            labels.push(&row.of);
        }
    }
    let mut series = Vec::new();
    let mut units: Vec<&str> = Vec::new();
    for label in labels {
        let of_label = || rows().filter(|(row, _)| row.of == label);
        let points = |value: &dyn Fn(&RowOutcome) -> Option<f64>| -> Vec<(f64, f64)> {
            of_label().filter_map(|(row, at)| Some((at.as_ref().copied()?, value(row)?))).collect()
        };
        let mut add = |name: String, style, points: Vec<(f64, f64)>| {
            if !points.is_empty() {
                series.push(Series { name, style, points, band: Vec::new() });
            }
        };
        // As the columns of the tables are called: of measured rows, and of formulas.
        let [theirs, closed, simulated] = PREDICTORS;
        let (paper, ours) = if has_measured(of) { ("measured", closed) } else { ("paper", "ours") };
        add(format!("{label}, {paper}"), Style::Points, points(&|row| Some(row.paper)));
        add(format!("{label}, {ours}"), Style::Line, points(&|row| row.ours));
        add(format!("{label}, {simulated}"), Style::Dashed, points(&|row| row.simulated.map(|e| e.value)));
        add(format!("{label}, {theirs}"), Style::Dashed, points(&|row| row.theirs.map(|e| e.value)));
        for unit in of_label().map(|(row, _)| row.unit.as_str()) {
            if !units.contains(&unit) {
                units.push(unit);
            }
        }
    }
    LineChart {
        title: format!("{}: {}", of.name, of.title),
        x: over,
        y: if units == [""] { "value".into() } else { text::micro(&units.join(", ")) },
        series,
        ..LineChart::default()
    }
}

fn has_measured(of: &Reproduced) -> bool {
    of.rows.iter().any(|r| r.kind == Kind::Measured)
}

fn differences(entries: &[Reproduced], title: &str) -> LineChart {
    let rows = || entries.iter().flat_map(|e| &e.rows).enumerate();
    let points = |value: &dyn Fn(&RowOutcome) -> Option<f64>| {
        rows().filter_map(|(at, row)| value(row).map(|v| (at as f64 + 1.0, 100.0 * v))).collect()
    };
    let explained = |row: &RowOutcome| row.explained.map(|v| (v - row.paper) / row.paper);
    LineChart {
        title: title.into(),
        x: "row".into(),
        y: "difference in %".into(),
        x_spacing: Spacing::Even,
        y_spacing: Spacing::Even,
        series: vec![
            Series {
                name: "ours".into(),
                style: Style::Points,
                points: points(&|row| row.relative),
                band: Vec::new(),
            },
            Series {
                name: "recomputed under its reason".into(),
                style: Style::Points,
                points: points(&explained),
                band: Vec::new(),
            },
        ],
    }
}

/// 1 where a prediction is what was measured.
fn predicted_over_measured(entries: &[Reproduced]) -> LineChart {
    let rows = || entries.iter().flat_map(|e| &e.rows).filter(|r| r.kind == Kind::Measured && r.unit == "s");
    let points = |who: usize| {
        let of = |r: &RowOutcome| estimates(r)[who].and_then(|e| e.relative).map(|e| (r.paper, 1.0 + e));
        rows().filter_map(of).collect()
    };
    let series = |(who, name): (usize, &&str)| Series {
        name: name.to_string(),
        style: Style::Points,
        points: points(who),
        band: Vec::new(),
    };
    LineChart {
        title: "Predicted over measured".into(),
        x: "measured in s".into(),
        y: "predicted / measured".into(),
        x_spacing: Spacing::Logarithmic,
        y_spacing: Spacing::Even,
        // Ours last, the closed form on top: both are the same more often than not.
        series: PREDICTORS
            .iter()
            .enumerate()
            .filter(|(who, _)| *who != 1)
            .map(series)
            .chain(PREDICTORS.iter().enumerate().filter(|(who, _)| *who == 1).map(series))
            .collect(),
    }
}
