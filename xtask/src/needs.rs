//! Programs that tests start and that Rust does not bring.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What some test needs.
struct Need {
    thing: Thing,
    /// Debian's package that has it.
    package: &'static str,
    /// What is skipped without it.
    tests: &'static str,
}

/// What a package has.
enum Thing {
    /// Programs, any of which will do.
    Program(&'static [&'static str]),
    /// A library of that name, of any version.
    Library(&'static str),
}

const OPEN_MPI: &str = "the endpoint on MPI, under Open MPI";
const SLURM: &str = "batch scripts and allocations under a real Slurm";
const MPICH: &str = "the endpoint on MPI, under MPICH";

/// Everything that some test needs; a test looks for it and reports itself skipped without.
const NEEDS: &[Need] = &[
    Need {
        thing: Thing::Program(&["chromium", "chromium-browser", "google-chrome"]),
        package: "chromium",
        tests: "how the HTML report looks at desktop and phone width",
    },
    Need { thing: Thing::Program(&["nginx"]), package: "nginx", tests: "crawls of a real web server" },
    Need {
        thing: Thing::Program(&["tc"]),
        package: "iproute2",
        tests: "that a testbed keeps what its file promises and leaves nothing behind",
    },
    Need { thing: Thing::Program(&["slurmctld"]), package: "slurm-wlm", tests: SLURM },
    Need { thing: Thing::Program(&["munged"]), package: "munge", tests: SLURM },
    Need { thing: Thing::Program(&["mpirun.openmpi"]), package: "openmpi-bin", tests: OPEN_MPI },
    Need { thing: Thing::Program(&["mpicc.openmpi"]), package: "libopenmpi-dev", tests: OPEN_MPI },
    Need { thing: Thing::Program(&["mpirun.mpich"]), package: "mpich", tests: MPICH },
    Need { thing: Thing::Program(&["mpicc.mpich"]), package: "libmpich-dev", tests: MPICH },
    Need {
        thing: Thing::Library("postgresql"),
        package: "postgresql",
        tests: "that PostgreSQL gets the same tables as SQLite",
    },
    Need { thing: Thing::Library("libclang"), package: "libclang-dev", tests: "the endpoint on MPI" },
];

/// Whether a program can be built with the MPI that comes first here, and started by it; says so where not.
pub(crate) fn are_for_mpi() -> bool {
    let there = is_there("mpicc") && is_there("mpirun") && has_library("libclang");
    if !there {
        println!("skipped: jobs on MPI: needs `mpicc`, `mpirun` and libclang");
    }
    there
}

/// Installs what is missing where that can be done; says what is missing where it cannot.
pub(crate) fn provide() {
    let missing: Vec<&Need> = NEEDS.iter().filter(|n| !n.thing.is_there()).collect();
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
    for Need { thing, package, tests } in missing {
        println!("skipped: {tests}: needs {} (Debian's package {package})", thing.name());
    }
    println!("to run these too: sudo apt-get install {}", packages.join(" "));
}

fn apt(arguments: &[&str]) -> bool {
    let mut command = Command::new("apt-get");
    command.arg("--quiet=2").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command.status().is_ok_and(|s| s.success())
}

impl Thing {
    fn is_there(&self) -> bool {
        match self {
            Thing::Program(names) => names.iter().any(|name| is_there(name)),
            Thing::Library(name) => has_library(name),
        }
    }

    fn name(&self) -> String {
        match self {
            Thing::Program(names) => format!("`{}`", names.join("` or `")),
            Thing::Library(name) => (*name).to_owned(),
        }
    }
}

/// Whether a library of that name is where distributions put libraries.
fn has_library(name: &str) -> bool {
    let places = [
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
    ];
    let files = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    let file = |path: &Path| path.file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
    let of_llvm = files(Path::new("/usr/lib")).filter(|p| file(p).starts_with("llvm")).map(|p| p.join("lib"));
    let mut all = places.map(PathBuf::from).into_iter().chain(of_llvm);
    all.any(|dir| files(&dir).any(|p| is_of(&file(&p), name)))
}

/// Whether a file of that name is of the library, with or without a version, and not of another whose name is longer
/// (`libclang-cpp` is not `libclang`).
fn is_of(file: &str, library: &str) -> bool {
    file.strip_prefix(library).is_some_and(|rest| {
        rest.is_empty()
            || rest.starts_with('.')
            || rest.strip_prefix('-').is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    })
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

    #[test]
    fn a_library_is_found_and_another_is_not() {
        assert!(has_library("libc"));
        assert!(!has_library("libno-such-library"));
    }

    #[test]
    fn a_library_of_a_longer_name_is_another() {
        for file in ["libclang.so", "libclang.so.14", "libclang-14.so.1", "libclang-20.so"] {
            assert!(is_of(file, "libclang"), "{file}");
        }
        for file in ["libclang-cpp.so.14", "libclangBasic.a", "libclan.so"] {
            assert!(!is_of(file, "libclang"), "{file}");
        }
        assert!(is_of("postgresql", "postgresql"));
    }
}
