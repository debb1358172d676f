//! A dense matrix whose rows lie one after the other.

/// A dense matrix of `f64`, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Dense {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Dense { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row `row`.
    ///
    /// # Panics
    /// There is no such row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row by row.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}
