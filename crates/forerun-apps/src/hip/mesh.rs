//! Triangle meshes.

use super::triangle::Triangle;
use super::vector::{Point, add, sub};

/// A triangle mesh, in millimetres.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Its triangles.
    pub triangles: Vec<Triangle>,
}

impl Mesh {
    /// The mesh moved by `by`.
    #[must_use]
    pub fn moved(mut self, by: Point) -> Mesh {
        for corner in self.triangles.iter_mut().flatten() {
            *corner = add(*corner, by);
        }
        self
    }

    /// The mesh with `point` as the origin.
    #[must_use]
    pub fn seen_from(self, point: Point) -> Mesh {
        self.moved(sub([0.0; 3], point))
    }

    /// Both meshes as one.
    #[must_use]
    pub fn with(mut self, other: Mesh) -> Mesh {
        self.triangles.extend(other.triangles);
        self
    }

    /// Without the triangles of which all corners are where `gone` says.
    #[must_use]
    pub fn without(mut self, gone: impl Fn(Point) -> bool) -> Mesh {
        self.triangles.retain(|triangle| !triangle.iter().all(|corner| gone(*corner)));
        self
    }
}
