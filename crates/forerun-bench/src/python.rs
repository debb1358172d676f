//! Rivals in Python: one process that does what it is told, line by line.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An interpreter that has the packages; without it, one is made under `target/`.
const PYTHON: &str = "FORERUN_BENCH_PYTHON";

/// The process, and the directory that it works in.
pub(crate) struct Python {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    directory: tempfile::TempDir,
}

impl Python {
    /// Starts `script` with `packages` at hand, in a directory of its own; its first argument is a file of the texts, as JSON.
    pub(crate) fn start(packages: &[&str], script: &str, texts: &[String]) -> io::Result<Self> {
        let mut command = Command::new(interpreter(packages)?);
        let directory = tempfile::tempdir()?;
        let file = directory.path().join("texts.json");
        std::fs::write(&file, serde_json::to_string(texts)?)?;
        command.args(["-P", "-c", script]).arg(&file).current_dir(directory.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are not there"));
        };
        Ok(Python { child, to, from: BufReader::new(from), directory })
    }

    /// The directory that it works in, which goes with it.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The next line that it says.
    pub(crate) fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.from.read_line(&mut line)? {
            0 => Err(io::Error::other("Python has ended; what it said is above")),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    /// Says a line, and gives the answer.
    pub(crate) fn ask(&mut self, line: &str) -> io::Result<String> {
        writeln!(self.to, "{line}")?;
        self.to.flush()?;
        self.line()
    }

    /// Says a line that is answered with milliseconds.
    pub(crate) fn time(&mut self, line: &str) -> io::Result<f64> {
        let line = self.ask(line)?;
        line.parse().map_err(|_| io::Error::other(format!("{line} is no time")))
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An interpreter with these packages.
fn interpreter(packages: &[&str]) -> io::Result<PathBuf> {
    if let Some(python) = std::env::var_os(PYTHON) {
        return Ok(python.into());
    }
    let directory = Path::new("target/bench-python");
    let python = std::path::absolute(directory.join("bin/python"))?;
    let run = |command: &mut Command| match command.stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(io::Error::other(format!(
            "they could not be installed ({PYTHON} can name a Python that has them)"
        ))),
        Err(e) => Err(io::Error::other(format!("no Python: {e}"))),
    };
    if !python.is_file() {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
    }
    // What was installed is written down: asking for it again takes seconds.
    let there = directory.join(format!("ready-{}", packages.join("-")));
    if !there.is_file() {
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
        std::fs::write(there, "")?;
    }
    Ok(python)
}
