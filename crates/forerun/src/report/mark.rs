//! What charts are made of: escaped text, short numbers, scales and their ticks, legends.

use forerun_platform::Stage;

use crate::compare::By;
use crate::text::{self, TimeUnit};

/// Text made safe for HTML and SVG, in content and in quoted attributes. Line ends and tabs become
/// spaces, other control characters a mark.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A coordinate with one decimal at most.
pub(super) fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").unwrap_or(&text);
    if short == "-0" { "0".into() } else { short.into() }
}

/// The class that colours a stage.
pub(super) fn stage_class(stage: Stage) -> String {
    format!("s-{}", stage.name())
}

/// The class that colours a predictor.
pub(super) fn by_class(by: By) -> String {
    format!("p-{}", by.name())
}

/// Maps values to pixels, evenly or by logarithm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    log: bool,
    start: f64,
    end: f64,
}

impl Scale {
    /// A scale from values `from` … `to` to pixels `start` … `end`; by logarithm both values are positive.
    pub(super) fn new((from, to): (f64, f64), (start, end): (f64, f64), log: bool) -> Scale {
        let (from, to) = if log { (from.ln(), to.ln()) } else { (from, to) };
        Scale { from, to: if to > from { to } else { from + 1.0 }, log, start, end }
    }

    /// The pixel of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        // What a logarithm cannot show is drawn at the end of the scale.
        let value = if self.log { value.max(f64::MIN_POSITIVE).ln().max(self.from) } else { value };
        self.start + (value - self.from) / (self.to - self.from) * (self.end - self.start)
    }
}

/// An axis of time from zero (or by logarithm) with ticks that a person would choose.
#[derive(Debug, Clone)]
pub(super) struct TimeAxis {
    /// Ends of the axis in seconds.
    pub(super) range: (f64, f64),
    /// Whether it is logarithmic.
    pub(super) log: bool,
    /// Its unit.
    pub(super) unit: TimeUnit,
    /// Ticks: seconds and what to write.
    pub(super) ticks: Vec<(f64, String)>,
}

impl TimeAxis {
    /// From zero to a little more than `max` seconds with about so many ticks.
    pub(super) fn linear(max: f64, about: usize) -> TimeAxis {
        let max = if max > 0.0 { max } else { 1.0 };
        let unit = TimeUnit::of(max);
        let step = nice(max / unit.seconds / about.max(1) as f64) * unit.seconds;
        let last = (max / step - 1e-9).ceil() as usize;
        let ticks = (0..=last).map(|k| (k as f64 * step, text::tick(k as f64 * step, unit))).collect();
        TimeAxis { range: (0.0, last as f64 * step), log: false, unit, ticks }
    }

    /// From zero to exactly `max` seconds.
    pub(super) fn exact(max: f64, about: usize) -> TimeAxis {
        let mut axis = TimeAxis::linear(max, about);
        axis.range.1 = if max > 0.0 { max } else { 1.0 };
        let end = axis.range.1 * (1.0 + 1e-9);
        axis.ticks.retain(|(at, _)| *at <= end);
        axis
    }

    /// From a little less than `min` to a little more than `max` seconds, both positive, at most about so many
    /// ticks at round numbers.
    pub(super) fn logarithmic(min: f64, max: f64, about: usize) -> TimeAxis {
        let (low, high) = (min / 1.15, max * 1.15);
        let unit = TimeUnit::of(high);
        // Round in the axis's unit, which is not a power of ten for minutes and hours.
        let (from, to) = (low / unit.seconds, high / unit.seconds);
        let powers = from.log10().floor() as i32..=to.log10().ceil() as i32;
        let values = |digits: &[f64]| -> Vec<f64> {
            let all = powers.clone().flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)));
            all.filter(|v| (from..=to).contains(v)).collect()
        };
        let choices = [&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0][..], &[1.0, 2.0, 3.0, 5.0], &[1.0, 2.0, 5.0], &[1.0]];
        let chosen =
            choices.into_iter().map(values).find(|all| all.len() <= about).unwrap_or_else(|| values(&[1.0]));
        let ticks = chosen.into_iter().map(|v| v * unit.seconds).map(|v| (v, text::tick(v, unit))).collect();
        TimeAxis { range: (low, high), log: true, unit, ticks }
    }
}

/// The next of 1, 2, 5 times a power of ten.
pub(super) fn nice(raw: f64) -> f64 {
    let power = 10f64.powi(raw.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|d| d * power).find(|v| *v >= raw * 0.999_999).unwrap_or(raw)
}

/// A legend of stages.
pub(super) fn stage_legend(stages: impl IntoIterator<Item = Stage>) -> String {
    let entry = |stage: Stage| {
        let (y, height) = if stage == Stage::Wait { (5, 4) } else { (1, 12) };
        format!(
            "<li><svg class=\"key\" width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"{}\" x=\"1\" y=\"{y}\" \
             width=\"12\" height=\"{height}\"/></svg>{}</li>",
            stage_class(stage),
            stage.name()
        )
    };
    format!("<ul class=\"legend\">{}</ul>\n", stages.into_iter().map(entry).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_can_leave_its_place() {
        assert_eq!(
            escape("<a b='c' d=\"e\">&\u{1b}"),
            "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\u{fffd}"
        );
    }

    #[test]
    fn ticks_are_round_and_cover_the_data() {
        let labels = |axis: TimeAxis| axis.ticks.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(labels(TimeAxis::linear(12.9, 4)), ["0", "5", "10", "15"]);
        assert_eq!(labels(TimeAxis::linear(0.0032, 4)), ["0", "1", "2", "3", "4"]);
        assert_eq!(labels(TimeAxis::logarithmic(2.9, 25.0, 6)), ["3", "5", "7", "10", "15", "20"]);
        assert_eq!(labels(TimeAxis::logarithmic(45.0, 270.0, 6)), ["0.7", "1", "1.5", "2", "3", "5"]);
        assert_eq!(labels(TimeAxis::exact(12.9, 4)), ["0", "5", "10"]);
        assert!(TimeAxis::linear(0.0, 4).range.1 > 0.0);
    }

    #[test]
    fn scales_map_ends_to_ends() {
        let scale = Scale::new((1.0, 8.0), (0.0, 30.0), true);
        assert!(
            [(1.0, 0.0), (2.0, 10.0), (8.0, 30.0)].iter().all(|(v, px)| (scale.at(*v) - px).abs() < 1e-9)
        );
        assert!(Scale::new((3.0, 3.0), (0.0, 30.0), false).at(3.0).is_finite());
    }
}
