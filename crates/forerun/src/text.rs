//! Numbers with their units, and tables, as people read them.

use std::io::IsTerminal;

use forerun_platform::Interval;

/// A unit of time to write seconds in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit {
    /// Its symbol.
    pub symbol: &'static str,
    /// Its length in seconds.
    pub seconds: f64,
}

/// Units of time, each with the number of seconds from which on it is used.
const UNITS: [(f64, TimeUnit); 8] = [
    (1e8, TimeUnit { symbol: "years", seconds: 365.25 * 86400.0 }),
    (1e6, TimeUnit { symbol: "days", seconds: 86400.0 }),
    (7200.0, TimeUnit { symbol: "h", seconds: 3600.0 }),
    (120.0, TimeUnit { symbol: "min", seconds: 60.0 }),
    (1.0, TimeUnit { symbol: "s", seconds: 1.0 }),
    (1e-3, TimeUnit { symbol: "ms", seconds: 1e-3 }),
    (1e-6, TimeUnit { symbol: "µs", seconds: 1e-6 }),
    (0.0, TimeUnit { symbol: "ns", seconds: 1e-9 }),
];

impl TimeUnit {
    /// The unit in which a time of so many seconds reads best: minutes from two minutes on, hours from two hours on,
    /// days from a million seconds and years from a hundred million on. Zero is written in seconds.
    pub fn of(seconds: f64) -> TimeUnit {
        let rounded = round_to_digits(seconds.abs(), 3);
        if rounded == 0.0 {
            return UNITS[4].1;
        }
        UNITS.iter().find(|(from, _)| rounded >= *from).map_or(UNITS[7].1, |(_, unit)| *unit)
    }
}

/// Rounds to a number of significant digits.
fn round_to_digits(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(digits - 1 - magnitude(value));
    let rounded = (value * scale).round() / scale;
    if rounded.is_finite() { rounded } else { value }
}

/// The power of ten of a number's first digit.
fn magnitude(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

/// Decimals that show a number with three significant digits.
fn decimals(value: f64) -> usize {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    (2 - magnitude(round_to_digits(value, 3))).clamp(0, 12) as usize
}

/// Numbers from here on are written with their power of ten.
const LARGE: f64 = 1e9;
/// Times of less than so many of their units too.
const SMALL: f64 = 1e-4;

/// A number with so many decimals, a true minus sign, and no minus sign before zero.
fn signless_zero(value: f64, decimals: usize) -> String {
    let text = match value.abs() {
        large if large >= LARGE => format!("{large:.2e}"),
        plain => format!("{plain:.decimals$}"),
    };
    if value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) { format!("−{text}") } else { text }
}

/// A time with its unit, three significant digits: `12.4 s`, `3.21 ms`, `5.20 min`.
pub fn seconds(value: f64) -> String {
    if !value.is_finite() {
        return "—".into();
    }
    let unit = TimeUnit::of(value);
    let scaled = value / unit.seconds;
    let shown = match scaled > 0.0 && scaled < SMALL {
        true => format!("{scaled:.2e}"),
        false => signless_zero(scaled, decimals(scaled)),
    };
    format!("{shown} {}", unit.symbol)
}

