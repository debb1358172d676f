//! What a scheduler has given: the part of a machine that this command may use where it runs inside a job of Slurm.
//!
//! Slurm says it in variables. It need not be bound to it otherwise: whether processes are kept to their processors and memory
//! depends on how a cluster is set up.

use std::env;
use std::os::unix::fs::MetadataExt as _;

use forerun_platform::{Bytes, Machine};
use rustix::io::Errno;
use rustix::process::{Resource, geteuid, getrlimit, getuid};

use crate::error::{CliError, failed};
use crate::text;

/// Bytes of a thread's stack: what Rust gives it, and what guards it.
const STACK: u64 = (2 << 20) + (64 << 10);

/// Threads of a run beside its ranks.
const BESIDE: usize = 2;
/// Bytes that a run needs beside the stacks of its threads, at the least.
const SLACK: u64 = 8 << 20;

/// Files that every command may have open beside those that it began with: signals, a guardian, a lock, inputs, an output, and the pipes to one
/// program.
const FILES: u64 = 21;
/// Files that a run has open of each program of others that it has started, at the least, and those that it takes for a moment to start one.
const OF_PROGRAM: [u64; 2] = [3, 4];

/// The part of the machine that Slurm has given to the job that this process is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allocation {
    /// Tasks, the ranks of an MPI program: `SLURM_NTASKS`.
    pub tasks: Option<usize>,
    /// Processors of a task, else of this host: `SLURM_CPUS_PER_TASK`, `SLURM_CPUS_ON_NODE`.
    pub cpus: Option<usize>,
    /// Bytes of memory on this host: `SLURM_MEM_PER_NODE`, else `SLURM_MEM_PER_CPU` for each of its processors.
    pub memory: Option<u64>,
}

impl Allocation {
    /// That of this process; `None` outside a job of Slurm.
    pub fn here() -> Option<Allocation> {
        Allocation::of(|name| env::var(name).ok())
    }

    /// What these variables say.
    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Allocation> {
        variable("SLURM_JOB_ID")?;
        let number = |name: &str| variable(name)?.trim().parse::<u64>().ok().filter(|&n| n > 0);
        let count = |name: &str| number(name).and_then(|n| usize::try_from(n).ok());
        let on_node = count("SLURM_CPUS_ON_NODE");
        let megabytes = number("SLURM_MEM_PER_NODE")
            .or_else(|| number("SLURM_MEM_PER_CPU")?.checked_mul(on_node.unwrap_or(1) as u64));
        Some(Allocation {
            tasks: count("SLURM_NTASKS"),
            cpus: count("SLURM_CPUS_PER_TASK").or(on_node),
            memory: megabytes.and_then(|m| m.checked_mul(1 << 20)),
        })
    }
}

/// Processors that threads of this process may use: those that it can, and no more than Slurm has given.
pub fn cores() -> usize {
    let can = std::thread::available_parallelism().map_or(1, usize::from);
    Allocation::here().and_then(|a| a.cpus).map_or(can, |given| can.min(given))
}

/// Bytes of memory that this process may use, where it is known: those that the machine, its control groups and its limits (`ulimit`)
/// leave it, and no more than Slurm has given.
pub fn memory() -> Option<u64> {
    let given = Allocation::here().and_then(|a| a.memory);
    given.into_iter().chain(Machine::here().memory.map(|m| m.0)).chain(limit()).min()
}

/// Bytes of addresses, or of data where these are fewer, that this process may have by its limits (`ulimit -v`, `-d`), if there are any.
pub fn limit() -> Option<u64> {
    limits().into_iter().flatten().map(|limit| limit.0).min()
}

/// Bytes of addresses that a process may have by its limit (`ulimit -v`), if there is one: what it starts has it as well.
pub fn addresses() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// Each limit of this process, with the bytes that it has of what is limited. What it has is 0 where the system does not say it.
fn limits() -> [Option<(u64, u64)>; 2] {
    let all = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current);
    if all == [None; 2] {
        return [None; 2];
    }
    let [addresses, data] = taken(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    [all[0].map(|limit| (limit, addresses)), all[1].map(|limit| (limit, data))]
}

