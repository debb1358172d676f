//! What the charts of the page are made of beside [`crate::chart`]: classes, axes of time, legends.

use forerun_platform::Stage;

use crate::chart::log_ticks;
use crate::compare::By;
use crate::text::{self, TimeUnit};

pub(super) use crate::chart::{Scale, escape, n, nice};

/// The class that colours a stage.
pub(super) fn stage_class(stage: Stage) -> String {
    format!("s-{}", stage.name())
}

/// The class that colours a predictor.
pub(super) fn by_class(by: By) -> String {
    format!("p-{}", by.name())
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
        let chosen = log_ticks(low / unit.seconds, high / unit.seconds, about);
        let ticks = chosen.into_iter().map(|v| v * unit.seconds).map(|v| (v, text::tick(v, unit))).collect();
        TimeAxis { range: (low, high), log: true, unit, ticks }
    }
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
    fn ticks_are_round_and_cover_the_data() {
        let labels = |axis: TimeAxis| axis.ticks.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(labels(TimeAxis::linear(12.9, 4)), ["0", "5", "10", "15"]);
        assert_eq!(labels(TimeAxis::linear(0.0032, 4)), ["0", "1", "2", "3", "4"]);
        assert_eq!(labels(TimeAxis::logarithmic(2.9, 25.0, 6)), ["3", "5", "7", "10", "15", "20"]);
        assert_eq!(labels(TimeAxis::logarithmic(45.0, 270.0, 6)), ["0.7", "1", "1.5", "2", "3", "5"]);
        assert_eq!(labels(TimeAxis::exact(12.9, 4)), ["0", "5", "10"]);
        assert!(TimeAxis::linear(0.0, 4).range.1 > 0.0);
    }
}
