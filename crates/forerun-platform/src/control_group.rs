//! The control groups of this process, of either version.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Bytes;

/// The directories of the group that this process is in and of those above it, in every hierarchy that may have this
/// controller, such as "cpu"; none where the system has no control groups.
pub fn control_groups(controller: &str) -> Vec<PathBuf> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    groups(&read("/proc/self/cgroup"), &read("/proc/self/mounts"), controller)
}

fn groups(of: &str, mounts: &str, controller: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in of.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let unified = controllers.is_empty();
        if !unified && !controllers.split(',').any(|c| c == controller) {
            continue;
        }
        let root = mounts.lines().find_map(|line| {
            let mut words = line.split(' ').skip(1);
            let (root, kind, options) = (words.next()?, words.next()?, words.next()?);
            let is = if unified {
                kind == "cgroup2"
            } else {
                kind == "cgroup" && options.split(',').any(|o| o == controller)
            };
            is.then(|| Path::new(root))
        });
        let Some(root) = root else { continue };
        let own = root.join(path.trim_start_matches('/'));
        found.extend(own.ancestors().take_while(|dir| dir.starts_with(root)).map(Path::to_path_buf));
    }
    found
}

/// Memory that this process and those in its group may use together: the least limit of its control group and of those above.
pub(crate) fn memory() -> Option<Bytes> {
    control_groups("memory").iter().filter_map(|group| limit(group)).min()
}

/// A group's limit, if it has one: "max" is none.
fn limit(group: &Path) -> Option<Bytes> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    let text = read("memory.max").or_else(|| read("memory.limit_in_bytes"))?;
    text.trim().parse().ok().map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_a_process_and_those_above_are_found() {
        let mounts =
            "proc /proc proc rw 0 0\ncgroup /cg/cpu cgroup rw,cpu 0 0\ncgroup2 /cg/unified cgroup2 rw 0 0\n";
        let of = "4:memory:/x\n1:cpu:/a/b\n0::/c\n";
        let expected = ["/cg/cpu/a/b", "/cg/cpu/a", "/cg/cpu", "/cg/unified/c", "/cg/unified"];
        assert_eq!(groups(of, mounts, "cpu"), expected.map(PathBuf::from));
        assert_eq!(groups(of, mounts, "memory"), ["/cg/unified/c", "/cg/unified"].map(PathBuf::from));
        assert!(groups("1:cpu:/a", "", "cpu").is_empty());
    }

    #[test]
    fn limits_of_both_versions_are_read() {
        let dir = std::env::temp_dir().join(format!("forerun-memory-{}", std::process::id()));
        let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("a file");
        fs::create_dir_all(&dir).expect("a directory");
        assert_eq!(limit(&dir), None);
        write("memory.limit_in_bytes", "67108864\n");
        assert_eq!(limit(&dir), Some(Bytes(64 << 20)));
        write("memory.max", "33554432\n");
        assert_eq!(limit(&dir), Some(Bytes(32 << 20)));
        write("memory.max", "max\n");
        assert_eq!(limit(&dir), None);
        fs::remove_dir_all(&dir).expect("it is removed");
    }
}
