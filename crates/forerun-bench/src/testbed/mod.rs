//! How far off predictions are on several hosts: the command itself, on a cluster in a box, from a calibration there.
//!
//! Every configuration's outcomes are kept in a directory as they are measured, and one that is there already is not measured
//! again: a bench that was ended goes on where it was.

pub(crate) mod report;
pub(crate) mod scatter;
pub(crate) mod up;

use std::collections::BTreeMap;
use std::{fs, io};

use forerun_platform::{Outcome, Stage, Strategy, Way};

use self::up::{Tools, Up, done};

use crate::accuracy::{Compared, table};
use crate::place::{self, in_memory};
use crate::record::Record;

/// Numbers of hosts, the part of a core that each has, and the platform file of the testbed. (So many hosts fit on two cores.)
const HOSTS: [(usize, f64, &str); 5] = [
    (2, 0.1, "tenth-2.toml"),
    (4, 0.1, "tenth-4.toml"),
    (8, 0.1, "tenth-8.toml"),
    (16, 0.1, "tenth-16.toml"),
    (32, 0.05, "twentieth-32.toml"),
];
/// Tasks for each host of the timed job.
const TASKS: usize = 8;
/// Numbers to sort.
const NUMBERS: u64 = 8_000_000;
/// Tasks for each host of the sort. (Left to itself a plan gives all of it to one host: the network is slower than sorting.)
const SORTS: u64 = 2;
/// What a task and a merged result take of feature extraction, in seconds by the wall.
const COSTS: (f64, f64) = (0.15, 12.8e-3);
/// What is compared stage by stage.
const STAGES: [Stage; 4] = [Stage::Task, Stage::Merge, Stage::Sink, Stage::Finish];

/// Outcomes by job, hosts and strategy.
type All = BTreeMap<(&'static str, usize, &'static str), Vec<Outcome>>;

/// Runs the jobs by every strategy on every number of hosts.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let dir = in_memory()?;
    let tools = Tools::find(dir.path())?;
    place::numbers(&tools.forerun, NUMBERS, &tools.dir.join("numbers"))?;
    let mut all = All::new();
    for job in ["tasks", "sort"] {
        for at in HOSTS {
            for strategy in Strategy::ALL {
                let outcomes = kept(&tools, at, job, strategy, rounds)?;
                all.insert((job, at.0, strategy.name()), outcomes);
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
    record.note(&report::raw(all.iter().map(|(of, outcomes)| (*of, outcomes.iter().collect()))));
    Ok(())
}

/// The outcomes of a configuration: those that were kept, else measured now.
fn kept(
    tools: &Tools,
    (hosts, share, testbed): (usize, f64, &str),
    job: &str,
    strategy: Strategy,
    rounds: usize,
) -> io::Result<Vec<Outcome>> {
    let file = tools.kept.join(format!("{job}-{hosts}-{}.json", strategy.name()));
    if let Ok(json) = fs::read(&file) {
        return Ok(serde_json::from_slice(&json)?);
    }
    fs::write(tools.dir.join("profile.toml"), profile(share))?;
    let up = Up::new(tools, testbed)?;
    let platform = up.calibration(&hosts.to_string(), hosts)?;
    let (ranks, runs) = (hosts.to_string(), rounds.to_string());
    let tasks = (TASKS * hosts).to_string();
    let grain = format!("{} B", (4 * NUMBERS).div_ceil(SORTS * hosts as u64));
    let words: Vec<&str> = match job {
        "tasks" => vec!["tasks", &tasks, "--size", "23720 B", "--profile", "profile.toml", "--set", &ranks],
        _ => vec!["sort", "numbers", "-o", "sorted", "--grain", &grain],
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

/// The costs of the timed job on hosts that have this part of a core, and its results of 23,720 bytes.
fn profile(share: f64) -> String {
    let (task, merge) = (1e3 * share * COSTS.0, 1e3 * share * COSTS.1);
    format!(
        "format = 1\napplication = \"tasks\"\nsource = \"feature extraction at the costs inferred from tables VI to XI of \
         Kuntraruk et al., for {share} of a core\"\n[reduction]\ntask = {{ fixed = \"{task:.4} ms\" }}\n\
         merge = {{ per_result = \"{merge:.4} ms\" }}\nresult_bytes = {{ per_byte = 1.0 }}\n"
    )
}

/// The outcomes that a run has left, without their timelines.
pub(crate) fn outcomes(tools: &Tools) -> io::Result<Vec<Outcome>> {
    let mut outcomes: Vec<Outcome> = serde_json::from_slice(&fs::read(tools.dir.join("outcomes.json"))?)?;
    for rank in outcomes.iter_mut().flat_map(|o| o.ranks.iter_mut()) {
        rank.timeline.clear();
    }
    Ok(outcomes)
}
