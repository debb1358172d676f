//! The tables and plots of docs/testbed-results.md are those of the outcomes in docs/testbed/outcomes.csv.
//!
//! `FORERUN_WRITE_DOCS=1 cargo test -p forerun --test testbed_docs` writes them anew, after the outcomes have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use forerun::chart::{LineChart, Series, Spacing, Style, stacked};
use forerun_platform::Strategy;
use forerun_platform::statistics::median;

/// What is aimed at: the median and the worst error of a job's configurations.
const AIM: (f64, f64) = (0.05, 0.15);
/// The most hosts that the aim is about.
const AIMED: usize = 16;
/// What tables VI to XI of Kuntraruk et al. have by sets of 8, 16 and 32: how many times the parallel pipeline's time the reduction tree
/// took, and master-slave.
const PRINTED: [(usize, f64, f64); 3] = [(8, 1.07, 1.5), (16, 1.67, 5.4), (32, 2.3, 16.0)];
/// What is called as fast: within so much.
const ALIKE: f64 = 1.02;

/// A job of the outcomes.
#[derive(Clone, Copy)]
struct Of {
    name: &'static str,
    /// What it is in the title of its plots.
    title: &'static str,
    /// What its configurations are called.
    configurations: &'static str,
    beside: Beside,
}

/// What the times of a job stand beside.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    /// Each other, and the ratios of [`PRINTED`] where that is so.
    Strategies { printed: bool },
    /// That on one host, and a paper's speedups: hosts, the least and the most.
    One(&'static [(usize, f64, f64)]),
}

/// Tables XII and XIII of Kuntraruk et al., their speedups of feature extraction.
const FEATURES: &[(usize, f64, f64)] = &[(8, 4.39, 5.53), (16, 10.21, 11.73)];
/// Their table XV, those of queries.
const QUERIES: &[(usize, f64, f64)] = &[(8, 4.42, 4.62)];

const JOBS: [Of; 6] = [
    Of {
        name: "tasks",
        title: "Timed tasks",
        configurations: "hosts",
        beside: Beside::Strategies { printed: true },
    },
    Of {
        name: "sort",
        title: "A sort of 8,000,000 numbers",
        configurations: "hosts",
        beside: Beside::Strategies { printed: false },
    },
    Of {
        name: "scatter-gather",
        title: "The sort by scatter-gather",
        configurations: "processors",
        beside: Beside::One(&[]),
    },
    Of {
        name: "features",
        title: "Features of 3,000 pages",
        configurations: "hosts",
        beside: Beside::One(FEATURES),
    },
    Of {
        name: "crawl",
        title: "The same, crawled meanwhile",
        configurations: "hosts",
        beside: Beside::One(FEATURES),
    },
    Of { name: "lsi", title: "3,000 queries", configurations: "hosts", beside: Beside::One(QUERIES) },
];

/// The times of a configuration.
#[derive(Debug, Default, Clone, PartialEq)]
struct Times {
    mpi: Vec<f64>,
    analytic: Vec<f64>,
    simulated: Vec<f64>,
}

/// The times of a job, by hosts and strategy.
type Job = BTreeMap<(usize, String), Times>;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn middle(values: &[f64]) -> f64 {
    median(values).expect("times")
}

/// The outcomes of the job of that name.
fn job(csv: &str, name: &str) -> Job {
    let mut job = Job::new();
    for line in csv.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [of, hosts, strategy, way, makespan, ..] = fields[..] else { panic!("{line}: too few columns") };
        if of != name {
            continue;
        }
        let (hosts, makespan) = (hosts.parse().expect(line), makespan.parse().expect(line));
        let times = job.entry((hosts, strategy.to_owned())).or_default();
        match way {
            "mpi" => times.mpi.push(makespan),
            "analytic" => times.analytic.push(makespan),
            "simulated" => times.simulated.push(makespan),
            _ => panic!("{line}: another way"),
        }
    }
    job
}

/// The strategies of a job in the order of the tables, or the one without a name.
fn strategies(job: &Job) -> Vec<&str> {
    let all: BTreeSet<&str> = job.keys().map(|(_, strategy)| strategy.as_str()).collect();
    let named: Vec<&str> = Strategy::ALL.iter().map(|s| s.name()).filter(|name| all.contains(name)).collect();
    if named.is_empty() { all.into_iter().collect() } else { named }
}

