//! Numbers as a paper prints them, and whether ours agree to those digits.

use serde::Serialize;

use super::quantity::{Quantity, Unit, split};

/// How a paper came from a value to the digits that it prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Digits {
    /// To the nearest.
    Rounded,
    /// What follows them is left out.
    Cut,
}

impl Digits {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Digits::Rounded => "rounded",
            Digits::Cut => "cut",
        }
    }
}

/// A number as it is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// The text, with the unit.
    pub text: String,
    /// The unit.
    pub unit: Unit,
    /// The number in that unit.
    pub value: f64,
    /// One of the last digit, in that unit.
    last: f64,
}

/// What parts of a digit a calculation may lose.
const SLACK: f64 = 1e-9;

impl Printed {
    /// Reads a printed number: its digits, with a power of ten or not, and its unit.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn read(text: &str) -> Result<Printed, String> {
        Quantity::read(text)?;
        let (number, unit) = split(text);
        let plain = number.replace('−', "-");
        let (mantissa, power) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        let value: f64 = plain.parse().map_err(|e| format!("\"{text}\": {e}"))?;
        let power: i32 = power.parse().map_err(|e| format!("\"{text}\": {e}"))?;
        let last = 10f64.powi(power.saturating_sub(decimals));
        Ok(Printed { text: text.trim().into(), unit: Unit::of(unit)?, value, last })
    }

    /// A value in the base unit, in the unit that is printed.
    pub fn in_unit(&self, base: f64) -> f64 {
        base / self.unit.one
    }

    /// Whether `value`, in the printed unit, gives the printed digits, and how. Only the way that `only`
    /// names counts; without it rounding is tried before cutting.
    pub fn agrees(&self, value: f64, only: Option<Digits>) -> Option<Digits> {
        let slack = SLACK * self.last;
        let rounded = (value - self.value).abs() <= 0.5 * self.last + slack;
        let (size, printed) = (value.abs(), self.value.abs());
        let same_side = value * self.value >= 0.0;
        let cut = same_side && size >= printed - slack && size < printed + self.last - slack;
        let ways = [(Digits::Rounded, rounded), (Digits::Cut, cut)];
        ways.into_iter().find(|(way, holds)| *holds && only.is_none_or(|o| o == *way)).map(|(way, _)| way)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_are_rounded_or_cut() {
        let agrees = |text: &str, value| Printed::read(text).unwrap().agrees(value, None);
        assert_eq!(agrees("77 s", 76.88), Some(Digits::Rounded));
        assert_eq!(agrees("77 s", 77.97), Some(Digits::Cut));
        assert_eq!(agrees("77 s", 78.0), None);
        assert_eq!(agrees("77 s", 76.4), None);
        assert_eq!(agrees("-7.22 %", -7.2289), Some(Digits::Cut));
        assert_eq!(agrees("-7.22 %", 7.22), None);
        assert_eq!(agrees("0.16", 0.1599), Some(Digits::Rounded));
        assert_eq!(agrees("1.72e12", 1.7246e12), Some(Digits::Rounded));
        assert_eq!(agrees("5.40", 5.4), Some(Digits::Rounded));
        assert_eq!(agrees("0", -0.3), Some(Digits::Rounded));
        let only = |way| Printed::read("77").unwrap().agrees(77.97, Some(way));
        assert_eq!((only(Digits::Rounded), only(Digits::Cut)), (None, Some(Digits::Cut)));
    }

    #[test]
    fn ours_is_shown_in_the_printed_unit() {
        let printed = Printed::read("2.58 ms").unwrap();
        assert!((printed.in_unit(0.000449) - 0.449).abs() < 1e-12);
    }

    proptest! {
        /// What a value is printed as, it agrees with, and with nothing more than a digit away.
        #[test]
        fn a_value_agrees_with_its_own_digits(value in -1e4f64..1e4, decimals in 0usize..6) {
            let text = format!("{value:.decimals$}");
            let printed = Printed::read(&text).unwrap();
            prop_assert_eq!(printed.agrees(value, Some(Digits::Rounded)), Some(Digits::Rounded));
            let away = value + 1.6 * 10f64.powi(-(decimals as i32)) * if value < 0.0 { -1.0 } else { 1.0 };
            prop_assert_eq!(printed.agrees(away, None), None);
        }
    }
}
