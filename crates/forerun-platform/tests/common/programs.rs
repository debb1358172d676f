//! Programs that tests start, written and copied by other processes: a child of another test could still hold open for
//! writing what this one wrote, and then it cannot be started.

use std::path::Path;
use std::process::Command;

/// Writes a program.
#[allow(dead_code, reason = "shared by tests that write and tests that copy")]
pub(crate) fn write(to: &Path, text: &str) {
    let words = ["-c", "printf %s \"$2\" >\"$1\" && chmod 755 \"$1\"", "sh"];
    let written = Command::new("sh").args(words).arg(to).arg(text).status();
    assert!(written.expect("sh starts").success(), "{} is written", to.display());
}

/// Copies a program.
#[allow(dead_code, reason = "shared by tests that write and tests that copy")]
pub(crate) fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status();
    assert!(copied.expect("cp starts").success(), "{} is copied", from.display());
}
