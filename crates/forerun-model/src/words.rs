//! Figures as a person writes them.

/// Seconds with three digits and the unit that suits.
pub(crate) fn seconds(s: f64) -> String {
    let (value, unit) = match s {
        0.0 => return "no time".into(),
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 => (s / 60.0, "min"),
        s if s < 1e6 => (s / 3600.0, "h"),
        s if s < 1e8 => (s / 86_400.0, "days"),
        s => (s / (365.25 * 86_400.0), "years"),
    };
    format!("{} {unit}", digits(value))
}

/// Bytes, in decimal units.
pub(crate) fn bytes(b: f64) -> String {
    let (value, unit) = match b {
        b if b < 1e3 => (b, "B"),
        b if b < 1e6 => (b / 1e3, "kB"),
        b if b < 1e9 => (b / 1e6, "MB"),
        b if b < 1e12 => (b / 1e9, "GB"),
        b if b < 1e15 => (b / 1e12, "TB"),
        b if b < 1e18 => (b / 1e15, "PB"),
        b => (b / 1e18, "EB"),
    };
    format!("{} {unit}", digits(value))
}

/// Tasks a second.
pub(crate) fn rate(r: f64) -> String {
    format!("{} tasks/s", digits(r))
}

/// "1 task", "8 tasks".
pub(crate) fn times(n: f64, what: &str) -> String {
    let n = n.round();
    match n {
        1.0 => format!("1 {what}"),
        n if n < LARGE => format!("{n} {what}s"),
        n => format!("{} {what}s", digits(n)),
    }
}

/// Numbers from here on are written with their power of ten.
const LARGE: f64 = 1e9;

pub(crate) fn digits(value: f64) -> String {
    if value >= LARGE {
        return format!("{value:.2e}");
    }
    let places = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::{bytes, rate, seconds, times};

    #[test]
    fn figures_carry_their_unit() {
        assert_eq!(seconds(0.0128), "12.8 ms");
        assert_eq!(seconds(1.4), "1.4 s");
        assert_eq!(seconds(12e-6), "12 µs");
        assert_eq!(seconds(300.0), "5 min");
        assert_eq!([9000.0, 2e6, 1e30].map(seconds), ["2.5 h", "23.1 days", "3.17e22 years"]);
        assert_eq!([2e18, 1e40].map(bytes), ["2 EB", "1.00e22 EB"]);
        assert_eq!(times(1e20, "task"), "1.00e20 tasks");
        assert_eq!(bytes(50e6), "50 MB");
        assert_eq!(rate(12.34), "12.3 tasks/s");
        assert_eq!(times(1.0, "task"), "1 task");
        assert_eq!(times(8.0, "task"), "8 tasks");
    }
}