fn hosts(job: &Job) -> Vec<usize> {
    job.keys().map(|(hosts, _)| *hosts).collect::<BTreeSet<_>>().into_iter().collect()
}

fn signed(error: f64) -> String {
    let sign = if error < 0.0 { '−' } else { '+' };
    format!("{sign}{:.1} %", 100.0 * error.abs())
}

/// Whether there are predictions of a job.
fn predicted(job: &Job) -> bool {
    job.values().any(|times| !times.simulated.is_empty())
}

/// Every configuration's times, how they stand beside one host's, and how far predictions are off.
fn table(job: &Job, of: Of) -> String {
    let named = strategies(job).iter().any(|name| !name.is_empty());
    let (paper, one) = match of.beside {
        Beside::One(paper) => {
            (paper, job.iter().find(|((hosts, _), _)| *hosts == 1).map(|(_, t)| middle(&t.mpi)))
        }
        Beside::Strategies { .. } => (&[][..], None),
    };
    let mut columns = vec![of.configurations];
    columns.extend(named.then_some("strategy"));
    columns.extend(["measured, s: median (range)", "runs", "spread"]);
    columns.extend(one.map(|_| if paper.is_empty() { "speedup" } else { "speedup (paper)" }));
    columns.extend(predicted(job).then_some(["analytic, s", "simulated, s"]).into_iter().flatten());
    let mut text = format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for hosts in hosts(job) {
        for name in strategies(job) {
            let Some(times) = job.get(&(hosts, name.to_owned())) else { continue };
            let m = middle(&times.mpi);
            let off: Vec<f64> = times.mpi.iter().map(|t| (t / m - 1.0).abs()).collect();
            let least = times.mpi.iter().copied().fold(f64::INFINITY, f64::min);
            let most = times.mpi.iter().copied().fold(0.0, f64::max);
            let prediction = |of: &[f64]| format!("{:.3} ({})", middle(of), signed(middle(of) / m - 1.0));
            let mut cells = vec![hosts.to_string()];
            cells.extend(named.then(|| if hosts == 1 { "(any)".to_owned() } else { name.to_owned() }));
            cells.push(format!("{m:.3} ({least:.3}–{most:.3})"));
            cells.push(times.mpi.len().to_string());
            cells.push(format!("{:.1} %", 100.0 * middle(&off)));
            if let Some(one) = one {
                let printed = paper.iter().find(|p| p.0 == hosts);
                let printed = printed.map_or(String::new(), |(_, from, to)| format!(" ({from}–{to})"));
                cells.push(format!("{:.2}{printed}", one / m));
            }
            if predicted(job) {
                cells.extend([prediction(&times.analytic), prediction(&times.simulated)]);
            }
            text += &format!("| {} |\n", cells.join(" | "));
        }
    }
    text
}

/// How far off a way is, in sum, and whether that is what is aimed at.
fn errors(job: &Job, way: &str, of: fn(&Times) -> &[f64]) -> String {
    let error = |times: &Times| (middle(of(times)) / middle(&times.mpi) - 1.0).abs();
    let sum = |errors: &[f64]| (middle(errors), errors.iter().copied().fold(0.0, f64::max));
    let all: Vec<f64> = job.values().map(error).collect();
    let aimed: Vec<f64> =
        job.iter().filter(|((hosts, _), _)| *hosts <= AIMED).map(|(_, t)| error(t)).collect();
    let ((m, worst), (aimed_m, aimed_worst)) = (sum(&all), sum(&aimed));
    let met = |value: f64, aim: f64| {
        let is = if value <= aim { "met" } else { "missed" };
        format!("{:.0} % {is}", 100.0 * aim)
    };
    let mut text = format!(
        "- {way}: median error {:.1} %, worst {:.1} % of {} configurations",
        100.0 * aimed_m,
        100.0 * aimed_worst,
        aimed.len()
    );
    if all.len() > aimed.len() {
        text += &format!(
            " on up to {AIMED} hosts ({:.1} and {:.1} % of all {})",
            100.0 * m,
            100.0 * worst,
            all.len()
        );
    }
    text + &format!("; aims: median {}, worst {}.\n", met(aimed_m, AIM.0), met(aimed_worst, AIM.1))
}

