//! The one directory of temporary files of a run.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forerun_platform::file::without_numbers;
use forerun_skeleton::AppError;
use tempfile::TempDir;

use super::guardian::Guardian;
use super::{leftover, show};

/// A directory that is removed with all that is in it when the last holder drops it.
#[derive(Debug)]
pub(crate) struct Scratch {
    dir: TempDir,
    next: AtomicU64,
    /// Says that the run lives.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes the directory below `parent`, or below `TMPDIR` (`/tmp`).
    pub(crate) fn new(parent: Option<&Path>, guardian: Option<&Guardian>) -> Result<Arc<Self>, AppError> {
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let refuse = |e: io::Error| {
            AppError::new(format!(
                "cannot make a directory for temporary files in {} ({}): name another with --tmp or TMPDIR",
                show::path(&parent),
                plain(&e)
            ))
        };
        // Absolute, so that a program may change its directory.
        let within = parent.canonicalize().map_err(refuse)?;
        let (dir, lock) = leftover::make(&within, leftover::PREFIX).map_err(refuse)?;
        if let Some(guardian) = guardian {
            guardian.has_directory(dir.path());
        }
        Ok(Arc::new(Scratch { dir, next: AtomicU64::new(0), _lock: lock }))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A new, empty file in it.
    pub(crate) fn file(self: &Arc<Self>) -> Result<(File, ScratchFile), AppError> {
        let path = self.path().join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|e| self.trouble(&e))?;
        Ok((file, ScratchFile { path, _scratch: self.clone() }))
    }

    /// The sentence for an error in writing to it.
    pub(crate) fn trouble(&self, e: &io::Error) -> AppError {
        let dir = show::path(self.path());
        AppError::new(match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => format!(
                "no space is left for temporary files in {dir}: make room there or name another directory with --tmp or TMPDIR"
            ),
            _ => format!("cannot write temporary files in {dir}: {}", plain(e)),
        })
    }
}

/// A file in the directory, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    path: PathBuf,
    /// Keeps the directory while the file is in use.
    _scratch: Arc<Scratch>,
}

impl ScratchFile {
    /// Where it is, absolute.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// An error of the system without its path and number.
pub(crate) fn plain(e: &io::Error) -> String {
    match (e.raw_os_error(), e.kind()) {
        (_, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            "no space is left there: make some, or name another place".into()
        }
        (Some(code), _) => without_numbers(&io::Error::from_raw_os_error(code).to_string()),
        (None, io::ErrorKind::NotFound) => "no such file or directory".into(),
        // It only says what it is to say by its kind: the rest repeats the path.
        (None, kind) if kind != io::ErrorKind::Other && e.get_ref().is_some() => kind.to_string(),
        (None, _) => e.to_string(),
    }
}
