//! Tables as CSV and plots as SVG, where `--csv FILE` and `--svg FILE` ask for them.

use std::path::Path;

use crate::chart::LineChart;
use crate::cli::DrawOptions;
use crate::error::{CliError, failed};
use crate::file;
use crate::paths::Paths;

/// What stands in a column of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number, written so that reading it again gives the same one; nothing if it is not finite.
    Number(f64),
    /// Nothing.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Cell::Number(number)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Cell::Text(count.to_string())
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Cell::Text(count.to_string())
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Empty, Into::into)
    }
}

impl Cell {
    fn written(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(number) if number.is_finite() => number.to_string(),
            Cell::Number(_) | Cell::Empty => String::new(),
        }
    }
}

/// A table as data: a name for each column (with its unit where it has one, such as `makespan_s`),
/// and rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// The columns' names.
    pub columns: Vec<&'static str>,
    /// The rows, each with a cell a column.
    pub rows: Vec<Vec<Cell>>,
}

impl Sheet {
    /// An empty table.
    pub fn new(columns: &[&'static str]) -> Self {
        Sheet { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// The table as CSV (RFC 4180), its first line the columns' names.
    ///
    /// # Errors
    /// A row with more or fewer cells than there are columns.
    pub fn csv(&self) -> Result<Vec<u8>, CliError> {
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(&self.columns).map_err(failed)?;
        for row in &self.rows {
            out.write_record(row.iter().map(Cell::written)).map_err(failed)?;
        }
        out.into_inner().map_err(failed)
    }
}

impl DrawOptions {
    fn asked(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let asked = [("--csv", self.csv.as_deref()), ("--svg", self.svg.as_deref())];
        asked.into_iter().filter_map(|(option, path)| path.map(|path| (option, path)))
    }

    /// Whether the files asked for can be written, before anything takes long.
    ///
    /// # Errors
    /// What is in the way.
    pub fn writable(&self) -> Result<(), CliError> {
        self.asked().try_for_each(|(option, path)| file::check(option, path))
    }

    /// The files of a command with those that are asked for, so that none goes over what it reads.
    pub fn among(&self, paths: Paths) -> Paths {
        self.asked().fold(paths, |paths, (option, path)| paths.writes(option, Some(path)))
    }

    /// Writes the table and the plot where they are asked for; either is made only then.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(
        &self,
        table: impl FnOnce() -> Sheet,
        plot: impl FnOnce() -> LineChart,
    ) -> Result<(), CliError> {
        if let Some(path) = &self.csv {
            file::write(path, &table().csv()?)?;
        }
        if let Some(path) = &self.svg {
            file::write(path, plot().svg().as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_again_as_it_was() {
        let mut sheet = Sheet::new(&["label", "makespan_s", "processors", "note"]);
        sheet.rows.push(vec!["a, \"b\"\nc".into(), 0.1.into(), 8usize.into(), Cell::Empty]);
        sheet.rows.push(vec!["d".into(), f64::NAN.into(), 1u64.into(), Some("e").into()]);
        let text = sheet.csv().unwrap();
        let read: Vec<Vec<String>> = csv::Reader::from_reader(text.as_slice())
            .records()
            .map(|r| r.unwrap().iter().map(String::from).collect())
            .collect();
        assert_eq!(read, [vec!["a, \"b\"\nc", "0.1", "8", ""], vec!["d", "", "1", "e"]]);
        assert!(text.starts_with(b"label,makespan_s,processors,note\n"));
    }

    #[test]
    fn a_row_that_does_not_fit_is_refused() {
        let mut sheet = Sheet::new(&["a", "b"]);
        sheet.rows.push(vec!["a".into()]);
        assert!(sheet.csv().is_err());
    }
}
