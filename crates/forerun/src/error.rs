//! How a command ends that does not end well.

use std::fmt;

/// What went wrong, and with it the exit status.
#[derive(Debug)]
pub enum CliError {
    /// The request cannot be met as it was made: exit status 2.
    Request(String),
    /// The run failed: exit status 1.
    Run(String),
    /// A signal ended the run: exit status 128 + its number.
    Interrupted(i32),
}

impl CliError {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            CliError::Request(_) => 2,
            CliError::Run(_) => 1,
            CliError::Interrupted(signal) => u8::try_from(128 + signal).unwrap_or(1),
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CliError::Request(what) | CliError::Run(what) => f.write_str(&without_numbers(what)),
            CliError::Interrupted(_) => f.write_str("interrupted; nothing half-done is left behind"),
        }
    }
}

impl std::error::Error for CliError {}

/// Makes any error a bad request.
pub fn request(e: impl fmt::Display) -> CliError {
    CliError::Request(e.to_string())
}

/// Makes any error a failed run.
pub fn failed(e: impl fmt::Display) -> CliError {
    CliError::Run(e.to_string())
}

/// A sentence without the system's numbers of errors, ` (os error 13)`, which are of no use to a person.
fn without_numbers(sentence: &str) -> String {
    const NUMBERED: &str = " (os error ";
    let mut parts = sentence.split(NUMBERED);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => plain.push_str(rest),
            _ => plain.extend([NUMBERED, part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_numbers_are_not_said() {
        for (what, said) in [
            ("cannot read a: Permission denied (os error 13)", "cannot read a: Permission denied"),
            ("b: refused (os error 111); then c (os error 2): end", "b: refused; then c: end"),
            ("a file (os error of mine).txt (os error 5)", "a file (os error of mine).txt"),
            ("cut (os error 5", "cut (os error 5"),
            ("", ""),
        ] {
            assert_eq!(request(what).to_string(), said);
            assert_eq!(failed(what).to_string(), said);
        }
    }
}
