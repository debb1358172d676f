//! Boxes that lie as their triangles do, and whether two are apart.
//!
//! Where a surface runs towards the origin, as that of a stem's neck, a piece of a shell is as thick as it is wide; a box
//! along the surface is thin. Boxes are told apart by the 15 directions that can do so (Gottschalk, Lin and Manocha,
//! SIGGRAPH 1996), in single precision and with a tolerance that is more than this loses.

use super::triangle::Triangle;
use super::vector::{Point, add, dot, scale, sub, unit};

/// A direction or place, in single precision.
pub(super) type Short = [f32; 3];

/// What single precision loses at most, relative to the distance of the farthest corner from the origin.
const LOSS: f32 = 4e-6;
/// Sweeps after which a matrix of three rows is diagonal.
const SWEEPS: usize = 8;

/// A box around triangles: its middle, directions of length 1, and how far it reaches along them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    centre: Short,
    half: Short,
    axes: [Short; 3],
}

/// Where a rotation takes a box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turned {
    centre: Short,
    axes: [Short; 3],
}

#[inline(always)]
pub(super) fn short_dot(a: Short, b: Short) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The tolerance for bodies that reach so far from the origin.
pub(super) fn tolerance(reach: f32, other: f32) -> f32 {
    LOSS * (reach + other)
}

impl Block {
    /// The box along the directions in which the corners spread most and least.
    pub(super) fn of<'t>(triangles: impl Iterator<Item = &'t Triangle> + Clone) -> Block {
        let corners = || triangles.clone().flatten().copied();
        let axes = spread(corners).map(|axis| unit(axis).map(|x| x as f32));
        let (mut centre, mut half) = ([0.0; 3], [0.0; 3]);
        for (axis, half) in axes.iter().zip(&mut half) {
            let axis = axis.map(f64::from);
            let (low, high) = corners()
                .map(|corner| dot(corner, axis))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            centre = add(centre, scale(axis, (low + high) / 2.0));
            *half = ((high - low) / 2.0) as f32;
        }
        Block { centre: centre.map(|x| x as f32), half, axes }
    }

    /// Where `turn` takes it.
    #[inline(always)]
    pub(super) fn turned(&self, turn: impl Fn(Short) -> Short) -> Turned {
        Turned { centre: turn(self.centre), axes: self.axes.map(turn) }
    }

    /// Whether it is surely apart from `other`, when it is at `at`.
    #[inline(always)]
    pub(super) fn is_apart(&self, at: &Turned, other: &Block, tolerance: f32) -> bool {
        let (mine, its) = (self.half, other.half);
        let between = [0, 1, 2].map(|i| at.centre[i] - other.centre[i]);
        let along = other.axes.map(|axis| short_dot(axis, between));
        // Of each of its axes with each of mine, the cosine.
        let cos = other.axes.map(|axis| at.axes.map(|mine| short_dot(axis, mine)));
        let size = cos.map(|row| row.map(f32::abs));
        for i in 0..3 {
            if along[i].abs() > its[i] + short_dot(size[i], mine) + tolerance {
                return true;
            }
        }
        for j in 0..3 {
            let reach = its[0] * size[0][j] + its[1] * size[1][j] + its[2] * size[2][j];
            if short_dot(between, at.axes[j]).abs() > mine[j] + reach + tolerance {
                return true;
            }
        }
        // Across an axis of each. Where these are nearly parallel, all is nearly 0, and less than the tolerance.
        for i in 0..3 {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (m, n) = ((j + 1) % 3, (j + 2) % 3);
                let distance = along[l] * cos[k][j] - along[k] * cos[l][j];
                let reach =
                    its[k] * size[l][j] + its[l] * size[k][j] + mine[m] * size[i][n] + mine[n] * size[i][m];
                if distance.abs() > reach + tolerance {
                    return true;
                }
            }
        }
        false
    }

    /// How large it is.
    #[inline(always)]
    pub(super) fn extent(&self) -> f32 {
        self.half[0].max(self.half[1]).max(self.half[2])
    }
}

