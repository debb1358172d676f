//! Benches, beside rivals.

use crate::Trouble;
use crate::cargo::{cargo, root, target};

/// `cargo xtask bench`.
pub(crate) fn bench(arguments: &[String]) -> Result<(), Trouble> {
    // Some benches run the command itself, which lies beside them.
    let reduce = arguments.iter().any(|a| a == "mpi-reduce");
    let testbed = reduce || arguments.iter().any(|a| a.starts_with("testbed"));
    let mut build = cargo(&["build", "--release", "--package", "forerun"]);
    if testbed {
        build.args(["--features", "mpi"]);
    }
    match build.status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(Trouble::Failed("forerun could not be built".into())),
        Err(e) => return Err(Trouble::Failed(format!("cargo could not be started: {e}"))),
    }
    if reduce {
        let example = ["--package", "forerun-mpi", "--features", "mpi", "--example", "reduce_beside"];
        match cargo(&["build", "--release"]).args(example).status() {
            Ok(status) if status.success() => {}
            _ => return Err(Trouble::Failed("the example reduce_beside could not be built".into())),
        }
    }
    let mut command = cargo(&["run", "--release", "--package", "forerun-bench", "--"]);
    command.args(arguments).env("FORERUN_BENCH_RUNS", root().join("benches").join("runs"));
    if testbed {
        match cargo(&["build", "--quiet", "--package", "forerun-testbed"]).status() {
            Ok(status) if status.success() => {}
            _ => return Err(Trouble::Failed("forerun-testbed could not be built".into())),
        }
        command.env("FORERUN_TESTBED", target().join("debug").join("forerun-testbed"));
        command.env("FORERUN_TESTBED_FILES", root().join("examples").join("testbed"));
        command.env("FORERUN_TESTBED_KEPT", target().join("testbed"));
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Trouble::Failed("the bench failed; what it said is above".into())),
        Err(e) => Err(Trouble::Failed(format!("cargo could not be started: {e}"))),
    }
}
