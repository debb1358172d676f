//! Decimal numbers as they are written.

use std::cmp::Ordering;

/// A decimal number of any length, by its digits.
#[derive(Debug, Clone, Copy)]
struct Decimal<'a> {
    negative: bool,
    /// Digits before the point, without leading zeros.
    whole: &'a [u8],
    /// Digits after the point, without trailing zeros.
    fraction: &'a [u8],
}

impl<'a> Decimal<'a> {
    /// Reads `[+-] digits [. digits]` between blanks, with a digit on at least one side of the
    /// point.
    fn parse(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let (negative, digits) = match line {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, line),
        };
        let point = digits.iter().position(|&c| c == b'.').unwrap_or(digits.len());
        let (whole, fraction) = (&digits[..point], digits.get(point + 1..).unwrap_or_default());
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        if !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
            return None;
        }
        let zeros = whole.iter().take_while(|&&c| c == b'0').count();
        let kept = fraction.iter().rposition(|&c| c != b'0').map_or(0, |last| last + 1);
        let (whole, fraction) = (&whole[zeros..], &fraction[..kept]);
        Some(Decimal { negative: negative && !(whole.is_empty() && fraction.is_empty()), whole, fraction })
    }

    fn order(&self, other: &Decimal<'_>) -> Ordering {
        let magnitude = |a: &Decimal<'_>, b: &Decimal<'_>| {
            (a.whole.len(), a.whole, a.fraction).cmp(&(b.whole.len(), b.whole, b.fraction))
        };
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => magnitude(self, other),
            (true, true) => magnitude(other, self),
        }
    }
}

/// An integer whose order is that of the numbers, except that numbers which round to the same
/// `f64` have the same one; `None` if the line is not a number.
pub(super) fn key(line: &[u8]) -> Option<u64> {
    Decimal::parse(line)?;
    let text = std::str::from_utf8(line.trim_ascii()).ok()?;
    // Rounding is monotone, and adding +0 makes the two zeros one.
    let bits = (text.parse::<f64>().ok()? + 0.0).to_bits();
    Some(if bits >> 63 == 0 { bits | 1 << 63 } else { !bits })
}

/// The order of two lines that are numbers: by exact value, then by bytes.
pub(super) fn order(a: (u64, &[u8]), b: (u64, &[u8])) -> Ordering {
    a.0.cmp(&b.0).then_with(|| {
        if a.1 == b.1 {
            return Ordering::Equal;
        }
        match (Decimal::parse(a.1), Decimal::parse(b.1)) {
            (Some(x), Some(y)) => x.order(&y).then_with(|| a.1.cmp(b.1)),
            _ => a.1.cmp(b.1),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(a: &str, b: &str) -> Ordering {
        let of = |s: &str| key(s.as_bytes()).expect(s);
        order((of(a), a.as_bytes()), (of(b), b.as_bytes()))
    }

    #[test]
    fn order_is_exact_and_ties_go_by_bytes() {
        let ascending = [
            "-100000000000000000000000000001",
            "-100000000000000000000000000000",
            "-3.5",
            "-0.25",
            "-0",
            "0",
            "0.0",
            ".1",
            "0.10",
            "0.1000000000000000000000000000001",
            "1",
            "9007199254740992",
            "9007199254740993",
        ];
        for pair in ascending.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(compare("007", "007"), Ordering::Equal);
    }

    #[test]
    fn what_is_not_a_decimal_number_is_refused() {
        for bad in ["", " ", "-", ".", "1e5", "inf", "nan", "1 2", "1.2.3", "0x10", "1,5", "--1", "é"] {
            assert_eq!(key(bad.as_bytes()), None, "{bad}");
        }
        for good in ["1", "+1", " 1 ", "1\r", "1.", ".5", "-00.50"] {
            assert!(key(good.as_bytes()).is_some(), "{good}");
        }
    }
}
