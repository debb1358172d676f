//! The figures as a table for people.

use super::Figure;

/// A line a figure: its name, value, 95 % interval and number of repetitions.
pub fn table(figures: &[Figure]) -> String {
    let row = |f: &Figure| {
        let e = f.estimate.not_negative();
        let interval = match e.high.is_finite() {
            true => format!("{} to {}", f.key.show(e.low), f.key.show(e.high)),
            false => "unknown".into(),
        };
        [f.key.name().to_string(), f.key.show(e.value), interval, e.repetitions.to_string()]
    };
    let head = ["figure", "value", "95 % interval", "repetitions"].map(String::from);
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(figures.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let mut text = String::new();
    for [name, value, interval, repetitions] in &rows {
        text.push_str(&format!(
            "{name:<0$}  {value:>1$}  {interval:<2$}  {repetitions:>3$}\n",
            widths[0], widths[1], widths[2], widths[3]
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Estimate, Key};
    use super::*;

    #[test]
    fn columns_line_up_and_nothing_is_negative() {
        let figure = |key, value: f64, low: f64| Figure {
            key,
            estimate: Estimate { value, low, high: value * 2.0, repetitions: 12 },
        };
        let text = table(&[figure(Key::Latency, 1.5e-7, -1e-9), figure(Key::MemoryContention, 0.125, 0.1)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains("150 ns") && lines[1].contains("0 s to 300 ns"), "{text}");
        assert!(lines[2].contains("12.5 %") && lines[2].ends_with("12"), "{text}");
        assert!(lines.windows(2).all(|w| w[0].len() == w[1].len()), "{text}");
        let once = Estimate { value: 2e-7, low: f64::NEG_INFINITY, high: f64::INFINITY, repetitions: 1 };
        let text = table(&[Figure { key: Key::Gap, estimate: once }]);
        assert!(text.contains("200 ns  unknown"), "{text}");
    }
}
