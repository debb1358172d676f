//! This program once more, as the guardian of a run: see [`forerun_apps::command::Guardian`].

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::Arc;

use forerun_apps::command::Guardian;

/// The first word of the command line that makes this program a guardian. No command begins so.
pub const WORD: &str = "=guard";

/// Starts one; none where that cannot be: a run goes on without.
pub fn start() -> Option<Arc<Guardian>> {
    let this = std::env::current_exe().ok()?;
    // Named otherwise, so that whoever kills all that is called forerun leaves the guardian to its work.
    let mut command = Command::new(if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { this });
    command.arg0("guard").arg(WORD).current_dir("/");
    Guardian::start(&mut command).ok()
}

/// The guardian's life: until the run that started it ends.
pub fn guard() {
    forerun_apps::command::guard(io::stdin().lock());
}