/// How many times the parallel pipeline's time the others took, and in what order they are.
fn ratios(job: &Job, printed: bool) -> String {
    let m = |hosts, strategy: Strategy| job.get(&(hosts, strategy.name().to_owned())).map(|t| middle(&t.mpi));
    let (paper, of) = if printed { (" (paper)", ", beside the paper's") } else { ("", "") };
    let mut text = format!(
        "Times as long as by the parallel pipeline{of}:\n\n| hosts | reduction-tree{paper} | master-slave{paper} | adaptive |\n|---|---|---|---|\n"
    );
    let (mut ordered, mut not, mut behind) = (Vec::new(), Vec::new(), Vec::new());
    for hosts in hosts(job) {
        let of =
            [Strategy::ParallelPipeline, Strategy::ReductionTree, Strategy::MasterSlave, Strategy::Adaptive];
        let [Some(pipeline), Some(tree), Some(master), Some(adaptive)] = of.map(|s| m(hosts, s)) else {
            continue;
        };
        let paper = PRINTED.iter().find(|p| p.0 == hosts && printed);
        let beside = |value: Option<f64>| value.map_or(String::new(), |v| format!(" ({v})"));
        text += &format!(
            "| {hosts} | {:.2}{} | {:.2}{} | {:.2} |\n",
            tree / pipeline,
            beside(paper.map(|p| p.1)),
            master / pipeline,
            beside(paper.map(|p| p.2)),
            adaptive / pipeline
        );
        if hosts >= 8 {
            if pipeline < tree && tree < master { &mut ordered } else { &mut not }.push(hosts.to_string());
        }
        let best = pipeline.min(tree).min(master);
        if adaptive > best {
            let more = 100.0 * (adaptive / best - 1.0);
            let alike = if adaptive <= ALIKE * best { ", as good as none" } else { "" };
            behind.push(format!("by {more:.1} % on {hosts} hosts{alike}"));
        }
    }
    let list = |of: &[String]| of.join(", ");
    text += "\nThe paper's order from 8 hosts on, parallel-pipeline < reduction-tree < master-slave: ";
    text += &match (&ordered[..], &not[..]) {
        (all, []) => format!("holds on {} hosts", list(all)),
        ([], all) => format!("does not hold on {} hosts", list(all)),
        (some, others) => format!("holds on {} hosts, not on {}", list(some), list(others)),
    };
    text += ". Adaptive is behind the best of the three ";
    text += &if behind.is_empty() { "nowhere.\n".to_owned() } else { format!("{}.\n", list(&behind)) };
    text
}

/// What the document has of a job, between its marks.
fn section(of: Of, csv: &str) -> String {
    let Of { name, title, .. } = of;
    let job = job(csv, name);
    assert!(!job.is_empty(), "no outcomes of {name}");
    let mut text = table(&job, of);
    if !predicted(&job) {
        return text;
    }
    text += "\n";
    text += &errors(&job, "analytic", |t| &t.analytic);
    text += &errors(&job, "simulated", |t| &t.simulated);
    if let Beside::Strategies { printed } = of.beside {
        text += &format!("\n{}", ratios(&job, printed));
    }
    text + &format!("\n![{title}: measured and predicted](testbed/{name}.svg)\n")
}

/// Measured and predicted makespans against the hosts, and how far off predictions are.
fn plots(Of { name, title, configurations, .. }: Of, csv: &str) -> String {
    let job = job(csv, name);
    let series = |style, of: &dyn Fn(&Times) -> f64, called: &dyn Fn(&str) -> String| -> Vec<Series> {
        let of_one = |strategy: &&str| Series {
            name: called(strategy),
            style,
            points: hosts(&job)
                .into_iter()
                .filter_map(|h| Some((h as f64, of(job.get(&(h, (*strategy).to_owned()))?))))
                .collect(),
            band: Vec::new(),
        };
        strategies(&job).iter().map(of_one).collect()
    };
    let called = |what: &'static str| move |strategy: &str| format!("{strategy} {what}").trim().to_owned();
    let mut times = series(Style::Line, &|t| middle(&t.mpi), &called("measured"));
    times.extend(series(Style::Dashed, &|t| middle(&t.simulated), &called("simulated")));
    let off = |t: &Times| 100.0 * (middle(&t.simulated) / middle(&t.mpi) - 1.0);
    let chart = |title, y: &str, y_spacing, series| LineChart {
        title,
        x: configurations.to_owned(),
        y: y.to_owned(),
        x_spacing: Spacing::Logarithmic,
        y_spacing,
        series,
    };
    stacked(&[
        chart(format!("{title}: makespan, measured and simulated"), "makespan, s", Spacing::Auto, times),
        chart(
            format!("{title}: how far simulated makespans are off"),
            "(predicted − measured) / measured, %",
            Spacing::Even,
            series(Style::Line, &off, &called("")),
        ),
    ])
}

