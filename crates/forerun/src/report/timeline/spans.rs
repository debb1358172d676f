//! Spans one by one, each with a tooltip.

use forerun_platform::{RankTimes, Span};

use super::super::mark::{Scale, n, stage_class};
use super::bar_of;
use crate::text;

/// A rank's row.
pub(super) fn row(rank: &RankTimes, y: f64, bar: f64, x: &Scale) -> String {
    let one = |span: &Span| {
        let (top, height) = bar_of(span.stage, y, bar);
        let (start, width) = (x.at(span.start_s), x.at(span.end_s) - x.at(span.start_s));
        format!(
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{} {}: {} from {}</title></rect>",
            stage_class(span.stage),
            n(start),
            n(top),
            n(width.max(0.5)),
            n(height),
            span.stage.name(),
            span.item,
            text::seconds(span.end_s - span.start_s),
            text::seconds(span.start_s)
        )
    };
    rank.timeline.iter().map(one).collect()
}
