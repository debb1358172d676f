//! The range of motion as a farm: a task is all rotations of one flexion and one abduction.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use forerun_platform::file::shown;
use forerun_skeleton::farm::Answer;
use forerun_skeleton::wire::Plain;
use forerun_skeleton::{AppError, Codec, Message, Wire};

use super::motion::{Angles, hip_rotation};
use super::prosthesis::{Cup, Side, Stem};
use super::sphere::{Sphere, fit_sphere};
use super::vector::{Point, dot, length};
use super::{Mesh, Tree};
use crate::FarmJob;
use crate::command::show::count;
use crate::whole::{rehearse_whole, write_whole};

/// Radii that a femoral head can have, in millimetres.
const HEADS: (f64, f64) = (15.0, 35.0);
/// How far down from its top a femur is searched for its head.
const TOP: f64 = 60.0;
/// A pelvis whose nearest corner is farther from the middle of the joint is not of this joint, in mm.
const BESIDE: f64 = 100.0;
/// Within this distance of the joint's middle, the femur's head and neck are cut off.
const HEAD_AND_NECK: f64 = 60.0;

/// A hip with a prosthesis.
#[derive(Debug, Clone)]
pub struct Hip {
    /// The femur, its head included.
    pub femur: Mesh,
    /// The pelvis.
    pub pelvis: Mesh,
    /// The middle of the femur's head, where it is known; else the sphere that fits the head is taken.
    pub femur_centre: Option<Point>,
    /// The middle of the socket, where it is not that of the head.
    pub pelvis_centre: Option<Point>,
    /// Which side.
    pub side: Side,
    /// The cup.
    pub cup: Cup,
    /// The stem.
    pub stem: Stem,
    /// Where the neck is cut, from the middle of the head.
    pub resection: f64,
}

/// Which rotations are tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Flexion; extension is negative.
    pub flexion: Angles,
    /// Abduction; adduction is negative.
    pub abduction: Angles,
    /// Internal rotation; external is negative.
    pub rotation: Angles,
}

/// The farm.
#[derive(Debug)]
pub struct RangeOfMotion {
    moving: Tree,
    still: Tree,
    side: Side,
    motion: Motion,
    head: Option<Sphere>,
    csv: Option<PathBuf>,
    found: Mutex<Vec<Option<Free>>>,
}

/// How far the hip is free at one flexion, in degrees, from neutral on without a gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The flexion.
    pub flexion: f64,
    /// Least and most internal rotation without abduction.
    pub rotation: Option<(f64, f64)>,
    /// Least and most abduction without rotation.
    pub abduction: Option<(f64, f64)>,
}

/// For each rotation of a task, whether nothing meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Free(pub Vec<bool>);

impl Message for Free {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Wire for Free {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.0.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        Wire::decode(bytes).map(Free)
    }
}

/// The middle of the femur's head, by the sphere that fits it best near the femur's upper end along y.
pub fn head_of(femur: &Mesh) -> Option<Sphere> {
    let corners = || femur.triangles.iter().flatten().copied();
    let top = corners().map(|c| c[1]).fold(f64::NEG_INFINITY, f64::max);
    let points: Vec<Point> = corners().filter(|c| c[1] > top - TOP).collect();
    fit_sphere(&points, HEADS)
}

