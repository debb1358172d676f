//! A sort by scatter-gather on hosts whose disks have a rate and whose memory has a limit.
//!
//! The first host reads the input from its disk, which the system has forgotten before every run, and writes the result there. Each
//! run has a pilot of its own, and no result to replace.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use forerun_platform::statistics::median;
use forerun_platform::{Outcome, Platform, Stage, Way};

use super::up::{Tools, Up, done};
use super::{outcomes, report};
use crate::accuracy::{Compared, table};
use crate::place::{self, in_memory};
use crate::record::Record;

/// The hosts.
const HOSTS: usize = 16;
const FILE: &str = "scatter-gather-16.toml";
/// Numbers of processors.
const PROCESSORS: [usize; 5] = [1, 2, 4, 8, 16];
/// Numbers to sort, and the memory that each host's rank has for them, half of the host's: more than a rank alone can hold.
const NUMBERS: u64 = 8_000_000;
const MEMORY: &str = "32 MiB";
/// Within so much of the least time all are as good.
const FLAT: f64 = 1.05;
const STAGES: [Stage; 5] =
    [Stage::Read, Stage::Process, Stage::ResolveLocal, Stage::ResolveGlobal, Stage::Write];

/// Measures, where that was not kept, and says what came of it.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let dir = in_memory()?;
    let tools = &Tools::find(dir.path())?;
    let mut compared: BTreeMap<(usize, &str), Compared> = BTreeMap::new();
    let mut all: BTreeMap<usize, Vec<Outcome>> = BTreeMap::new();
    for processors in PROCESSORS {
        let runs = kept(tools, processors, rounds)?;
        for run in &runs {
            compared.entry((processors, MEMORY)).or_default().add(run, &STAGES);
        }
        all.insert(processors, runs.into_iter().flatten().collect());
    }
    // Its processors are the hosts of its rows.
    let raw =
        report::raw(all.iter().map(|(p, outcomes)| (("scatter-gather", *p, ""), outcomes.iter().collect())));
    let title = "sort by scatter-gather, 8,000,000 i32, disks of 5 MB/s";
    record.note(&table(title, "memory of a rank", rounds, &compared));
    record.note(&optimum(&all));
    record.note(&raw);
    Ok(())
}

/// Every run's outcomes, by so many processors.
fn kept(tools: &Tools, processors: usize, rounds: usize) -> io::Result<Vec<Vec<Outcome>>> {
    let file = tools.kept.join(format!("scatter-{processors}.json"));
    if let Ok(json) = fs::read(&file) {
        return Ok(serde_json::from_slice(&json)?);
    }
    let up = Up::new(tools, FILE)?;
    let platform = stated(tools, &up.calibration("scatter", HOSTS)?)?;
    let disk = up.disk()?;
    let (input, sorted) = (disk.join("numbers"), disk.join("sorted"));
    place::numbers(&tools.forerun, NUMBERS, &input)?;
    let mut runs = Vec::new();
    for _ in 0..rounds {
        eprintln!("scatter-gather on {processors} of {HOSTS} hosts");
        forget(&input)?;
        let ranks = processors.to_string();
        let mut run = up.forerun(&["run", "sort"]);
        run.arg(&input).arg("-o").arg(&sorted).args(["--skeleton", "scatter-gather", "--memory", MEMORY]);
        run.args(["--on", "mpi", "-p", &ranks, "--platform", &platform, "--by", "analytic,simulated"]);
        run.args(["--quiet", "--json"]).arg(tools.dir.join("outcomes.json"));
        done(&mut run, "scatter-gather")?;
        fs::remove_file(&sorted)?;
        runs.push(outcomes(tools)?);
    }
    drop(up);
    fs::write(&file, serde_json::to_vec(&runs)?)?;
    Ok(runs)
}

/// The calibration with the memory and the disks of the hosts, which are stated: they are not measured. Its file.
fn stated(tools: &Tools, calibrated: &str) -> io::Result<String> {
    let mut platform = Platform::load(calibrated).map_err(io::Error::other)?;
    let truth = Platform::load(tools.files.join(FILE)).map_err(io::Error::other)?;
    let memory = truth.hosts.first().and_then(|host| host.memory);
    platform.hosts.iter_mut().for_each(|host| host.memory = memory);
    platform.storage = truth.storage;
    let file = tools.dir.join("stated.toml");
    fs::write(&file, platform.to_toml())?;
    Ok(file.to_string_lossy().into_owned())
}

/// Has the system forget what it holds of a file in memory, all of which is on its disk before.
fn forget(file: &Path) -> io::Result<()> {
    let mut advise = Command::new("dd");
    advise.arg(format!("of={}", file.display())).args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0"]);
    done(advise.stdin(Stdio::null()).stderr(Stdio::null()), "forgetting a file's pages")
}

/// The best number of processors as predicted, beside those that are measured to be as good as the best.
fn optimum(all: &BTreeMap<usize, Vec<Outcome>>) -> String {
    let middle = |ways: &[Way]| -> Vec<(usize, f64)> {
        all.iter()
            .filter_map(|(p, runs)| {
                let times: Vec<f64> =
                    runs.iter().filter(|o| ways.contains(&o.way)).map(|o| o.makespan_s).collect();
                Some((*p, median(&times)?))
            })
            .collect()
    };
    let least = |of: &[(usize, f64)]| of.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    let measured = middle(&[Way::Mpi]);
    let (Some(predicted), Some(best)) = (least(&middle(&[Way::Analytic])), least(&measured)) else {
        return String::new();
    };
    let flat: Vec<String> =
        measured.iter().filter(|m| m.1 <= FLAT * best.1).map(|m| m.0.to_string()).collect();
    format!(
        "Predicted best: {} processors. Measured within {:.0} % of the best: {}.\n",
        predicted.0,
        100.0 * (FLAT - 1.0),
        flat.join(", ")
    )
}
