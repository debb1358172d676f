//! Iterations until points escape, many at a time.
//!
//! `z ← z² + c` from z = 0; a point escapes with the first iteration after which |z|² > 4. Lanes of points are
//! iterated [`BLOCK`] times without looking, since a point that has escaped never comes back; then lanes in which one
//! has are done again from the block's start, singly, and are given the next point. Every operation is that of the
//! plain loop in its order, without fused ones, so that results are the plain loop's on every machine.

use pulp::{Arch, Simd, WithSimd};

/// Iterations between two looks at whether a point has escaped.
const BLOCK: u32 = 8;
/// Vectors that are iterated together: as many as hide an operation's latency.
const VECTORS: usize = 4;
/// Most lanes: of [`VECTORS`] vectors of 512 bits.
const LANES: usize = 8 * VECTORS;

/// Iterations until `c` escapes, at most `most`, by the plain loop.
pub fn escape(c: (f64, f64), most: u32) -> u32 {
    escape_from((0.0, 0.0), c, 0, most)
}

/// The same from `z` on, which is that after `done` iterations.
fn escape_from((mut re, mut im): (f64, f64), c: (f64, f64), done: u32, most: u32) -> u32 {
    for n in done..most {
        let product = re * im;
        re = re * re - im * im + c.0;
        im = product + product + c.1;
        if re * re + im * im > 4.0 {
            return n + 1;
        }
    }
    most
}

/// Iterations until each of the points `(re[i], im[i])` escapes, at most `most`. As many at a time as the processor's
/// vectors hold.
pub fn escape_all(re: &[f64], im: &[f64], most: u32) -> Vec<u32> {
    let count = re.len().min(im.len());
    let mut counts = vec![0; count];
    // Fewer than a block: not worth looking at blocks.
    if most < BLOCK {
        for (n, (&re, &im)) in counts.iter_mut().zip(re.iter().zip(im)) {
            *n = escape((re, im), most);
        }
    } else {
        Arch::new().dispatch(Points { re: &re[..count], im: &im[..count], most, counts: &mut counts });
    }
    counts
}

struct Points<'a> {
    re: &'a [f64],
    im: &'a [f64],
    most: u32,
    counts: &'a mut [u32],
}

/// What lanes hold: a point, where it is, and how far.
struct Lanes {
    c: [[f64; LANES]; 2],
    z: [[f64; LANES]; 2],
    /// Iterations done.
    done: [u32; LANES],
    /// The point's index; none where there are no more.
    point: [Option<usize>; LANES],
}

impl Points<'_> {
    /// Puts point `next` into a lane if there is one.
    fn refill(&self, lanes: &mut Lanes, lane: usize, next: &mut usize) {
        let at = *next;
        lanes.done[lane] = 0;
        lanes.z[0][lane] = 0.0;
        lanes.z[1][lane] = 0.0;
        if at < self.re.len() {
            (lanes.c[0][lane], lanes.c[1][lane]) = (self.re[at], self.im[at]);
            lanes.point[lane] = Some(at);
            *next += 1;
        } else {
            (lanes.c[0][lane], lanes.c[1][lane]) = (0.0, 0.0);
            lanes.point[lane] = None;
        }
    }
}

impl WithSimd for Points<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = VECTORS * S::F64_LANES;
        let mut lanes =
            Lanes { c: [[0.0; LANES]; 2], z: [[0.0; LANES]; 2], done: [0; LANES], point: [None; LANES] };
        let mut next = 0;
        for lane in 0..width {
            self.refill(&mut lanes, lane, &mut next);
        }
        let mut open = lanes.point.iter().flatten().count();
        while open > 0 {
            let before = lanes.z;
            let mut size = [0.0; LANES];
            block(simd, &mut lanes, &mut size);
            // Not comparable counts as escaped: the size of what escapes soon overflows.
            let escaped = |size: f64| size > 4.0 || size.is_nan();
            let last = self.most - BLOCK;
            let some = size[..width].iter().zip(&lanes.done[..width]);
            if !some.fold(false, |any, (&size, &done)| any | escaped(size) | (done >= last)) {
                lanes.done[..width].iter_mut().for_each(|done| *done += BLOCK);
                continue;
            }
            for lane in 0..width {
                let done = lanes.done[lane];
                let Some(point) = lanes.point[lane] else { continue };
                if !escaped(size[lane]) && done + 2 * BLOCK <= self.most {
                    lanes.done[lane] = done + BLOCK;
                    continue;
                }
                let c = (lanes.c[0][lane], lanes.c[1][lane]);
                self.counts[point] = escape_from((before[0][lane], before[1][lane]), c, done, self.most);
                self.refill(&mut lanes, lane, &mut next);
                open -= usize::from(lanes.point[lane].is_none());
            }
        }
    }
}

/// Iterates all lanes [`BLOCK`] times; gives |z|² of each.
#[inline(always)]
fn block<S: Simd>(simd: S, lanes: &mut Lanes, size: &mut [f64; LANES]) {
    let (c_re, _) = S::as_simd_f64s(&lanes.c[0]);
    let (c_im, _) = S::as_simd_f64s(&lanes.c[1]);
    let [z_re, z_im] = &mut lanes.z;
    let (z_re, _) = S::as_mut_simd_f64s(z_re);
    let (z_im, _) = S::as_mut_simd_f64s(z_im);
    let (size, _) = S::as_mut_simd_f64s(size);
    let (Some(c_re), Some(c_im)) = (c_re.first_chunk::<VECTORS>(), c_im.first_chunk::<VECTORS>()) else {
        return;
    };
    let (Some(z_re), Some(z_im)) = (z_re.first_chunk_mut::<VECTORS>(), z_im.first_chunk_mut::<VECTORS>())
    else {
        return;
    };
    let (c_re, c_im) = (*c_re, *c_im);
    let (mut re, mut im) = (*z_re, *z_im);
    for _ in 0..BLOCK {
        for v in 0..VECTORS {
            let product = simd.mul_f64s(re[v], im[v]);
            let (re2, im2) = (simd.mul_f64s(re[v], re[v]), simd.mul_f64s(im[v], im[v]));
            re[v] = simd.add_f64s(simd.sub_f64s(re2, im2), c_re[v]);
            im[v] = simd.add_f64s(simd.add_f64s(product, product), c_im[v]);
        }
    }
    (*z_re, *z_im) = (re, im);
    for v in 0..VECTORS {
        size[v] = simd.add_f64s(simd.mul_f64s(re[v], re[v]), simd.mul_f64s(im[v], im[v]));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lanes_count_as_the_plain_loop_does(
            points in prop::collection::vec((-2.5f64..1.5, -1.5f64..1.5), 0..200),
            far in prop::collection::vec((-1e300f64..1e300, -1e300f64..1e300), 0..3),
            most in prop_oneof![0u32..40, 0u32..2000],
        ) {
            let (re, im): (Vec<f64>, Vec<f64>) = points.into_iter().chain(far).unzip();
            let expected: Vec<u32> = re.iter().zip(&im).map(|(&re, &im)| escape((re, im), most)).collect();
            prop_assert_eq!(escape_all(&re, &im, most), expected);
        }
    }

    #[test]
    fn known_points() {
        for (c, n) in
            [((0.0, 0.0), 500), ((-2.0, 0.0), 500), ((2.0, 0.0), 2), ((3.0, 0.0), 1), ((0.5, 0.0), 5)]
        {
            assert_eq!(escape(c, 500), n, "{c:?}");
        }
    }
}
