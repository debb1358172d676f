//! What a monitor says about processors and links as they are now.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use forerun_apps::command::{Group, Guardian};
use forerun_platform::FileError;
use forerun_platform::file::{Allowed, Section, contents, read};

use super::candidates::number;
use super::description::{Link, link};
use crate::error::{CliError, failed, reason, request};
use crate::file::shown;

/// A command that says nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two looks at a command.
const LOOK: Duration = Duration::from_millis(20);
/// Longest reading of a command, in bytes: far longer than any that is one.
const LONGEST: u64 = 16 << 20;

/// Figures as they are now; what is not named is as described.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Processors, from 0, and their speed now relative to what is described.
    pub speeds: Vec<(usize, f64)>,
    /// Links and their latency now.
    pub links: Vec<Link>,
}

impl Reading {
    /// Reads what a monitor says about so many processors.
    ///
    /// # Errors
    /// Everything that is wrong with it, each at its line.
    pub fn read(text: &str, name: &str, processors: usize) -> Result<Reading, FileError> {
        read(text, name, |root| build(root, processors))
    }
}

fn build(root: &Section<'_, '_>, count: usize) -> Option<Reading> {
    let (mut speeds, mut links) = (Vec::new(), Vec::new());
    for section in root.sections("processor").into_iter().flatten() {
        speeds.push(processor(&section, count));
        section.finish();
    }
    for section in root.sections("link").into_iter().flatten() {
        links.push(link(&section, count));
        section.finish();
    }
    Some(Reading {
        speeds: speeds.into_iter().collect::<Option<_>>()?,
        links: links.into_iter().collect::<Option<_>>()?,
    })
}

fn processor(section: &Section<'_, '_>, count: usize) -> Option<(usize, f64)> {
    let speed = section.required("speed", "0.5", section.number("speed", Allowed::Positive));
    let item = section.required("number", "1", section.any("number"))?;
    let place = number(&item, count);
    if place.is_none() {
        section.note("number", format!("\"number\" is the number of one of the {count} processors"));
    }
    Some((place?, speed?))
}

/// Where readings come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A file that somebody writes again and again.
    File(PathBuf),
    /// A command, given to `sh -c`, that prints them.
    Command(String),
}

impl Source {
    /// One reading. A command is killed with all that it started when `stop` says so, or after a minute; `guardian` does so
    /// should this process be killed.
    ///
    /// # Errors
    /// A bad request where a file cannot be read or is wrong; a failed run where a command fails or what it prints is wrong.
    pub fn reading(
        &self,
        processors: usize,
        guardian: Option<&Arc<Guardian>>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Reading, CliError> {
        match self {
            Source::File(path) => {
                let text = contents(path).map_err(request)?;
                Reading::read(&text, &shown(path), processors).map_err(request)
            }
            Source::Command(command) => {
                let text = said(command, guardian, stop)
                    .map_err(|why| failed(format!("--monitor-command {command:?}: {why}")))?;
                Reading::read(&text, "--monitor-command", processors).map_err(failed)
            }
        }
    }
}

/// What a command prints until it has ended and nothing that it started can print any more.
fn said(command: &str, guardian: Option<&Arc<Guardian>>, stop: &dyn Fn() -> bool) -> Result<String, String> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut group = Group::spawn(&mut shell, guardian.cloned())
        .map_err(|e| format!("sh could not be started: {}", reason(&e)))?;
    let (_, out, _) = group.pipes();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.map_or(Ok(0), |out| out.take(LONGEST + 1).read_to_end(&mut bytes)).map(|_| bytes)
    });
    let begin = Instant::now();
    // Dropped before its end, the group is killed, and the reader ends with it.
    while !(group.has_ended() && reader.is_finished()) {
        if stop() {
            return Err("it was interrupted".into());
        }
        if begin.elapsed() > PATIENCE {
            return Err("it did not end within a minute, and was killed".into());
        }
        std::thread::sleep(LOOK);
    }
    let bytes = match reader.join() {
        Ok(bytes) => bytes.map_err(|e| format!("what it prints could not be read: {}", reason(&e)))?,
        Err(_) => return Err("what it prints could not be read".into()),
    };
    // Cut off there, it may have failed of that.
    if bytes.len() as u64 > LONGEST {
        return Err("it prints more than 16 MiB, which is no reading".into());
    }
    let status = group.end().map_err(|e| reason(&e))?;
    if !status.success() {
        return Err(format!("it ended with {status}"));
    }
    String::from_utf8(bytes).map_err(|_| "what it prints is not text (UTF-8)".into())
}
