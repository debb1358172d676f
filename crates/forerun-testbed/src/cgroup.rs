//! Control groups, of both versions: processor time and memory of a host.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::layout::Node;
use crate::place::PREFIX;

/// How long the kernel is given to let go of a group whose processes have ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// A controller, where it is mounted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Controller {
    root: PathBuf,
    /// Whether the hierarchy is of version 2, with all controllers in one.
    unified: bool,
}

impl Controller {
    /// The controller of this name, from the system's mounts.
    pub(crate) fn find(name: &str) -> Option<Controller> {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        Self::among(name, &mounts, |root| {
            fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default()
        })
    }

    fn among(name: &str, mounts: &str, controllers: impl Fn(&Path) -> String) -> Option<Controller> {
        mounts.lines().find_map(|line| {
            let mut words = line.split(' ');
            let (root, kind, options) = (words.nth(1)?, words.next()?, words.next()?);
            let root = PathBuf::from(root);
            let (here, unified) = match kind {
                "cgroup" => (options.split(',').any(|o| o == name), false),
                "cgroup2" => (controllers(&root).split_whitespace().any(|c| c == name), true),
                _ => (false, false),
            };
            here.then_some(Controller { root, unified })
        })
    }

    /// Whether it is of version 2.
    pub(crate) fn unified(&self) -> bool {
        self.unified
    }

    /// The root's directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The group of a testbed's host.
    pub(crate) fn group(&self, testbed: &str, host: &str) -> PathBuf {
        self.root.join(PREFIX).join(testbed).join(host)
    }

    /// Makes the group of a host, with the controller switched on down to it.
    pub(crate) fn make(&self, testbed: &str, host: &str, name: &str) -> Result<PathBuf, String> {
        let group = self.group(testbed, host);
        fs::create_dir_all(&group)
            .map_err(|e| format!("no control group {} can be made: {e}", group.display()))?;
        if self.unified {
            for dir in [self.root.clone(), self.root.join(PREFIX), self.root.join(PREFIX).join(testbed)] {
                write(&dir.join("cgroup.subtree_control"), &format!("+{name}"))?;
            }
        }
        Ok(group)
    }
}

/// Makes a host's groups and sets its limits; gives the files that a process enters them by.
///
/// # Errors
/// The kernel has no such controller or does not take a limit, in a sentence.
pub(crate) fn limit(testbed: &str, host: &Node) -> Result<Vec<PathBuf>, String> {
    let cpu = Controller::find("cpu").ok_or(
        "no control group for processor time is mounted: this kernel or container cannot hold a testbed",
    )?;
    let group = cpu.make(testbed, &host.name, "cpu")?;
    // Whatever else the machine does comes after the hosts, whose quotas leave it the rest.
    let weight = cpu.root.join(PREFIX);
    if cpu.unified {
        write(&weight.join("cpu.weight"), "10000")?;
    } else {
        write(&weight.join("cpu.shares"), "262144")?;
    }
    let mut entries = vec![group.join("cgroup.procs")];
    let us = |t: forerun_platform::Seconds| (t.0 * 1e6).round();
    let (quota, period) = (us(host.throttle.quota), us(host.throttle.period));
    if cpu.unified {
        write(&group.join("cpu.max"), &format!("{quota} {period}"))?;
    } else {
        write(&group.join("cpu.cfs_period_us"), &period.to_string())?;
        write(&group.join("cpu.cfs_quota_us"), &quota.to_string())?;
    }
    if let Some(bytes) = host.memory {
        let memory = Controller::find("memory").ok_or_else(|| {
            format!(
                "{} has a memory limit and no control group for memory is mounted: leave memory out",
                host.name
            )
        })?;
        let group = memory.make(testbed, &host.name, "memory")?;
        let file = if memory.unified { "memory.max" } else { "memory.limit_in_bytes" };
        write(&group.join(file), &bytes.0.to_string())?;
        entries.push(group.join("cgroup.procs"));
    }
    entries.dedup();
    Ok(entries)
}

/// Writes a file of the kernel's.
pub(crate) fn write(file: &Path, value: &str) -> Result<(), String> {
    fs::write(file, value).map_err(|e| format!("the kernel does not take {value} in {}: {e}", file.display()))
}

/// The roots that may hold groups of testbeds, mounted now.
fn roots() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> =
        ["cpu", "memory", "io"].iter().filter_map(|c| Controller::find(c)).map(|c| c.root).collect();
    roots.sort();
    roots.dedup();
    roots
}

/// The testbeds that have groups.
pub(crate) fn testbeds() -> Vec<String> {
    let mut names: Vec<String> = roots().iter().flat_map(|r| below(&r.join(PREFIX))).map(name).collect();
    names.dedup();
    names
}

/// The processes in a testbed's groups.
pub(crate) fn processes(testbed: &str) -> Vec<i32> {
    let groups = roots().into_iter().flat_map(|r| below(&r.join(PREFIX).join(testbed)));
    groups.flat_map(|g| processes_in(&g)).collect()
}

/// The processes in one group.
pub(crate) fn processes_in(group: &Path) -> Vec<i32> {
    let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    text.lines().filter_map(|l| l.parse().ok()).collect()
}

/// Removes a testbed's groups, in which no process is left.
///
/// # Errors
/// A group that the kernel does not let go of.
pub(crate) fn remove(testbed: &str) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    for root in roots() {
        let parent = root.join(PREFIX);
        let own = parent.join(testbed);
        for group in below(&own).into_iter().chain([own]) {
            remove_one(&group, deadline)?;
        }
        // There may be another testbed in it.
        let _ = fs::remove_dir(parent);
    }
    Ok(())
}

fn remove_one(group: &Path, deadline: Instant) -> Result<(), String> {
    loop {
        match fs::remove_dir(group) {
            Ok(()) => return Ok(()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) if Instant::now() < deadline => sleep(Duration::from_millis(10)),
            Err(e) => return Err(format!("the control group {} stays: {e}", group.display())),
        }
    }
}

fn below(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|e| e.path()).filter(|p| p.is_dir()).collect()
}

fn name(path: PathBuf) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_found_in_either_version() {
        let old = "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n\
                   cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n\
                   cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        let none = |_: &Path| String::new();
        let cpu = Controller::among("cpu", old, none).unwrap();
        assert_eq!((cpu.root.to_str(), cpu.unified), (Some("/sys/fs/cgroup/cpu,cpuacct"), false));
        assert_eq!(Controller::among("memory", old, none), None);
        let new = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
        let all = |_: &Path| "cpuset cpu io memory\n".to_string();
        let memory = Controller::among("memory", new, all).unwrap();
        assert_eq!((memory.root.to_str(), memory.unified), (Some("/sys/fs/cgroup"), true));
    }
}
