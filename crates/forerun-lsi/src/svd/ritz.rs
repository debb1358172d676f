//! Eigenvalues of the projected matrix and how far each is from being one of the whole.

use faer::{Mat, Side};

/// Eigenpairs of the projected matrix, the largest first.
pub(super) struct Ritz {
    /// Squares of singular values.
    pub(super) values: Vec<f64>,
    /// A column for each: coordinates in the basis.
    pub(super) vectors: Mat<f64>,
    /// ‖Aᵀu − σv‖ relative to σ.
    pub(super) residuals: Vec<f64>,
}

/// The eigenpairs of `projected` (its lower triangle counts). `products` are those of the columns of what the last block
/// of the basis, multiplied, has outside of it.
pub(super) fn ritz(projected: &Mat<f64>, products: &Mat<f64>) -> Option<Ritz> {
    let size = projected.nrows();
    let block = products.nrows();
    let eigen = projected.self_adjoint_eigen(Side::Lower).ok()?;
    let ascending = eigen.S();
    let values: Vec<f64> = (0..size).rev().map(|i| ascending[i].max(0.0)).collect();
    let vectors = Mat::from_fn(size, size, |i, j| eigen.U()[(i, size - 1 - j)]);
    let last = vectors.subrows(size - block, block);
    let turned = products * last;
    // ‖AAᵀv − σ²v‖ = σ·‖Aᵀu − σv‖ for u = Av/σ.
    let residuals = (0..size)
        .map(|j| {
            let square: f64 = (0..block).map(|i| last[(i, j)] * turned[(i, j)]).sum();
            let outside = square.max(0.0).sqrt();
            if outside == 0.0 { 0.0 } else { outside / values[j].max(f64::MIN_POSITIVE) }
        })
        .collect();
    Some(Ritz { values, vectors, residuals })
}
