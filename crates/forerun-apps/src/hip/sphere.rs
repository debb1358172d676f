//! The sphere that most of some points are on: the head of a femur.

use super::vector::{Point, add, dot, length, scale, sub};

/// Distance from a sphere at which a point is taken to be on it, in millimetres.
const NEAR: f64 = 0.4;
/// Spheres through four points that are tried.
const TRIES: u64 = 4000;
/// Times that the sphere is fitted to the points near it.
const ROUNDS: usize = 5;

/// A sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Its middle.
    pub centre: Point,
    /// Its radius, in millimetres.
    pub radius: f64,
}

/// The sphere with a radius between `radii` that most of `points` are near, by random samples (Fischler and Bolles, 1981)
/// and least squares; the same in every run. None if fewer than 20 are near any.
pub fn fit_sphere(points: &[Point], radii: (f64, f64)) -> Option<Sphere> {
    let mut state = 1u64;
    let mut pick = || {
        // Knuth's 64-bit linear congruential generator.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        points.get(((state >> 33) as usize) % points.len().max(1)).copied()
    };
    let mut best: (usize, Option<Sphere>) = (0, None);
    for _ in 0..TRIES {
        let four = [pick()?, pick()?, pick()?, pick()?];
        let Some(sphere) = through(&four) else { continue };
        if sphere.radius < radii.0 || sphere.radius > radii.1 {
            continue;
        }
        let count = points.iter().filter(|p| sphere.is_near(**p)).count();
        if count > best.0 {
            best = (count, Some(sphere));
        }
    }
    let mut sphere = best.1.filter(|_| best.0 >= 20)?;
    for _ in 0..ROUNDS {
        let near: Vec<Point> = points.iter().copied().filter(|p| sphere.is_near(*p)).collect();
        sphere = through(&near)?;
    }
    Some(sphere)
}

impl Sphere {
    fn is_near(&self, p: Point) -> bool {
        (length(sub(p, self.centre)) - self.radius).abs() < NEAR
    }
}

/// The sphere nearest to points, of least squares of |p − c|² − r²; through them if they are four.
fn through(points: &[Point]) -> Option<Sphere> {
    // With p' = p − m, m the mean: the sums over 2 p'ᵀ c' = |p'|² − mean |p'|² are three equations.
    let n = points.len() as f64;
    let mean = scale(points.iter().fold([0.0; 3], |sum, p| add(sum, *p)), 1.0 / n);
    let square = points.iter().map(|p| dot(sub(*p, mean), sub(*p, mean))).sum::<f64>() / n;
    let mut rows = [[0.0; 4]; 3];
    for p in points {
        let p = sub(*p, mean);
        for (i, row) in rows.iter_mut().enumerate() {
            (0..3).for_each(|j| row[j] += 2.0 * p[i] * p[j]);
            row[3] += p[i] * (dot(p, p) - square);
        }
    }
    let off = solve(rows)?;
    Some(Sphere { centre: add(mean, off), radius: (square + dot(off, off)).sqrt() })
}

/// The solution of three equations, by elimination.
fn solve(mut rows: [[f64; 4]; 3]) -> Option<Point> {
    for i in 0..3 {
        let pivot = (i..3).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        if rows[i][i].abs() < 1e-9 {
            return None;
        }
        for j in i + 1..3 {
            let by = rows[j][i] / rows[i][i];
            (i..4).for_each(|k| rows[j][k] -= by * rows[i][k]);
        }
    }
    let mut x = [0.0; 3];
    for i in (0..3).rev() {
        let known: f64 = (i + 1..3).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][3] - known) / rows[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sphere_is_found_among_other_points() {
        let centre = [3.0, -20.0, 100.0];
        let mut points = Vec::new();
        for i in 0..400 {
            let (a, b) = (f64::from(i) * 0.7, f64::from(i) * 0.0035);
            points.push(add(centre, scale([a.cos() * b.sin(), a.sin() * b.sin(), b.cos()], 22.5)));
            points.push([f64::from(i % 20) * 4.0, f64::from(i) / 5.0, 60.0 + f64::from(i % 7)]);
        }
        let found = fit_sphere(&points, (15.0, 35.0)).expect("there is one");
        assert!(length(sub(found.centre, centre)) < 0.1 && (found.radius - 22.5).abs() < 0.1, "{found:?}");
        assert_eq!(fit_sphere(&points, (30.0, 35.0)).filter(|s| s.radius < 30.0), None);
        assert_eq!(fit_sphere(&[], (1.0, 2.0)), None);
    }
}
