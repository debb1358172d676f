//! What is rotated against what, and by which rotations.

use std::io;
use std::path::PathBuf;

use forerun_apps::hip::{
    Cup, Hip, Mesh, Motion, RangeOfMotion, Rotation, Side, Sphere, Stem, Tree, fit_sphere, head_of,
    hip_rotation, read_stl,
};
use forerun_platform::random::Random;

use crate::record::Record;

/// Where the bones are: those of TLEM 2 (Carbone et al., Journal of Biomechanics 48, 2015), each about an origin of its own.
const HIP: &str = "FORERUN_HIP";
const FILES: [&str; 2] = ["tlem2_femur_r.stl", "tlem2_pelvis.stl"];
/// The part of the pelvis that holds the right socket, from a corner to another, in millimetres.
const SOCKET: [[f64; 3]; 2] = [[-100.0, -120.0, 40.0], [20.0, -40.0, 120.0]];
/// How much wider the socket may be than the head, in millimetres.
const GAP: (f64, f64) = (0.3, 5.0);
/// Where the neck is cut, in millimetres: the application's default.
const RESECTION: f64 = 30.0;

/// Two bodies.
pub(super) struct Bodies {
    pub(super) name: &'static str,
    pub(super) moving: Tree,
    pub(super) still: Tree,
}

/// Those there are: of the bones that are named, else made ones.
pub(super) fn bodies(record: &mut Record) -> io::Result<Vec<Bodies>> {
    let (cup, stem, side) = (Cup::default(), Stem::default(), Side::Right);
    let Some(directory) = std::env::var_os(HIP).map(PathBuf::from) else {
        record.note(&format!(
            "{HIP} names no directory with `{}` and `{}`: the stem alone rotates against the cup alone.",
            FILES[0], FILES[1]
        ));
        let (moving, still) = (Tree::new(stem.mesh(side).triangles), Tree::new(cup.mesh(side).triangles));
        return Ok(vec![Bodies { name: "stem against cup", moving, still }]);
    };
    let [femur, pelvis] = FILES.map(|name| read_stl(&directory.join(name)).map_err(io::Error::other));
    let (femur, pelvis) = (femur?, pelvis?);
    let missing = |what| io::Error::other(format!("no {what} is found"));
    let head = head_of(&femur).ok_or_else(|| missing("femoral head"))?;
    let socket = socket_of(&pelvis, &head).ok_or_else(|| missing("socket"))?;
    record.note(&format!(
        "Bones of TLEM 2: the middle of a head of {:.1} mm radius is put into that of a socket of {:.1} mm.",
        head.radius, socket.radius
    ));
    let tree = |mesh: &Mesh, centre| Tree::new(mesh.clone().seen_from(centre).triangles);
    let bones = Bodies {
        name: "femur against pelvis, without prosthesis",
        moving: tree(&femur, head.centre),
        still: tree(&pelvis, socket.centre),
    };
    let hip = Hip {
        femur,
        pelvis,
        femur_centre: Some(head.centre),
        pelvis_centre: Some(socket.centre),
        side,
        cup,
        stem,
        resection: RESECTION,
    };
    let angles = || "0:0:1".parse().map_err(io::Error::other);
    let motion = Motion { flexion: angles()?, abduction: angles()?, rotation: angles()? };
    let job = RangeOfMotion::new(hip, motion, None).map_err(io::Error::other)?;
    let replaced = Bodies {
        name: "femur with stem against pelvis with cup",
        moving: job.moving().clone(),
        still: job.still().clone(),
    };
    Ok(vec![replaced, bones])
}

/// The sphere that fits the socket.
fn socket_of(pelvis: &Mesh, head: &Sphere) -> Option<Sphere> {
    let [low, high] = SOCKET;
    let is_near = |p: &[f64; 3]| (0..3).all(|i| low[i] < p[i] && p[i] < high[i]);
    let points: Vec<_> = pelvis.triangles.iter().flatten().copied().filter(is_near).collect();
    fit_sphere(&points, (head.radius + GAP.0, head.radius + GAP.1))
}

/// Rotations of any kind, each as likely as any other (Shoemake, 1992).
pub(super) fn any(count: usize) -> Vec<Rotation> {
    let mut random = Random::new(1);
    let mut next = || {
        let (part, first, second) =
            (random.unit(), random.unit() * std::f64::consts::TAU, random.unit() * std::f64::consts::TAU);
        let (a, b) = ((1.0 - part).sqrt(), part.sqrt());
        let [x, y, z, w] = [a * first.sin(), a * first.cos(), b * second.sin(), b * second.cos()];
        Rotation([
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ])
    };
    (0..count).map(|_| next()).collect()
}

/// Rotations that a hip may be asked for: flexion −30° to 120°, abduction −50° to 50°, internal rotation −60° to 60°.
pub(super) fn motion(count: usize) -> Vec<Rotation> {
    let mut random = Random::new(2);
    let mut next = || {
        let (flexion, abduction, internal) = (random.unit(), random.symmetric(), random.symmetric());
        hip_rotation(Side::Right, 150.0 * flexion - 30.0, 50.0 * abduction, 60.0 * internal)
    };
    (0..count).map(|_| next()).collect()
}