/// The directions of the points' spread, at right angles: eigenvectors of the covariance, by Jacobi's rotations.
fn spread<I: Iterator<Item = Point>>(points: impl Fn() -> I) -> [Point; 3] {
    let (count, sum) = points().fold((0.0, [0.0; 3]), |(count, sum), p| (count + 1.0, add(sum, p)));
    let mean = scale(sum, 1.0 / count);
    let mut matrix = [[0.0; 3]; 3];
    for point in points() {
        let off = sub(point, mean);
        for (row, x) in matrix.iter_mut().zip(off) {
            *row = add(*row, scale(off, x));
        }
    }
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(3 * SWEEPS) {
        if matrix[p][q] == 0.0 {
            continue;
        }
        let half = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
        let tan = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
        let cos = 1.0 / (tan * tan + 1.0).sqrt();
        let sin = tan * cos;
        let turn = |a: f64, b: f64| (cos * a - sin * b, sin * a + cos * b);
        for row in &mut matrix {
            (row[p], row[q]) = turn(row[p], row[q]);
        }
        for rows in [&mut matrix, &mut axes] {
            let turned: [(f64, f64); 3] = std::array::from_fn(|i| turn(rows[p][i], rows[q][i]));
            (rows[p], rows[q]) = (turned.map(|both| both.0), turned.map(|both| both.1));
        }
    }
    axes
}

#[cfg(test)]
mod tests {
    use super::super::vector::Rotation;
    use super::*;

    /// A box that is three times as long as wide, and six times as thick; turned.
    fn plank(turned: &Rotation, at: Point) -> Vec<Triangle> {
        let corner = |i: usize| {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            add(at, turned.of([6.0 * sign(0), 2.0 * sign(1), sign(2)]))
        };
        (0..8).map(|i| [corner(i), corner((i + 3) % 8), corner((i + 6) % 8)]).collect()
    }

    #[test]
    fn a_block_lies_as_its_corners_do_and_is_apart_where_they_are() {
        let turned = Rotation::about(unit([1.0, 2.0, 3.0]), 40.0);
        let block = Block::of(plank(&turned, [10.0, 0.0, 5.0]).iter());
        let mut half = block.half;
        half.sort_by(f32::total_cmp);
        assert!(half.iter().zip([1.0, 2.0, 6.0]).all(|(a, b)| (a - b).abs() < 1e-4), "{half:?}");
        // Edge to edge, by directions of both kinds: apart exactly where there is room between them.
        let none = |v: Short| v;
        let other = Rotation::about(unit([3.0, -1.0, 1.0]), 75.0);
        for towards in [[0.0, 1.0, 0.0], [1.0, 0.3, 0.2], [0.5, 0.5, -1.0], [0.1, -0.9, 0.4]] {
            let is_apart = |by: f64| {
                let at = add([10.0, 0.0, 5.0], scale(unit(towards), by));
                let there = Block::of(plank(&other, at).iter());
                let first = block.is_apart(&block.turned(none), &there, tolerance(30.0, 30.0));
                assert_eq!(first, there.is_apart(&there.turned(none), &block, tolerance(30.0, 30.0)));
                first
            };
            let least = (0..2000).find(|i| is_apart(f64::from(*i) * 0.01)).expect("apart in the end");
            assert!((200..1400).contains(&least), "{towards:?}: {least}");
            assert!((least..2000).all(|i| is_apart(f64::from(i) * 0.01)), "{towards:?}");
        }
        // A point, and points in a line, have boxes too.
        let point = Block::of([[[1.0, 2.0, 3.0]; 3]].iter());
        assert_eq!((point.centre, point.extent()), ([1.0, 2.0, 3.0], 0.0));
        let line = Block::of([[[0.0; 3], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]].iter());
        assert!((line.extent() - 3f32.sqrt()).abs() < 1e-5, "{line:?}");
    }
}
