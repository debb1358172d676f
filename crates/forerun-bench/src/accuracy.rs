//! How far off predictions are, on this machine: the command itself, run as a person would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use forerun_platform::statistics;
use forerun_platform::{Interval, Outcome, Stage, Strategy, Way};

use crate::place::{self, in_memory};
use crate::record::Record;

/// Numbers to sort.
const NUMBERS: u64 = 100_000_000;

/// What is compared stage by stage.
const STAGES: [Stage; 4] = [Stage::Task, Stage::Merge, Stage::Sink, Stage::Finish];

/// A job to predict and run.
struct Job {
    name: &'static str,
    words: Vec<String>,
    /// The file that it makes.
    result: &'static str,
}

/// The predictions of one way for the runs of one configuration.
#[derive(Default)]
struct Predictions {
    /// (predicted − measured) / measured.
    errors: Vec<f64>,
    /// Runs whose time was within the predicted interval.
    within: usize,
}

/// What was predicted and measured of one configuration.
#[derive(Default)]
pub(crate) struct Compared {
    measured: Vec<f64>,
    analytic: Predictions,
    simulated: Predictions,
    /// By stage, for every run what all ranks together were predicted (in closed form) and measured
    /// to spend.
    stages: BTreeMap<Stage, Vec<(f64, f64)>>,
}

/// Runs every job with every strategy on 1 and 2 processors and compares.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let forerun = env::current_exe()?.with_file_name("forerun");
    let dir = in_memory()?;
    let jobs = jobs(&forerun, dir.path())?;
    for job in &jobs {
        let mut compared: BTreeMap<(usize, &'static str), Compared> = BTreeMap::new();
        for round in 0..rounds {
            for processors in [1, 2] {
                for strategy in Strategy::ALL {
                    // On one processor they are all the same.
                    if processors == 1 && strategy != Strategy::ALL[round % Strategy::ALL.len()] {
                        continue;
                    }
                    let name = if processors == 1 { "any" } else { strategy.name() };
                    let outcomes = run(&forerun, dir.path(), job, processors, strategy)?;
                    compared.entry((processors, name)).or_default().add(&outcomes, &STAGES);
                }
            }
        }
        record.note(&table(job.name, "strategy", rounds, &compared));
    }
    record.note(
        "Files are on a file system in memory where there is one; no older result has to be replaced. Error: (predicted − measured) / measured, each run \
         predicted from a pilot of its own: their median, that without their signs, the one furthest off, and how \
         many measured times were within the predicted 95 % interval. Spread: the median deviation of the measured \
         times from their median, which no prediction made beforehand can be better than. Stages: share of the \
         measured busy time, and how far off the closed form's seconds for the stage were in the median.",
    );
    Ok(())
}

