//! A sequential driver, and small trees of files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use forerun_apps::command::{Commands, Extent, Grain, Inputs, Output, Selection, Settings, Tasks};
use forerun_skeleton::reduction::{FoldSink, Piece, Reduce, Sink, Source};
use forerun_skeleton::{AppError, Cancel};

/// A directory for inputs and, beside it, one for temporary files.
pub(crate) struct Place {
    pub(crate) dir: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("in")).unwrap();
        std::fs::create_dir(dir.path().join("tmp")).unwrap();
        Place { dir }
    }

    /// The directory for inputs.
    pub(crate) fn inputs(&self) -> PathBuf {
        self.dir.path().join("in")
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.dir.path().join("tmp")
    }

    /// Writes an input, making its directories.
    pub(crate) fn file(&self, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.inputs().join(name.as_ref());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn open(&self) -> Inputs {
        open(&[&self.inputs()]).unwrap()
    }

    pub(crate) fn settings(&self, map: &str, merge: &str) -> Settings {
        Settings { tmp: Some(self.tmp()), ..Settings::new(map, merge) }
    }

    /// Maps every file and merges, in order, by a fold.
    pub(crate) fn reduce(&self, settings: Settings, grain: Grain) -> Result<String, AppError> {
        let inputs = self.open();
        let commands = Commands::new(settings, &inputs, Cancel::new())?;
        let tasks = Tasks::cut(&inputs, grain, commands.takes(), &[])?;
        let out = fold(&commands, &tasks)?;
        Ok(String::from_utf8(out.map_or(Ok(Vec::new()), |o| o.to_vec())?).unwrap())
    }

    /// As [`Place::reduce`] with no limits and one file a task.
    pub(crate) fn plain(&self, map: &str, merge: &str) -> Result<String, AppError> {
        self.reduce(self.settings(map, merge), Grain::ONE_FILE)
    }

    /// Fails if a temporary file or directory is left.
    pub(crate) fn assert_clean(&self) {
        let left: Vec<_> = std::fs::read_dir(self.tmp()).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

pub(crate) fn open(paths: &[&Path]) -> Result<Inputs, AppError> {
    Inputs::open(&Selection { paths: paths.iter().map(|p| p.to_path_buf()).collect(), include: Vec::new() })
}

/// Runs all tasks one after the other into a sink that folds.
pub(crate) fn fold<R>(reduce: &R, tasks: &Tasks) -> Result<Option<Output>, AppError>
where
    R: Reduce<Input = Extent, Partial = Output>,
{
    let mut sink = FoldSink::new(reduce);
    for first in 0.. {
        let Some(input) = tasks.get(first)? else { break };
        sink.accept(Piece { value: reduce.task(first, input)?, first, results: 1 })?;
    }
    Ok(sink.close()?.map(|piece| piece.value))
}
