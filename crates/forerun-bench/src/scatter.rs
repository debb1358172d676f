//! How far off predictions of scatter-gather are, on this machine: the command itself, sorting files of
//! growing size, run as a person would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use forerun_platform::{Outcome, Stage, Way};

use crate::accuracy::{Compared, table};
use crate::place::{self, in_memory};
use crate::record::Record;

/// Numbers to sort, i32.
const NUMBERS: [u64; 5] = [5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000];

/// What is compared stage by stage.
const STAGES: [Stage; 6] =
    [Stage::Read, Stage::Process, Stage::ResolveLocal, Stage::ResolveGlobal, Stage::Write, Stage::Finish];

/// Sorts every number of numbers on 1 and 2 processors and compares.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let forerun = env::current_exe()?.with_file_name("forerun");
    let dir = in_memory()?;
    let files: Vec<PathBuf> =
        NUMBERS.iter().map(|&n| numbers(&forerun, dir.path(), n)).collect::<io::Result<_>>()?;
    let mut compared: BTreeMap<(usize, String), Compared> = BTreeMap::new();
    for _ in 0..rounds {
        for (n, file) in NUMBERS.iter().zip(&files) {
            for processors in [1, 2] {
                let outcomes = sort(&forerun, dir.path(), file, processors)?;
                let name = format!("{:>3}·10⁶", n / 1_000_000);
                compared.entry((processors, name)).or_default().add(&outcomes, &STAGES);
            }
        }
    }
    record.note(&table("sort i32 by scatter-gather", "numbers", rounds, &compared));
    record.note(
        "Files are on a file system in memory where there is one. Error: (predicted − measured) / measured, each run \
         predicted from a pilot of its own: their median, that without their signs, the one furthest off, and how \
         many measured times were within the predicted 95 % interval. Spread: the median deviation of the measured \
         times from their median, which no prediction made beforehand can be better than. Stages: share of the \
         measured time that ranks were in them, and how far off the closed form's seconds for the stage were in the \
         median; with blocks read ahead, reading and writing are measured as the wait for them.",
    );
    Ok(())
}

fn numbers(forerun: &Path, dir: &Path, n: u64) -> io::Result<PathBuf> {
    let file = dir.join(format!("{n}.bin"));
    place::numbers(forerun, n, &file)?;
    Ok(file)
}

/// One run of the command, where no older result has to be removed first.
fn sort(forerun: &Path, dir: &Path, file: &Path, processors: usize) -> io::Result<Vec<Outcome>> {
    let (result, json) = (dir.join("sorted.bin"), dir.join("outcomes.json"));
    let status = Command::new(forerun)
        .args(["run", "sort"])
        .arg(file)
        .arg("-o")
        .arg(&result)
        .args(["--skeleton", "scatter-gather", "--quiet", "--by", "analytic,simulated"])
        .args(["-p", &processors.to_string(), "--json"])
        .arg(&json)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(io::Error::other(format!("sorting {} by scatter-gather failed", file.display())));
    }
    let outcomes: Vec<Outcome> = serde_json::from_slice(&fs::read(&json)?)?;
    if !outcomes.iter().any(|o| o.way == Way::Threads) {
        return Err(io::Error::other("the run gave no measured outcome"));
    }
    fs::remove_file(&json)?;
    fs::remove_file(&result)?;
    Ok(outcomes)
}
