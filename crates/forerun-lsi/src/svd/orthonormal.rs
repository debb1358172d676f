//! Making a block orthonormal, and orthogonal to a basis.
//!
//! Classical Gram-Schmidt by blocks against the basis, and within the block the singular-value QR of Stathopoulos
//! and Wu (SIAM J. Sci. Comput. 23, 2002): both are matrix products, and both are repeated until they find nothing
//! left to do, twice as a rule. A direction that is not there (the space is invariant) is replaced by a
//! random one.

use faer::{Mat, Side};
use forerun_platform::random::Random;

use super::basis::{Basis, gram, turn};

/// What counts as orthonormal.
const ENOUGH: f64 = 1e-13;
/// A direction this small, relative to the largest of the block, is rounding.
const NOTHING: f64 = 1e-14;
/// Most passes; each squares what is missing, so that two or three do.
const PASSES: usize = 8;

/// Makes the columns of `block` orthonormal and orthogonal to `basis`. Returns what was found of the basis in the
/// original block (vectors × width) and the products of the columns with each other once that was taken away.
pub(super) fn orthonormalise(
    basis: &Basis,
    block: &mut [f64],
    width: usize,
    random: &mut Random,
    threads: usize,
) -> (Mat<f64>, Mat<f64>) {
    let found = basis.project(block, width);
    basis.subtract(block, width, found.as_ref());
    let products = gram(block, width, threads);
    let mut current = products.clone();
    for _ in 0..PASSES {
        let stray = normalise(block, width, &current, random, threads);
        let again = basis.project(block, width);
        basis.subtract(block, width, again.as_ref());
        current = gram(block, width, threads);
        let off = (0..width).flat_map(|j| (0..width).map(move |i| (i, j)));
        let off = off.map(|(i, j)| (current[(i, j)] - f64::from(u8::from(i == j))).abs());
        if !stray && off.fold(0.0, f64::max) < ENOUGH * (width as f64) {
            break;
        }
    }
    (found, products)
}

/// Turns the block so that its columns are orthonormal, as far as rounding lets; says whether some direction was missing
/// and is random now.
fn normalise(
    block: &mut [f64],
    width: usize,
    products: &Mat<f64>,
    random: &mut Random,
    threads: usize,
) -> bool {
    let scale: Vec<f64> =
        (0..width).map(|i| products[(i, i)].sqrt()).map(|s| if s > 0.0 { s.recip() } else { 0.0 }).collect();
    let scaled = Mat::from_fn(width, width, |i, j| products[(i, j)] * scale[i] * scale[j]);
    let largest = (0..width).map(|i| products[(i, i)]).fold(0.0, f64::max).sqrt();
    let rows = block.len() / width;
    // Lengths are relative to the block's largest column, so that a column of rounding is seen.
    let tiny = |i: usize| products[(i, i)].sqrt() <= NOTHING * largest;
    let eigen = scaled.self_adjoint_eigen(Side::Lower).ok();
    let mut missing = vec![false; width];
    let right = match eigen {
        Some(eigen) => {
            let values = eigen.S();
            let top = (0..width).map(|i| values[i]).fold(0.0, f64::max);
            for (i, missing) in missing.iter_mut().enumerate() {
                *missing = values[i].is_nan() || values[i] <= NOTHING * top;
            }
            let vectors = eigen.U();
            Mat::from_fn(width, width, |i, j| {
                if missing[j] || tiny(i) { 0.0 } else { scale[i] * vectors[(i, j)] / values[j].sqrt() }
            })
        }
        None => {
            missing.fill(true);
            Mat::zeros(width, width)
        }
    };
    turn(block, right.as_ref(), threads);
    let length = (3.0 / rows as f64).sqrt();
    for (column, _) in missing.iter().enumerate().filter(|(_, missing)| **missing) {
        for row in block.chunks_exact_mut(width) {
            row[column] = random.symmetric() * length;
        }
    }
    missing.contains(&true)
}
