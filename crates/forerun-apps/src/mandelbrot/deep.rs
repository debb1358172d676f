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
//! (*rebasing*, Zhuoran, 2021). The same is done where the reference ends, because it escapes before the point does; but
//! there digits are lost that matter where the point stays near the circle of escape. So the reference is a point of the
//! view that stays as long as any of a sample of them.

use dashu_float::FBig;
use dashu_float::round::mode::Zero;

use super::View;

/// A number of arbitrary precision.
pub(super) type Real = FBig<Zero, 2>;

/// Points of a row and of a column of the sample.
const SAMPLE: u32 = 16;
/// How often a better reference is looked for.
const ROUNDS: usize = 4;

/// The orbit of a point of the view, rounded.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    /// Where it is, from the middle.
    offset: (f64, f64),
    /// Z₀ = 0, Z₁ = C, …, until it escapes or all iterations are done.
    orbit: Vec<(f64, f64)>,
}

impl Reference {
    /// Follows the middle of a view, or where it escapes, a point that stays longer. Cost: three products of the view's
    /// precision an iteration.
    pub(super) fn new(view: &View) -> Reference {
        let mut best = Reference::at(view, (0.0, 0.0));
        for _ in 0..ROUNDS {
            let life = best.orbit.len() as u32 - 1;
            if life >= view.most() {
                break;
            }
            let sample = (0..SAMPLE * SAMPLE).map(|i| view.sampled(i % SAMPLE, i / SAMPLE, SAMPLE));
            let longest = sample.map(|at| (best.escape(at, view.most()), at)).max_by_key(|(n, _)| *n);
            match longest {
                Some((n, at)) if n > life => best = Reference::at(view, at),
                _ => break,
            }
        }
        best
    }

    /// Follows the point at `offset` from the middle.
    fn at(view: &View, offset: (f64, f64)) -> Reference {
        let precision = view.centre.0.precision().max(view.centre.1.precision());
        let real = |x: f64| Real::try_from(x).unwrap_or(Real::ZERO).with_precision(precision).value();
        let zero = || real(0.0);
        let (c_re, c_im) = (&view.centre.0 + real(offset.0), &view.centre.1 + real(offset.1));
        let (mut re, mut im) = (zero(), zero());
        let mut orbit = vec![(0.0, 0.0)];
        for _ in 0..view.most() {
            let (re2, im2, product) = (&re * &re, &im * &im, &re * &im);
            re = re2 - im2 + &c_re;
            im = &product + &product + &c_im;
            let z = (re.to_f64().value(), im.to_f64().value());
            orbit.push(z);
            if norm(z) > 4.0 {
                break;
            }
        }
        Reference { offset, orbit }
    }

    /// Iterations until the point at `offset` from the middle escapes, at most `most`.
    pub(super) fn escape(&self, offset: (f64, f64), most: u32) -> u32 {
        let offset = (offset.0 - self.offset.0, offset.1 - self.offset.1);
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

#[cfg(test)]
mod tests {
    use super::super::{View, escape};
    use super::*;

    #[test]
    fn perturbation_gives_what_plain_numbers_do_where_they_can() {
        // The references: one in the set, one that escapes late, one that escapes at once.
        for (centre, width) in [(("-0.7", "0.1"), 0.3), (("-0.7436", "0.1318"), 0.01), (("1", "1"), 4.0)] {
            let view = View::new(centre, width, (64, 48), 1000).expect("valid");
            assert!(!view.is_deep());
            let reference = Reference::new(&view);
            let middle = (view.centre.0.to_f64().value(), view.centre.1.to_f64().value());
            let (mut same, mut all) = (0, 0);
            for row in 0..48 {
                let (rights, up) = view.offsets(row);
                for right in rights {
                    let plain = escape((middle.0 + right, middle.1 + up), 1000);
                    same += u32::from(reference.escape((right, up), 1000) == plain);
                    all += 1;
                }
            }
            // Few points are so near the border that rounding tells.
            assert!(same * 100 > all * 97, "{centre:?}: {same} of {all}");
        }
    }
}
