//! The sparse decomposition against a dense one, and what it promises of its result.

use faer::Mat;
use forerun_lsi::matrix::Sparse;
use forerun_lsi::svd::{Svd, SvdError, SvdOptions, decompose};
use proptest::prelude::*;

/// A random sparse matrix: seeds of its rows, about `fill` of a row's columns not zero.
fn matrix() -> impl Strategy<Value = Sparse> {
    (20usize..120, 20usize..120, 0.05f64..0.5).prop_flat_map(|(rows, columns, fill)| {
        let entry = (prop::bool::weighted(fill), -1.0f64..1.0);
        prop::collection::vec(prop::collection::vec(entry, columns), rows).prop_map(move |rows| {
            let row = |row: Vec<(bool, f64)>| {
                (0u32..).zip(row).filter(|(_, (is, _))| *is).map(|(c, (_, v))| (c, v)).collect::<Vec<_>>()
            };
            Sparse::from_rows(columns, rows.into_iter().map(row))
        })
    })
}

fn dense(matrix: &Sparse) -> Mat<f64> {
    let mut full = Mat::zeros(matrix.rows(), matrix.columns());
    for row in 0..matrix.rows() {
        for (&column, &value) in matrix.row(row).0.iter().zip(matrix.row(row).1) {
            full[(row, column as usize)] += value;
        }
    }
    full
}

/// A small Krylov space, so that small matrices too take the way of large ones, and restart.
fn options(rank: usize, block: usize, threads: usize) -> SvdOptions {
    let mut options = SvdOptions::new(rank);
    (options.block, options.space, options.tolerance) = (block, Some(rank + 3 * block), 1e-9);
    options.threads = threads;
    options
}

fn check(matrix: &Sparse, svd: &Svd) -> Result<(), TestCaseError> {
    let full = dense(matrix);
    let expected = full.thin_svd().expect("a decomposition");
    let top = expected.S()[0];
    let rank = svd.values.len();
    for (i, &value) in svd.values.iter().enumerate() {
        prop_assert!((value - expected.S()[i]).abs() <= 1e-9 * top, "{i}: {value} and {}", expected.S()[i]);
    }
    let side = |d: &forerun_lsi::matrix::Dense| Mat::from_fn(d.rows(), d.columns(), |i, j| d.row(i)[j]);
    let (u, v) = (side(&svd.left), side(&svd.right));
    for w in [&u, &v] {
        let gram = w.transpose() * w;
        for i in 0..rank {
            for j in 0..rank {
                let one = f64::from(u8::from(i == j));
                prop_assert!((gram[(i, j)] - one).abs() < 1e-8, "{} at {i}, {j}", gram[(i, j)]);
            }
        }
    }
    // Both residuals, from the matrix itself.
    let forth = &full * &v;
    let back = full.transpose() * &u;
    for j in 0..rank {
        let far = |m: &Mat<f64>, w: &Mat<f64>| {
            (0..w.nrows()).map(|i| (m[(i, j)] - svd.values[j] * w[(i, j)]).powi(2)).sum::<f64>().sqrt()
        };
        let (a, b) = (far(&forth, &u), far(&back, &v));
        prop_assert!(a <= 1e-7 * top && b <= 1e-7 * top, "{j}: {a} and {b} of {top}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn agrees_with_a_dense_decomposition(matrix in matrix(), rank in 1usize..6, block in 1usize..4) {
        check(&matrix, &decompose(&matrix, &options(rank, block, 1)).unwrap())?;
    }

    #[test]
    fn is_the_same_on_any_number_of_threads(matrix in matrix(), threads in 2usize..5) {
        let one = decompose(&matrix, &options(4, 3, 1)).unwrap();
        let many = decompose(&matrix, &options(4, 3, threads)).unwrap();
        prop_assert_eq!(one.values, many.values);
        prop_assert_eq!(one.left, many.left);
        prop_assert_eq!(one.right, many.right);
    }

    #[test]
    fn products_agree_with_dense_ones(matrix in matrix(), width in 1usize..40, threads in 1usize..4) {
        let block: Vec<f64> = (0..matrix.columns() * width).map(|i| ((i * 37) % 101) as f64 - 50.0).collect();
        let mut out = vec![f64::NAN; matrix.rows() * width];
        matrix.multiply(&block, width, &mut out, threads);
        let expected = dense(&matrix) * Mat::from_fn(matrix.columns(), width, |i, j| block[i * width + j]);
        for i in 0..matrix.rows() {
            for j in 0..width {
                prop_assert!((out[i * width + j] - expected[(i, j)]).abs() < 1e-10);
            }
        }
        prop_assert_eq!(matrix.transposed().transposed(), matrix);
    }
}

/// Equal singular values, and fewer that are not zero than are asked for: the Krylov space ends.
#[test]
fn clusters_and_missing_rank_are_found() {
    let values = [3.0, 3.0, 3.0, 1.0, 1e-5, 0.0];
    let matrix = Sparse::from_rows(
        90,
        (0..80u32).map(|i| {
            values.get(i as usize).filter(|v| **v > 0.0).map(|&v| (i, v)).into_iter().collect::<Vec<_>>()
        }),
    );
    let svd = decompose(&matrix, &options(6, 2, 1)).unwrap();
    for (found, expected) in svd.values.iter().zip(values) {
        assert!((found - expected).abs() < 1e-9, "{:?}", svd.values);
    }
    check(&matrix, &svd).unwrap();
}

#[test]
fn what_cannot_be_is_refused() {
    let matrix = Sparse::from_rows(3, [vec![(0, 1.0)], vec![(2, 1.0), (2, 1.0)]]);
    assert_eq!(matrix.row(1).1, [2.0]);
    let rank = |rank| decompose(&matrix, &SvdOptions::new(rank)).map(|s| s.values);
    assert_eq!(rank(0), Err(SvdError::Rank { rank: 0, most: 2 }));
    assert_eq!(rank(3), Err(SvdError::Rank { rank: 3, most: 2 }));
    assert!(rank(2).is_ok_and(|v| (v[0] - 2.0).abs() < 1e-12 && (v[1] - 1.0).abs() < 1e-12));
    let bad = Sparse::from_rows(1, [[(0, f64::NAN)]]);
    assert_eq!(decompose(&bad, &SvdOptions::new(1)).map(|s| s.values), Err(SvdError::NotFinite));
    let mut never = options(5, 1, 1);
    (never.restarts, never.tolerance) = (0, 1e-12);
    let slow = Sparse::from_rows(200, (0..200u32).map(|i| [(i, 1.0 + f64::from(i) * 1e-3)]));
    assert!(matches!(decompose(&slow, &never).map(|s| s.values), Err(SvdError::NotConverged { .. })));
}
