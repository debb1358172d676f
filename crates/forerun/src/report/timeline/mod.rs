//! Ranks over time.
//!
//! Up to [`SPANS`] spans on up to [`ROWS`] ranks are drawn one by one, each with a tooltip. More spans are
//! put together per rank and slice of time, every stage keeping its share of the slice; more ranks are put
//! together as the share of ranks in each stage over time.

mod shares;
mod slices;
mod spans;

use forerun_platform::{Outcome, RankTimes, Stage};

use super::mark::{Scale, TimeAxis, escape, n, stage_legend};
use super::scene::{Scene, WAYS};
use crate::compare::Compared;
use crate::text;

/// Bytes that all timelines of a page may take together, about.
pub(super) const BYTES: usize = 1_200_000;
/// Spans that are drawn one by one.
const SPANS: usize = 2000;
/// Ranks that have a row each.
const ROWS: usize = 64;
/// Slices of time times ranks, where spans are put together per rank.
const CELLS: usize = 6400;
/// About what a span takes that is drawn by itself, in bytes.
const SPAN_BYTES: usize = 125;
/// About what a slice of a rank's time takes.
const CELL_BYTES: usize = 40;
/// About what ranks put together take.
const LEAST: usize = 20_000;

const WIDTH: f64 = 1088.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 12.0;

/// All timelines: those of the headline's configuration open, the others folded.
pub(super) fn render(scene: &Scene<'_>, level: u8, budget: &mut usize) -> String {
    let best = scene.best().map(|c| &c.configuration);
    let mut all: Vec<(&Compared, Vec<&Outcome>)> = scene
        .compared
        .iter()
        .map(|c| {
            let of = |way| {
                scene
                    .representative(&c.configuration, way, |o| o.ranks.iter().any(|r| !r.timeline.is_empty()))
            };
            (c, WAYS.into_iter().filter_map(of).collect())
        })
        .filter(|(_, outcomes): &(_, Vec<_>)| !outcomes.is_empty())
        .collect();
    if all.is_empty() {
        return String::new();
    }
    all.sort_by_key(|(c, _)| Some(&c.configuration) != best);
    let spans =
        || all.iter().flat_map(|(_, outcomes)| outcomes).flat_map(|o| &o.ranks).flat_map(|r| &r.timeline);
    let seen: std::collections::BTreeSet<Stage> = spans().map(|s| s.stage).collect();
    let mut out = stage_legend(Stage::ALL.into_iter().filter(|s| seen.contains(s)));
    let mut left: usize = all.iter().map(|(_, outcomes)| outcomes.len()).sum();
    for (nth, (c, outcomes)) in all.iter().enumerate() {
        if *budget < LEAST * outcomes.len() {
            out += &format!(
                "<p class=\"note\">{} more would make this file too large; report fewer outcomes to see them.</p>\n",
                text::plural(left as u64, "timeline")
            );
            break;
        }
        let title = format!(
            "{}, {}",
            escape(&c.configuration.strategy_label()),
            text::plural(c.configuration.processors as u64, "processor")
        );
        let end = outcomes.iter().map(|o| covered(o)).fold(0.0, f64::max);
        let mut charts = String::new();
        for outcome in outcomes {
            // The first, which is open, may take what it needs; the others share what is left, so that all appear.
            let allowance = if nth == 0 { *budget / 3 } else { *budget / left };
            let chart = chart(outcome, end, allowance);
            *budget = budget.saturating_sub(chart.len());
            left -= 1;
            charts += &chart;
        }
        out += &match nth {
            0 => format!("<h{level}>{title}</h{level}>\n{charts}"),
            _ => format!("<details><summary>{title}</summary>\n{charts}</details>\n"),
        };
    }
    out
}

/// The end of the last span.
fn covered(outcome: &Outcome) -> f64 {
    outcome.ranks.iter().flat_map(|r| &r.timeline).map(|s| s.end_s).fold(0.0, f64::max)
}

