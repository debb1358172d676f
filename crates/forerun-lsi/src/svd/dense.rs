//! The decomposition of a matrix one side of which is hardly larger than the rank.

use faer::Mat;

use super::{Svd, SvdError};
use crate::matrix::{Dense, Sparse};

/// Decomposes by way of a dense matrix.
pub(super) fn decompose(matrix: &Sparse, rank: usize) -> Result<Svd, SvdError> {
    let mut full = Mat::zeros(matrix.rows(), matrix.columns());
    for row in 0..matrix.rows() {
        let (columns, values) = matrix.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            full[(row, column as usize)] = value;
        }
    }
    let svd = full.thin_svd().map_err(|_| SvdError::Dense)?;
    let values: Vec<f64> = (0..rank).map(|i| svd.S()[i]).collect();
    let side = |of: faer::MatRef<'_, f64>| {
        let mut out = Dense::zeros(of.nrows(), rank);
        for (row, values) in out.values_mut().chunks_exact_mut(rank).enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = of[(row, column)];
            }
        }
        out
    };
    let (left, right) = (side(svd.U()), side(svd.V()));
    Ok(Svd { values, left, right, residuals: vec![f64::EPSILON; rank], products: 0, restarts: 0 })
}
