//! The sentences for calls that did not end well.

use std::process::ExitStatus;

use forerun_skeleton::AppError;

use super::call::{Ended, GaveUp};
use super::commands::Role;
use super::scratch::plain;
use super::show;

/// A call and how it ended.
pub(crate) struct Said<'a> {
    pub(crate) role: Role,
    pub(crate) text: &'a str,
    pub(crate) on: String,
    /// What may be wrong with the command.
    pub(crate) doubt: Option<&'static str>,
    pub(crate) why: Result<Ended, GaveUp>,
}

impl Said<'_> {
    /// The sentence: which command, on what, what happened, what it said.
    pub(crate) fn error(self) -> AppError {
        let what = format!("{} command `{}`", self.role.name(), self.text);
        let on = self.on;
        AppError::new(match self.why {
            Ok(ended) => {
                let said = show::last_lines(&ended.stderr);
                let said = if said.is_empty() { "it said nothing on standard error".into() } else { said };
                let doubt = self.doubt.map(|doubt| format!(" ({doubt})")).unwrap_or_default();
                format!("{what} failed on {on} ({}): {said}{doubt}", status(ended.status))
            }
            Err(GaveUp::Spawn(e)) => format!("{what} could not be started on {on}: {}", plain(&e)),
            Err(GaveUp::Timeout(limit)) => {
                format!(
                    "{what} was ended on {on} after {} s, the time allowed (--timeout)",
                    limit.as_secs_f64()
                )
            }
            Err(GaveUp::Output(limit)) => {
                format!("{what} was ended on {on} after it wrote more than {limit} bytes (--max-output)")
            }
            Err(GaveUp::Cancelled) => format!("{what} was ended on {on} because the run was cancelled"),
            Err(GaveUp::Trouble(e)) => format!("{what} was ended on {on}: {e}"),
        })
    }
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Map => "map",
            Role::Merge => "merge",
            Role::Task => "task",
        }
    }
}

fn status(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        // The standard library knows the signals' names: `signal: 11 (SIGSEGV)`.
        None => format!("killed by {}", status.to_string().replacen("signal: ", "signal ", 1)),
    }
}