fn jobs(forerun: &Path, dir: &Path) -> io::Result<Vec<Job>> {
    let numbers = dir.join("numbers.bin");
    place::numbers(forerun, NUMBERS, &numbers)?;
    let word = |s: &str| s.to_string();
    let mut jobs = vec![Job {
        name: "sort, 100,000,000 i32",
        words: vec![word("sort"), numbers.display().to_string()],
        result: "sorted.bin",
    }];
    if let Some(documents) = documents() {
        let counts = "tr -cs A-Za-z '\\n' | sort | uniq -c";
        let merge = "sort -m -k2 \"$@\" | awk '$2!=w{if(n)print n,w;w=$2;n=0}{n+=$1}END{if(n)print n,w}'";
        jobs.push(Job {
            name: "word counts over the toolchain's book (reduce)",
            words: ["reduce", "--shell", "--commutative", "--map", counts, "--merge", merge]
                .into_iter()
                .map(word)
                .chain([documents.display().to_string()])
                .collect(),
            result: "counts.txt",
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
        .args(["-o", job.result])
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
    // To replace it would be a part of the next run.
    fs::remove_file(dir.join(job.result))?;
    Ok(outcomes)
}

impl Predictions {
    fn add(&mut self, predicted: &Outcome, measured_s: f64) {
        self.errors.push((predicted.makespan_s - measured_s) / measured_s);
        let within = |i: Interval| i.low_s <= measured_s && measured_s <= i.high_s;
        self.within += usize::from(predicted.predicted.is_some_and(within));
    }

    /// The median of the errors, that without their signs, the one furthest off, and the part of
    /// the runs within the interval.
    fn cells(&self) -> String {
        format!(
            "{:+.1} % | {:.1} % | {:+.1} % | {} of {}",
            100.0 * median(&self.errors),
            100.0 * median(&sizes(&self.errors)),
            100.0 * worst(&self.errors),
            self.within,
            self.errors.len()
        )
    }
}

impl Compared {
    /// Adds what was predicted and measured in one run, with these stages.
    pub(crate) fn add(&mut self, outcomes: &[Outcome], stages: &[Stage]) {
        let Some(measured) = outcomes.iter().find(|o| [Way::Threads, Way::Mpi].contains(&o.way)) else {
            return;
        };
        self.measured.push(measured.makespan_s);
        for outcome in outcomes {
            match outcome.way {
                Way::Analytic => {
                    self.analytic.add(outcome, measured.makespan_s);
                    for &stage in stages {
                        let seconds = |o: &Outcome| o.stages.get(&stage).map_or(0.0, |t| t.total_s);
                        self.stages.entry(stage).or_default().push((seconds(outcome), seconds(measured)));
                    }
                }
                Way::Simulated => self.simulated.add(outcome, measured.makespan_s),
                _ => {}
            }
        }
    }

    /// How much of the measured busy time each stage is, and how far off its prediction in the median.
    fn parts(&self) -> String {
        let took = |runs: &[(f64, f64)]| runs.iter().map(|r| r.1).sum::<f64>();
        let busy: f64 = self.stages.values().map(|runs| took(runs)).sum();
        let parts = self.stages.iter().filter(|(_, runs)| took(runs) > 0.02 * busy);
        let part = |(stage, runs): (&Stage, &Vec<(f64, f64)>)| {
            let off: Vec<f64> = runs.iter().filter(|r| r.1 > 0.0).map(|r| r.0 / r.1 - 1.0).collect();
            format!("{} {:.0} % ({:+.0} %)", stage.name(), 100.0 * took(runs) / busy, 100.0 * median(&off))
        };
        parts.map(part).collect::<Vec<_>>().join(", ")
    }
}

/// The table of what was compared by processors and by what is called `key`.
pub(crate) fn table<N: Ord + std::fmt::Display>(
    job: &str,
    key: &str,
    rounds: usize,
    compared: &BTreeMap<(usize, N), Compared>,
) -> String {
    let way = "median signed | median | worst | within";
    let mut text = format!(
        "## {job}: {rounds} rounds\n\n\
         | processors | {key} | measured, median (lowest–highest) | spread | analytic: {way} | simulated: {way} | stages |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for ((processors, named), c) in compared {
        let measured = sorted(&c.measured);
        let middle = median(&measured);
        let range = match (measured.first(), measured.last()) {
            (Some(low), Some(high)) => format!("{middle:.3} s ({low:.3}–{high:.3})"),
            _ => "–".into(),
        };
        let off: Vec<f64> = measured.iter().map(|m| (m / middle - 1.0).abs()).collect();
        text += &format!(
            "| {processors} | {named} | {range} | {:.1} % | {} | {} | {} |\n",
            100.0 * median(&off),
            c.analytic.cells(),
            c.simulated.cells(),
            c.parts()
        );
    }
    let ways = || compared.values().flat_map(|c| [&c.analytic, &c.simulated]);
    let (within, all) = ways().fold((0, 0), |(w, n), p| (w + p.within, n + p.errors.len()));
    let errors: Vec<f64> = ways().flat_map(|p| p.errors.iter().copied()).collect();
    text += &format!(
        "\nAll: median error {:.1} %, with its sign {:+.1} %; {within} of {all} times within the 95 % interval.\n",
        100.0 * median(&sizes(&errors)),
        100.0 * median(&errors),
    );
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
    statistics::median(values).unwrap_or(f64::NAN)
}
