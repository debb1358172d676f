//! The system's tools: `ip`, `tc`, `nsenter` and so on.

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

use crate::place::locked;

/// Debian's packages with the tools that are used.
const PACKAGES: &[(&str, &[&str])] = &[
    ("iproute2", &["ip", "tc"]),
    ("util-linux", &["nsenter", "unshare"]),
    ("mount", &["losetup", "mount", "umount"]),
    ("e2fsprogs", &["mkfs.ext4"]),
];

/// Runs a tool and gives what it printed.
///
/// # Errors
/// The tool is missing or failed, in a sentence with what it said.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).stdin(locked()).output();
    read(program, arguments, output)
}

/// Runs a tool over lines that it takes from its standard input.
///
/// # Errors
/// As [`run`].
pub(crate) fn batch(program: &str, arguments: &[&str], lines: &[String]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(locked()).stderr(Stdio::piped());
    let output = command.spawn().and_then(|mut child| {
        if let Some(mut input) = child.stdin.take() {
            // A tool that stops early says why; the pipe that it closed does not matter then.
            let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
        }
        child.wait_with_output()
    });
    read(program, arguments, output).map(drop)
}

fn read(program: &str, arguments: &[&str], output: std::io::Result<Output>) -> Result<String, String> {
    let output = output.map_err(|e| match e.kind() {
        ErrorKind::NotFound => match PACKAGES.iter().find(|(_, tools)| tools.contains(&program)) {
            Some((package, _)) => format!("`{program}` is missing: install it (Debian's package {package})"),
            None => format!("`{program}` is missing: install it"),
        },
        _ => format!("`{program}` could not be started: {e}"),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().find(|l| !l.trim().is_empty()).unwrap_or("it said nothing").trim().to_string();
    Err(format!("`{program} {}` failed: {said}", arguments.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_missing_or_fails_is_told_in_a_sentence() {
        assert_eq!(run("echo", &["a", "b"]).unwrap(), "a b\n");
        assert!(run("no-such-tool", &[]).unwrap_err().contains("is missing: install it"));
        let failed = run("sh", &["-c", "echo bad >&2; exit 3"]).unwrap_err();
        assert!(failed.ends_with("failed: bad"), "{failed}");
        assert!(batch("sh", &["-c", "read a; read b; test $b = 2"], &["1".into(), "2".into()]).is_ok());
        // A tool that reads nothing of much.
        assert!(batch("false", &[], &vec!["x".repeat(1000); 1000]).is_err());
    }
}
