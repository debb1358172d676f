//! Tests that cannot be made here.

use std::io::Write as _;

/// Says why a test is not made, on the terminal: what is printed by a test that passes, its harness keeps to itself.
pub(crate) fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
