//! A cluster in a box.

use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::Trouble;
use crate::cargo::{cargo, target};

/// `cargo xtask testbed`. The crate that does it reads platform files by `forerun-platform`; here it is
/// only built, and started from the directory that the caller is in.
pub(crate) fn testbed(arguments: &[String]) -> Result<(), Trouble> {
    match cargo(&["build", "--quiet", "--package", "forerun-testbed"]).status() {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(Trouble::Failed("forerun-testbed could not be built".into())),
        Err(e) => return Err(Trouble::Failed(format!("cargo could not be started: {e}"))),
    }
    // In place of this process, so that signals and the status of a command are its own.
    let e = Command::new(target().join("debug").join("forerun-testbed")).args(arguments).exec();
    Err(Trouble::Failed(format!("forerun-testbed could not be started: {e}")))
}
