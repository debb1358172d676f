//! A sparse matrix by rows (CSR).

use std::ops::Range;

use super::kernel::Rows;

/// A sparse matrix, its rows one after the other, columns ascending within a row (compressed sparse rows).
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    columns: usize,
    /// Where each row begins in what follows, and after the last where it ends.
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Sparse {
    /// A matrix of `columns` columns from its rows, each a list of columns and values; values of the same
    /// column are added up, and columns may come in any order.
    ///
    /// # Panics
    /// A column is not below `columns`.
    pub fn from_rows<R>(columns: usize, rows: impl IntoIterator<Item = R>) -> Self
    where
        R: IntoIterator<Item = (u32, f64)>,
    {
        let mut matrix = Sparse { columns, starts: vec![0], indices: Vec::new(), values: Vec::new() };
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for row in rows {
            entries.clear();
            entries.extend(row);
            entries.sort_by_key(|&(column, _)| column);
            let begin = matrix.indices.len();
            for &(column, value) in &entries {
                assert!((column as usize) < columns, "column {column} of {columns}");
                if matrix.indices.len() > begin && matrix.indices.last() == Some(&column) {
                    *matrix.values.last_mut().expect("a value for every index") += value;
                } else {
                    matrix.indices.push(column);
                    matrix.values.push(value);
                }
            }
            matrix.starts.push(matrix.indices.len());
        }
        matrix
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored values.
    pub fn stored(&self) -> usize {
        self.indices.len()
    }

    /// Columns and values of row `row`.
    ///
    /// # Panics
    /// There is no such row.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The values, to be weighted; their places stay.
    pub(crate) fn row_values_mut(&mut self, row: usize) -> (&[u32], &mut [f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.indices[range.clone()], &mut self.values[range])
    }

    /// The transposed matrix. Cost: one pass over the stored values for counting and one for moving.
    pub fn transposed(&self) -> Sparse {
        let mut starts = vec![0usize; self.columns + 1];
        for &column in &self.indices {
            starts[column as usize + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut indices = vec![0u32; self.stored()];
        let mut values = vec![0.0; self.stored()];
        for row in 0..self.rows() {
            let (columns, row_values) = self.row(row);
            for (&column, &value) in columns.iter().zip(row_values) {
                let at = &mut next[column as usize];
                indices[*at] = row as u32;
                values[*at] = value;
                *at += 1;
            }
        }
        Sparse { columns: self.rows(), starts, indices, values }
    }

    /// `out` = this matrix times `block`, both row by row with `width` columns, on `threads` threads. Every
    /// row is summed in the order of its columns, so the result does not depend on `threads`. Cost:
    /// 2 · stored · width operations.
    ///
    /// # Panics
    /// `block` has not as many rows as this matrix columns, or `out` not as many rows as it.
    pub fn multiply(&self, block: &[f64], width: usize, out: &mut [f64], threads: usize) {
        assert_eq!(block.len(), self.columns * width, "rows of the block");
        assert_eq!(out.len(), self.rows() * width, "rows of the result");
        let arch = pulp::Arch::new();
        let product = |rows: Range<usize>, out: &mut [f64]| {
            let starts = &self.starts[rows.start..=rows.end];
            arch.dispatch(Rows { starts, indices: &self.indices, values: &self.values, block, width, out });
        };
        let parts = self.parts(threads);
        let Some((last, others)) = parts.split_last() else { return };
        std::thread::scope(|scope| {
            let mut rest = out;
            for part in others {
                let (mine, after) = rest.split_at_mut(part.len() * width);
                rest = after;
                scope.spawn(|| product(part.clone(), mine));
            }
            product(last.clone(), rest);
        });
    }

    /// Rows in `count` consecutive parts of about as many stored values each.
    fn parts(&self, count: usize) -> Vec<Range<usize>> {
        let count = count.clamp(1, self.rows().max(1));
        let bound = |part: usize| {
            let values = (self.stored() as u128 * part as u128 / count as u128) as usize;
            if part == count {
                self.rows()
            } else {
                self.starts.partition_point(|&s| s < values).min(self.rows())
            }
        };
        (0..count).map(|part| bound(part)..bound(part + 1)).collect()
    }
}
