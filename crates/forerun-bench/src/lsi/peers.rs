//! scikit-learn, and the matrix that it makes.

use std::io;
use std::path::Path;

use forerun_lsi::matrix::Sparse;

use crate::python::Python;

const PACKAGES: [&str; 1] = ["scikit-learn"];
const SCRIPT: &str = include_str!("peers.py");

/// A way of scikit-learn's.
#[derive(Clone, Copy)]
pub(super) struct Solver {
    pub(super) name: &'static str,
    pub(super) algorithm: &'static str,
    pub(super) iterations: usize,
}

/// scikit-learn with a matrix.
pub(super) struct Peers {
    python: Python,
    pub(super) matrix: Sparse,
    pub(super) version: String,
}

impl Peers {
    /// Lets it make the matrix of these texts.
    pub(super) fn start(texts: &[String]) -> io::Result<Self> {
        let mut python = Python::start(&PACKAGES, SCRIPT, texts)?;
        let line = python.line()?;
        let made =
            line.split_once('\t').and_then(|(columns, version)| Some((columns.parse().ok()?, version)));
        let (columns, version) = made.ok_or_else(|| io::Error::other(format!("{line} is no size")))?;
        let matrix = read(python.directory(), columns)?;
        Ok(Peers { python, matrix, version: version.to_owned() })
    }

    /// Lets it decompose the matrix; milliseconds.
    pub(super) fn run(&mut self, solver: Solver, rank: usize) -> io::Result<f64> {
        self.python.time(&line("run", solver, rank))
    }

    /// The singular values of the last time.
    pub(super) fn values(&mut self, solver: Solver, rank: usize) -> io::Result<Vec<f64>> {
        Ok(serde_json::from_str(&self.python.ask(&line("values", solver, rank))?)?)
    }
}

fn line(act: &str, solver: Solver, rank: usize) -> String {
    format!("{act}\t{}\t{rank}\t{}", solver.algorithm, solver.iterations)
}

/// The matrix, from the files of its parts.
fn read(directory: &Path, columns: usize) -> io::Result<Sparse> {
    let starts = numbers(&directory.join("starts"), i64::from_le_bytes)?;
    let indices = numbers(&directory.join("indices"), i32::from_le_bytes)?;
    let values = numbers(&directory.join("values"), f64::from_le_bytes)?;
    let rows = starts.windows(2).map(|pair| {
        let row = pair[0] as usize..pair[1] as usize;
        indices[row.clone()].iter().map(|&i| i as u32).zip(values[row].iter().copied())
    });
    Ok(Sparse::from_rows(columns, rows))
}

fn numbers<T, const N: usize>(file: &Path, turn: fn([u8; N]) -> T) -> io::Result<Vec<T>> {
    let bytes = std::fs::read(file)?;
    Ok(bytes.as_chunks().0.iter().map(|&number| turn(number)).collect())
}
