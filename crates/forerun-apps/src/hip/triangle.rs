//! Whether two triangles meet.

use super::vector::{Point, cross, dot, sub};

/// The corners of a triangle.
pub type Triangle = [Point; 3];

/// Whether two triangles have a point in common, touching included.
///
/// After Möller (1997): corners all on one side of the other's plane end it, which is nearly always. Else an edge of one
/// meets the other where they meet at all; that is told by the signs of volumes, as Devillers and Guigue (2002) do,
/// without computing any point. All signs are of 64-bit numbers: triangles nearer to each other than some 10⁻¹³ of
/// their coordinates may be told either way.
pub fn meet(a: &Triangle, b: &Triangle) -> bool {
    let sides_a = sides(a, b);
    if one_side(&sides_a) {
        return false;
    }
    let sides_b = sides(b, a);
    if one_side(&sides_b) {
        return false;
    }
    if sides_a == [0.0; 3] || sides_b == [0.0; 3] {
        return in_a_plane(a, b);
    }
    edges_meet(a, &sides_a, b) || edges_meet(b, &sides_b, a)
}

/// Which side of the plane of `b` the corners of `a` are on: positive, negative, or in it.
#[inline]
fn sides(a: &Triangle, b: &Triangle) -> [f64; 3] {
    let normal = cross(sub(b[1], b[0]), sub(b[2], b[0]));
    a.map(|corner| dot(sub(corner, b[0]), normal))
}

#[inline]
fn one_side(sides: &[f64; 3]) -> bool {
    sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
}

/// Whether an edge of `a`, whose corners are on these sides of the plane of `b`, meets `b`.
fn edges_meet(a: &Triangle, sides: &[f64; 3], b: &Triangle) -> bool {
    [(0, 1), (1, 2), (2, 0)].into_iter().any(|(from, to)| {
        let (s, t) = (sides[from], sides[to]);
        if (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0) || (s == 0.0 && t == 0.0) {
            return false;
        }
        // On which side of the edge's line every edge of b passes.
        let (start, along) = (a[from], sub(a[to], a[from]));
        let [p, q, r] = b.map(|corner| sub(corner, start));
        let turns = [dot(along, cross(p, q)), dot(along, cross(q, r)), dot(along, cross(r, p))];
        turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0)
    })
}

/// Whether triangles in one plane meet: an edge crosses another, or a corner is inside.
fn in_a_plane(a: &Triangle, b: &Triangle) -> bool {
    let mut normal = cross(sub(b[1], b[0]), sub(b[2], b[0]));
    if normal == [0.0; 3] {
        normal = cross(sub(a[1], a[0]), sub(a[2], a[0]));
    }
    // Without the coordinate in which they are flattest.
    let [x, y, z] = normal.map(f64::abs);
    let (u, v) = if x >= y && x >= z {
        (1, 2)
    } else if y >= z {
        (0, 2)
    } else {
        (0, 1)
    };
    let flat = |t: &Triangle| t.map(|corner| [corner[u], corner[v]]);
    let (a, b) = (flat(a), flat(b));
    let edges = |t: &[[f64; 2]; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    edges(&a).iter().any(|e| edges(&b).iter().any(|f| segments_meet(*e, *f)))
        || inside(a[0], &b)
        || inside(b[0], &a)
}

/// Twice the area of a triangle, positive if it turns left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn segments_meet((a, b): ([f64; 2], [f64; 2]), (c, d): ([f64; 2], [f64; 2])) -> bool {
    let apart = |s: f64, t: f64| (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0);
    let (s, t, u, v) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    if apart(s, t) || apart(u, v) {
        return false;
    }
    // In one line, they meet if they overlap along it.
    (0..2).all(|i| a[i].max(b[i]) >= c[i].min(d[i]) && c[i].max(d[i]) >= a[i].min(b[i]))
}

fn inside(p: [f64; 2], t: &[[f64; 2]; 3]) -> bool {
    let turns = [turn(t[0], t[1], p), turn(t[1], t[2], p), turn(t[2], t[0], p)];
    turns.iter().all(|s| *s >= 0.0) || turns.iter().all(|s| *s <= 0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points() -> impl Strategy<Value = Triangle> {
        let number = || prop_oneof![(-3i32..4).prop_map(f64::from), -3.0f64..3.0];
        [number(), number(), number()].prop_flat_map(move |a| {
            let point = [number(), number(), number()];
            let other = [number(), number(), number()];
            (Just(a), point, other).prop_map(|(a, b, c)| [a, b, c])
        })
    }

    /// Squared distance between two triangles, by going to and fro between their nearest points; an upper bound.
    fn nearest(a: &Triangle, b: &Triangle) -> f64 {
        let mut least = f64::INFINITY;
        let at = |t: &Triangle, u: f64, v: f64| {
            let (e, f) = (sub(t[1], t[0]), sub(t[2], t[0]));
            [0, 1, 2].map(|i| t[0][i] + u * e[i] + v * f[i])
        };
        let steps = 24;
        for i in 0..=steps {
            for j in 0..=steps - i {
                let p = at(a, f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
                for k in 0..=steps {
                    for l in 0..=steps - k {
                        let q = at(b, f64::from(k) / f64::from(steps), f64::from(l) / f64::from(steps));
                        let d = sub(p, q);
                        least = least.min(dot(d, d));
                    }
                }
            }
        }
        least
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// The order of triangles and corners does not matter, and what meets is near, and what is apart has no points
        /// in common.
        #[test]
        fn meeting_is_symmetric_and_has_a_common_point(a in points(), b in points()) {
            let met = meet(&a, &b);
            prop_assert_eq!(met, meet(&b, &a));
            prop_assert_eq!(met, meet(&[a[2], a[0], a[1]], &[b[1], b[0], b[2]]));
            let near = nearest(&a, &b);
            if met {
                // Samples are this far apart at most.
                prop_assert!(near.sqrt() < 2.0 * 11.0 / 24.0, "{near}");
            } else {
                prop_assert!(near > 0.0);
            }
        }
    }

    #[test]
    fn known_pairs() {
        let flat = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let lifted = |by: f64| flat.map(|[x, y, z]| [x, y, z + by]);
        let upright = |x: f64, z: f64| [[x, 1.0, z], [x, 1.0, z + 2.0], [x + 1.0, 1.0, z + 1.0]];
        for (other, expected) in [
            (flat, true),
            (lifted(1e-9), false),
            (upright(1.0, -1.0), true),
            (upright(1.0, 0.0), true),
            (upright(1.0, 1e-9), false),
            (upright(3.5, -1.0), false),
            ([[1.0, 1.0, 0.0], [1.5, 1.0, 0.0], [1.0, 1.5, 0.0]], true),
            ([[5.0, 5.0, 0.0], [6.0, 5.0, 0.0], [5.0, 6.0, 0.0]], false),
            ([[4.0, 0.0, 0.0], [5.0, 0.0, 0.0], [4.0, 1.0, 1.0]], true),
            ([[-1.0, 1.0, 0.0], [5.0, 1.0, 0.0], [-1.0, 1.5, 0.0]], true),
        ] {
            assert_eq!(meet(&flat, &other), expected, "{other:?}");
            assert_eq!(meet(&other, &flat), expected, "{other:?}");
        }
    }
}
