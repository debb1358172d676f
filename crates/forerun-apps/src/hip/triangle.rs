//! Whether two triangles meet.

use robust::{Coord, Coord3D};

use super::vector::{Point, cross, dot, sub};

/// The corners of a triangle.
pub type Triangle = [Point; 3];

/// Whether two triangles have a point in common, touching included; exact for the coordinates given.
///
/// After Möller (1997): corners all on one side of the other's plane end it, which is nearly always. Else an edge of one
/// meets the other where they meet at all; that is told by the signs of volumes, as Devillers and Guigue (2002) do,
/// without computing any point. Where a sign is not sure in 64-bit numbers it is Shewchuk's (1997), which is exact: the
/// order of triangles and of corners makes no difference. Triangles may be lines or points.
pub fn meet(a: &Triangle, b: &Triangle) -> bool {
    let sides_a = sides(a, b);
    if one_side(&sides_a) {
        return false;
    }
    let sides_b = sides(b, a);
    if one_side(&sides_b) {
        return false;
    }
    if sides_a == [0.0; 3] && sides_b == [0.0; 3] {
        return in_a_plane(a, b);
    }
    edges_meet(a, &sides_a, b) || edges_meet(b, &sides_b, a)
}

/// Which side of the plane of `b` the corners of `a` are on: positive, negative, or in it. All are in it where `b` is a
/// line.
#[inline]
fn sides(a: &Triangle, b: &Triangle) -> [f64; 3] {
    // Of the volume's rounding errors, see Shewchuk (1997), orient3d, bound A; in units of the products' sizes.
    const ROUNDING: f64 = 8.0 * f64::EPSILON / 2.0;
    let (u, v) = (sub(b[1], b[0]), sub(b[2], b[0]));
    let normal = cross(u, v);
    let size = {
        let [u, v] = [u.map(f64::abs), v.map(f64::abs)];
        [u[1] * v[2] + u[2] * v[1], u[2] * v[0] + u[0] * v[2], u[0] * v[1] + u[1] * v[0]]
    };
    a.map(|corner| {
        let to = sub(corner, b[0]);
        let volume = dot(to, normal);
        if volume.abs() > ROUNDING * dot(to.map(f64::abs), size) {
            volume
        } else {
            side(b[0], b[1], b[2], corner)
        }
    })
}

/// The sign of a tetrahedron's volume, exactly: the side of `d` that the plane through the others has.
fn side(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    // Its sign is the other way round.
    robust::orient3d(a, c, b, d)
}

#[inline]
fn one_side(sides: &[f64; 3]) -> bool {
    sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
}

/// None is on the other side than another.
fn no_two_sides(sides: &[f64; 3]) -> bool {
    sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
}

fn edges<T: Copy>(t: &[T; 3]) -> [(T, T); 3] {
    [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]
}

/// Whether an edge of `a`, whose corners are on these sides of the plane of `b`, meets `b`; those within the plane left
/// out.
fn edges_meet(a: &Triangle, sides: &[f64; 3], b: &Triangle) -> bool {
    [(0, 1), (1, 2), (2, 0)].into_iter().any(|(from, to)| {
        let (s, t) = (sides[from], sides[to]);
        if (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0) || (s == 0.0 && t == 0.0) {
            return false;
        }
        // On which side of the edge's line every edge of b passes.
        no_two_sides(&edges(b).map(|(p, q)| side(a[from], a[to], p, q)))
    })
}

