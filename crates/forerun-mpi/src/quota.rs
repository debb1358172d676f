//! How much processor time this process may take, where its control group says less than a whole core.

use std::fs;
use std::path::{Path, PathBuf};

/// Processors that this process and those in its group may use together: the least quota of its control group and of
/// those above, of either version; `None` where there is none.
pub fn processors() -> Option<f64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let groups = groups(&read("/proc/self/cgroup"), &read("/proc/self/mounts"));
    groups.iter().filter_map(|group| quota(group)).reduce(f64::min)
}

/// The directories of the group that this process is in and of those above it, in every hierarchy that may have quotas.
fn groups(of: &str, mounts: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in of.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let unified = controllers.is_empty();
        if !unified && !controllers.split(',').any(|c| c == "cpu") {
            continue;
        }
        let root = mounts.lines().find_map(|line| {
            let mut words = line.split(' ').skip(1);
            let (root, kind, options) = (words.next()?, words.next()?, words.next()?);
            let is = if unified {
                kind == "cgroup2"
            } else {
                kind == "cgroup" && options.split(',').any(|o| o == "cpu")
            };
            is.then(|| Path::new(root))
        });
        let Some(root) = root else { continue };
        let own = root.join(path.trim_start_matches('/'));
        found.extend(own.ancestors().take_while(|dir| dir.starts_with(root)).map(Path::to_path_buf));
    }
    found
}

fn quota(group: &Path) -> Option<f64> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    let (quota, period) = match read("cpu.max") {
        Some(both) => {
            let (quota, period) = both.trim().split_once(' ')?;
            (quota.to_owned(), period.to_owned())
        }
        None => (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?),
    };
    let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    // No quota is -1, or "max".
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_a_process_and_those_above_are_found() {
        let mounts =
            "proc /proc proc rw 0 0\ncgroup /cg/cpu cgroup rw,cpu 0 0\ncgroup2 /cg/unified cgroup2 rw 0 0\n";
        let found = groups("4:memory:/x\n1:cpu:/a/b\n0::/c\n", mounts);
        let expected = ["/cg/cpu/a/b", "/cg/cpu/a", "/cg/cpu", "/cg/unified/c", "/cg/unified"];
        assert_eq!(found, expected.map(PathBuf::from));
        assert!(groups("1:cpu:/a", "").is_empty());
    }

    #[test]
    fn quotas_of_both_versions_are_read() {
        let dir = std::env::temp_dir().join(format!("forerun-quota-{}", std::process::id()));
        let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("a file");
        fs::create_dir_all(&dir).expect("a directory");
        assert_eq!(quota(&dir), None);
        write("cpu.cfs_quota_us", "1000\n");
        write("cpu.cfs_period_us", "10000\n");
        assert_eq!(quota(&dir), Some(0.1));
        write("cpu.cfs_quota_us", "-1\n");
        assert_eq!(quota(&dir), None);
        write("cpu.max", "50000 100000\n");
        assert_eq!(quota(&dir), Some(0.5));
        write("cpu.max", "max 100000\n");
        assert_eq!(quota(&dir), None);
        fs::remove_dir_all(&dir).expect("it is removed");
    }
}
