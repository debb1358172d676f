//! What a monitor says about processors and links as they are now.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use forerun_platform::FileError;
use forerun_platform::file::{Allowed, Section, contents, read};

use super::candidates::number;
use super::description::{Link, link};

/// A command that says nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two looks at a command.
const LOOK: Duration = Duration::from_millis(20);

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
    /// One reading. A command is killed when `stop` says so, or after a minute.
    ///
    /// # Errors
    /// That there is nothing to read, or what is wrong with it.
    pub fn reading(&self, processors: usize, stop: &dyn Fn() -> bool) -> Result<Reading, String> {
        match self {
            Source::File(path) => {
                let text = contents(path).map_err(|e| e.to_string())?;
                Reading::read(&text, &path.display().to_string(), processors).map_err(|e| e.to_string())
            }
            Source::Command(command) => {
                let text = said(command, stop)?;
                Reading::read(&text, "--monitor-command", processors).map_err(|e| e.to_string())
            }
        }
    }
}

/// What a command prints.
fn said(command: &str, stop: &dyn Fn() -> bool) -> Result<String, String> {
    let place = |why: String| format!("--monitor-command {command:?}: {why}");
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| place(format!("sh could not be started: {e}")))?;
    let out = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.map_or(Ok(0), |mut out| out.read_to_end(&mut bytes)).map(|_| bytes)
    });
    let begin = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if stop() || begin.elapsed() > PATIENCE => {
                // Whether it was there to be killed does not matter.
                let _ = child.kill();
                let _ = child.wait();
                return Err(place("it did not end within a minute, and was killed".into()));
            }
            Ok(None) => std::thread::sleep(LOOK),
            Err(e) => return Err(place(e.to_string())),
        }
    };
    if !status.success() {
        return Err(place(format!("it ended with {status}")));
    }
    let bytes = match reader.join() {
        Ok(bytes) => bytes.map_err(|e| place(e.to_string()))?,
        Err(_) => return Err(place("what it prints could not be read".into())),
    };
    String::from_utf8(bytes).map_err(|_| place("what it prints is not text (UTF-8)".into()))
}