/// Bytes of addresses and of data, as `/proc/PID/status` says them (proc(5)).
fn taken(status: &str) -> [u64; 2] {
    ["VmSize:", "VmData:"].map(|name| {
        let kilobytes = status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
        kilobytes.and_then(|n| n.parse::<u64>().ok()).map_or(0, |n| n << 10)
    })
}

/// Bytes that this process may still take by its limits (`ulimit -v`, `-d`), if there are any, when it has started `threads` threads more,
/// each with its stack.
pub fn left(threads: usize) -> Option<u64> {
    let stacks = STACK.saturating_mul(threads as u64);
    limits()
        .into_iter()
        .flatten()
        .map(|(limit, taken)| limit.saturating_sub(taken).saturating_sub(stacks))
        .min()
}

/// That limits (`ulimit -v`, `-d`) leave room for the threads of so many ranks. Where they do not, one that has just begun would find no memory for
/// what the system needs of it, and end the process.
///
/// # Errors
/// That they do not.
pub fn has_room(ranks: usize) -> Result<(), CliError> {
    match (left(0), left(ranks + BESIDE)) {
        (Some(now), Some(then)) if then < SLACK => Err(failed(format!(
            "memory does not suffice for {}: a limit (ulimit -v or -d) leaves this process {}, and the stacks of so many threads take {}; allow \
             it more, or use fewer processors",
            text::plural(ranks as u64, "rank"),
            Bytes(now),
            Bytes(STACK.saturating_mul((ranks + BESIDE) as u64))
        ))),
        _ => Ok(()),
    }
}

/// Files that this process may still open by its limit (`ulimit -n`), if there is one.
fn files_left() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile).current?;
    let open = match std::fs::read_dir("/proc/self/fd") {
        // What was open when the limit was set takes nothing of it where its number is higher.
        Ok(all) => {
            let numbers = all.flatten().filter_map(|of| of.file_name().to_str()?.parse::<u64>().ok());
            // To look takes one.
            (numbers.filter(|&number| number < limit).count() as u64).saturating_sub(1)
        }
        Err(e) if e.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => limit,
        Err(_) => 0,
    };
    Some(limit.saturating_sub(open))
}

/// That the limit of open files (`ulimit -n`) leaves what any command needs: one that runs into it in the middle of its work fails after that,
/// and cannot even look for what is to be put away.
///
/// # Errors
/// That it does not.
pub fn may_open_files() -> Result<(), CliError> {
    enough_files(files_left(), FILES, "a command")
}

/// That it leaves what so many `programs` of others need that run at a time.
///
/// # Errors
/// That it does not.
pub fn may_start_programs(programs: u64) -> Result<(), CliError> {
    let [held, more] = OF_PROGRAM;
    let needed = held.saturating_mul(programs).saturating_add(more);
    enough_files(files_left(), needed, &format!("{} at a time", text::plural(programs, "program")))
}

/// How many programs of others, of `wanted`, half of what is left of files, processes and memory suffices for that run at a time, each with so many bytes
/// of memory; and what there is too little of for more. Where no limit is known of something, it suffices.
pub fn room_for_programs(wanted: usize, bytes: u64) -> (usize, Option<&'static str>) {
    let [held, more] = OF_PROGRAM;
    let files = files_left().map(|left| left.saturating_sub(more) / held / 2);
    // Each has a thread here that waits for it.
    let processes = threads_left(4 * wanted as u64).map(|left| left / 4);
    let memory = memory().zip((bytes > 0).then_some(bytes)).map(|(all, bytes)| all / bytes / 2);
    let stacks = left(BESIDE).map(|left| left / STACK / 2);
    let all = [(files, "files"), (processes, "processes"), (memory, "memory"), (stacks, "memory")];
    let least = all.into_iter().filter_map(|(left, of)| Some((left?, of))).min_by_key(|(left, _)| *left);
    match least {
        Some((left, of)) if left < wanted as u64 => (usize::try_from(left).unwrap_or(wanted), Some(of)),
        _ => (wanted, None),
    }
}

