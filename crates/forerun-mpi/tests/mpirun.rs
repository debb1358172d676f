//! The example `laws` under a real `mpirun`, of Open MPI and of MPICH, as far as they are installed.
//!
//! Each of them needs a build of its own, of the crates from `mpi-sys` on; all others they share.

#[path = "../../forerun-platform/tests/common/programs.rs"]
mod programs;
#[path = "../../forerun-platform/tests/common/skipped.rs"]
mod skipped;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use forerun_mpi::{Launch, Launcher};
use forerun_skeleton::Cancel;
use skipped::skipped;

/// Set for tests that build and start MPI programs to leave themselves out.
const NO_MPI: &str = "FORERUN_TEST_NO_MPI";

/// An MPI: its compiler and its launcher.
struct Mpi {
    name: &'static str,
    compiler: &'static str,
    launcher: &'static str,
    /// How `mpi-sys` is optimized: what its MPI is, cargo does not tell builds apart by, and this it does.
    level: u8,
    /// How its sentence of a killed rank 2 begins: MPICH's launcher may come upon another first, which it killed itself.
    killed: &'static str,
}

const OPEN_MPI: Mpi = Mpi {
    name: "openmpi",
    compiler: "mpicc.openmpi",
    launcher: "mpirun.openmpi",
    level: 1,
    killed: "rank 2 on ",
};
const MPICH: Mpi =
    Mpi { name: "mpich", compiler: "mpicc.mpich", launcher: "mpirun.mpich", level: 2, killed: "a rank on " };

#[test]
fn open_mpi() {
    OPEN_MPI.test();
}

#[test]
fn mpich() {
    MPICH.test();
}

impl Mpi {
    fn test(&self) {
        if let Some(why) = self.missing() {
            skipped(&format!("the endpoint under {}: {why}", self.name));
            return;
        }
        let program = self.build();
        for ranks in [1, 2, 3, 4, 5, 8] {
            let said = self.run(&program, ranks, "laws", &Cancel::new()).expect("laws hold");
            let reductions: u32 =
                said.split(' ').next().and_then(|n| n.parse().ok()).expect("a number first");
            assert!(reductions >= 130 && said.contains("10 sorts, 21 pipelined, "), "{said}");
        }
        for (fault, expected) in [
            ("error", "task 1000 failed on rank 2: no such thing"),
            ("panic", "task 1000 panicked on rank 2: no such thing ("),
            ("cancel", "the run was cancelled"),
            ("outside", "the program of rank 2 panicked: no such thing"),
            ("unwritable", "send 0 failed on rank 2: such a number cannot be written"),
            ("unreadable", "receive 2 failed on rank 0: such a number cannot be read"),
        ] {
            let said = self.run(&program, 3, &format!("fault {fault}"), &Cancel::new()).expect("a report");
            assert!(said.starts_with(expected), "{fault}: {said}");
        }
        self.a_killed_rank_is_told(&program);
        self.a_run_is_cancelled(&program);
    }

    fn a_killed_rank_is_told(&self, program: &Path) {
        let said = self.run(program, 3, "fault kill", &Cancel::new()).expect_err("no report");
        assert!(said.starts_with(self.killed) && said.contains("signal 9") && !said.contains('\n'), "{said}");
    }

    fn a_run_is_cancelled(&self, program: &Path) {
        let cancel = Cancel::new();
        let begun = thread::scope(|scope| {
            let setting = cancel.clone();
            scope.spawn(move || {
                sleep(Duration::from_millis(1500));
                setting.cancel();
            });
            let begun = Instant::now();
            let said = self.run(program, 3, "slow", &cancel);
            assert_eq!(said.as_deref(), Ok("the run was cancelled"));
            begun
        });
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    fn run(&self, program: &Path, ranks: usize, what: &str, cancel: &Cancel) -> Result<String, String> {
        let launch = Launch {
            launcher: Launcher::named(&[self.launcher.to_owned()]).expect("a launcher"),
            ranks,
            hostfile: None,
            program: program.to_owned(),
            arguments: Vec::new(),
            cancel: cancel.clone(),
            hurry: Cancel::new(),
            begin: Duration::from_secs(60),
            watcher: None,
        };
        let mut out = Vec::new();
        let said = launch.run(what.as_bytes(), &mut out, |_| ()).map_err(|e| e.to_string());
        assert_eq!(String::from_utf8_lossy(&out), "", "ranks write nothing of their own");
        assert_nothing_runs(program);
        said
    }

    /// Builds the example with this MPI.
    fn build(&self) -> PathBuf {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mpi");
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args([
            "build",
            "--quiet",
            "--locked",
            "--features",
            "mpi",
            "--example",
            "laws",
            "--manifest-path",
        ]);
        cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).arg("--target-dir").arg(&target);
        cargo.arg("--config").arg(format!("profile.dev.package.mpi-sys.opt-level={}", self.level));
        cargo.env("MPICC", self.compiler).env_remove("CARGO_TARGET_DIR");
        assert!(
            cargo.status().expect("cargo starts").success(),
            "the example is built with {}",
            self.compiler
        );
        // The next build goes by the same name.
        let program = target.join(self.name);
        programs::copy(&target.join("debug/examples/laws"), &program);
        program
    }

    /// What is missing to test with it.
    fn missing(&self) -> Option<String> {
        if env::var_os(NO_MPI).is_some() {
            return Some(format!("{NO_MPI} is set"));
        }
        if let Some(program) = [self.compiler, self.launcher].into_iter().find(|p| !is_there(p)) {
            return Some(format!("needs {program}"));
        }
        let clang = env::var_os("LIBCLANG_PATH").is_some() || has_libclang();
        (!clang).then(|| "needs libclang".to_owned())
    }
}

fn is_there(program: &str) -> bool {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|dir| dir.join(program).is_file())
}

/// Whether libclang is where distributions put it.
fn has_libclang() -> bool {
    let entries = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    let begins = |path: &Path, with: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(with))
    };
    let versions = entries(Path::new("/usr/lib")).filter(|p| begins(p, "llvm")).map(|p| p.join("lib"));
    let more = ["/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/local/lib"].map(PathBuf::from);
    versions
        .chain(more)
        .any(|dir| entries(&dir).any(|p| begins(&p, "libclang.so") || begins(&p, "libclang-")))
}

/// Nobody is left of a run, a moment after it.
fn assert_nothing_runs(program: &Path) {
    let deadline = Instant::now() + Duration::from_secs(5);
    let running = || {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        processes.filter(|p| fs::read_link(p.path().join("exe")).is_ok_and(|exe| exe == program)).count()
    };
    while running() > 0 {
        assert!(Instant::now() < deadline, "{} processes are left", running());
        sleep(Duration::from_millis(20));
    }
}