/// A time in a given unit without its symbol, trailing zeros cut: for the ticks of an axis.
pub fn tick(value: f64, unit: TimeUnit) -> String {
    let scaled = value / unit.seconds;
    let text = signless_zero(scaled, decimals(scaled));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// A time in a given unit with three decimals and without the symbol: for a column that names its unit.
pub fn fixed(value: f64, unit: TimeUnit) -> String {
    let scaled = value / unit.seconds;
    if scaled > 0.0 && scaled < 0.0005 { "under 0.001".into() } else { signless_zero(scaled, 3) }
}

/// A number with three digits, and no more places than it takes: `31.2`, `0.0412`, `1234`.
pub fn digits(value: f64) -> String {
    signless_zero(value, decimals(value))
}

/// A figure or a unit of a file as people read it: `µs` where files have `us`.
pub fn micro(text: &str) -> String {
    let of_time = |word: &str| word == "us" || word.starts_with("us/");
    let word = |word: &str| if of_time(word) { format!("µ{}", &word[1..]) } else { word.to_string() };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// How many times one is the other, with two decimals: `15.89`.
pub fn ratio(value: f64) -> String {
    signless_zero(value, 2)
}

/// A number of tasks a second: `31.2 tasks/s`.
pub fn rate(tasks_per_s: f64) -> String {
    format!("{} tasks/s", digits(tasks_per_s))
}

/// A predicted time with its interval: `12.4 s ± 0.8`, or `12.4 s (11.9 to 14.6)` where the interval
/// is lopsided. An interval without width is left out.
pub fn interval(of: &Interval) -> String {
    let unit = TimeUnit::of(of.makespan_s);
    let middle = of.makespan_s / unit.seconds;
    let (below, above) = (middle - of.low_s / unit.seconds, of.high_s / unit.seconds - middle);
    let half = (below + above) / 2.0;
    if !half.is_finite() || half <= 0.0 {
        return seconds(of.makespan_s);
    }
    // The interval never has fewer digits than it takes to be seen.
    let shown = decimals(middle).max((-magnitude(half)).clamp(0, 12) as usize);
    let main = signless_zero(middle, decimals(middle));
    if (below - above).abs() <= 0.2 * half {
        return format!("{main} {} ± {}", unit.symbol, signless_zero(half, shown));
    }
    let (low, high) = (of.low_s / unit.seconds, of.high_s / unit.seconds);
    format!("{main} {} ({} to {})", unit.symbol, signless_zero(low, shown), signless_zero(high, shown))
}

/// A relative difference in per cent, with its sign: `−3.9 %`, `+120 %`.
pub fn percent(relative: f64) -> String {
    if !relative.is_finite() {
        return "—".into();
    }
    let value = relative * 100.0;
    let text = signless_zero(value, if value.abs() < 99.95 { 1 } else { 0 });
    let zero = !text.bytes().any(|b| (b'1'..=b'9').contains(&b));
    if value > 0.0 && !zero { format!("+{text} %") } else { format!("{text} %") }
}

/// A share in per cent without a sign: `82 %`, `3.1 %`.
pub fn share(of_one: f64) -> String {
    let value = of_one * 100.0;
    format!("{} %", signless_zero(value, if value < 9.95 { 1 } else { 0 }))
}

/// A number of bytes: `512 B`, `64.0 KiB`, `1.50 GiB`.
pub fn bytes(value: u64) -> String {
    if value < 1024 {
        return format!("{value} B");
    }
    let mut scaled = value as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        if scaled < 1023.5 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    let shown = signless_zero(scaled, decimals(scaled));
    format!("{} {unit}", shown.trim_end_matches(".00").trim_end_matches(".0"))
}

/// A count with thousands apart: `1,048,576`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun: `1 run`, `5 runs`.
pub fn plural(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(value), if value == 1 { "" } else { "s" })
}

/// A count and its noun, of which several are another word: `1 query`, `5 queries`.
pub fn one_or_many(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// Whether to colour what goes to a stream: only on a terminal, and not where `NO_COLOR` is set
/// (to anything but nothing) or `TERM` is `dumb`.
pub fn colour(stream: &impl IsTerminal) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Removes what a terminal would act on (names come from files).
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// How a column of a [`Table`] is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of aligned columns for the terminal. Cost: one pass for widths, one to write.
#[derive(Debug, Clone)]
pub struct Table {
    head: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(head: &[(&str, Align)]) -> Table {
        Table {
            head: head.iter().map(|(name, align)| (name.to_string(), *align)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; cells beyond the last column are dropped, missing ones are empty.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as text, the head in bold where there is colour; columns without any text are left out.
    pub fn render(&self, colour: bool) -> String {
        let width = |text: &str| text.chars().count();
        let widths: Vec<usize> = (0..self.head.len())
            .map(|at| {
                self.rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max().unwrap_or(0)
            })
            .zip(&self.head)
            .map(|(cells, (name, _))| if cells == 0 { 0 } else { cells.max(width(name)) })
            .collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut out = String::new();
            for ((cell, (_, align)), total) in
                cells.zip(&self.head).zip(&widths).filter(|(_, total)| **total > 0)
            {
                if !out.is_empty() {
                    out.push_str("  ");
                }
                let gap = " ".repeat(total - width(cell).min(*total));
                match align {
                    Align::Left => out.extend([cell, &gap]),
                    Align::Right => out.extend([gap.as_str(), cell]),
                }
            }
            out.truncate(out.trim_end().len());
            out
        };
        let head = line(&mut self.head.iter().map(|(name, _)| name.as_str()));
        let mut out = if colour { format!("\x1b[1m{head}\x1b[0m\n") } else { format!("{head}\n") };
        for row in &self.rows {
            let cells = row.iter().map(String::as_str).chain(std::iter::repeat(""));
            out.push_str(&line(&mut { cells }));
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_the_unit_that_reads_best() {
        let shown: Vec<String> =
            [0.0, 12.42, 0.003_214, 312.0, 1.5e-7, 9.999e-4, 0.999_96, 9.996, 119.0, 7300.0, -2.0]
                .map(seconds)
                .into();
        assert_eq!(
            shown,
            [
                "0 s",
                "12.4 s",
                "3.21 ms",
                "5.20 min",
                "150 ns",
                "1.00 ms",
                "1.00 s",
                "10.0 s",
                "119 s",
                "2.03 h",
                "−2.00 s"
            ]
        );
        assert_eq!([2e6, 3.2e9, 1e30].map(seconds), ["23.1 days", "101 years", "3.17e22 years"]);
        assert_eq!(seconds(f64::NAN), "—");
    }

    #[test]
    fn intervals_keep_the_unit_of_the_time() {
        let of = |makespan_s, low_s, high_s| interval(&Interval { makespan_s, low_s, high_s });
        assert_eq!(of(12.4, 11.6, 13.2), "12.4 s ± 0.8");
        assert_eq!(of(12.4, 12.397, 12.403), "12.4 s ± 0.003");
        assert_eq!(of(12.4, 12.0, 14.0), "12.4 s (12.0 to 14.0)");
        assert_eq!(of(12.4, 12.4, 12.4), "12.4 s");
        assert_eq!(of(0.0124, 0.0116, 0.0132), "12.4 ms ± 0.8");
    }

    #[test]
    fn other_numbers() {
        assert_eq!(
            [-0.0388, 0.0, 0.000_1, 0.5, 1.2].map(percent),
            ["−3.9 %", "0.0 %", "0.0 %", "+50.0 %", "+120 %"]
        );
        assert_eq!([0, 999, 1000, 1_048_576].map(count), ["0", "999", "1,000", "1,048,576"]);
        assert_eq!(
            [0, 1, 2000].map(|n| one_or_many(n, "query", "queries")),
            ["0 queries", "1 query", "2,000 queries"]
        );
        assert_eq!([512, 65536, 1_610_612_736].map(bytes), ["512 B", "64 KiB", "1.50 GiB"]);
        assert_eq!([1e300, -1e300, 1e8].map(digits), ["1.00e300", "−1.00e300", "100000000"]);
        assert_eq!([percent(1e20), share(1e300), ratio(1e300)], ["+1.00e22 %", "1.00e302 %", "1.00e300"]);
        assert_eq!(
            ["144.0 us", "2 us/B", "us", "focus us B"].map(micro),
            ["144.0 µs", "2 µs/B", "µs", "focus µs B"]
        );
        assert_eq!(tick(0.5, UNITS[4].1), "0.5");
        assert_eq!(tick(20.0, UNITS[4].1), "20");
    }

    #[test]
    fn columns_align_by_characters_and_empty_ones_go() {
        let mut table = Table::new(&[("a", Align::Left), ("none", Align::Left), ("n", Align::Right)]);
        table.row(vec!["µµ".into(), "".into(), "10".into()]);
        table.row(vec!["x".into(), "".into(), "9".into()]);
        assert_eq!(table.render(false), "a    n\nµµ  10\nx    9\n");
    }
}
