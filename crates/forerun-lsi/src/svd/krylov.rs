//! The largest singular triplets by a block Krylov method with thick restart.
//!
//! On the smaller side of the matrix A (its rows; n of them) grows an orthonormal basis V of the space
//! that AAᵀ makes of a random block, a block at a time: Z = A(AᵀV_j), which is made orthogonal to all of V (block
//! Lanczos with full reorthogonalisation: Golub and Underwood, "The block Lanczos method for computing eigenvalues",
//! 1977). What was found of V in Z is a column of T = VᵀAAᵀV, whose eigenpairs are
//! the Ritz values σ² and vectors; what is left gives their residuals. When the basis is full, it is restarted from its
//! best Ritz vectors and the block that would have come next (Wu and Simon, "Thick-restart Lanczos method for large
//! symmetric eigenvalue problems", SIAM J. Matrix Anal. Appl. 22, 2000); all of T is projected and
//! not taken from a recurrence, so nothing else changes then.
//!
//! At the end AᵀV_k is decomposed (Rayleigh-Ritz), so that small singular values do not suffer from having been squared.

use faer::{Mat, MatRef};
use forerun_platform::random::Random;

use super::basis::Basis;
use super::orthonormal::orthonormalise;
use super::ritz::{Ritz, ritz};
use super::{Svd, SvdError, SvdOptions};
use crate::matrix::{Dense, Sparse};

/// Most vectors of the basis.
pub(super) fn room(options: &SvdOptions) -> usize {
    let least = options.rank + 2 * options.block;
    options.space.unwrap_or(6 * options.rank + 2 * options.block).max(least)
}

/// Decomposes a matrix with at least `room` rows and not fewer columns, given with its transposed.
pub(super) fn decompose(matrix: &Sparse, turned: &Sparse, options: &SvdOptions) -> Result<Svd, SvdError> {
    let (n, width, threads) = (matrix.rows(), options.block, options.threads.max(1));
    let room = room(options);
    let mut random = Random::new(options.seed);
    let mut basis = Basis::new(n, room, threads);
    let mut projected = Mat::<f64>::zeros(room, room);
    let mut block: Vec<f64> = (0..n * width).map(|_| random.symmetric()).collect();
    let mut across = vec![0.0; matrix.columns() * width];
    orthonormalise(&basis, &mut block, width, &mut random, threads);
    let (mut products, mut restarts, mut next_look) = (0, 0, 2 * options.rank);
    loop {
        basis.push(&block, width);
        turned.multiply(&block, width, &mut across, threads);
        matrix.multiply(&across, width, &mut block, threads);
        products += width;
        let (found, outside) = orthonormalise(&basis, &mut block, width, &mut random, threads);
        let used = basis.used();
        put(&mut projected, found.as_ref(), used - width);
        let full = used + width > room;
        if used < next_look && !full {
            continue;
        }
        next_look = used + (options.rank / 4).max(width);
        let ritz =
            ritz(&projected.submatrix(0, 0, used, used).to_owned(), &outside).ok_or(SvdError::Dense)?;
        let converged = converged(&ritz, options);
        if converged >= options.rank {
            return finish(turned, &basis, ritz, options, (products, restarts));
        }
        if !full {
            continue;
        }
        if restarts == options.restarts {
            let residual = ritz.residuals[..options.rank].iter().copied().fold(0.0, f64::max);
            return Err(SvdError::NotConverged { converged, residual, restarts });
        }
        restarts += 1;
        // Half of the room beyond the rank keeps what was learned of the values after the wanted ones.
        let kept = (options.rank + (room - options.rank) / 2).min(used - width);
        let vectors = basis.times(ritz.vectors.subcols(0, kept));
        basis.replace(&vectors, kept);
        projected = Mat::zeros(room, room);
        for (i, &value) in ritz.values[..kept].iter().enumerate() {
            projected[(i, i)] = value;
        }
        next_look = kept + width;
    }
}

/// Puts a column of blocks, from column `at` on, and its transposed into the projected matrix.
fn put(projected: &mut Mat<f64>, found: MatRef<'_, f64>, at: usize) {
    for j in 0..found.ncols() {
        for i in 0..found.nrows() {
            projected[(i, at + j)] = found[(i, j)];
            projected[(at + j, i)] = found[(i, j)];
        }
    }
}

/// How many of the wanted triplets reached the tolerance. Those that are rounding beside the largest have.
fn converged(ritz: &Ritz, options: &SvdOptions) -> usize {
    let largest = ritz.values.first().copied().unwrap_or(0.0);
    let wanted = ritz.values.iter().zip(&ritz.residuals).take(options.rank);
    wanted.filter(|&(&value, &residual)| residual <= options.tolerance || value <= 1e-14 * largest).count()
}

/// Left and right vectors from the best Ritz vectors.
fn finish(
    turned: &Sparse,
    basis: &Basis,
    ritz: Ritz,
    options: &SvdOptions,
    (products, restarts): (usize, usize),
) -> Result<Svd, SvdError> {
    let rank = options.rank;
    let left = basis.times(ritz.vectors.subcols(0, rank));
    let mut across = vec![0.0; turned.rows() * rank];
    turned.multiply(&left, rank, &mut across, options.threads.max(1));
    let across = MatRef::from_row_major_slice(&across, turned.rows(), rank);
    let svd = across.thin_svd().map_err(|_| SvdError::Dense)?;
    let left = MatRef::from_row_major_slice(&left, basis_rows(&left, rank), rank) * svd.V();
    Ok(Svd {
        values: (0..rank).map(|i| svd.S()[i]).collect(),
        left: dense(left.as_ref()),
        right: dense(svd.U().subcols(0, rank)),
        residuals: ritz.residuals[..rank].to_vec(),
        products: products + rank,
        restarts,
    })
}

fn basis_rows(values: &[f64], width: usize) -> usize {
    values.len() / width
}

fn dense(from: MatRef<'_, f64>) -> Dense {
    let mut out = Dense::zeros(from.nrows(), from.ncols());
    let width = from.ncols().max(1);
    for (row, values) in out.values_mut().chunks_exact_mut(width).enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = from[(row, column)];
        }
    }
    out
}