/// One timeline in the most detailed form that takes no more than about so many bytes.
fn chart(outcome: &Outcome, end: f64, allowance: usize) -> String {
    let spans: usize = outcome.ranks.iter().map(|r| r.timeline.len()).sum();
    let ranks = outcome.ranks.len();
    let x = Scale::new((0.0, if end > 0.0 { end } else { 1.0 }), (LEFT, WIDTH - RIGHT), false);
    let cells = CELLS.min(allowance / CELL_BYTES);
    let slices = (cells / ranks.max(1)).min(320);
    let (body, height, how) = if ranks <= ROWS && spans <= SPANS && spans * SPAN_BYTES <= allowance {
        let (body, height) = rows(outcome, |rank, y, bar| spans::row(rank, y, bar, &x));
        (body, height, "")
    } else if ranks <= ROWS && slices >= 60 {
        let (body, height) = rows(outcome, |rank, y, bar| slices::row(rank, y, bar, end, slices, &x));
        (body, height, "spans put together in slices of time")
    } else {
        (shares::chart(outcome, end, &x), shares::HEIGHT + 8.0, "share of ranks in each stage")
    };
    let mut notes = vec![format!("<b>{}</b>", outcome.way.name()), text::seconds(outcome.makespan_s)];
    if !how.is_empty() {
        notes.push(how.into());
    }
    let own = covered(outcome);
    if own < 0.95 * outcome.makespan_s {
        notes.push(format!("the first {} of it", text::seconds(own)));
    }
    let axis = TimeAxis::exact(end, 8);
    let mut out = format!(
        "<figure><figcaption>{4}</figcaption><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline, {2}\">\
         <svg class=\"fit\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"What {3} did over time, {2}; the time of every \
         stage is in the table above\">\n",
        n(WIDTH),
        n(height + 34.0),
        outcome.way.name(),
        text::plural(ranks as u64, "rank"),
        notes.join(" · "),
    );
    for (seconds, label) in &axis.ticks {
        let at = n(x.at(*seconds));
        out += &format!(
            "<path class=\"grid\" d=\"M{at} 0V{}\"/><text class=\"mid\" x=\"{at}\" y=\"{}\">{label}</text>",
            n(height),
            n(height + 14.0)
        );
    }
    out += &format!(
        "<text class=\"end\" x=\"{}\" y=\"{}\">time in {}</text>\n",
        n(WIDTH - RIGHT),
        n(height + 30.0),
        axis.unit.symbol
    );
    out += &body;
    out += "</svg></div></figure>\n";
    out
}

/// A row a rank, with its number where there is room.
fn rows(outcome: &Outcome, draw: impl Fn(&RankTimes, f64, f64) -> String) -> (String, f64) {
    let pitch = match outcome.ranks.len() {
        0..=8 => 20.0,
        9..=16 => 16.0,
        17..=32 => 10.0,
        _ => 7.0,
    };
    let every = (14.0_f64 / pitch).ceil() as usize;
    let mut out = String::new();
    for (number, rank) in outcome.ranks.iter().enumerate() {
        let y = pitch * number as f64 + 2.0;
        if number.is_multiple_of(every) {
            let label = if number == 0 { "rank 0".to_string() } else { number.to_string() };
            out += &format!(
                "<text class=\"end\" x=\"{}\" y=\"{}\">{label}</text>",
                n(LEFT - 8.0),
                n(y + pitch / 2.0 + 3.0)
            );
        }
        out += &draw(rank, y, pitch - if pitch > 12.0 { 4.0 } else { 1.0 });
        out.push('\n');
    }
    (out, pitch * outcome.ranks.len() as f64 + 4.0)
}

/// Top and height of a stage's bar: waiting is thin, so that work stands out without its colour.
fn bar_of(stage: Stage, y: f64, bar: f64) -> (f64, f64) {
    if stage == Stage::Wait { (y + bar * 0.35, bar * 0.3) } else { (y, bar) }
}
