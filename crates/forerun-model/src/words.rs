//! Figures as a person writes them.

/// Seconds with three digits and the unit that suits.
pub(crate) fn seconds(s: f64) -> String {
    let (value, unit) = match s {
        0.0 => return "no time".into(),
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// Bytes, in decimal units.
pub(crate) fn bytes(b: f64) -> String {
    let (value, unit) = match b {
        b if b < 1e3 => (b, "B"),
        b if b < 1e6 => (b / 1e3, "kB"),
        b if b < 1e9 => (b / 1e6, "MB"),
        b => (b / 1e9, "GB"),
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
    if n == 1.0 { format!("1 {what}") } else { format!("{n} {what}s") }
}

pub(crate) fn digits(value: f64) -> String {
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
        assert_eq!(seconds(300.0), "300 s");
        assert_eq!(bytes(50e6), "50 MB");
        assert_eq!(rate(12.34), "12.3 tasks/s");
        assert_eq!(times(1.0, "task"), "1 task");
        assert_eq!(times(8.0, "task"), "8 tasks");
    }
}