impl RangeOfMotion {
    /// Makes it ready: cuts the head off, reams the socket, puts stem and cup in, and builds the trees. `csv` is where
    /// the result goes.
    ///
    /// # Errors
    /// No head is found, or nothing is left of a mesh.
    pub fn new(hip: Hip, motion: Motion, csv: Option<PathBuf>) -> Result<Self, AppError> {
        let head = if hip.femur_centre.is_some() { None } else { head_of(&hip.femur) };
        let Some(femur_centre) = hip.femur_centre.or(head.map(|head| head.centre)) else {
            return Err(AppError::new(
                "no femoral head is found: expected a sphere of 15 to 35 mm radius near the upper end (y is up, in \
                 millimetres); give its middle with --femur-centre",
            ));
        };
        let pelvis_centre = hip.pelvis_centre.unwrap_or(femur_centre);
        let neck = hip.stem.neck(hip.side);
        let femur = hip.femur.seen_from(femur_centre);
        let femur = femur.without(|p| length(p) < HEAD_AND_NECK && dot(p, neck) < hip.resection);
        let reamed = hip.cup.outer_radius + 1.0;
        let pelvis = hip.pelvis.seen_from(pelvis_centre);
        let nearest = pelvis.triangles.iter().flatten().map(|p| length(*p)).fold(f64::INFINITY, f64::min);
        if nearest > BESIDE && nearest.is_finite() {
            return Err(AppError::new(format!(
                "the pelvis is {nearest:.0} mm from the middle of the joint: its origin is another than the femur's; give the middle of its socket \
                 with --pelvis-centre"
            )));
        }
        let pelvis = pelvis.without(|p| length(p) < reamed);
        if femur.triangles.is_empty() || pelvis.triangles.is_empty() {
            return Err(AppError::new(
                "nothing is left of a bone when the joint is cut out: its measures are expected in millimetres",
            ));
        }
        let tasks = motion.flexion.len() * motion.abduction.len();
        Ok(RangeOfMotion {
            moving: Tree::new(femur.with(hip.stem.mesh(hip.side)).triangles),
            still: Tree::new(pelvis.with(hip.cup.mesh(hip.side)).triangles),
            side: hip.side,
            motion,
            head,
            csv,
            found: Mutex::new(vec![None; tasks]),
        })
    }

    /// What rotates: the femur without its head, and the stem. The middle of the joint is the origin.
    pub fn moving(&self) -> &Tree {
        &self.moving
    }

    /// What does not: the reamed pelvis and the cup.
    pub fn still(&self) -> &Tree {
        &self.still
    }

    /// Flexion and abduction of a task, by their places.
    fn place(&self, task: u64) -> (usize, usize) {
        let across = self.motion.abduction.len();
        (task as usize / across, task as usize % across)
    }

    /// The angles that a motion is free for, without a gap from the one nearest to 0 on; none if that is not free.
    fn range(angles: &Angles, free: impl Fn(usize) -> bool) -> Option<(f64, f64)> {
        let middle = angles.neutral();
        if !free(middle) {
            return None;
        }
        let low = (0..middle).rev().take_while(|i| free(*i)).last().unwrap_or(middle);
        let high = (middle + 1..angles.len()).take_while(|i| free(*i)).last().unwrap_or(middle);
        Some((angles.at(low), angles.at(high)))
    }

    /// How far it is free at each flexion, when all tasks are done.
    pub fn limits(&self) -> Vec<Limits> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let Motion { flexion, abduction, rotation } = &self.motion;
        let free = |f: usize, a: usize, r: usize| {
            found.get(f * abduction.len() + a).and_then(Option::as_ref).is_some_and(|free| free.0[r])
        };
        let (a0, r0) = (abduction.neutral(), rotation.neutral());
        let at = |f: usize| Limits {
            flexion: flexion.at(f),
            rotation: Self::range(rotation, |r| free(f, a0, r)),
            abduction: Self::range(abduction, |a| free(f, a, r0)),
        };
        (0..flexion.len()).map(at).collect()
    }

    /// What was found for some tasks, as CSV.
    fn table<'f>(&self, found: impl Iterator<Item = (u64, &'f Free)>) -> String {
        let mut csv = String::from("flexion,abduction,internal_rotation,free\n");
        for (task, free) in found {
            let (flexion, abduction) = self.place(task);
            let (flexion, abduction) = (self.motion.flexion.at(flexion), self.motion.abduction.at(abduction));
            for (i, free) in free.0.iter().enumerate() {
                let rotation = self.motion.rotation.at(i);
                // Writing to a string cannot fail.
                let _ = writeln!(csv, "{flexion},{abduction},{rotation},{}", u8::from(*free));
            }
        }
        csv
    }
}

