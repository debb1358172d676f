//! The processes of a testbed: found by their groups and namespaces, whoever started them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cgroup;
use crate::place::{Place, namespace_file, namespaces};

/// How long killed processes are given to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// The processes that are in a group or a network namespace of the testbed.
pub(crate) fn of(place: &Place) -> Vec<i32> {
    let mut found = cgroup::processes(place.name());
    let prefix = place.namespace_prefix();
    let named = namespaces().into_iter().filter(|n| n.starts_with(&prefix));
    let inodes: Vec<u64> =
        named.filter_map(|n| fs::metadata(namespace_file(&n)).ok()).map(|m| m.ino()).collect();
    if !inodes.is_empty() {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        found.extend(processes.filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse::<i32>().ok()?;
            let inode = fs::metadata(entry.path().join("ns/net")).ok()?.ino();
            inodes.contains(&inode).then_some(pid)
        }));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Kills them all, and those that they start meanwhile; gives how many there were.
///
/// # Errors
/// One that does not end, or that this process is one of them.
pub(crate) fn kill(place: &Place) -> Result<usize, String> {
    let (deadline, mut killed) = (Instant::now() + PATIENCE, Vec::new());
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    loop {
        let left = of(place);
        if left.contains(&own) {
            return Err(format!(
                "this runs on a host of {}, which ends with it: say it outside",
                place.name()
            ));
        }
        if left.is_empty() {
            killed.sort_unstable();
            killed.dedup();
            return Ok(killed.len());
        }
        if Instant::now() > deadline {
            return Err(format!("process {} of {} does not end", left[0], place.name()));
        }
        for &pid in &left {
            if let Some(pid) = Pid::from_raw(pid) {
                // One that has ended meanwhile is no fault.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        killed.extend(left);
        sleep(Duration::from_millis(20));
    }
}
