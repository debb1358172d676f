use std::ffi::OsString;

use forerun_apps::{Extent, Job};
use forerun_platform::{Deal, Grain, Host, Interval, JoinAt, Network, Plan, Platform, Skeleton, Strategy};

use super::needs::{Needs, Nodes};
use super::script;

/// A job that keeps to so much memory, or whose work other programs do.
struct Stand {
    memory: Option<u64>,
    outside: bool,
}

impl Job for Stand {
    fn name(&self) -> &'static str {
        "stand"
    }
    fn summary(&self) -> String {
        "nothing".into()
    }
    fn extent(&self) -> Extent {
        Extent { bytes: 1, pieces: None, min_grain: 1, max_grain: 1, kept: Vec::new(), breaks: Vec::new() }
    }
    fn join(&self) -> JoinAt {
        JoinAt::Finish
    }
    fn outside(&self) -> bool {
        self.outside
    }
    fn memory_needed(&self) -> Option<u64> {
        self.memory
    }
}

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

fn written(processors: usize, hosts: &[(usize, usize)], job: &Stand, line: &str) -> String {
    let plan = plan(processors, 600.0);
    let nodes = Nodes::of(&plan, &platform(hosts)).unwrap();
    let needs = Needs::of(job, &plan, nodes, 1e6);
    script(&plan, nodes, &needs, &line.split(' ').map(OsString::from).collect::<Vec<_>>())
}

/// The value of an option that the script asks Slurm for.
fn asked<'s>(script: &'s str, option: &str) -> Option<&'s str> {
    script.lines().find_map(|l| l.strip_prefix("#SBATCH ")?.strip_prefix(option)?.strip_prefix('='))
}

const PLAIN: Stand = Stand { memory: None, outside: false };

#[test]
fn one_host_gets_one_task_of_many_threads() {
    let script = written(4, &[(3, 8)], &PLAIN, "forerun plan sort in --sbatch job.sh");
    for (option, value) in [("--nodes", "1"), ("--ntasks", "1"), ("--cpus-per-task", "4"), ("--time", "16")] {
        assert_eq!(asked(&script, option), Some(value), "{option} in {script}");
    }
    assert!(!script.contains("--on mpi") && script.contains("--processors 4"), "{script}");
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
    assert_eq!(Nodes::of(&plan(8, 1.0), &platform(&[(2, 4)])).unwrap(), Nodes { hosts: 2, per_host: 4 });
    let said = Nodes::of(&plan(9, 1.0), &platform(&[(2, 4)])).unwrap_err().to_string();
    assert!(said.contains("--max-processors 8"), "{said}");
}

#[test]
fn memory_is_asked_for_as_far_as_it_is_known() {
    let mebibytes =
        |script: &str| asked(script, "--mem").map(|m| m.trim_end_matches('M').parse::<u64>().unwrap());
    let limited = |bytes| Stand { memory: Some(bytes), outside: false };
    let line = "forerun plan sort in --sbatch job.sh";
    let [small, large] = [1 << 20, 4 << 30].map(|bytes| written(4, &[(1, 8)], &limited(bytes), line));
    let (less, more) = (mebibytes(&small).unwrap(), mebibytes(&large).unwrap());
    // Half as much again of what the job is told to keep to, beside the process itself.
    assert!((more - less).abs_diff(3 * 2048 - 1) <= 1024, "{less} and {more}");
    assert!(large.contains(&format!("--memory '{} B'", 4u64 << 30)), "{large}");
    // Who says so keeps the say.
    let said = written(4, &[(1, 8)], &limited(1 << 30), "forerun plan sort in --memory 1GiB");
    assert_eq!(said.matches("--memory").count(), 1, "{said}");
    let programs = written(4, &[(1, 8)], &Stand { memory: None, outside: true }, line);
    assert_eq!(mebibytes(&programs), None);
    assert!(programs.contains("--mem where"), "{programs}");
}
