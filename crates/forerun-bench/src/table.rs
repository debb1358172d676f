//! Contenders that take turns, and the table of what they reached.

use std::fmt;

use forerun_platform::statistics::median_of_sorted;

/// One way to do what is measured.
pub(crate) struct Contender<'a> {
    name: String,
    run: Box<dyn FnMut() -> f64 + 'a>,
}

/// How long a round of a contender that repeats something takes, about.
const ROUND_NS: f64 = 60e6;

impl<'a> Contender<'a> {
    /// `run` does it once and gives the figure, in the table's unit.
    pub(crate) fn new(name: impl Into<String>, run: impl FnMut() -> f64 + 'a) -> Self {
        Contender { name: name.into(), run: Box::new(run) }
    }

    /// `run` does something the number of times that it is given, and gives the nanoseconds that
    /// one takes; so often that a round is neither too short for the clock nor too long.
    pub(crate) fn repeating(name: impl Into<String>, mut run: impl FnMut(u64) -> f64 + 'a) -> Self {
        let mut times = 2000;
        Contender::new(name, move || {
            let ns = run(times);
            times = (ROUND_NS / ns.max(1.0)).clamp(2000.0, 4e6) as u64;
            ns
        })
    }
}

/// What the contenders reached.
pub(crate) struct Table {
    title: String,
    unit: &'static str,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    median: f64,
    lowest: f64,
    highest: f64,
}

impl Table {
    /// Lets the contenders take turns, `rounds` times after one that does not count.
    pub(crate) fn measure(
        title: impl Into<String>,
        unit: &'static str,
        rounds: usize,
        mut contenders: Vec<Contender<'_>>,
    ) -> Table {
        let mut figures = vec![Vec::with_capacity(rounds); contenders.len()];
        for round in 0..=rounds {
            for (contender, figures) in contenders.iter_mut().zip(&mut figures) {
                let figure = (contender.run)();
                if round > 0 {
                    figures.push(figure);
                }
            }
        }
        let rows = contenders.into_iter().zip(figures).map(|(c, f)| Row::new(c.name, f)).collect();
        Table { title: title.into(), unit, rows }
    }

    /// The median of a contender, by its place.
    pub(crate) fn median(&self, contender: usize) -> f64 {
        self.rows.get(contender).map_or(f64::NAN, |row| row.median)
    }
}

impl Row {
    fn new(name: String, mut figures: Vec<f64>) -> Row {
        figures.sort_by(f64::total_cmp);
        let median = median_of_sorted(&figures).unwrap_or(f64::NAN);
        Row { name, median, lowest: figures[0], highest: figures[figures.len() - 1] }
    }
}

/// As Markdown.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
        writeln!(f, "### {} ({})\n", self.title, self.unit)?;
        writeln!(f, "| {:width$} | {:>9} | {:>21} |", "", "median", "lowest to highest")?;
        writeln!(f, "|{}|{}:|{}:|", "-".repeat(width + 2), "-".repeat(10), "-".repeat(22))?;
        for Row { name, median, lowest, highest } in &self.rows {
            let range = format!("{} to {}", figure(*lowest), figure(*highest));
            writeln!(f, "| {name:width$} | {:>9} | {range:>21} |", figure(*median))?;
        }
        Ok(())
    }
}

/// Three digits that count, at least; a contender that gave no result has none.
fn figure(value: f64) -> String {
    if value.is_nan() {
        return "none".into();
    }
    let decimals =
        if value.abs() >= 100.0 { 0 } else { (2.0 - value.abs().max(1e-3).log10().floor()) as usize };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_take_turns_and_the_first_round_does_not_count() {
        let turns = std::cell::RefCell::new(Vec::new());
        let contender = |name: &'static str, figures: [f64; 4]| {
            let (turns, mut figures) = (&turns, figures.into_iter());
            Contender::new(name, move || {
                turns.borrow_mut().push(name);
                figures.next().unwrap_or(f64::NAN)
            })
        };
        let contenders = vec![contender("a", [9e9, 3.0, 1.0, 2.0]), contender("b", [9e9, 5.0, 5.0, 500.0])];
        let table = Table::measure("speed", "m/s", 3, contenders).to_string();
        assert_eq!(turns.borrow().concat(), "abababab");
        assert!(table.contains("| a |      2.00 |          1.00 to 3.00 |"), "{table}");
        assert!(table.contains("| b |      5.00 |           5.00 to 500 |"), "{table}");
    }
}
