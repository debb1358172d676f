//! How much processor time this process may take, where its control group says less than a whole core.

use std::fs;
use std::path::Path;

use forerun_platform::control_groups;

/// Processors that this process and those in its group may use together: the least quota of its control group and of
/// those above, of either version; `None` where there is none.
pub fn processors() -> Option<f64> {
    control_groups("cpu").iter().filter_map(|group| quota(group)).reduce(f64::min)
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
