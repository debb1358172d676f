//! Features of documents and lists for queries on several hosts, end to end: from files or a web server into PostgreSQL, over MPI on a
//! cluster in a box; how many times as fast as on one host, and how far off the predictions are.
//!
//! As in `testbed/`, every outcome is kept as it is measured, and a bench that was ended goes on where it was.

mod pages;
mod up;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs, io};

use forerun_platform::statistics::median;
use forerun_platform::{Outcome, Strategy, Way};
use serde_json::{Value, json};

use self::up::Served;
use crate::record::Record;
use crate::testbed::report;
use crate::testbed::up::{Tools, done};

/// Numbers of hosts that compute; one is what the others are compared with.
const HOSTS: [usize; 5] = [1, 2, 4, 8, 16];
/// Pages.
const PAGES: usize = 3000;
/// Jobs: their names, what there is to be said of them, and the input bytes of a task.
const JOBS: [(&str, &str, &str); 3] = [
    ("features", "Features of 3,000 pages, from files", "100 kB"),
    ("crawl", "The same, crawled from nginx while they are extracted", "100 kB"),
    ("lsi", "3,000 queries with the 3,000 pages, k = 100", "240 kB"),
];
/// Strategies: the paper's, in groups of 8 as there, and ours.
const STRATEGIES: [Strategy; 2] = [Strategy::ParallelPipeline, Strategy::Adaptive];
/// Speedups of the paper: tables XII and XIII (least and largest of three sizes), and XV.
const PRINTED: [(&str, usize, &str); 4] = [
    ("features", 8, "4.39 to 5.53"),
    ("features", 16, "10.21 to 11.73"),
    ("crawl", 8, "4.39 to 5.53"),
    ("lsi", 8, "4.42 to 4.62"),
];

/// What was kept of a run: its outcomes, and a sum over the tables that it left.
type Kept = (Vec<Outcome>, String);
/// What was kept, by job, hosts and strategy.
type All = BTreeMap<(&'static str, usize, &'static str), Vec<Kept>>;

/// A directory that goes with this.
struct Dir(PathBuf);

