//! Some rows of a sparse matrix times a dense block, in the widest registers that the processor has.

use pulp::{Simd, WithSimd};

/// Registers that hold sums at a time.
const SUMS: usize = 4;

/// Rows of a sparse matrix, a block and where the product goes.
pub(super) struct Rows<'a> {
    /// Where each row begins in `indices` and `values`, and where the last ends.
    pub(super) starts: &'a [usize],
    pub(super) indices: &'a [u32],
    pub(super) values: &'a [f64],
    /// The block, row by row.
    pub(super) block: &'a [f64],
    /// Columns of the block.
    pub(super) width: usize,
    /// The product, row by row.
    pub(super) out: &'a mut [f64],
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Rows { starts, indices, values, block, width, out } = self;
        let stripe = SUMS * S::F64_LANES;
        for (bounds, out) in starts.windows(2).zip(out.chunks_exact_mut(width.max(1))) {
            let indices = &indices[bounds[0]..bounds[1]];
            let values = &values[bounds[0]..bounds[1]];
            let mut at = 0;
            while at + stripe <= width {
                let mut sums = [simd.splat_f64s(0.0); SUMS];
                for (&index, &value) in indices.iter().zip(values) {
                    let from = index as usize * width + at;
                    let (lanes, _) = S::as_simd_f64s(&block[from..from + stripe]);
                    let value = simd.splat_f64s(value);
                    for (sum, &x) in sums.iter_mut().zip(lanes) {
                        *sum = simd.mul_add_e_f64s(value, x, *sum);
                    }
                }
                let (lanes, _) = S::as_mut_simd_f64s(&mut out[at..at + stripe]);
                lanes.copy_from_slice(&sums);
                at += stripe;
            }
            // What is narrower than a stripe.
            let rest = &mut out[at..];
            rest.fill(0.0);
            for (&index, &value) in indices.iter().zip(values) {
                let from = index as usize * width + at;
                for (sum, &x) in rest.iter_mut().zip(&block[from..from + width - at]) {
                    *sum += value * x;
                }
            }
        }
    }
}
