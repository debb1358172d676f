//! How things end that do not end well.

use std::fmt;

use forerun_platform::Stage;

/// What an application says when a task, a merge, a source or a sink cannot do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppError {
    message: String,
    of_input: bool,
}

impl AppError {
    /// An error with its sentence.
    pub fn new(message: impl Into<String>) -> Self {
        AppError { message: message.into(), of_input: false }
    }

    /// One that is the input's: it is not what the application takes, and no other run would fare better. The sentence says where in it.
    pub fn of_input(message: impl Into<String>) -> Self {
        AppError { message: message.into(), of_input: true }
    }

    /// Whether it is the input's.
    pub fn is_of_input(&self) -> bool {
        self.of_input
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AppError {}

impl From<std::io::Error> for AppError {
    fn from(e: std::io::Error) -> Self {
        AppError::new(e.to_string())
    }
}

/// The first thing that went wrong in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The rank on which it happened.
    pub rank: usize,
    /// The stage that failed.
    pub stage: Stage,
    /// The task's index, or for a merge or a delivery the lowest task index in it.
    pub item: u64,
    /// Whether the stage panicked, rather than returning an error.
    pub panicked: bool,
    /// Whether it was the input's error ([`AppError::of_input`]), which says by itself where it is.
    pub of_input: bool,
    /// What it said.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.panicked { "panicked" } else { "failed" };
        write!(f, "{} {} {verb} on rank {}: {}", self.stage.name(), self.item, self.rank, self.message)
    }
}

/// Why an endpoint's operation did not complete. Patterns pass it on with `?`.
#[derive(Debug, Clone)]
pub enum Stop {
    /// This rank's work failed.
    Failed(Box<Failure>),
    /// Another rank's did, or the run was cancelled.
    Aborted,
}

/// Why a run gave no outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunError {
    /// A stage failed; the run was stopped.
    Failed(Failure),
    /// The run was cancelled from outside.
    Cancelled,
    /// No rank could go on (only virtual time can tell): the blocked ranks and what they wait for.
    Deadlock(String),
    /// The run asked for something that cannot be: the sentence says what.
    Invalid(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Failed(x) => x.fmt(f),
            RunError::Cancelled => f.write_str("the run was cancelled"),
            RunError::Deadlock(what) => write!(f, "no rank can go on: {what}"),
            RunError::Invalid(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for RunError {}
