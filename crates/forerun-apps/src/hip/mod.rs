//! Range of motion of a hip: at which rotations of the femur it meets the pelvis.

mod mesh;
mod stl;
mod tree;
mod triangle;
mod vector;

pub use mesh::Mesh;
pub use stl::{parse_stl, read_stl};
pub use tree::{Met, Tree};
pub use triangle::{Triangle, meet};
pub use vector::{Point, Rotation};
