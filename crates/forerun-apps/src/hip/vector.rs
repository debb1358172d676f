//! Points and rotations.

/// A point or a direction, in millimetres or without a unit.
pub type Point = [f64; 3];

pub(super) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn add(a: Point, b: Point) -> Point {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn scale(a: Point, by: f64) -> Point {
    a.map(|x| x * by)
}

#[inline]
pub(super) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

/// The direction of a point; some direction where it has none.
pub(super) fn unit(a: Point) -> Point {
    let length = length(a);
    if length > 0.0 { scale(a, 1.0 / length) } else { [1.0, 0.0, 0.0] }
}

/// A rotation about the origin: the rows of its matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotation(pub [Point; 3]);

impl Rotation {
    /// About `axis`, of length 1, by `degrees`, counterclockwise where the axis points at the viewer (Rodrigues).
    pub fn about(axis: Point, degrees: f64) -> Rotation {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let [x, y, z] = axis;
        let rest = 1.0 - cos;
        Rotation([
            [cos + x * x * rest, x * y * rest - z * sin, x * z * rest + y * sin],
            [y * x * rest + z * sin, cos + y * y * rest, y * z * rest - x * sin],
            [z * x * rest - y * sin, z * y * rest + x * sin, cos + z * z * rest],
        ])
    }

    /// Where it takes a point.
    #[inline]
    pub fn of(&self, p: Point) -> Point {
        self.0.map(|row| dot(row, p))
    }

    /// This one after `first`.
    #[must_use]
    pub fn after(&self, first: &Rotation) -> Rotation {
        let column = |j: usize| [first.0[0][j], first.0[1][j], first.0[2][j]];
        let columns = [column(0), column(1), column(2)];
        Rotation(self.0.map(|row| columns.map(|column| dot(row, column))))
    }
}
