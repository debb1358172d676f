//! Deep zooms: one point is followed in arbitrary precision, all others by their distance from it.
//!
//! With the reference orbit Z of the middle C, a point c = C + δc has the orbit z = Z + δ with
//!
//! ```text
//! δ ← 2 Z δ + δ² + δc
//! ```
//!
//! in which nothing cancels, so that 53 bits are enough however small δ is. Where z comes closer to 0 than to Z
//! the digits of δ would be lost; there the point goes on as if the reference had just begun: δ ← z, Z ← Z₀ = 0
//! (*rebasing*, Zhuoran, 2021). The same is done where the reference ends, because it escapes before the point does.

use dashu_float::FBig;
use dashu_float::round::mode::Zero;

use super::View;

/// A number of arbitrary precision.
pub(super) type Real = FBig<Zero, 2>;

/// The orbit of the middle, rounded.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    /// Z₀ = 0, Z₁ = C, …, until it escapes or all iterations are done.
    orbit: Vec<(f64, f64)>,
}

impl Reference {
    /// Follows the middle of a view. Cost: three products of the view's precision an iteration.
    pub(super) fn new(view: &View) -> Reference {
        let (c_re, c_im) = &view.centre;
        let precision = c_re.precision().max(c_im.precision());
        let zero = || Real::ZERO.with_precision(precision).value();
        let (mut re, mut im) = (zero(), zero());
        let mut orbit = vec![(0.0, 0.0)];
        for _ in 0..view.most() {
            let (re2, im2, product) = (&re * &re, &im * &im, &re * &im);
            re = re2 - im2 + c_re;
            im = &product + &product + c_im;
            let z = (re.to_f64().value(), im.to_f64().value());
            orbit.push(z);
            if norm(z) > 4.0 {
                break;
            }
        }
        Reference { orbit }
    }

    /// Iterations until the point at `offset` from the middle escapes, at most `most`.
    pub(super) fn escape(&self, offset: (f64, f64), most: u32) -> u32 {
        let (mut d, mut at) = ((0.0, 0.0), 0);
        let last = self.orbit.len() - 1;
        for n in 0..most {
            let z = self.orbit[at];
            // (2 Z + δ) δ + δc
            let s = (2.0 * z.0 + d.0, 2.0 * z.1 + d.1);
            d = (s.0 * d.0 - s.1 * d.1 + offset.0, s.0 * d.1 + s.1 * d.0 + offset.1);
            at += 1;
            let z = self.orbit[at];
            let full = (z.0 + d.0, z.1 + d.1);
            let size = norm(full);
            if size > 4.0 {
                return n + 1;
            }
            if size < norm(d) || at == last {
                (d, at) = (full, 0);
            }
        }
        most
    }
}

fn norm(z: (f64, f64)) -> f64 {
    z.0 * z.0 + z.1 * z.1
}
