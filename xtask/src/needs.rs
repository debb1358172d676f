//! Programs that tests start and that Rust does not bring.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What some test needs.
struct Need {
    /// Programs, any of which will do.
    programs: &'static [&'static str],
    /// Debian's package that has it.
    package: &'static str,
    /// What is skipped without it.
    tests: &'static str,
}

/// Everything that some test needs; a test finds it on the PATH and reports itself skipped without.
const NEEDS: &[Need] = &[
    Need {
        programs: &["chromium", "chromium-browser", "google-chrome"],
        package: "chromium",
        tests: "how the HTML report looks at desktop and phone width",
    },
    Need {
        programs: &["tc"],
        package: "iproute2",
        tests: "that a testbed keeps what its file promises and leaves nothing behind",
    },
];

/// Installs what is missing where that can be done; says what is missing where it cannot.
pub(crate) fn provide() {
    let missing: Vec<&Need> = NEEDS.iter().filter(|n| !n.programs.iter().any(|p| is_there(p))).collect();
    if missing.is_empty() {
        return;
    }
    let packages: Vec<&str> = missing.iter().map(|n| n.package).collect();
    if is_root() && Path::new("/etc/debian_version").exists() {
        println!("── needs: apt-get install {}", packages.join(" "));
        if apt(&["update"])
            && apt(&[&["install", "--yes", "--no-install-recommends"], &packages[..]].concat())
        {
            return;
        }
    }
    for Need { programs, package, tests } in missing {
        println!("skipped: {tests}: needs `{}` (Debian's package {package})", programs.join("` or `"));
    }
    println!("to run these too: sudo apt-get install {}", packages.join(" "));
}

fn apt(arguments: &[&str]) -> bool {
    let mut command = Command::new("apt-get");
    command.arg("--quiet=2").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command.status().is_ok_and(|s| s.success())
}

/// Whether a program of that name is on the PATH.
fn is_there(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Whether this process runs as root: its effective user, where `/proc` tells.
fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let uids = status.lines().find_map(|l| l.strip_prefix("Uid:"));
    uids.and_then(|u| u.split_whitespace().nth(1)) == Some("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_on_the_path_is_found_and_another_is_not() {
        assert!(is_there("sh"));
        assert!(!is_there("no-such-program"));
    }
}
