//! What is rotated against what, and by which rotations.

use std::io;
use std::path::{Path, PathBuf};

use forerun_apps::hip::{
    Cup, Hip, Mesh, Motion, RangeOfMotion, Rotation, Side, Stem, Tree, head_of, hip_rotation, read_stl,
};
use forerun_platform::random::Random;

use crate::record::Record;

/// Where the bones are.
const HIP: &str = "FORERUN_HIP";
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
            "{HIP} names no directory with a femur and a pelvis as STL files: the stem alone rotates against the cup alone."
        ));
        let (moving, still) = (Tree::new(stem.mesh(side).triangles), Tree::new(cup.mesh(side).triangles));
        return Ok(vec![Bodies { name: "stem against cup", moving, still }]);
    };
    let [femur, pelvis] = [bone(&directory, "femur")?, bone(&directory, "pelvis")?];
    let head = head_of(&femur).ok_or_else(|| io::Error::other("the femur has no head"))?;
    let tree = |mesh: &Mesh| Tree::new(mesh.clone().seen_from(head.centre).triangles);
    let bones =
        Bodies { name: "femur against pelvis, as they are", moving: tree(&femur), still: tree(&pelvis) };
    let hip = Hip {
        femur,
        pelvis,
        femur_centre: Some(head.centre),
        pelvis_centre: None,
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

/// The only STL file with a name in its own.
fn bone(directory: &Path, name: &str) -> io::Result<Mesh> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)?.flatten().map(|e| e.path()).collect();
    let is_it = |file: &Path| {
        let file = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        file.contains(name) && file.ends_with(".stl")
    };
    files.retain(|file| is_it(file));
    match files.as_slice() {
        [file] => read_stl(file).map_err(io::Error::other),
        _ => Err(io::Error::other(format!(
            "{}: expected one STL file of a {name}, found {}",
            directory.display(),
            files.len()
        ))),
    }
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
