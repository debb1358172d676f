use std::ffi::OsString;

use forerun_platform::{Deal, FarmPlan, Grain, Host, Interval, Network, Plan, Platform, Skeleton, Strategy};

use super::needs::{Needs, Nodes};
use super::{About, script};

fn platform(hosts: &[(usize, usize)]) -> Platform {
    let hosts = hosts.iter().enumerate().map(|(n, &(count, cores))| Host::new(format!("h{n}"), count, cores));
    Platform::new("cluster", hosts.collect(), Network::default())
}

fn plan(processors: usize, high_s: f64) -> Plan {
    Plan {
        skeleton: Skeleton::Reduction,
        strategy: Strategy::Adaptive,
        processors,
        groups: 1,
        arity: 2,
        set: 1,
        gather: 0,
        deal: Deal::default(),
        grain: Grain { tasks: Some(10), bytes: 1000 },
        shares: Vec::new(),
        ahead: 0,
        farm: None,
        window: 4,
        predicted: Some(Interval { makespan_s: high_s / 2.0, low_s: high_s / 4.0, high_s }),
        reason: String::new(),
    }
}

fn written(processors: usize, hosts: &[(usize, usize)], job: &About, line: &str) -> String {
    written_of(&plan(processors, 600.0), hosts, job, line)
}

fn written_of(plan: &Plan, hosts: &[(usize, usize)], job: &About, line: &str) -> String {
    let nodes = Nodes::of(plan.processors, &platform(hosts)).unwrap();
    let nodes = Nodes { processes: job.processes, ..nodes };
    let needs = Needs::of(&About { result_bytes: 1e6, ..*job }, plan, nodes);
    script(
        (plan, "the plan\nand why"),
        nodes,
        &needs,
        &line.split(' ').map(OsString::from).collect::<Vec<_>>(),
    )
}

/// The value of an option that the script asks Slurm for.
fn asked<'s>(script: &'s str, option: &str) -> Option<&'s str> {
    script.lines().find_map(|l| l.strip_prefix("#SBATCH ")?.strip_prefix(option)?.strip_prefix('='))
}

const PLAIN: About = About { outside: false, memory_needed: None, result_bytes: 0.0, processes: false };

#[test]
fn one_host_gets_one_task_of_many_threads() {
    let script = written(4, &[(3, 8)], &PLAIN, "forerun plan sort in --sbatch job.sh");
    for (option, value) in [("--nodes", "1"), ("--ntasks", "1"), ("--cpus-per-task", "4"), ("--time", "16")] {
        assert_eq!(asked(&script, option), Some(value), "{option} in {script}");
    }
    assert!(!script.contains("--on mpi") && script.contains("--processors 4"), "{script}");
    assert!(script.contains("\n# the plan\n# and why\n# Predicted: 5.00 min"), "{script}");
    // Estimate and limit are both told.
    assert!(script.contains("# Time: at most 600 s") || script.contains("# Time: at most 10"), "{script}");
}

#[test]
fn several_hosts_get_a_task_a_rank() {
    let script = written(11, &[(1, 2), (3, 4)], &PLAIN, "forerun plan sort in --platform c.toml");
    for (option, value) in
        [("--nodes", "4"), ("--ntasks", "11"), ("--cpus-per-task", "1"), ("--ntasks-per-node", "4")]
    {
        assert_eq!(asked(&script, option), Some(value), "{option} in {script}");
    }
    assert!(
        script.contains("forerun run sort in --platform c.toml") && script.contains("--on mpi"),
        "{script}"
    );
}

#[test]
fn more_ranks_than_the_platform_has_cores_are_refused() {
    let nodes = Nodes::of(8, &platform(&[(2, 4)])).unwrap();
    assert_eq!(nodes, Nodes { hosts: 2, per_host: 4, processes: false });
    let said = Nodes::of(9, &platform(&[(2, 4)])).unwrap_err().to_string();
    assert!(said.contains("cluster has 8: ask for at most 8 with -p"), "{said}");
}

#[test]
fn memory_is_asked_for_as_far_as_it_is_known() {
    let mebibytes =
        |script: &str| asked(script, "--mem").map(|m| m.trim_end_matches('M').parse::<u64>().unwrap());
    let limited = |bytes| About { memory_needed: Some(bytes), ..PLAIN };
    let line = "forerun plan sort in --sbatch job.sh";
    let [small, large] = [1 << 20, 4 << 30].map(|bytes| written(4, &[(1, 8)], &limited(bytes), line));
    let (less, more) = (mebibytes(&small).unwrap(), mebibytes(&large).unwrap());
    // Half as much again of what the job is told to keep to, beside the process itself.
    assert!((more - less).abs_diff(3 * 2048 - 1) <= 1024, "{less} and {more}");
    assert!(large.contains(&format!("--memory '{} B'", 4u64 << 30)), "{large}");
    // Who says so keeps the say.
    let said = written(4, &[(1, 8)], &limited(1 << 30), "forerun plan sort in --memory 1GiB");
    assert_eq!(said.matches("--memory").count(), 1, "{said}");
    let programs = written(4, &[(1, 8)], &About { outside: true, ..PLAIN }, line);
    assert_eq!(mebibytes(&programs), None);
    assert!(programs.contains("--mem where"), "{programs}");
}

#[test]
fn a_farm_is_pinned_as_it_was_planned() {
    let farm = |dynamic| FarmPlan { masters: 2, among: true, dynamic, grain: 7, prefetch: 3, attempts: 1 };
    let of = |dynamic| Plan { skeleton: Skeleton::Farm, farm: Some(farm(dynamic)), ..plan(4, 600.0) };
    let line = "forerun plan mandelbrot -o x.png --masters 2 --prefetch=3 --sbatch job.sh";
    let threads = written_of(&of(false), &[(1, 8)], &PLAIN, line);
    for part in
        ["forerun run mandelbrot -o x.png", "--masters 2 ", "--tasks-per-message 7 ", "--prefetch 3\n"]
    {
        assert_eq!(threads.matches(part.trim_end()).count(), 1, "{part:?} in {threads}");
    }
    assert!(asked(&threads, "--cpus-per-task") == Some("4") && !threads.contains("--on mpi"), "{threads}");
    // Of processes there may be several on one host.
    let processes = written_of(&of(true), &[(1, 8)], &About { processes: true, ..PLAIN }, line);
    assert!(asked(&processes, "--ntasks") == Some("4") && processes.contains("--on mpi"), "{processes}");
    assert!(processes.contains("--masters dynamic"), "{processes}");
}

/// A limit that nobody predicted would end a job that takes longer.
#[test]
fn where_nothing_is_predicted_no_time_limit_is_made_up() {
    let line = "forerun plan farm cat in -o x --masters dynamic --sbatch job.sh";
    let script = written_of(&Plan { predicted: None, ..plan(4, 600.0) }, &[(1, 8)], &PLAIN, line);
    assert_eq!(asked(&script, "--time"), None, "{script}");
    assert!(!script.contains("half as much again and a minute"), "{script}");
    assert!(script.contains("# Time: none is predicted, so no limit is asked for"), "{script}");
}
