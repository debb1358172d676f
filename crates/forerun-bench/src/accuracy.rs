//! How far off predictions are, on this machine: the command itself, run as a person would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use forerun_platform::{Outcome, Strategy, Way};

use crate::record::Record;

/// Numbers to sort.
const NUMBERS: &str = "100000000";

/// A job to predict and run.
struct Job {
    name: &'static str,
    words: Vec<String>,
}

/// Relative errors of predictions and seconds measured, of one configuration.
#[derive(Default)]
struct Errors {
    measured: Vec<f64>,
    analytic: Vec<f64>,
    simulated: Vec<f64>,
}

/// Runs every job with every strategy on 1 and 2 processors and compares.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let forerun = env::current_exe()?.with_file_name("forerun");
    // In memory, where there is such a place: the mood of a disk's cache is not what is measured.
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
    let jobs = jobs(&forerun, dir.path())?;
    for job in &jobs {
        let mut errors: BTreeMap<(usize, &'static str), Errors> = BTreeMap::new();
        for round in 0..rounds {
            for processors in [1, 2] {
                for strategy in Strategy::ALL {
                    // On one processor they are all the same.
                    if processors == 1 && strategy != Strategy::ALL[round % Strategy::ALL.len()] {
                        continue;
                    }
                    let name = if processors == 1 { "any" } else { strategy.name() };
                    let outcomes = run(&forerun, dir.path(), job, processors, strategy)?;
                    errors.entry((processors, name)).or_default().add(&outcomes);
                }
            }
        }
        record.note(&table(job.name, rounds, &errors));
    }
    record.note(
        "Files are on a file system in memory where there is one. Error: (predicted − measured) / measured, each run predicted from a pilot of its own; the median of \
         the errors without their signs, and the one furthest off.",
    );
    Ok(())
}

fn jobs(forerun: &Path, dir: &Path) -> io::Result<Vec<Job>> {
    let numbers = dir.join("numbers.bin");
    let made =
        Command::new(forerun).args(["generate", "numbers", NUMBERS, "-q", "-o"]).arg(&numbers).status()?;
    if !made.success() {
        return Err(io::Error::other("the numbers could not be made"));
    }
    let word = |s: &str| s.to_string();
    let mut jobs = vec![Job {
        name: "sort, 100,000,000 i32",
        words: vec![word("sort"), numbers.display().to_string(), word("-o"), word("sorted.bin")],
    }];
    if let Some(documents) = documents() {
        let counts = "tr -cs A-Za-z '\\n' | sort | uniq -c";
        let merge = "sort -m -k2 \"$@\" | awk '$2!=w{if(n)print n,w;w=$2;n=0}{n+=$1}END{if(n)print n,w}'";
        jobs.push(Job {
            name: "word counts over the toolchain's book (reduce)",
            words: [
                "reduce",
                "--shell",
                "--commutative",
                "--map",
                counts,
                "--merge",
                merge,
                "-o",
                "counts.txt",
            ]
            .into_iter()
            .map(word)
            .chain([documents.display().to_string()])
            .collect(),
        });
    }
    Ok(jobs)
}

/// The toolchain's own documentation, where it is installed.
fn documents() -> Option<PathBuf> {
    let out = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let dir = PathBuf::from(String::from_utf8(out.stdout).ok()?.trim()).join("share/doc/rust/html/book");
    dir.is_dir().then_some(dir)
}

/// One run of the command.
fn run(
    forerun: &Path,
    dir: &Path,
    job: &Job,
    processors: usize,
    strategy: Strategy,
) -> io::Result<Vec<Outcome>> {
    let file = dir.join("outcomes.json");
    let status = Command::new(forerun)
        .arg("run")
        .args(&job.words)
        .args(["--quiet", "--by", "analytic,simulated", "--groups", "1", "--strategy", strategy.name()])
        .args(["-p", &processors.to_string(), "--json"])
        .arg(&file)
        .current_dir(dir)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(io::Error::other(format!("{} by {} failed", job.name, strategy.name())));
    }
    let outcomes: Vec<Outcome> = serde_json::from_slice(&fs::read(&file)?)?;
    fs::remove_file(&file)?;
    Ok(outcomes)
}

impl Errors {
    fn add(&mut self, outcomes: &[Outcome]) {
        let Some(measured) = outcomes.iter().find(|o| o.way == Way::Threads) else { return };
        self.measured.push(measured.makespan_s);
        for outcome in outcomes {
            let error = (outcome.makespan_s - measured.makespan_s) / measured.makespan_s;
            match outcome.way {
                Way::Analytic => self.analytic.push(error),
                Way::Simulated => self.simulated.push(error),
                _ => {}
            }
        }
    }
}

fn table(job: &str, rounds: usize, errors: &BTreeMap<(usize, &'static str), Errors>) -> String {
    let mut text = format!(
        "## {job}: {rounds} rounds\n\n\
         | processors | strategy | measured, median (lowest–highest) | analytic: median error | worst | simulated: median error | worst |\n\
         |---|---|---|---|---|---|---|\n"
    );
    for ((processors, strategy), e) in errors {
        let measured = sorted(&e.measured);
        let range = match (measured.first(), measured.last()) {
            (Some(low), Some(high)) => format!("{:.3} s ({low:.3}–{high:.3})", median(&measured)),
            _ => "–".into(),
        };
        text += &format!(
            "| {processors} | {strategy} | {range} | {:.1} % | {:+.1} % | {:.1} % | {:+.1} % |\n",
            100.0 * median(&sizes(&e.analytic)),
            100.0 * worst(&e.analytic),
            100.0 * median(&sizes(&e.simulated)),
            100.0 * worst(&e.simulated),
        );
    }
    text
}

fn sizes(errors: &[f64]) -> Vec<f64> {
    errors.iter().map(|e| e.abs()).collect()
}

fn worst(errors: &[f64]) -> f64 {
    errors.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(f64::NAN)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn median(values: &[f64]) -> f64 {
    sorted(values).get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
