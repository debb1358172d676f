//! How far off predictions are on several hosts: the command itself, on a cluster in a box, from a calibration there.
//!
//! Every configuration's outcomes are kept in a directory as they are measured, and one that is there already is not measured
//! again: a bench that was ended goes on where it was.

mod report;
mod scatter;
pub(crate) mod up;

use std::collections::BTreeMap;
use std::process::Command;
use std::{fs, io};

use forerun_platform::{Outcome, Stage, Strategy, Way};

use self::up::{Tools, Up, done};

use crate::accuracy::{Compared, table};
use crate::record::Record;

/// Numbers of hosts; there is a platform file for each.
const HOSTS: [usize; 4] = [2, 4, 8, 16];
/// Tasks for each host of the timed job.
const TASKS: usize = 8;
/// Numbers to sort.
const NUMBERS: &str = "8000000";
/// A tenth of what a task and a merged result cost, since hosts have a tenth of a core (0.15 s and 12.8 ms, of feature extraction), and its
/// results of 23,720 bytes.
const PROFILE: &str = "format = 1\napplication = \"tasks\"\nsource = \"feature extraction at the costs inferred from \
    tables VI to XI of Kuntraruk et al., for a tenth of a core\"\n[reduction]\ntask = { fixed = \"15 ms\" }\n\
    merge = { per_result = \"1.28 ms\" }\nresult_bytes = { per_byte = 1.0 }\n";
/// What is compared stage by stage.
const STAGES: [Stage; 4] = [Stage::Task, Stage::Merge, Stage::Sink, Stage::Finish];

/// Outcomes by job, hosts and strategy.
type All = BTreeMap<(&'static str, usize, &'static str), Vec<Outcome>>;

/// Runs the jobs by every strategy on every number of hosts.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let dir = tempfile::tempdir()?;
    let tools = Tools::find(dir.path())?;
    fs::write(tools.dir.join("profile.toml"), PROFILE)?;
    let numbers = tools.dir.join("numbers");
    done(
        Command::new(&tools.forerun).args(["generate", "numbers", NUMBERS, "-q", "-o"]).arg(&numbers),
        "generate",
    )?;
    let mut all = All::new();
    for job in ["tasks", "sort"] {
        for hosts in HOSTS {
            for strategy in Strategy::ALL {
                let outcomes = kept(&tools, hosts, job, strategy, rounds)?;
                all.insert((job, hosts, strategy.name()), outcomes);
            }
        }
    }
    for (job, title) in [("tasks", "timed tasks"), ("sort", "sort, 8,000,000 i32")] {
        let mut compared: BTreeMap<(usize, &str), Compared> = BTreeMap::new();
        for ((of, hosts, strategy), outcomes) in &all {
            if *of == job {
                let compared = compared.entry((*hosts, strategy)).or_default();
                let (measured, predicted): (Vec<_>, Vec<_>) =
                    outcomes.iter().cloned().partition(|o| o.way == Way::Mpi);
                for run in measured {
                    let mut one = predicted.clone();
                    one.push(run);
                    compared.add(&one, &STAGES);
                }
            }
        }
        record.note(&table(title, "strategy", rounds, &compared));
    }
    record.note(&report::ratios(&all));
    record.note(&scatter::bench(&tools, rounds)?);
    record.note(&report::raw(&all));
    Ok(())
}

/// The outcomes of a configuration: those that were kept, else measured now.
fn kept(
    tools: &Tools,
    hosts: usize,
    job: &str,
    strategy: Strategy,
    rounds: usize,
) -> io::Result<Vec<Outcome>> {
    let file = tools.kept.join(format!("{job}-{hosts}-{}.json", strategy.name()));
    if let Ok(json) = fs::read(&file) {
        return Ok(serde_json::from_slice(&json)?);
    }
    let up = Up::new(tools, &format!("tenth-{hosts}.toml"))?;
    let platform = up.calibration(&hosts.to_string(), hosts)?;
    let (ranks, runs) = (hosts.to_string(), rounds.to_string());
    let tasks = (TASKS * hosts).to_string();
    let words: Vec<&str> = match job {
        "tasks" => vec!["tasks", &tasks, "--size", "23720 B", "--profile", "profile.toml", "--set", &ranks],
        _ => vec!["sort", "numbers", "-o", "sorted"],
    };
    eprintln!("{job} on {hosts} hosts by {}", strategy.name());
    let mut run = up.forerun(&["run"]);
    run.args(&words).args(["--on", "mpi", "-p", &ranks, "--platform", &platform, "--groups", "1"]);
    run.args(["--strategy", strategy.name(), "--repeat", &runs, "--by", "analytic,simulated"]);
    run.args(["--quiet", "--json"]).arg(tools.dir.join("outcomes.json"));
    done(&mut run, job)?;
    drop(up);
    let outcomes = outcomes(tools)?;
    fs::write(&file, serde_json::to_vec(&outcomes)?)?;
    Ok(outcomes)
}

/// The outcomes that a run has left, without their timelines.
fn outcomes(tools: &Tools) -> io::Result<Vec<Outcome>> {
    let mut outcomes: Vec<Outcome> = serde_json::from_slice(&fs::read(tools.dir.join("outcomes.json"))?)?;
    for rank in outcomes.iter_mut().flat_map(|o| o.ranks.iter_mut()) {
        rank.timeline.clear();
    }
    Ok(outcomes)
}
