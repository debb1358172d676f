//! FCL, with two bodies and some rotations.

use std::io;

use forerun_apps::hip::{Rotation, Tree};

use crate::python::Python;

const PACKAGES: [&str; 1] = ["python-fcl"];
const SCRIPT: &str = include_str!("peers.py");

/// The rival.
pub(super) struct Fcl {
    python: Python,
    pub(super) version: String,
}

impl Fcl {
    pub(super) fn start() -> io::Result<Self> {
        let mut python = Python::start(&PACKAGES, SCRIPT, &[])?;
        let version = python.line()?;
        Ok(Fcl { python, version })
    }

    /// Gives it the bodies and the rotations, to the last bit.
    pub(super) fn load(&mut self, moving: &Tree, still: &Tree, rotations: &[Rotation]) -> io::Result<()> {
        let triangles = |tree: &Tree| bytes(tree.triangles().iter().flatten().flatten());
        let directory = self.python.directory();
        std::fs::write(directory.join("moving"), triangles(moving))?;
        std::fs::write(directory.join("still"), triangles(still))?;
        std::fs::write(
            directory.join("rotations"),
            bytes(rotations.iter().flat_map(|r| r.0.iter().flatten())),
        )?;
        let line = self.python.ask("load")?;
        if line == rotations.len().to_string() { Ok(()) } else { Err(io::Error::other(line)) }
    }

    /// Tries all rotations; milliseconds.
    pub(super) fn run(&mut self) -> io::Result<f64> {
        self.python.time("run")
    }

    /// What its calls from Python take of that, in milliseconds.
    pub(super) fn idle(&mut self) -> io::Result<f64> {
        self.python.time("idle")
    }

    /// Whether the bodies met, of the last time.
    pub(super) fn answers(&mut self) -> io::Result<Vec<bool>> {
        Ok(self.python.ask("answers")?.bytes().map(|digit| digit == b'1').collect())
    }
}

fn bytes<'n>(numbers: impl Iterator<Item = &'n f64>) -> Vec<u8> {
    numbers.flat_map(|number| number.to_le_bytes()).collect()
}
