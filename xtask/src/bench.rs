//! Benches, beside rivals.

use crate::Trouble;
use crate::cargo::{cargo, root};

/// `cargo xtask bench`.
pub(crate) fn bench(arguments: &[String]) -> Result<(), Trouble> {
    // Some benches run the command itself, which lies beside them.
    match cargo(&["build", "--release", "--package", "forerun"]).status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(Trouble::Failed("forerun could not be built".into())),
        Err(e) => return Err(Trouble::Failed(format!("cargo could not be started: {e}"))),
    }
    let mut command = cargo(&["run", "--release", "--package", "forerun-bench", "--"]);
    command.args(arguments).env("FORERUN_BENCH_RUNS", root().join("benches").join("runs"));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Trouble::Failed("the bench failed; what it said is above".into())),
        Err(e) => Err(Trouble::Failed(format!("cargo could not be started: {e}"))),
    }
}