fn enough_files(left: Option<u64>, needed: u64, what: &str) -> Result<(), CliError> {
    match left.filter(|&left| left < needed) {
        Some(left) => Err(failed(format!(
            "a limit (ulimit -n) leaves this process {} to open, and {what} may need {}: allow it more",
            text::plural(left, "file"),
            text::count(needed)
        ))),
        None => Ok(()),
    }
}

/// Processes and threads that this user may still begin by a limit (`ulimit -u`), where these are fewer than `needed`; root has no such limit.
///
/// Cost: a look at all processes, where these are about as many as the limit.
pub fn threads_left(needed: u64) -> Option<u64> {
    let limit = getrlimit(Resource::Nproc).current.filter(|_| !getuid().is_root() && !geteuid().is_root())?;
    // Of all users (proc(5): the fourth field, after the slash).
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = load.split([' ', '/']).nth(4).and_then(|n| n.parse::<u64>().ok());
    if all.is_some_and(|all| all.saturating_add(needed) <= limit) {
        return None;
    }
    let own = |entry: std::fs::DirEntry| {
        entry.metadata().ok().filter(|is| is.is_dir() && is.uid() == getuid().as_raw())?;
        threads(&std::fs::read_to_string(entry.path().join("status")).ok()?)
    };
    let running: u64 = std::fs::read_dir("/proc").ok()?.flatten().filter_map(own).sum();
    Some(limit.saturating_sub(running)).filter(|&left| left < needed)
}

/// How many a process has, as `/proc/PID/status` says it (proc(5)).
fn threads(status: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix("Threads:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Allocation, enough_files, taken, threads};

    #[test]
    fn too_few_files_are_refused() {
        assert!(enough_files(None, u64::MAX, "it").is_ok() && enough_files(Some(9), 9, "it").is_ok());
        let said = enough_files(Some(1), 10, "it").unwrap_err().to_string();
        assert_eq!(
            said,
            "a limit (ulimit -n) leaves this process 1 file to open, and it may need 10: allow it more"
        );
    }

    fn of(variables: &[(&str, &str)]) -> Option<Allocation> {
        Allocation::of(|name| variables.iter().find(|v| v.0 == name).map(|v| v.1.to_owned()))
    }

    #[test]
    fn variables_say_what_there_is() {
        let job = ("SLURM_JOB_ID", "7");
        assert_eq!(of(&[("SLURM_NTASKS", "4")]), None, "not inside a job");
        assert_eq!(of(&[job]), Some(Allocation::default()));
        let node = [job, ("SLURM_NTASKS", "4"), ("SLURM_CPUS_ON_NODE", "8"), ("SLURM_MEM_PER_NODE", "1000")];
        let given = Allocation { tasks: Some(4), cpus: Some(8), memory: Some(1000 << 20) };
        assert_eq!(of(&node), Some(given));
        let cpu =
            [job, ("SLURM_CPUS_PER_TASK", "2"), ("SLURM_CPUS_ON_NODE", "8"), ("SLURM_MEM_PER_CPU", "500")];
        assert_eq!(of(&cpu), Some(Allocation { tasks: None, cpus: Some(2), memory: Some(4000 << 20) }));
        // `--mem=0` is all of it, and what is no number says nothing.
        assert_eq!(of(&[job, ("SLURM_MEM_PER_NODE", "0")]), Some(Allocation::default()));
        assert_eq!(of(&[job, ("SLURM_NTASKS", "many")]), Some(Allocation::default()));
    }

    #[test]
    fn what_is_taken_of_limits_is_read_from_what_the_system_says() {
        let status = "VmPeak:\t  900 kB\nVmSize:\t  800 kB\nVmData:\t   70 kB\n";
        assert_eq!(taken(status), [800 << 10, 70 << 10]);
        assert_eq!(taken(""), [0, 0]);
        assert_eq!(threads("Name:\tx\nThreads:\t12\nSigQ:\t0/1\n"), Some(12));
    }
}
