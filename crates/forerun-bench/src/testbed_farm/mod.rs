//! Farms and a reduction by external commands on several hosts: the command itself, on a cluster in a box, from a calibration there.
//! How far off predictions are; how many slaves a master keeps up with, said before it is measured; what dynamic masters are good for.
//!
//! As in `testbed/`, every outcome is kept as it is measured, and a bench that was ended goes on where it was.

mod at;
mod jobs;
mod tables;

use std::collections::BTreeMap;
use std::io;

use self::at::{At, Kept};
use self::jobs::{Bones, Job};
use crate::place::in_memory;
use crate::record::Record;
use crate::testbed::up::Tools;

/// Numbers of hosts, and the platform files of their testbeds.
const HOSTS: [(usize, &str); 4] =
    [(2, "tenth-2.toml"), (4, "tenth-4.toml"), (8, "tenth-8.toml"), (16, "tenth-16.toml")];
/// Of these hosts the first are taken for farms of small tasks.
const MOST: usize = 16;
/// A farm of small tasks, each a message: a picture of short rows.
const SMALL: [&str; 7] = ["mandelbrot", "--size", "64x2500", "--iterations", "1000", "-o", "small.png"];
const SMALL_RESULT: &str = "small.png";
const SMALL_HOW: [&str; 4] = ["--tasks-per-message", "1", "--prefetch", "1"];
/// Slaves of one master, and numbers of ranks where there are more masters or they change.
const SLAVES: [usize; 5] = [1, 3, 5, 7, 15];
const RANKS: [usize; 3] = [4, 8, 16];
/// Where dynamic masters have large tasks, and which those are: the rows of the whole set, of which those at the edge take next to nothing, and rows
/// that are within it.
const LARGE: [usize; 2] = [8, 16];
const UNEVEN: &str = "large";
const EVEN: &str = "even";

/// What was kept, by job and hosts.
type All = BTreeMap<(Job, usize), Vec<Kept>>;
/// What was kept of small tasks, by masters and ranks.
type Small = BTreeMap<(&'static str, usize), Vec<Kept>>;
/// Of large tasks, by which they are and hosts: with one master, and with dynamic ones, in turns.
type Large = BTreeMap<(&'static str, usize), [Vec<Kept>; 2]>;

/// Runs every job on every number of hosts, then farms of small and of large tasks by their masters.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let dir = in_memory()?;
    let tools = Tools::find(dir.path())?;
    let bones = Bones::find()?;
    let bones = bones.as_ref();
    let (mut all, mut small, mut large) = (All::new(), Small::new(), Large::new());
    let mut said = String::new();
    for (hosts, file) in HOSTS {
        jobs::make(&tools.dir, hosts)?;
        let mut at = At::new(&tools, hosts, file);
        for round in 0..rounds {
            for job in Job::all(bones) {
                let name = format!("{}-{hosts}-{round}", job.name());
                let words = job.words(hosts, bones);
                // Each run has a pilot of its own, whose results count: of runs that are repeated only the first has them, as predicted.
                let kept = at.kept(&name, (&words, job.result()), hosts, &job.how())?;
                all.entry((job, hosts)).or_default().push(kept);
            }
        }
        if LARGE.contains(&hosts) {
            for tasks in [UNEVEN, EVEN] {
                large.insert((tasks, hosts), by_masters(&mut at, tasks, rounds)?);
            }
        }
        if hosts == MOST {
            said = small_tasks(&mut at, rounds, &mut small)?;
        }
    }
    if bones.is_none() {
        record
            .note("FORERUN_HIP names no directory with a femur and a pelvis as STL files: no hip was moved.");
    }
    record.note(&tables::accuracy(&all));
    record.note(&tables::saturation(&said, &small));
    record.note(&tables::dynamic(&small, &large));
    record.note(&tables::raw(&all, &small, &large));
    Ok(())
}

/// A picture of large tasks with one master and with dynamic masters, in turns.
fn by_masters(at: &mut At<'_>, tasks: &str, rounds: usize) -> io::Result<[Vec<Kept>; 2]> {
    let words = if tasks == EVEN { jobs::even(at.hosts) } else { Job::Mandelbrot.words(at.hosts, None) };
    let mut found = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for (masters, found) in ["1", "dynamic"].into_iter().zip(&mut found) {
            let name = format!("{tasks}-{masters}-{}-{round}", at.hosts);
            let how = ["--masters", masters];
            found.push(at.kept(&name, (&words, Job::Mandelbrot.result()), at.hosts, &how)?);
        }
    }
    Ok(found)
}

/// Small tasks by one master, two and dynamic ones: what the plan says of them before any is run, and all runs.
fn small_tasks(at: &mut At<'_>, rounds: usize, small: &mut Small) -> io::Result<String> {
    let words = SMALL.map(String::from);
    let profile = at.tools.kept.join("farm-small-profile.toml");
    let plan: serde_json::Value = serde_json::from_slice(&at.plan(
        &words,
        &[&SMALL_HOW[..], &["--masters", "1"]].concat(),
        &profile,
    )?)?;
    let profile = profile.to_string_lossy();
    let one = SLAVES.map(|slaves| ("1", slaves + 1));
    let more = ["2", "dynamic"].into_iter().flat_map(|masters| RANKS.map(|ranks| (masters, ranks)));
    let points: Vec<_> = one.into_iter().chain(more).collect();
    for round in 0..rounds {
        for (masters, ranks) in &points {
            let name = format!("small-{masters}-{ranks}-{round}");
            let how = [&SMALL_HOW[..], &["--masters", masters, "--profile", &profile]].concat();
            let kept = at.kept(&name, (&words, SMALL_RESULT), *ranks, &how)?;
            small.entry((*masters, *ranks)).or_default().push(kept);
        }
    }
    Ok(plan["reason"].as_str().unwrap_or_default().to_owned())
}
