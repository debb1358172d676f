//! What a planned job is to ask for: nodes, memory, time.

use std::fs;

use forerun_platform::{Plan, Platform};

use super::About;
use crate::error::{CliError, request};
use crate::figures::THIS;
use crate::text;

/// Hosts, and ranks on each of them at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Nodes {
    pub(super) hosts: usize,
    pub(super) per_host: usize,
    /// Whether ranks are processes on one host as well.
    pub(super) processes: bool,
}

impl Nodes {
    /// As many of a platform's hosts, in their order, as have a core for each rank.
    ///
    /// # Errors
    /// That not even all of them have.
    pub(super) fn of(processors: usize, platform: &Platform) -> Result<Nodes, CliError> {
        enough(processors, platform.cores(), Some(&platform.name))?;
        let each = platform.hosts.iter().flat_map(|h| std::iter::repeat_n(h.cores, h.count));
        let (mut left, mut nodes) = (processors, Nodes { hosts: 0, per_host: 0, processes: false });
        for cores in each.filter(|&cores| cores > 0) {
            if left == 0 {
                break;
            }
            let ranks = left.min(cores);
            left -= ranks;
            nodes = Nodes { hosts: nodes.hosts + 1, per_host: nodes.per_host.max(ranks), ..nodes };
        }
        Ok(nodes)
    }

    /// Whether ranks are on several hosts.
    pub(super) fn are_many(self) -> bool {
        self.hosts > 1
    }

    /// Whether ranks are processes, and not threads of one host.
    pub(super) fn are_processes(self) -> bool {
        self.processes || self.are_many()
    }
}

/// That there is a core for each processor of a plan, on the platform that is named or on this machine.
///
/// # Errors
/// That there are fewer.
pub(super) fn enough(processors: usize, cores: usize, platform: Option<&str>) -> Result<(), CliError> {
    match processors <= cores {
        true => Ok(()),
        false => {
            let (platform, or) = match platform.filter(|&name| name != THIS) {
                Some(name) => (name, ""),
                None => ("this machine", ", or name the cluster by --platform"),
            };
            Err(request(format!(
                "--sbatch: the plan is for {processors} processors and {platform} has {cores}: ask for at most {cores} with -p{or}"
            )))
        }
    }
}

/// What the limits are above the estimates, so that a run is not stopped shortly before its end: half as much again, and this.
const MARGIN: f64 = 1.5;
const MORE_SECONDS: f64 = 60.0;
const MORE_MEBIBYTES: u64 = 64;

/// What is said where no time is predicted.
pub(super) const NO_LIMIT: &str =
    "Time: none is predicted, so no limit is asked for; add #SBATCH --time where the default does not do.";

/// Memory and time of a job.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Needs {
    /// Bytes on each host, estimated; `None` where the job's work is done by programs that are not known.
    pub(super) memory: Option<u64>,
    /// Bytes for what the job works on, where it can be told to keep to them.
    pub(super) of_input: Option<u64>,
    /// Seconds at most, predicted.
    high_s: Option<f64>,
    /// The limit; `None` where nothing is predicted: none may be made up.
    pub(super) minutes: Option<u64>,
}

impl Needs {
    /// Those of a job.
    pub(super) fn of(about: &About, plan: &Plan, nodes: Nodes) -> Needs {
        let About { outside, memory_needed: of_input, result_bytes, .. } = *about;
        // Any one host may come to hold all results, and the merged one beside them.
        let held = of_input.unwrap_or(result_bytes as u64 * 2);
        let tasks = if of_input.is_some() { 0 } else { 2 * plan.grain.bytes * nodes.per_host as u64 };
        let processes = if nodes.are_processes() { nodes.per_host as u64 } else { 1 };
        let memory = (!outside).then(|| own_peak() * processes + tasks + held);
        let high_s = plan.predicted.map(|p| p.high_s);
        let minutes = high_s.map(|s| ((s * MARGIN + MORE_SECONDS) / 60.0).ceil() as u64);
        Needs { memory, of_input, high_s, minutes }
    }

    /// The memory to ask for on each host.
    pub(super) fn mebibytes_asked(&self) -> u64 {
        (self.memory.unwrap_or(0) as f64 * MARGIN / f64::from(1 << 20)).ceil() as u64 + MORE_MEBIBYTES
    }

    /// The estimate, and the margin of the limit.
    pub(super) fn time_in_words(&self) -> String {
        match self.high_s.zip(self.minutes) {
            Some((high_s, minutes)) => format!(
                "Time: at most {}, with 95 % confidence; the limit is half as much again and a minute, for calibration and \
                 pilot: {minutes} min.",
                text::seconds(high_s)
            ),
            None => NO_LIMIT.into(),
        }
    }

    /// The same of memory.
    pub(super) fn memory_in_words(&self) -> String {
        match self.memory {
            Some(bytes) => format!(
                "Memory of a node: {} estimated from the pilot and the input; the limit is half as much again and {} MiB: {} MiB.",
                text::bytes(bytes),
                MORE_MEBIBYTES,
                self.mebibytes_asked()
            ),
            None => "Memory: what the job's programs take is not known, so none is asked for; add #SBATCH --mem where \
                     the default does not do."
                .into(),
        }
    }
}

/// The most memory that this process has had, which ran the pilot; where the system does not say, what it has as a rule.
fn own_peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(65_536) << 10
}
