//! Reading a count: a whole number, however it is written.

/// Letters after a number, and what they multiply it by.
const SUFFIXES: [(&str, u64); 8] = [
    ("ki", 1 << 10),
    ("mi", 1 << 20),
    ("gi", 1 << 30),
    ("ti", 1 << 40),
    ("k", 1_000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
    ("t", 1_000_000_000_000),
];

/// Reads `1000000`, `1_000_000`, `1e6`, `10^6`, `2^20`, `1M`, `1.5k`, `64Ki`.
///
/// # Errors
/// That it is no whole number, or is more than 2^64 − 1.
pub fn count(text: &str) -> Result<u64, String> {
    let wrong = || "expected a whole number, such as 1000000, 1e6 or 1M".to_string();
    let large = || "expected a number below 2^64".to_string();
    let word = text.trim().replace('_', "").to_ascii_lowercase();
    if let Ok(n) = word.parse() {
        return Ok(n);
    }
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(wrong());
    }
    if let Some((base, exponent)) = word.split_once('^') {
        let base: u64 = base.parse().map_err(|_| wrong())?;
        let exponent = exponent.parse().map_err(|_| wrong())?;
        return base.checked_pow(exponent).ok_or_else(large);
    }
    let suffix = SUFFIXES.iter().find_map(|(name, times)| Some((word.strip_suffix(name)?, *times)));
    let (number, times) = suffix.unwrap_or((&word, 1));
    let (mantissa, exponent) = match number.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<u32>().map_err(|_| wrong())?),
        None => (number, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{part}");
    if digits.is_empty() || digits.chars().any(|c| !c.is_ascii_digit()) {
        return Err(wrong());
    }
    let digits: u128 = digits.parse().map_err(|_| large())?;
    let power = |n: usize| u32::try_from(n).ok().and_then(|n| 10u128.checked_pow(n));
    let value = power(exponent as usize).and_then(|p| digits.checked_mul(p)?.checked_mul(times.into()));
    let (value, below) = value.zip(power(part.len())).ok_or_else(large)?;
    if value % below == 0 { u64::try_from(value / below).map_err(|_| large()) } else { Err(wrong()) }
}

/// The same, for a number of things in memory.
///
/// # Errors
/// As [`count`].
pub fn number(text: &str) -> Result<usize, String> {
    count(text)?.try_into().map_err(|_| "expected fewer".to_string())
}

/// The same, where none at all makes no sense.
///
/// # Errors
/// As [`number`]; that it is 0.
pub(super) fn some(text: &str) -> Result<usize, String> {
    number(text).and_then(|n| if n > 0 { Ok(n) } else { Err("expected at least 1".to_string()) })
}

#[cfg(test)]
mod tests {
    use super::{count, some};

    #[test]
    fn where_there_must_be_some_there_is_one_at_least() {
        assert_eq!([some("1"), some("1k")], [Ok(1), Ok(1000)]);
        assert!(["0", "0k", "-1", "1e30"].iter().all(|text| some(text).is_err()));
    }

    #[test]
    fn counts_are_whole_numbers_however_written() {
        for (text, is) in [
            ("0", 0),
            ("1e8", 100_000_000),
            ("2.5e3", 2500),
            ("1_000", 1000),
            ("10^6", 1_000_000),
            ("2^20", 1 << 20),
            ("1M", 1_000_000),
            ("1.5k", 1500),
            ("64Ki", 1 << 16),
            ("1e3k", 1_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(is), "{text}");
        }
        for bad in [
            "", "-1", "1.5", "1e", "e3", "1e99", "1.25e1", "ten", "k", "1x", "2^", "2^64", "1e-3", "+", "1 2",
        ] {
            assert!(count(bad).is_err(), "{bad}");
        }
        for large in ["1e30", "1e99", "2^64", "18446744073709551616", &"9".repeat(50), "20000000000G"] {
            assert!(count(large).is_err_and(|e| e.contains("below 2^64")), "{large}");
        }
    }
}