impl Dir {
    /// Makes it, in the place of one that an earlier bench left.
    fn new(path: PathBuf) -> io::Result<Dir> {
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).map(|()| Dir(path))
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs every job by every strategy on every number of hosts.
pub(crate) fn bench(rounds: usize, record: &mut Record) -> io::Result<()> {
    // The same every time, since it is in the names of files; and where the user postgres can have files.
    let dir = Dir::new(env::temp_dir().join("forerun-testbed-text"))?;
    let tools = Tools::find(&dir.0)?;
    let up = Served::new(&tools)?;
    for hosts in HOSTS.into_iter().filter(|hosts| *hosts > 1) {
        up.calibration(hosts)?;
    }
    pages::make(&tools.dir, PAGES)?;
    up.serve()?;
    done(&mut up.forerun(1, "lsi build collection -o model -k 100"), "lsi build")?;
    let mut all = All::new();
    for (job, _, grain) in JOBS {
        for hosts in HOSTS {
            // On one host they are all the same.
            let strategies = if hosts == 1 { &STRATEGIES[1..] } else { &STRATEGIES };
            // Beyond this the one that crawls is not fast enough.
            if job == "crawl" && hosts > 8 {
                continue;
            }
            for strategy in strategies {
                for round in 0..rounds {
                    let kept = kept(&up, (job, grain), *strategy, hosts, round)?;
                    all.entry((job, hosts, strategy.name())).or_default().push(kept);
                }
            }
        }
    }
    for (job, title, _) in JOBS {
        record.note(&table(job, title, &all));
    }
    record.note(&report::raw(
        all.iter().map(|(of, kept)| (*of, kept.iter().flat_map(|(outcomes, _)| outcomes).collect())),
    ));
    Ok(())
}

/// A run that was kept, else measured now.
fn kept(
    up: &Served<'_>,
    (job, grain): (&str, &str),
    strategy: Strategy,
    hosts: usize,
    round: usize,
) -> io::Result<Kept> {
    let file = up.tools.kept.join(format!("text-{job}-{hosts}-{}-{round}.json", strategy.name()));
    if let Ok(bytes) = fs::read(&file) {
        let kept: Value = serde_json::from_slice(&bytes)?;
        let sum = kept["sum"].as_str().unwrap_or_default().to_owned();
        return Ok((serde_json::from_value(kept["outcomes"].clone())?, sum));
    }
    let platform = up.calibration(hosts.max(2))?;
    let database = up.database("run")?;
    let input = match job {
        "features" => format!("features www --db {database}"),
        "crawl" => {
            let _ = fs::remove_dir_all(up.tools.dir.join("crawl"));
            format!(
                "features http://server/0.html --db {database} --crawl-dir crawl --allow-private --delay 0s --connections 8"
            )
        }
        _ => format!("lsi model queries --top 10 --db {database}"),
    };
    let profile = profile(up, job, &platform)?;
    let groups = if strategy == Strategy::ParallelPipeline { hosts.div_ceil(8) } else { 1 };
    // A crawl's end is not known, so its pace is predicted and not its time.
    let by = if job == "crawl" { "" } else { "--by analytic,simulated" };
    eprintln!("{job} on {hosts} hosts by {}", strategy.name());
    let words = format!(
        "run {input} --on mpi -p {hosts} --platform {platform} --profile {profile} --strategy {} --groups {groups} {by}",
        strategy.name()
    );
    let json = up.tools.dir.join("outcomes.json");
    done(up.forerun(hosts, &words).args(["--grain", grain, "--json"]).arg(&json), job)?;
    let mut outcomes: Vec<Outcome> = serde_json::from_slice(&fs::read(&json)?)?;
    for rank in outcomes.iter_mut().flat_map(|o| o.ranks.iter_mut()) {
        rank.timeline.clear();
    }
    let sum = sum(up, job)?;
    fs::write(&file, serde_json::to_vec(&json!({ "outcomes": outcomes, "sum": sum }))?)?;
    Ok((outcomes, sum))
}

/// What a job costs, measured once on the first of the hosts that compute: a profile's file.
fn profile(up: &Served<'_>, job: &str, platform: &str) -> io::Result<String> {
    let job = if job == "crawl" { "features" } else { job };
    let file = up.tools.kept.join(format!("text-profile-{job}.toml"));
    let name = file.to_string_lossy().into_owned();
    if !file.is_file() {
        let database = up.database("pilot")?;
        let input = match job {
            "features" => format!("features www --db {database}"),
            _ => format!("lsi model queries --top 10 --db {database}"),
        };
        let words = format!("predict {input} -p 1 --platform {platform} --write-profile {name}");
        done(&mut up.computing(&words), "predict")?;
    }
    Ok(name)
}

/// A sum over the tables that a run left.
fn sum(up: &Served<'_>, job: &str) -> io::Result<String> {
    let file = ("file", "(id, name, bytes, documents, skipped)");
    let (schema, tables) = match job {
        "lsi" => ("forerun_lsi", vec![("ranking", "ranking")]),
        // When a file was changed last is not the job's.
        _ => {
            let others = ["document", "phrase", "occurrence"].map(|table| (table, table));
            ("forerun_features", [&[file], &others[..]].concat())
        }
    };
    let mut sums = Vec::new();
    for (table, row) in tables {
        let rows = format!("SELECT {row}::text AS row FROM {schema}.{table}");
        let all = format!("SELECT count(*), md5(string_agg(md5(row), '' ORDER BY row)) FROM ({rows}) AS r");
        sums.push(up.sql("run", &all)?);
    }
    Ok(sums.join(" "))
}

/// The times of the runs by this way.
fn times(kept: &[Kept], way: Way) -> Vec<f64> {
    kept.iter().flat_map(|(outcomes, _)| outcomes).filter(|o| o.way == way).map(|o| o.makespan_s).collect()
}

/// Measured times beside those on one host, the paper's speedups and the predictions.
fn table(job: &'static str, title: &str, all: &All) -> String {
    let one = all.get(&(job, 1, Strategy::Adaptive.name())).map(|kept| times(kept, Way::Mpi));
    let one = one.and_then(|times| median(&times)).unwrap_or(f64::NAN);
    let mut text = format!(
        "## {title}\n\n| hosts | strategy | measured, s: median (range) | speedup | of the paper | analytic, s | \
         simulated, s |\n|---|---|---|---|---|---|---|\n"
    );
    let mut sums: Vec<&str> = Vec::new();
    for ((of, hosts, strategy), kept) in all.iter().filter(|((of, ..), _)| *of == job) {
        let measured = times(kept, Way::Mpi);
        let middle = median(&measured).unwrap_or(f64::NAN);
        let (low, high) =
            measured.iter().fold((f64::INFINITY, 0.0f64), |(low, high), s| (low.min(*s), high.max(*s)));
        let printed = PRINTED.iter().find(|p| p.0 == *of && p.1 == *hosts).map_or("", |p| p.2);
        let predicted = |way| match median(&times(kept, way)) {
            Some(s) => format!("{s:.2} ({:+.1} %)", 100.0 * (s / middle - 1.0)),
            None => paces(kept, way),
        };
        text += &format!(
            "| {hosts} | {} | {middle:.2} ({low:.2}–{high:.2}) | {:.2} | {printed} | {} | {} |\n",
            strategy,
            one / middle,
            predicted(Way::Analytic),
            predicted(Way::Simulated)
        );
        sums.extend(kept.iter().map(|(_, sum)| sum.as_str()));
    }
    sums.sort_unstable();
    sums.dedup();
    match sums.len() {
        1 => text + "\nAll runs left the same tables.\n",
        n => text + &format!("\n**The runs left {n} different tables.**\n"),
    }
}

/// Where tasks or pages a second are predicted, those beside the measured ones.
fn paces(kept: &[Kept], way: Way) -> String {
    let outcomes = || kept.iter().flat_map(|(outcomes, _)| outcomes);
    let predicted = outcomes().filter_map(|o| Some(o.predicted_throughput.as_ref()?.tasks_per_s));
    let measured = outcomes().map(|o| o.throughput);
    let what = if outcomes().any(|o| o.pages.is_some()) { "pages" } else { "tasks" };
    match (median(&predicted.collect::<Vec<_>>()), median(&measured.collect::<Vec<_>>())) {
        (Some(p), Some(m)) if way == Way::Analytic => format!("{p:.1} {what}/s, measured {m:.1}"),
        _ => String::new(),
    }
}
