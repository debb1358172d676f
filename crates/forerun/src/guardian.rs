//! This program once more, as the guardian of a run: see [`forerun_apps::command::Guardian`], and [`forerun_mpi::watch`] for what MPI starts.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::Arc;

use forerun_apps::command::Guardian;

/// The first word of the command line that makes this program a guardian. No command begins so.
pub const WORD: &str = "=guard";
/// The first word of the command line that makes this program watch a start by MPI.
pub const WATCH: &str = "=watch";

/// Starts one; none where that cannot be: a run goes on without.
pub fn start() -> Option<Arc<Guardian>> {
    Guardian::start(&mut command(WORD)).ok()
}

/// The command of a watcher.
pub fn watcher() -> Command {
    command(WATCH)
}

/// Named otherwise, so that whoever kills all that is called forerun leaves the guardian to its work.
fn command(word: &str) -> Command {
    // Where this program cannot be found, the command cannot be started.
    let this = || std::env::current_exe().unwrap_or_default();
    let mut command = Command::new(if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { this() });
    command.arg0("guard").arg(word).current_dir("/");
    command
}

/// The guardian's life: until the run that started it ends.
pub fn guard() {
    forerun_apps::command::guard(io::stdin().lock());
}

/// A watcher's life: until the run that started it ends.
pub fn watch() {
    forerun_mpi::watch(io::stdin().lock());
}
