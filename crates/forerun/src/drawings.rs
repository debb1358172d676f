//! Outcomes as a table of data, and as a plot of the makespan against processors.

use std::collections::BTreeMap;

use forerun_platform::Outcome;

use crate::chart::{LineChart, Series, Style};
use crate::compare::{By, Compared, Configuration, compare, is_measured, relative_error};
use crate::drawn::{Cell, Sheet};

/// Outcomes, a row each.
pub fn outcomes_sheet(outcomes: &[Outcome]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "job",
        "platform",
        "way",
        "strategy",
        "processors",
        "groups",
        "arity",
        "makespan_s",
        "low_s",
        "high_s",
        "messages",
        "bytes",
        "input",
    ]);
    for o in outcomes {
        let interval = o.predicted.or(o.plan.predicted).filter(|_| !is_measured(o.way));
        sheet.rows.push(vec![
            o.job.as_str().into(),
            o.platform.as_str().into(),
            o.way.name().into(),
            o.plan.pattern().into(),
            o.processors.into(),
            o.plan.groups.into(),
            o.plan.arity.into(),
            o.makespan_s.into(),
            interval.map(|i| i.low_s).into(),
            interval.map(|i| i.high_s).into(),
            o.messages.into(),
            o.bytes.into(),
            Configuration::of(o).input_label().into(),
        ]);
    }
    sheet
}

/// What `compare` shows: a row for each measurement with each prediction.
pub fn compared_sheet(outcomes: &[Outcome]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "job",
        "platform",
        "strategy",
        "processors",
        "groups",
        "arity",
        "run_by",
        "runs",
        "measured_s",
        "min_s",
        "max_s",
        "predicted_by",
        "predicted_s",
        "low_s",
        "high_s",
        "relative_error",
        "input",
    ]);
    for c in compare(outcomes) {
        let Compared { configuration: k, measured, predictions, .. } = &c;
        let runs = measured.iter().map(Some).chain(measured.is_empty().then_some(None));
        for runs in runs {
            let predicted = predictions.iter().map(Some).chain(predictions.is_empty().then_some(None));
            for p in predicted {
                let span = p.map(|p| p.makespan);
                let error = runs.zip(span).and_then(|(r, s)| relative_error(s.makespan_s, r.median()));
                sheet.rows.push(vec![
                    k.job.as_str().into(),
                    k.platform.as_str().into(),
                    k.strategy_label().into(),
                    k.processors.into(),
                    k.groups.into(),
                    k.arity.into(),
                    runs.map(|r| r.way.name()).into(),
                    runs.map(|r| r.makespans_s.len()).into(),
                    runs.map(|r| r.median()).into(),
                    runs.map(|r| r.min()).into(),
                    runs.map(|r| r.max()).into(),
                    p.map(|p| p.by.name()).into(),
                    span.map(|s| s.makespan_s).into(),
                    span.map(|s| s.low_s).into(),
                    span.map(|s| s.high_s).into(),
                    Cell::from(error),
                    k.input_label().into(),
                ]);
            }
        }
    }
    sheet
}

/// The makespan against processors: a series for each strategy, or other skeleton, and each who measured or predicted it.
/// Where several shapes of a strategy have the same number of processors, the fastest is drawn.
pub fn makespans(outcomes: &[Outcome]) -> LineChart {
    type Points = BTreeMap<usize, (f64, (f64, f64))>;
    let mut all: BTreeMap<(String, bool), Points> = BTreeMap::new();
    let compared = compare(outcomes);
    let several = |of: fn(&Configuration) -> String| {
        compared.windows(2).any(|pair| of(&pair[0].configuration) != of(&pair[1].configuration))
    };
    let (jobs, platforms) = (several(Configuration::job_label), several(|k| k.platform.clone()));
    let name = |k: &Configuration, by: &str| {
        let mut parts = vec![k.pattern().to_string(), by.to_string()];
        parts.extend(jobs.then(|| k.job_label()));
        parts.extend(platforms.then(|| k.platform.clone()));
        parts.join(", ")
    };
    for c in &compared {
        let k = &c.configuration;
        let measured =
            c.measured.iter().map(|r| (name(k, r.way.name()), true, r.median(), (r.min(), r.max())));
        let alone = c.predictions.iter().all(|p| p.by == By::Plan);
        let predicted = c.predictions.iter().filter(|p| alone || p.by != By::Plan).map(|p| {
            (name(k, p.by.name()), false, p.makespan.makespan_s, (p.makespan.low_s, p.makespan.high_s))
        });
        for (name, measured, seconds, band) in measured.chain(predicted) {
            let points = all.entry((name, measured)).or_default();
            if points.get(&k.processors).is_none_or(|(least, _)| seconds < *least) {
                points.insert(k.processors, (seconds, band));
            }
        }
    }
    let series = all.into_iter().map(|((name, measured), points)| Series {
        style: match measured {
            true => Style::Points,
            false if name.contains("simulated") => Style::Dashed,
            false => Style::Line,
        },
        name,
        points: points.iter().map(|(p, (seconds, _))| (*p as f64, *seconds)).collect(),
        band: if measured { Vec::new() } else { points.values().map(|(_, band)| *band).collect() },
    });
    let title = match compared.first() {
        Some(c) if !jobs && !platforms => {
            format!("Makespan of {} on {}", c.configuration.job_label(), c.configuration.platform)
        }
        _ => "Makespan".to_string(),
    };
    LineChart {
        title,
        x: "processors".into(),
        y: "makespan in s".into(),
        series: series.collect(),
        ..LineChart::default()
    }
}
