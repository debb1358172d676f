//! The truncated singular value decomposition of a sparse matrix.
//!
//! [`decompose`] finds the largest k singular values and their vectors by a block Krylov method with
//! thick restart on the smaller side of the matrix (see `krylov.rs`), or, where the matrix is hardly larger than k,
//! by a dense decomposition. It stops when the residual of every wanted triplet is small enough, not after a
//! number of iterations: what is returned has reached the tolerance.

mod basis;
mod dense;
mod krylov;
mod orthonormal;
mod ritz;

use std::fmt;

use crate::matrix::{Dense, Sparse};

/// How to find singular values.
#[derive(Debug, Clone, PartialEq)]
pub struct SvdOptions {
    /// Number of singular values, at least 1.
    pub rank: usize,
    /// The residual ‖Aᵀu − σv‖ that every triplet must reach, relative to its σ. The relative error of σ
    /// is at most this, and about its square over the relative gap to the next value.
    pub tolerance: f64,
    /// Vectors added to the Krylov space at a time.
    pub block: usize,
    /// Most vectors of the Krylov space, before it is restarted from the best of them; none for a choice by `rank`.
    pub space: Option<usize>,
    /// Restarts after which the search is given up.
    pub restarts: usize,
    /// The same seed gives the same result to the last digit, on any number of threads.
    pub seed: u64,
    /// Threads to compute on.
    pub threads: usize,
}

impl SvdOptions {
    /// A decomposition of this rank, on all cores.
    pub fn new(rank: usize) -> Self {
        SvdOptions {
            rank,
            tolerance: 1e-4,
            block: 32,
            space: None,
            restarts: 200,
            seed: 1,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

/// The largest singular values of a matrix and their vectors.
#[derive(Debug, Clone)]
pub struct Svd {
    /// Singular values, falling.
    pub values: Vec<f64>,
    /// Left singular vectors: a row for every row of the matrix, a column for every value.
    pub left: Dense,
    /// Right singular vectors: a row for every column of the matrix, a column for every value.
    pub right: Dense,
    /// ‖Aᵀu − σv‖ relative to σ for every triplet, as the method saw it.
    pub residuals: Vec<f64>,
    /// Vectors that the matrix was multiplied with, and as many the transposed matrix.
    pub products: usize,
    /// How often the Krylov space was restarted.
    pub restarts: usize,
}

/// Why there is no decomposition.
#[derive(Debug, Clone, PartialEq)]
pub enum SvdError {
    /// The rank is 0 or above what the matrix can have (its smaller side).
    Rank {
        /// What was asked for.
        rank: usize,
        /// The most that there can be.
        most: usize,
    },
    /// A value of the matrix is infinite or no number.
    NotFinite,
    /// An option is out of its range.
    Option(&'static str),
    /// The dense decomposition of a small matrix did not converge.
    Dense,
    /// The tolerance was not reached.
    NotConverged {
        /// Triplets that reached it.
        converged: usize,
        /// The largest residual, relative to its value.
        residual: f64,
        /// Restarts that were made.
        restarts: usize,
    },
}

impl fmt::Display for SvdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SvdError::Rank { rank, most } => {
                write!(f, "rank {rank}: this matrix has from 1 to {most} singular values; ask for as many")
            }
            SvdError::NotFinite => {
                f.write_str("the matrix holds infinite values or values that are no numbers")
            }
            SvdError::Option(what) => f.write_str(what),
            SvdError::Dense => f.write_str("the dense decomposition did not converge"),
            SvdError::NotConverged { converged, residual, restarts } => write!(
                f,
                "after {restarts} restarts {converged} singular values reached the tolerance, and the largest \
                 relative residual is {residual:.1e}; allow a larger tolerance or a larger space"
            ),
        }
    }
}

impl std::error::Error for SvdError {}

/// The largest singular values of `matrix` and their vectors. Of each pair of vectors the largest element of
/// the right one is positive.
///
/// Cost: for a Krylov space of m vectors, about 4·stored·m operations for products and 4·n·m² for keeping them
/// orthogonal, n the smaller side of the matrix; memory for (n + 1)·m and two blocks of each side.
///
/// # Errors
/// A rank that cannot be, values that are not finite, or a tolerance that is not reached.
pub fn decompose(matrix: &Sparse, options: &SvdOptions) -> Result<Svd, SvdError> {
    let most = matrix.rows().min(matrix.columns());
    if options.rank == 0 || options.rank > most {
        return Err(SvdError::Rank { rank: options.rank, most });
    }
    if options.block == 0 {
        return Err(SvdError::Option("a block of 0 vectors: take at least 1"));
    }
    if options.tolerance.is_nan() || options.tolerance < 1e-12 {
        return Err(SvdError::Option("the tolerance of a residual is at least 1e-12"));
    }
    if (0..matrix.rows()).any(|row| matrix.row(row).1.iter().any(|value| !value.is_finite())) {
        return Err(SvdError::NotFinite);
    }
    let room = krylov::room(options);
    let mut found = if most < room + options.block {
        dense::decompose(matrix, options.rank)?
    } else if matrix.rows() <= matrix.columns() {
        krylov::decompose(matrix, &matrix.transposed(), options)?
    } else {
        let turned = krylov::decompose(&matrix.transposed(), matrix, options)?;
        Svd { left: turned.right, right: turned.left, ..turned }
    };
    point(&mut found);
    Ok(found)
}

/// Makes the largest element of each right vector positive (the first of equal ones).
fn point(svd: &mut Svd) {
    let width = svd.values.len();
    let mut largest = vec![0.0f64; width];
    for row in 0..svd.right.rows() {
        for (largest, &value) in largest.iter_mut().zip(svd.right.row(row)) {
            if value.abs() > largest.abs() {
                *largest = value;
            }
        }
    }
    for side in [&mut svd.left, &mut svd.right] {
        for row in side.values_mut().chunks_exact_mut(width) {
            for (value, &largest) in row.iter_mut().zip(&largest) {
                if largest < 0.0 {
                    *value = -*value;
                }
            }
        }
    }
}
