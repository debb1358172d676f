//! Rotations of a hip, beside FCL (Pan, Chitta and Manocha, ICRA 2012).

mod bodies;
mod fcl;

use std::cell::RefCell;
use std::io;
use std::time::Instant;

use forerun_apps::hip::{Rotation, Tree};

use self::bodies::{Bodies, any, bodies, motion};
use self::fcl::Fcl;
use crate::record::Record;
use crate::table::{Contender, Table};

/// Rotations that are tried.
const ROTATIONS: usize = 5000;
/// Displacements, in millimetres, within which an answer changes where bodies touch.
const TOUCHING: [f64; 6] = [1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4];

/// Measures one thread, and compares the answers.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let all = bodies(record)?;
    let rival = match Fcl::start() {
        Ok(rival) => Some(RefCell::new(rival)),
        Err(e) => {
            record.note(&format!("The rival is not here: {e}."));
            None
        }
    };
    if let Some(rival) = &rival {
        record.note(&format!(
            "python-fcl {}: the same triangles and the same {ROTATIONS} random rotations about the middle of the joint, to the \
             last bit, on one thread each. Its trees and transforms are made beforehand, as our trees are; a test ends \
             with the first contact.",
            rival.borrow().version
        ));
    }
    let mut wrong = 0;
    for bodies in &all {
        for (which, rotations) in
            [("of any kind", any(ROTATIONS)), ("within a hip's motion", motion(ROTATIONS))]
        {
            wrong += compare(bodies, which, &rotations, rival.as_ref(), rounds, record)?;
        }
    }
    match wrong {
        0 => Ok(()),
        _ => Err(io::Error::other(format!("{wrong} answers differ from FCL's where nothing touches"))),
    }
}

/// One pair of bodies under some rotations; gives how many answers differ that are not of touching bodies.
fn compare(
    Bodies { name, moving, still }: &Bodies,
    which: &str,
    rotations: &[Rotation],
    rival: Option<&RefCell<Fcl>>,
    rounds: usize,
    record: &mut Record,
) -> io::Result<usize> {
    let count = rotations.len() as f64;
    let ours = RefCell::new(Vec::new());
    let mut contenders = vec![Contender::new("forerun", || {
        let mut ours = ours.borrow_mut();
        ours.clear();
        let begun = Instant::now();
        ours.extend(rotations.iter().map(|rotation| moving.collides(rotation, still)));
        count / begun.elapsed().as_secs_f64()
    })];
    if let Some(rival) = rival {
        rival.borrow_mut().load(moving, still, rotations)?;
        contenders.push(Contender::new("FCL", move || {
            count * 1e3 / rival.borrow_mut().run().expect("the rival answers")
        }));
    }
    let title = format!("{name} ({} and {} triangles), rotations {which}", moving.len(), still.len());
    record.add(&Table::measure(title, "rotations/s", rounds, contenders));
    let ours = ours.into_inner();
    let met = ours.iter().filter(|met| **met).count();
    let Some(rival) = rival else {
        record.note(&format!("{met} of {} rotations are collisions.", ours.len()));
        return Ok(0);
    };
    let theirs = rival.borrow_mut().answers()?;
    let idle = rival.borrow_mut().idle()? * 1e3 / count;
    let differ: Vec<usize> = (0..ours.len()).filter(|&i| theirs.get(i) != Some(&ours[i])).collect();
    let mut note = format!(
        "{met} of {} rotations are collisions; {} answers differ from FCL's. Of FCL's time, {idle:.1} µs a rotation are its calls \
         from Python.",
        ours.len(),
        differ.len()
    );
    let mut wrong = 0;
    for i in differ {
        let verdict = if ours[i] { "a collision, not so for FCL" } else { "free, a collision for FCL" };
        let why = match changes_within(moving, still, &rotations[i]) {
            Some(by) => format!("touching: another answer {by:.0e} mm away"),
            None => {
                wrong += 1;
                "and no other answer within 1e-4 mm".into()
            }
        };
        note += &format!("\n- rotation {i}, {verdict}; {why}");
    }
    record.note(&note);
    Ok(wrong)
}

/// The least displacement tried that changes the answer.
fn changes_within(moving: &Tree, still: &Tree, rotation: &Rotation) -> Option<f64> {
    let answer = moving.collides(rotation, still);
    TOUCHING.into_iter().find(|&by| {
        directions().any(|direction| {
            let moved = |triangle: &[[f64; 3]; 3]| {
                triangle.map(|corner| [0, 1, 2].map(|i| corner[i] + by * direction[i]))
            };
            let moved = Tree::new(still.triangles().iter().map(moved).collect());
            moving.collides(rotation, &moved) != answer
        })
    })
}

/// To the corners, edges and faces of a cube.
fn directions() -> impl Iterator<Item = [f64; 3]> {
    let along = |code: i32, place: u32| f64::from(code / 3i32.pow(place) % 3 - 1);
    (0..27).map(move |code| [0, 1, 2].map(|place| along(code, place))).filter_map(|direction| {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        (length > 0.0).then(|| direction.map(|x| x / length))
    })
}