/// Whether triangles meet that are in one plane, or are lines both: an edge crosses another, or a corner is inside.
///
/// What is in a plane meets where it does seen along each of the axes: along one of them at least the plane is seen
/// whole, and what meets does so from anywhere.
fn in_a_plane(a: &Triangle, b: &Triangle) -> bool {
    let crossing = |(p, q): (Point, Point), (r, s): (Point, Point)| {
        side(p, q, r, s) == 0.0
            && seen([p, q, r, s]).iter().all(|[p, q, r, s]| segments_meet((*p, *q), (*r, *s)))
    };
    let holds = |t: &Triangle, p: Point| {
        let views = seen([t[0], t[1], t[2], p]);
        let is_line = views.iter().all(|[a, b, c, _]| turn(*a, *b, *c) == 0.0);
        !is_line
            && views
                .iter()
                .all(|[a, b, c, p]| no_two_sides(&edges(&[*a, *b, *c]).map(|(a, b)| turn(a, b, *p))))
    };
    edges(a).iter().any(|e| edges(b).iter().any(|f| crossing(*e, *f))) || holds(b, a[0]) || holds(a, b[0])
}

/// Points seen along the three axes.
fn seen(points: [Point; 4]) -> [[[f64; 2]; 4]; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(u, v)| points.map(|p| [p[u], p[v]]))
}

/// The sign of a triangle's area, exactly: positive if it turns left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    robust::orient2d(a, b, c)
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

#[cfg(test)]
mod tests {
    use proptest::array;
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
        fn meeting_is_symmetric_and_has_a_common_point(a in points(), b in points(), shared in 0usize..4) {
            // Corners in common are what rounding could hide.
            let b = [0, 1, 2].map(|i| if i < shared { a[i] } else { b[i] });
            let met = meet(&a, &b);
            prop_assert!(met || shared == 0);
            for [i, j, k] in ORDERS {
                for [l, m, n] in ORDERS {
                    let (a, b) = ([a[i], a[j], a[k]], [b[l], b[m], b[n]]);
                    prop_assert_eq!(met, meet(&a, &b));
                    prop_assert_eq!(met, meet(&b, &a));
                }
            }
            let near = nearest(&a, &b);
            if met {
                // Samples are this far apart at most.
                prop_assert!(near.sqrt() < 2.0 * 11.0 / 24.0, "{near}");
            } else {
                prop_assert!(near > 0.0);
            }
        }

        /// Of corners on a small grid many triangles touch, lie in one plane, or are lines or points.
        #[test]
        fn on_a_grid_it_is_what_separating_directions_say(
            a in array::uniform3(array::uniform3(-2i64..3)), b in array::uniform3(array::uniform3(-2i64..3)),
        ) {
            // Steps that 64-bit numbers do not have exactly, so that products are rounded.
            let real = |t: [[i64; 3]; 3]| t.map(|p| p.map(|x| x as f64 * 0.1f64.powi(9)));
            let exact = |t: [[i64; 3]; 3]| t.map(|p| p.map(|x| x as f64));
            let apart = is_apart(&a, &b);
            prop_assert_eq!(meet(&exact(a), &exact(b)), !apart);
            if apart {
                prop_assert!(!meet(&real(a), &real(b)));
            }
        }
    }

    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

    /// Whether some direction tells two triangles apart. Of bodies with corners it is one between nearest corners, edges
    /// or faces, all of which are differences of corners, products of two, or products of these with one.
    fn is_apart(a: &[[i64; 3]; 3], b: &[[i64; 3]; 3]) -> bool {
        let minus = |p: [i64; 3], q: [i64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let times = |p: [i64; 3], q: [i64; 3]| {
            [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        };
        let tells = |direction: [i64; 3]| {
            let along = |p: &[i64; 3]| p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2];
            let (a, b) = (a.map(|p| along(&p)), b.map(|p| along(&p)));
            a.iter().max() < b.iter().min() || b.iter().max() < a.iter().min()
        };
        let corners = [*a, *b].concat();
        let differences: Vec<_> = (0..6)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| minus(corners[i], corners[j]))
            .collect();
        differences.iter().any(|d| tells(*d))
            || differences.iter().any(|d| {
                differences.iter().any(|e| {
                    let across = times(*d, *e);
                    tells(across) || differences.iter().any(|f| tells(times(across, *f)))
                })
            })
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
