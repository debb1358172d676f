//! How far off predictions are on several hosts: the command itself, on a cluster in a box, from a calibration there.
//!
//! Every configuration's outcomes are kept in a directory as they are measured, and one that is there already is not measured
//! again: a bench that was ended goes on where it was.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs, io};

use forerun_platform::statistics::median;
use forerun_platform::{Outcome, Stage, Strategy, Way};

use crate::accuracy::{Compared, table};
use crate::record::Record;

/// Numbers of hosts; there is a platform file for each.
const HOSTS: [usize; 4] = [2, 4, 8, 16];
/// Tasks for each host of the timed job.
const TASKS: usize = 8;
/// Numbers to sort.
const NUMBERS: &str = "2000000";
/// A tenth of what a task and a merged result cost, since hosts have a tenth of a core (0.15 s and 12.8 ms, of feature extraction), and its
/// results of 23,720 bytes.
const PROFILE: &str = "format = 1\napplication = \"tasks\"\nsource = \"feature extraction at the costs inferred from \
    tables VI to XI of Kuntraruk et al., for a tenth of a core\"\n[reduction]\ntask = { fixed = \"15 ms\" }\n\
    merge = { per_result = \"1.28 ms\" }\nresult_bytes = { per_byte = 1.0 }\n";
/// What tables VI to XI have by sets of 8, 16 and 32: how many times the parallel pipeline's time master-slave took, and the reduction tree.
const PRINTED: [(usize, f64, f64); 3] = [(8, 1.5, 1.07), (16, 5.4, 1.67), (32, 16.0, 2.3)];
/// What is compared stage by stage.
const STAGES: [Stage; 4] = [Stage::Task, Stage::Merge, Stage::Sink, Stage::Finish];

/// What the bench works with.
struct Tools {
    forerun: PathBuf,
    testbed: PathBuf,
    /// Where platform files are.
    files: PathBuf,
    /// Where outcomes are kept.
    kept: PathBuf,
    /// Where jobs run.
    dir: PathBuf,
}

/// A testbed that is up, and taken down when this is dropped or this process is gone, whatever ended it.
struct Up {
    guardian: Child,
}

impl Up {
    fn new(tools: &Tools, file: &Path) -> io::Result<Up> {
        done(Command::new(&tools.testbed).arg("up").arg(file).stdout(Stdio::null()), "testbed up")?;
        // Its input ends with this process.
        let mut guardian = Command::new("sh");
        guardian
            .args(["-c", "trap '' INT TERM HUP; cat > /dev/null; exec \"$0\" down \"$1\""])
            .arg(&tools.testbed);
        // A group of its own: what ends this process by its group does not end the guardian.
        guardian.arg(file).process_group(0).stdin(Stdio::piped()).stdout(Stdio::null());
        Ok(Up { guardian: guardian.spawn()? })
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        drop(self.guardian.stdin.take());
        let _ = self.guardian.wait();
    }
}

