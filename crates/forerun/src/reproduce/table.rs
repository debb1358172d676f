//! What `forerun reproduce` prints.

use super::outcome::{Agrees, Errors, Kind, PREDICTORS, Reproduced, RowOutcome, Summary, estimates};
use crate::text::{self, Align, Table};

/// An entry: its title, a table of its formula rows, one of its measured rows, the reasons.
pub fn entry(of: &Reproduced, colour: bool) -> String {
    let mut out = format!("{}: {}\n", text::printable(&of.name), text::printable(&of.title));
    let mut reasons: Vec<&str> = Vec::new();
    let formulas: Vec<&RowOutcome> = of.rows.iter().filter(|r| r.kind == Kind::Formula).collect();
    if !formulas.is_empty() {
        out += &format!("\n{}", formula_rows(&formulas, &mut reasons).render(colour));
    }
    let measured: Vec<&RowOutcome> = of.rows.iter().filter(|r| r.kind == Kind::Measured).collect();
    if !measured.is_empty() {
        out += &format!("\n{}", measured_rows(&measured).render(colour));
    }
    if !of.follows.is_empty() {
        out += "\nNot printed there, but what its formulas give:\n";
        for f in &of.follows {
            out += &format!("  {}: {}\n", text::printable(&f.label), with_unit(f.value, &f.unit));
        }
    }
    let notes = of.rows.iter().filter(|r| r.note != r.reason && r.note != r.refused);
    let notes = notes.filter_map(|r| r.note.as_deref());
    let refused: Vec<String> = of
        .rows
        .iter()
        .filter_map(|r| r.refused.as_ref().map(|why| format!("{}: not predicted, {why}", r.label)))
        .collect();
    let notes = refused.iter().map(String::as_str).chain(notes);
    let mut said: Vec<&str> = Vec::new();
    for note in notes.chain((!of.note.is_empty()).then_some(of.note.as_str())) {
        if !said.contains(&note) {
            said.push(note);
        }
    }
    if !reasons.is_empty() || !said.is_empty() {
        out.push('\n');
    }
    for (at, reason) in reasons.iter().enumerate() {
        out += &format!("({}) {}\n", at + 1, text::printable(reason));
    }
    for note in said {
        out += &format!("{}\n", text::printable(note));
    }
    out
}

fn formula_rows<'a>(rows: &[&'a RowOutcome], reasons: &mut Vec<&'a str>) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("", Left),
        ("paper", Right),
        ("ours", Right),
        ("difference", Right),
        ("agrees", Left),
        ("explained", Left),
    ]);
    for row in rows {
        let (agrees, explained) = agreement(row, reasons);
        table.row(vec![
            text::printable(&row.label),
            text::micro(&row.printed),
            row.ours.map_or("—".into(), number),
            row.relative.map_or("—".into(), text::percent),
            agrees,
            explained,
        ]);
    }
    table
}

/// What stands under `agrees` and `explained`.
fn agreement<'a>(row: &'a RowOutcome, reasons: &mut Vec<&'a str>) -> (String, String) {
    let how = row.digits.map(|d| format!(", {}", d.name())).unwrap_or_default();
    let agrees = match row.agrees {
        Some(Agrees::Digits) => format!("digits{how}"),
        Some(Agrees::Reason) => format!("reason{how}"),
        Some(Agrees::No) => "NO".into(),
        None => String::new(),
    };
    let explained = row.explained.zip(row.reason.as_deref()).map(|(value, reason)| {
        let at = reasons.iter().position(|r| *r == reason).unwrap_or_else(|| {
            reasons.push(reason);
            reasons.len() - 1
        });
        format!("{} ({})", number(value), at + 1)
    });
    (agrees, explained.unwrap_or_default())
}

fn measured_rows(rows: &[&RowOutcome]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("", Left),
        ("measured", Right),
        ("their model", Right),
        ("error", Right),
        ("closed form", Right),
        ("error", Right),
        ("simulated", Right),
        ("error", Right),
    ]);
    for row in rows {
        let mut cells = vec![text::printable(&row.label), text::micro(&row.printed)];
        for estimate in estimates(row) {
            cells.push(estimate.map_or("—".into(), |e| number(e.value)));
            cells.push(estimate.and_then(|e| e.relative).map_or("—".into(), text::percent));
        }
        table.row(cells);
    }
    table
}

/// A number with five significant digits, and no zeros at its end.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return "0".into();
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{value:.4e}").replace('-', "−");
    }
    let decimals = (4 - size.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    let short = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    short.replace('-', "−")
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {}", number(value), text::micro(&text::printable(unit))).trim_end().to_string()
}

/// How many rows agree and how far off predictions are, in lines.
pub fn summary(of: &Summary) -> String {
    let formulas = of.digits + of.reason + of.no.len();
    let mut out = format!(
        "{}: {} agree to the printed digits, {} for a reason, {} do not\n",
        text::plural(formulas as u64, "formula row"),
        of.digits,
        of.reason,
        of.no.len()
    );
    for row in &of.no {
        out += &format!("  not: {}\n", text::printable(row));
    }
    if of.measured > 0 {
        out += &format!("{}\n", text::plural(of.measured as u64, "measured row"));
        let lines = |errors: &[Option<Errors>; 3]| {
            PREDICTORS
                .iter()
                .zip(errors)
                .filter_map(|(who, e)| e.as_ref().map(|e| line(who, e)))
                .collect::<String>()
        };
        out += &lines(&of.all);
        if let Some(common) = of.common[0].as_ref().filter(|_| of.common != of.all) {
            out += &format!("over the {} that all three predict\n", text::plural(common.rows as u64, "row"));
            out += &lines(&of.common);
        }
    }
    out
}

fn line(who: &str, e: &Errors) -> String {
    format!(
        "  {who}: off by {} in the median of {}, at worst {} ({})\n",
        text::share(e.median),
        text::plural(e.rows as u64, "row"),
        text::percent(e.worst),
        text::printable(&e.worst_at)
    )
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_five_digits() {
        let shown = [76.8789, 0.00258, -7.2289, 11798.0, 1.72e12, 0.5, 1e-7].map(number);
        assert_eq!(shown, ["76.879", "0.00258", "−7.2289", "11798", "1.7200e12", "0.5", "1.0000e−7"]);
    }
}
