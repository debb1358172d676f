//! Axes with ticks that a person would choose.

use super::nice;
use crate::text;

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spacing {
    /// By logarithm where the greatest positive value is at least five times the least and none is
    /// 0 or less, else evenly.
    #[default]
    Auto,
    /// Evenly.
    Even,
    /// By logarithm; values of 0 and less are drawn at its end.
    Logarithmic,
}

/// An axis: its ends, and ticks with what to write at each.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its ends.
    pub range: (f64, f64),
    /// Whether it is logarithmic.
    pub log: bool,
    /// Ticks, ascending.
    pub ticks: Vec<(f64, String)>,
}

/// From how many times the least value on the greatest is drawn by logarithm.
const WIDE: f64 = 5.0;
/// Up to how many different values each has its own tick.
const OWN: usize = 12;

impl Axis {
    /// An axis for values of which at least one is finite (none: from 0 to 1), with about so many ticks.
    /// Evenly divided it begins at 0, unless a value is below.
    pub fn of(values: impl IntoIterator<Item = f64>, spacing: Spacing, about: usize) -> Axis {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let positive = values.iter().copied().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        let log = match spacing {
            Spacing::Even => false,
            Spacing::Logarithmic => positive.is_finite(),
            Spacing::Auto => least > 0.0 && most >= WIDE * least,
        };
        match log {
            true => Axis::logarithmic(positive, most.max(positive), about),
            false => Axis::even(least.min(0.0), if most > 0.0 { most } else { 1.0 }, about),
        }
    }

    /// As [`Axis::of`], but ending at the least and greatest value and with a tick at each where they are
    /// at most twelve different ones: for numbers of processors and the like.
    pub fn at(values: impl IntoIterator<Item = f64>, spacing: Spacing, about: usize) -> Axis {
        let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let mut axis = Axis::of(values.iter().copied(), spacing, about);
        let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return axis };
        if !axis.log || first > 0.0 {
            axis.range = match first == last {
                false => (first, last),
                // One value stands in the middle.
                true if axis.log => (first / 2.0, first * 2.0),
                true => (first - 1.0, first + 1.0),
            };
            axis.ticks.retain(|(v, _)| (first..=last).contains(v));
        }
        if values.len() <= OWN {
            axis.ticks = values.into_iter().filter(|v| !axis.log || *v > 0.0).map(|v| (v, tick(v))).collect();
        }
        axis
    }

    fn even(min: f64, max: f64, about: usize) -> Axis {
        let step = nice((max - min) / about.max(1) as f64);
        let (first, last) = ((min / step + 1e-9).floor() as i64, (max / step - 1e-9).ceil() as i64);
        let ticks = (first..=last).map(|k| k as f64 * step).map(|v| (v, tick(v))).collect();
        Axis { range: (first as f64 * step, last as f64 * step), log: false, ticks }
    }

    fn logarithmic(min: f64, max: f64, about: usize) -> Axis {
        let (from, to) = (min / 1.15, max * 1.15);
        let ticks = log_ticks(from, to, about).into_iter().map(|v| (v, tick(v))).collect();
        Axis { range: (from, to), log: true, ticks }
    }
}

/// Round numbers from `from` to `to`, both positive, at most about so many where powers of ten allow.
pub(crate) fn log_ticks(from: f64, to: f64, about: usize) -> Vec<f64> {
    let powers = from.log10().floor() as i32..=to.log10().ceil() as i32;
    let values = |digits: &[f64]| -> Vec<f64> {
        let all = powers.clone().flat_map(|power| digits.iter().map(move |d| d * 10f64.powi(power)));
        all.filter(|v| (from..=to).contains(v)).collect()
    };
    let choices = [&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0][..], &[1.0, 2.0, 3.0, 5.0], &[1.0, 2.0, 5.0], &[1.0]];
    choices.into_iter().map(values).find(|all| all.len() <= about).unwrap_or_else(|| values(&[1.0]))
}

/// A number at a tick: at most six digits, and powers of ten beyond.
fn tick(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{value:.2e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return if mantissa == "1" { format!("1e{power}") } else { format!("{mantissa}e{power}") };
    }
    if size >= 1000.0 && value.fract() == 0.0 {
        let sign = if value < 0.0 { "−" } else { "" };
        return format!("{sign}{}", text::count(size as u64));
    }
    let decimals = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    let short =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text.as_str() };
    short.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_cover_the_data() {
        assert_eq!(labels(&Axis::of([2.0, 9.7], Spacing::Auto, 5)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&Axis::of([-3.0, 4.0], Spacing::Auto, 4)), ["−4", "−2", "0", "2", "4"]);
        assert_eq!(labels(&Axis::of([1.0, 900.0], Spacing::Auto, 5)), ["1", "10", "100", "1,000"]);
        assert_eq!(labels(&Axis::of([0.0, 900.0], Spacing::Auto, 2)), ["0", "500", "1,000"]);
        assert_eq!(labels(&Axis::of([], Spacing::Auto, 2)), ["0", "0.5", "1"]);
        assert_eq!(labels(&Axis::of([2e7, 1e9], Spacing::Logarithmic, 3)), ["1e8", "1e9"]);
    }

    #[test]
    fn a_few_values_have_a_tick_each() {
        let axis = Axis::at([8.0, 1.0, 2.0, 2.0], Spacing::Auto, 5);
        assert_eq!(labels(&axis), ["1", "2", "8"]);
        assert_eq!(axis.range, (1.0, 8.0));
        let one = Axis::at([4.0], Spacing::Auto, 5);
        assert_eq!((labels(&one), one.range), (vec!["4"], (3.0, 5.0)));
        let many = Axis::at((1..=40).map(f64::from), Spacing::Even, 5);
        assert_eq!(labels(&many), ["10", "20", "30", "40"]);
        assert_eq!(many.range, (1.0, 40.0));
    }
}