/// Runs the jobs by every strategy on every number of hosts.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    let variable = |name| env::var_os(name).map(PathBuf::from);
    let missing = || io::Error::other("it is started by `cargo xtask bench testbed`");
    let dir = tempfile::tempdir()?;
    let tools = Tools {
        forerun: env::current_exe()?.with_file_name("forerun"),
        testbed: variable("FORERUN_TESTBED").ok_or_else(missing)?,
        files: variable("FORERUN_TESTBED_FILES").ok_or_else(missing)?,
        kept: variable("FORERUN_TESTBED_KEPT").ok_or_else(missing)?,
        dir: dir.path().to_path_buf(),
    };
    fs::create_dir_all(&tools.kept)?;
    fs::write(tools.dir.join("profile.toml"), PROFILE)?;
    let numbers = tools.dir.join("numbers");
    done(
        Command::new(&tools.forerun).args(["generate", "numbers", NUMBERS, "-q", "-o"]).arg(&numbers),
        "generate",
    )?;
    let mut all: BTreeMap<(&str, usize, &str), Vec<Outcome>> = BTreeMap::new();
    for job in ["tasks", "sort"] {
        for hosts in HOSTS {
            for strategy in Strategy::ALL {
                let outcomes = kept(&tools, hosts, job, strategy, rounds)?;
                all.insert((job, hosts, strategy.name()), outcomes);
            }
        }
    }
    for (job, title) in [("tasks", "timed tasks"), ("sort", "sort, 2,000,000 i32")] {
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
    record.note(&ratios(&all));
    record.note(&raw(&all));
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
    let described = tools.files.join(format!("tenth-{hosts}.toml"));
    let up = Up::new(tools, &described)?;
    let platform = tools.kept.join(format!("platform-{hosts}.toml"));
    let inside = |arguments: &[&str]| {
        let mut command = Command::new(&tools.testbed);
        command.arg("run").arg(&described).arg("--").arg(&tools.forerun);
        command.args(arguments).current_dir(&tools.dir).stdout(Stdio::null());
        command
    };
    let (text, ranks, runs) = (platform.to_string_lossy(), hosts.to_string(), rounds.to_string());
    if !platform.is_file() {
        eprintln!("calibrating {hosts} hosts");
        let svg = tools.kept.join(format!("calibration-{hosts}.svg"));
        let words =
            ["calibrate", "--on", "mpi", "-p", &ranks, "--out", &text, "--svg", &svg.to_string_lossy()];
        done(&mut inside(&words), "calibrate")?;
    }
    let tasks = (TASKS * hosts).to_string();
    let words: Vec<&str> = match job {
        "tasks" => vec!["tasks", &tasks, "--size", "23720 B", "--profile", "profile.toml", "--set", &ranks],
        _ => vec!["sort", "numbers", "-o", "sorted"],
    };
    eprintln!("{job} on {hosts} hosts by {}", strategy.name());
    let mut run = inside(&["run"]);
    run.args(&words).args(["--on", "mpi", "-p", &ranks, "--platform", &text, "--groups", "1"]);
    run.args(["--strategy", strategy.name(), "--repeat", &runs, "--by", "analytic,simulated"]);
    run.args(["--quiet", "--json"]).arg(tools.dir.join("outcomes.json"));
    done(&mut run, job)?;
    drop(up);
    let mut outcomes: Vec<Outcome> = serde_json::from_slice(&fs::read(tools.dir.join("outcomes.json"))?)?;
    for rank in outcomes.iter_mut().flat_map(|o| o.ranks.iter_mut()) {
        rank.timeline.clear();
    }
    fs::write(&file, serde_json::to_vec(&outcomes)?)?;
    Ok(outcomes)
}

/// Runs a command that must succeed.
fn done(command: &mut Command, what: &str) -> io::Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{what} failed; what it said is above"))),
    }
}

/// How many times the parallel pipeline's time the other strategies took, beside the paper's.
fn ratios(all: &BTreeMap<(&str, usize, &str), Vec<Outcome>>) -> String {
    let mut text = String::from(
        "## Times as long as by the parallel pipeline\n\n\
         | job | hosts | reduction-tree (paper) | master-slave (paper) | adaptive |\n|---|---|---|---|---|\n",
    );
    let middle = |job, hosts, strategy: Strategy| {
        let runs = all.get(&(job, hosts, strategy.name()))?;
        median(&runs.iter().filter(|o| o.way == Way::Mpi).map(|o| o.makespan_s).collect::<Vec<_>>())
    };
    for job in ["tasks", "sort"] {
        for hosts in HOSTS {
            let Some(pipeline) = middle(job, hosts, Strategy::ParallelPipeline) else { continue };
            let printed = PRINTED.iter().find(|p| p.0 == hosts && job == "tasks");
            let of = |strategy, paper: Option<f64>| {
                let ratio = middle(job, hosts, strategy).map_or(f64::NAN, |s| s / pipeline);
                format!("{ratio:.2}") + &paper.map_or(String::new(), |p| format!(" ({p})"))
            };
            text += &format!(
                "| {job} | {hosts} | {} | {} | {} |\n",
                of(Strategy::ReductionTree, printed.map(|p| p.2)),
                of(Strategy::MasterSlave, printed.map(|p| p.1)),
                of(Strategy::Adaptive, None)
            );
        }
    }
    text
}

/// Every run's time.
fn raw(all: &BTreeMap<(&str, usize, &str), Vec<Outcome>>) -> String {
    let mut text = String::from(
        "## Every time, in seconds\n\n```csv\njob,hosts,strategy,way,makespan_s,messages,bytes\n",
    );
    for ((job, hosts, strategy), outcomes) in all {
        for o in outcomes {
            text += &format!(
                "{job},{hosts},{strategy},{},{:.4},{},{}\n",
                o.way.name(),
                o.makespan_s,
                o.messages,
                o.bytes
            );
        }
    }
    text + "```\n"
}