impl Answer for RangeOfMotion {
    type Answer = Free;

    fn tasks(&self) -> u64 {
        (self.motion.flexion.len() * self.motion.abduction.len()) as u64
    }

    fn answer(&self, index: u64) -> Result<Free, AppError> {
        let (flexion, abduction) = self.place(index);
        let (flexion, abduction) = (self.motion.flexion.at(flexion), self.motion.abduction.at(abduction));
        let free = |i| {
            let rotation = hip_rotation(self.side, flexion, abduction, self.motion.rotation.at(i));
            !self.moving.collides(&rotation, &self.still)
        };
        Ok(Free((0..self.motion.rotation.len()).map(free).collect()))
    }
}

impl FarmJob for RangeOfMotion {
    fn name(&self) -> &'static str {
        "hip"
    }

    fn summary(&self) -> String {
        let all = self.motion.flexion.len() * self.motion.abduction.len() * self.motion.rotation.len();
        let head =
            self.head.map(|head| format!(", head of {:.1} mm radius", head.radius)).unwrap_or_default();
        let triangles = count(self.moving.len() as u64, "triangle");
        format!("{}, {triangles} against {}{head}", count(all as u64, "rotation"), self.still.len())
    }

    fn deliver(&self, index: u64, answer: Free) -> Result<(), AppError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = found.get_mut(index as usize) {
            *place = Some(answer);
        }
        Ok(())
    }

    fn codec(&self) -> impl Codec<Free> + Sync {
        Plain
    }

    fn input_name(&self, index: u64) -> String {
        let (flexion, abduction) = self.place(index);
        format!(
            "flexion {}°, abduction {}°",
            self.motion.flexion.at(flexion),
            self.motion.abduction.at(abduction)
        )
    }

    /// Of a table; without one it is nothing to speak of.
    fn rehearses(&self) -> bool {
        self.csv.is_some()
    }

    fn rehearse_finish(&self, tasks: &[u64]) -> Result<(), AppError> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let some = tasks.iter().filter_map(|&task| Some((task, found.get(task as usize)?.as_ref()?)));
        if let Some(path) = &self.csv {
            rehearse_whole(path, self.table(some).as_bytes());
        }
        Ok(())
    }

    fn finish(&self) -> Result<String, AppError> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let Motion { flexion, abduction, rotation } = &self.motion;
        let (f0, a0, r0) = (flexion.neutral(), abduction.neutral(), rotation.neutral());
        let free = |f: usize, a: usize, r: usize| {
            found.get(f * abduction.len() + a).and_then(Option::as_ref).is_some_and(|free| free.0[r])
        };
        let said = |name: &str, range: Option<(f64, f64)>| match range {
            Some((low, high)) => format!("{name} {low}° to {high}°"),
            None => format!("{name} never"),
        };
        let mut parts = vec![
            said("flexion", Self::range(flexion, |f| free(f, a0, r0))),
            said("abduction", Self::range(abduction, |a| free(f0, a, r0))),
            said("internal rotation", Self::range(rotation, |r| free(f0, a0, r))),
        ];
        if let Some(f90) = (0..flexion.len()).find(|f| (flexion.at(*f) - 90.0).abs() < 1e-9) {
            parts.push(said("that at 90° of flexion", Self::range(rotation, |r| free(f90, a0, r))));
        }
        let all = found.iter().flatten().map(|free| free.0.len()).sum::<usize>();
        let clear = found.iter().flatten().flat_map(|free| &free.0).filter(|free| **free).count();
        let mut text = format!("free: {}; {clear} of {}", parts.join(", "), count(all as u64, "rotation"));
        if let Some(path) = &self.csv {
            let all = (0..).zip(&*found).filter_map(|(task, free)| Some((task, free.as_ref()?)));
            write_whole(path, self.table(all).as_bytes())?;
            text.push_str(&format!(", in {}", shown(path)));
        }
        Ok(text)
    }
}