#[test]
fn tables_and_plots_are_those_of_the_outcomes() {
    let docs = docs();
    let csv = fs::read_to_string(docs.join("testbed/outcomes.csv")).expect("outcomes");
    let writes = env::var_os("FORERUN_WRITE_DOCS").is_some();
    let page = docs.join("testbed-results.md");
    let mut text = fs::read_to_string(&page).expect("the page");
    for of in JOBS {
        let (begin, end) = (
            format!("<!-- {} of testbed/outcomes.csv -->\n", of.name),
            format!("<!-- end of {} -->\n", of.name),
        );
        let (from, to) = (text.find(&begin).expect(&begin) + begin.len(), text.find(&end).expect(&end));
        let section = format!("\n{}\n", section(of, &csv));
        let plot = docs.join(format!("testbed/{}.svg", of.name));
        let plots = predicted(&job(&csv, of.name)).then(|| plots(of, &csv));
        if writes {
            text.replace_range(from..to, &section);
            plots.into_iter().for_each(|svg| fs::write(&plot, svg).expect("a plot"));
        } else {
            assert_eq!(&text[from..to], section, "{} of the page", of.name);
            assert_eq!(fs::read_to_string(&plot).ok(), plots, "{}", plot.display());
        }
    }
    if writes {
        fs::write(page, text).expect("the page");
    }
}

#[test]
fn a_table_says_what_outcomes_say() {
    let csv = "job,hosts,strategy,way,makespan_s,low_s,high_s\n\
               x,2,,mpi,2.0,,\nx,2,,mpi,2.2,,\nx,2,,mpi,1.9,,\nx,2,,analytic,1.8,1,3\nx,2,,simulated,2.5,1,3\n";
    let job = job(csv, "x");
    let of = |beside| Of { name: "x", title: "X", configurations: "hosts", beside };
    let strategies = Beside::Strategies { printed: false };
    assert_eq!(
        table(&job, of(strategies)),
        "| hosts | measured, s: median (range) | runs | spread | analytic, s | simulated, s |\n|---|---|---|---|---|---|\n\
         | 2 | 2.000 (1.900–2.200) | 3 | 5.0 % | 1.800 (−10.0 %) | 2.500 (+25.0 %) |\n"
    );
    assert_eq!(
        errors(&job, "simulated", |t| &t.simulated),
        "- simulated: median error 25.0 %, worst 25.0 % of 1 configurations; aims: median 5 % missed, worst 15 % missed.\n"
    );
    let crawled = "job,hosts,strategy,way,makespan_s\nz,1,adaptive,mpi,4.0,,\nz,8,adaptive,mpi,1.0,,\n";
    assert_eq!(
        table(&self::job(crawled, "z"), of(Beside::One(FEATURES))),
        "| hosts | strategy | measured, s: median (range) | runs | spread | speedup (paper) |\n|---|---|---|---|---|---|\n\
         | 1 | (any) | 4.000 (4.000–4.000) | 1 | 0.0 % | 1.00 |\n\
         | 8 | adaptive | 1.000 (1.000–1.000) | 1 | 0.0 % | 4.00 (4.39–5.53) |\n"
    );
    let row = |hosts, strategy, s| format!("y,{hosts},{strategy},mpi,{s},,\n");
    let csv = "job,hosts,strategy,way,makespan_s\n".to_owned()
        + &row(8, "parallel-pipeline", 1.0)
        + &row(8, "reduction-tree", 0.9)
        + &row(8, "master-slave", 2.0)
        + &row(8, "adaptive", 1.0);
    let text = ratios(&self::job(&csv, "y"), true);
    assert!(text.contains("| 8 | 0.90 (1.07) | 2.00 (1.5) | 1.00 |"), "{text}");
    assert!(
        text.contains(
            "does not hold on 8 hosts. Adaptive is behind the best of the three by 11.1 % on 8 hosts."
        ),
        "{text}"
    );
}
