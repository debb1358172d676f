//! Cup and stem, as bodies of revolution. The middle of the joint is the origin; millimetres and degrees.

use super::mesh::Mesh;
use super::vector::{Point, add, cross, scale, unit};

/// Corners round an axis.
const ROUND: usize = 96;
/// Corners of a quarter of a circle.
const QUARTER: usize = 24;

/// Which hip: directions to the side differ in sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The right one.
    Right,
    /// The left one.
    Left,
}

impl Side {
    /// The direction away from the body's middle, of x to the front, y up, z to the right (Wu et al., 2002).
    pub(super) fn lateral(self) -> f64 {
        match self {
            Side::Right => 1.0,
            Side::Left => -1.0,
        }
    }
}

/// An acetabular cup.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cup {
    /// Radius of its inside, in which the head turns.
    pub inner_radius: f64,
    /// Radius of its outside.
    pub outer_radius: f64,
    /// How far its opening faces sideways rather than down, as seen from the front (radiographic inclination).
    pub inclination: f64,
    /// How far its opening faces to the front (radiographic anteversion).
    pub anteversion: f64,
}

impl Default for Cup {
    fn default() -> Cup {
        Cup { inner_radius: 16.0, outer_radius: 27.0, inclination: 45.0, anteversion: 15.0 }
    }
}

impl Cup {
    /// The direction of its opening.
    pub fn opening(&self, side: Side) -> Point {
        let (front, rest) = self.anteversion.to_radians().sin_cos();
        let (sideways, down) = self.inclination.to_radians().sin_cos();
        [front, -rest * down, rest * sideways * side.lateral()]
    }

    /// Its surface: half a shell.
    pub fn mesh(&self, side: Side) -> Mesh {
        let arc = |radius: f64| {
            (0..=QUARTER).map(move |i| {
                let (sin, cos) = (std::f64::consts::FRAC_PI_2 * i as f64 / QUARTER as f64).sin_cos();
                (radius * sin, -radius * cos)
            })
        };
        let outside: Vec<_> = arc(self.outer_radius).collect();
        let profile: Vec<_> = arc(self.inner_radius).chain(outside.into_iter().rev()).collect();
        revolve(self.opening(side), [0.0; 3], &profile)
    }
}

/// A femoral stem: neck and shaft. (Its head turns in the cup, and is in nobody's way.)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stem {
    /// Radius of the neck.
    pub neck_radius: f64,
    /// Length of the neck, from the middle of the head.
    pub neck_length: f64,
    /// Where the neck begins to be free of the head, from its middle.
    pub head_radius: f64,
    /// Angle between neck and shaft.
    pub neck_shaft: f64,
    /// How far the neck points to the front, from the shaft.
    pub anteversion: f64,
    /// Radius of the shaft at its upper end; half of it at its lower.
    pub shaft_radius: f64,
    /// Length of the shaft.
    pub shaft_length: f64,
}

impl Default for Stem {
    fn default() -> Stem {
        Stem {
            neck_radius: 6.0,
            neck_length: 40.0,
            head_radius: 16.0,
            neck_shaft: 130.0,
            anteversion: 15.0,
            shaft_radius: 7.0,
            shaft_length: 120.0,
        }
    }
}

impl Stem {
    /// The direction of the neck, from the head to the shaft.
    pub fn neck(&self, side: Side) -> Point {
        let down = (self.neck_shaft - 90.0).to_radians();
        let back = self.anteversion.to_radians();
        [-down.cos() * back.sin(), -down.sin(), down.cos() * back.cos() * side.lateral()]
    }

    /// Its surface, closed.
    pub fn mesh(&self, side: Side) -> Mesh {
        let axis = self.neck(side);
        // The neck leaves the head where the head's surface is as wide as it.
        let begin = (self.head_radius.powi(2) - self.neck_radius.powi(2)).max(0.0).sqrt();
        let neck = [
            (0.0, begin),
            (self.neck_radius, begin),
            (self.neck_radius, self.neck_length),
            (0.0, self.neck_length),
        ];
        let top = scale(axis, self.neck_length);
        let shaft = [
            (0.0, 0.0),
            (self.shaft_radius, 0.0),
            (self.shaft_radius / 2.0, self.shaft_length),
            (0.0, self.shaft_length),
        ];
        revolve(axis, [0.0; 3], &neck).with(revolve([0.0, -1.0, 0.0], top, &shaft))
    }
}

/// The surface of a line that turns round an axis: its corners are distances from the axis and along it.
fn revolve(axis: Point, from: Point, profile: &[(f64, f64)]) -> Mesh {
    let other = if axis[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let across = unit(cross(axis, other));
    let up = cross(axis, across);
    let at = |(radius, along): (f64, f64), i: usize| {
        let (sin, cos) = (std::f64::consts::TAU * (i % ROUND) as f64 / ROUND as f64).sin_cos();
        let out = add(scale(across, radius * cos), scale(up, radius * sin));
        add(from, add(out, scale(axis, along)))
    };
    let mut triangles = Vec::with_capacity(2 * ROUND * profile.len());
    for pair in profile.windows(2) {
        for i in 0..ROUND {
            let [a, b, c, d] = [at(pair[0], i), at(pair[0], i + 1), at(pair[1], i + 1), at(pair[1], i)];
            // On the axis, the quadrangle is a triangle.
            if pair[0].0 > 0.0 {
                triangles.push([a, b, c]);
            }
            if pair[1].0 > 0.0 {
                triangles.push([a, c, d]);
            }
        }
    }
    Mesh { triangles }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::vector::{dot, length};
    use super::*;

    /// Every edge of a closed surface is one of two triangles.
    fn is_closed(mesh: &Mesh) -> bool {
        let key = |p: Point| p.map(|x| (x * 1e6).round() as i64);
        let mut edges: BTreeMap<_, usize> = BTreeMap::new();
        for [a, b, c] in &mesh.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let (from, to) = (key(*from), key(*to));
                *edges.entry((from.min(to), from.max(to))).or_default() += 1;
            }
        }
        edges.values().all(|n| *n == 2)
    }

    #[test]
    fn cup_and_stem_are_closed_and_where_they_should_be() {
        for side in [Side::Right, Side::Left] {
            let cup = Cup::default();
            let mesh = cup.mesh(side);
            assert!(is_closed(&mesh));
            let opening = cup.opening(side);
            assert!(
                (length(opening) - 1.0).abs() < 1e-12
                    && opening[1] < 0.0
                    && opening[2] * side.lateral() > 0.0
            );
            for corner in mesh.triangles.iter().flatten() {
                let distance = length(*corner);
                assert!((cup.inner_radius - 1e-9..cup.outer_radius + 1e-9).contains(&distance));
                assert!(dot(*corner, opening) < 1e-9);
            }
            let stem = Stem::default();
            assert!(is_closed(&stem.mesh(side)));
            assert!((dot(stem.neck(side), [0.0, 1.0, 0.0]) + 40f64.to_radians().sin()).abs() < 1e-12);
            let lowest = stem.mesh(side).triangles.iter().flatten().map(|c| c[1]).fold(0.0, f64::min);
            assert!((-150.0..-140.0).contains(&lowest), "{lowest}");
        }
    }
}
