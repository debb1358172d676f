//! Spans put together per slice of time.

use forerun_platform::{RankTimes, Span, Stage};

use super::super::mark::{Scale, n, stage_class};
use super::bar_of;
use crate::text;

/// Seconds of each stage in each slice of time. Cost: spans plus slices they reach over.
pub(super) fn slice(spans: &[Span], end: f64, slices: usize) -> Vec<[f64; Stage::ALL.len()]> {
    let mut out = vec![[0.0; Stage::ALL.len()]; slices];
    let width = end / slices as f64;
    if width <= 0.0 {
        return out;
    }
    for span in spans {
        let which = Stage::ALL.iter().position(|s| *s == span.stage).unwrap_or(0);
        let first = ((span.start_s / width) as usize).min(slices - 1);
        let last = ((span.end_s / width) as usize).min(slices - 1);
        for (at, cell) in out.iter_mut().enumerate().take(last + 1).skip(first) {
            let (from, to) = (at as f64 * width, (at + 1) as f64 * width);
            cell[which] += (span.end_s.min(to) - span.start_s.max(from)).max(0.0);
        }
    }
    out
}

/// A rank's row from slices: within a slice stages stand side by side, each as wide as its share.
pub(super) fn row(rank: &RankTimes, y: f64, bar: f64, end: f64, slices: usize, x: &Scale) -> String {
    let cells = slice(&rank.timeline, end, slices);
    let width = end / slices as f64;
    let mut paths = vec![Vec::<(f64, f64)>::new(); Stage::ALL.len()];
    for (at, cell) in cells.iter().enumerate() {
        let mut from = at as f64 * width;
        for (seconds, path) in cell.iter().zip(&mut paths).filter(|(seconds, _)| **seconds > 0.002 * width) {
            match path.last_mut() {
                Some((_, to)) if (from - *to).abs() < 0.01 * width => *to = from + seconds,
                _ => path.push((from, from + seconds)),
            }
            from += seconds;
        }
    }
    let mut out = String::from("<g><title>");
    let busy: Vec<String> = rank
        .stages
        .iter()
        .filter(|(_, t)| t.total_s > 0.0)
        .map(|(s, t)| format!("{} {}", s.name(), text::seconds(t.total_s)))
        .collect();
    out += &format!("{}</title>", busy.join(", "));
    for (stage, path) in Stage::ALL.into_iter().zip(paths).filter(|(_, path)| !path.is_empty()) {
        let (top, height) = bar_of(stage, y, bar);
        out += &format!("<path class=\"{}\" d=\"", stage_class(stage));
        for (from, to) in path {
            let width = n(x.at(to) - x.at(from));
            out += &format!("M{} {}h{width}v{}h-{width}z", n(x.at(from)), n(top), n(height));
        }
        out += "\"/>";
    }
    out + "</g>"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Slices lose no time: what is in them is what was in the spans.
        #[test]
        fn slices_keep_the_time_of_every_stage(
            lengths in prop::collection::vec((0usize..Stage::ALL.len(), 0.0f64..3.0), 1..50),
            slices in 1usize..400,
        ) {
            let mut now = 0.0;
            let spans: Vec<Span> = lengths.iter().map(|(stage, length)| {
                let start_s = now;
                now += length;
                Span { stage: Stage::ALL[*stage], item: 0, start_s, end_s: now }
            }).collect();
            let cells = slice(&spans, now, slices);
            for (which, stage) in Stage::ALL.into_iter().enumerate() {
                let before: f64 = spans.iter().filter(|s| s.stage == stage).map(|s| s.end_s - s.start_s).sum();
                let after: f64 = cells.iter().map(|cell| cell[which]).sum();
                prop_assert!((before - after).abs() < 1e-6 * (1.0 + before), "{} became {}", before, after);
            }
            let fullest = cells.iter().map(|cell| cell.iter().sum::<f64>()).fold(0.0, f64::max);
            prop_assert!(fullest <= now / slices as f64 * (1.0 + 1e-6) + 1e-9);
        }
    }
}
