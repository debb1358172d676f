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
            CliError::Request(what) | CliError::Run(what) => f.write_str(what),
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
