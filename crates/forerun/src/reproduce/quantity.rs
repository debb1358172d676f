//! Numbers of study files with their units.

use forerun_platform::units::Quantity as _;
use forerun_platform::{Bytes, BytesPerSecond, Seconds, SecondsPerByte};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Nothing but itself: a count or a ratio; `%` is a hundredth.
    Number,
    /// Seconds.
    Time,
    /// Bytes.
    Size,
    /// Bytes a second.
    Rate,
    /// Seconds a byte.
    TimePerByte,
    /// Items a second: `1/s`, `k/s`, `M/s`.
    PerSecond,
}

impl Dimension {
    /// What a value of it is called, with one as it is written.
    pub fn words(self) -> &'static str {
        match self {
            Dimension::Number => "a number, such as 16 or \"3.4 %\"",
            Dimension::Time => "a time, such as \"0.15 s\"",
            Dimension::Size => "a size, such as \"64 KiB\"",
            Dimension::Rate => "a rate, such as \"1.28 Gbit/s\"",
            Dimension::TimePerByte => "a time per byte, such as \"0.8 ns/B\"",
            Dimension::PerSecond => "items a second, such as \"0.54 M/s\"",
        }
    }

    /// The unit that values of it are calculated in.
    pub fn base(self) -> &'static str {
        match self {
            Dimension::Number => "",
            Dimension::Time => "s",
            Dimension::Size => "B",
            Dimension::Rate => "B/s",
            Dimension::TimePerByte => "s/B",
            Dimension::PerSecond => "1/s",
        }
    }
}

/// A number in the base unit of its dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// The number.
    pub number: f64,
    /// What it counts.
    pub dimension: Dimension,
}

/// A unit as it is written, with what one of it is in the base unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// As it is written; nothing for plain numbers.
    pub symbol: String,
    /// What it measures.
    pub dimension: Dimension,
    /// One of it in the base unit.
    pub one: f64,
}

/// Splits a number, with its sign and power of ten, from its unit.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = if text.starts_with(['-', '+']) { 1 } else { 0 };
    if text.starts_with('−') {
        end = '−'.len_utf8();
    }
    end = digits(end);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let power = digits(end + 1 + sign);
        if power > end + 1 + sign {
            end = power;
        }
    }
    (&text[..end], text[end..].trim())
}

/// Whether a text is meant as a number and not as a name.
pub(super) fn is_number(text: &str) -> bool {
    text.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-−.".contains(c))
}

impl Unit {
    /// The unit that `symbol` stands for.
    ///
    /// # Errors
    /// What is expected instead.
    pub fn of(symbol: &str) -> Result<Unit, String> {
        let one = Quantity::read(&format!("1 {symbol}"))?;
        Ok(Unit { symbol: symbol.trim().into(), dimension: one.dimension, one: one.number })
    }
}

impl Quantity {
    /// A number with its unit, which may be negative; without one it is a plain number.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence.
    pub fn read(text: &str) -> Result<Quantity, String> {
        let (number, unit) = split(text);
        let plain = number.replace('−', "-");
        let value: f64 = plain.parse().map_err(|_| {
            format!(
                "\"{text}\" does not begin with a number: write digits with one decimal point, then the unit"
            )
        })?;
        if !value.is_finite() {
            return Err(format!("\"{text}\" is too large to hold"));
        }
        let scaled = |dimension, one: f64| Ok(Quantity { number: value * one, dimension });
        match unit {
            "" => return scaled(Dimension::Number, 1.0),
            "%" => return scaled(Dimension::Number, 0.01),
            "1/s" => return scaled(Dimension::PerSecond, 1.0),
            "k/s" => return scaled(Dimension::PerSecond, 1e3),
            "M/s" => return scaled(Dimension::PerSecond, 1e6),
            _ => {}
        }
        // Read with their unit, decimal digits cost no rounding.
        let size = format!("{} {unit}", plain.trim_start_matches(['-', '+']));
        let sign = if value.is_sign_negative() { -1.0 } else { 1.0 };
        let found = [
            size.parse::<Seconds>().map(|v| (v.number(), Dimension::Time)).ok(),
            size.parse::<Bytes>().map(|v| (v.number(), Dimension::Size)).ok(),
            size.parse::<BytesPerSecond>().map(|v| (v.number(), Dimension::Rate)).ok(),
            size.parse::<SecondsPerByte>().map(|v| (v.number(), Dimension::TimePerByte)).ok(),
        ];
        match found.into_iter().flatten().next() {
            Some((number, dimension)) => Ok(Quantity { number: sign * number, dimension }),
            None => Err(format!(
                "\"{text}\" has no unit that is known here: times are in ns, us, ms, s, min or h, sizes in B, kB, \
                 MB, KiB, MiB and so on (whole bytes), rates in B/s or bit/s, times per byte in ns/B and so on, \
                 items a second in 1/s, k/s or M/s, shares in %"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_what_they_say() {
        let read = |text| Quantity::read(text).map(|q| (q.number, q.dimension));
        assert_eq!(read("0.15 s"), Ok((0.15, Dimension::Time)));
        assert_eq!(read("-2.5ms"), Ok((-0.0025, Dimension::Time)));
        assert_eq!(read("−7 %"), Ok((-0.07, Dimension::Number)));
        assert_eq!(read("1.28 Gbit/s"), Ok((1.6e8, Dimension::Rate)));
        assert_eq!(read("1.73 us/B"), Ok((1.73e-6, Dimension::TimePerByte)));
        assert_eq!(read("0.54 M/s"), Ok((0.54e6, Dimension::PerSecond)));
        assert_eq!(read("1.72e12"), Ok((1.72e12, Dimension::Number)));
        assert!(read("5 sec").unwrap_err().contains("unit"));
        assert!(read("1,000").unwrap_err().contains("unit"));
        assert!(read("-").unwrap_err().contains("number"));
    }
}
