//! Range of motion of a hip: at which rotations of the femur it meets the pelvis (ROMS of Mizutani, Ino and Hagihara,
//! section 5, after Kawasaki et al., HiPC 2003).
//!
//! A [`Hip`] is two bones, as triangle meshes out of STL files, with a [`Cup`] and a [`Stem`] made from their measures. The
//! head is cut off the femur at the neck, the socket is reamed to the cup's outside, and the femur with its stem rotates
//! about the middle of the joint. Every rotation of a grid is one test of mesh against mesh, on trees of bounds that a
//! rotation hardly changes ([`Tree`]). The head turns in the cup and is not tested.
//! Surfaces are tested: a body wholly inside another does not meet it.
//!
//! x is to the front, y up, z to the right, in millimetres: the frame of the International Society of Biomechanics (Wu et
//! al., 2002).

mod block;
mod job;
mod mesh;
mod motion;
mod prosthesis;
mod sphere;
mod stl;
mod tree;
mod triangle;
mod vector;

pub use job::{Free, Hip, Limits, Motion, RangeOfMotion, head_of};
pub use mesh::Mesh;
pub use motion::{Angles, hip_rotation};
pub use prosthesis::{Cup, Side, Stem};
pub use sphere::{Sphere, fit_sphere};
pub use stl::{parse_stl, read_stl};
pub use tree::Tree;
pub use triangle::{Triangle, meet};
pub use vector::{Point, Rotation};
