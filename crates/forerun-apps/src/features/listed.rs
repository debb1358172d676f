//! Pages on their way to other processes: who takes them from a crawl lists the tasks in a file as they come, and the others
//! read it while it grows. All of them see the directory of the crawl anyway, since that is where the pages are.
//!
//! ```text
//! file    task*
//! task    length sum body      numbers of 64 bits, little-endian; the sum is FNV-1a over the body
//! body    pages, identifiers of those among them that are done again; the one without pages is the last
//! ```
//!
//! What is not whole yet, or not yet as it was written (file systems of several hosts show the length first), is read again
//! later.

use std::collections::HashSet;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use forerun_skeleton::wire::{Plain, whole};
use forerun_skeleton::{AppError, Cancel, Wire};

use super::files::Files;
use super::inputs::InputFile;
use super::model::hash;
use crate::command::show;

/// Bytes before the body of a task.
const HEAD: usize = 16;
/// First and longest wait between two looks at the file.
const LOOKS: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// A task: its pages, and the identifiers of those that are done again.
type Task = (Vec<InputFile>, Vec<i64>);

/// Writes tasks into a new file.
pub(super) struct Lister {
    file: File,
    path: PathBuf,
    end: u64,
}

impl Lister {
    /// Makes the file, in the place of one of an earlier run.
    pub(super) fn new(path: &Path) -> Result<Self, AppError> {
        // A rank of an earlier run that is still there does not see this one.
        let _ = std::fs::remove_file(path);
        let file = File::create_new(path).map_err(|e| trouble(path, "made", &e))?;
        Ok(Lister { file, path: path.into(), end: 0 })
    }

    /// Opens the file that was just made.
    pub(super) fn open(path: &Path) -> Result<Self, AppError> {
        let file = File::options().write(true).open(path).map_err(|e| trouble(path, "written", &e))?;
        Ok(Lister { file, path: path.into(), end: 0 })
    }

    /// Adds a task; one without pages ends the list.
    pub(super) fn add(&mut self, task: &Task) -> Result<(), AppError> {
        let mut body = Vec::new();
        task.encode(&mut body)?;
        let mut bytes = Vec::with_capacity(HEAD + body.len());
        (body.len(), hash(&body)).encode(&mut bytes)?;
        bytes.append(&mut body);
        self.file.write_all_at(&bytes, self.end).map_err(|e| trouble(&self.path, "written", &e))?;
        self.end += bytes.len() as u64;
        Ok(())
    }
}

/// Reads tasks as they are listed.
#[derive(Debug)]
pub(super) struct Listed {
    path: PathBuf,
    /// Gets the pages, each at its place in the list.
    files: Arc<Files>,
    state: Mutex<State>,
    cancel: Cancel,
}

#[derive(Debug)]
struct State {
    file: File,
    /// Where the next task begins.
    at: u64,
    tasks: Vec<Range<usize>>,
    again: HashSet<i64>,
    ended: bool,
}

impl Listed {
    /// Opens the list, whose pages go to `files`. Setting `cancel` ends waiting.
    pub(super) fn open(path: &Path, files: Arc<Files>, cancel: Cancel) -> Result<Self, AppError> {
        let file = File::open(path).map_err(|e| trouble(path, "read", &e))?;
        let state = State { file, at: 0, tasks: Vec::new(), again: HashSet::new(), ended: false };
        Ok(Listed { path: path.into(), files, state: Mutex::new(state), cancel })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads tasks until `has` finds what it looks for or there are no more; waits for them.
    fn until<T>(&self, has: impl Fn(&State) -> Option<T>) -> Result<Option<T>, AppError> {
        let mut state = self.lock();
        let mut wait = LOOKS.0;
        loop {
            if let Some(found) = has(&state) {
                return Ok(Some(found));
            }
            if state.ended {
                return Ok(None);
            }
            if self.cancel.is_cancelled() {
                return Err(AppError::new("the run was cancelled"));
            }
            if self.read(&mut state)? {
                wait = LOOKS.0;
            } else {
                thread::sleep(wait);
                wait = (wait * 2).min(LOOKS.1);
            }
        }
    }

    /// Reads a task, if there is a whole one.
    fn read(&self, state: &mut State) -> Result<bool, AppError> {
        let failed = |e: std::io::Error| trouble(&self.path, "read", &e);
        let there = state.file.metadata().map_err(failed)?.len();
        let left = there.saturating_sub(state.at);
        let mut head = [0; HEAD];
        if left < HEAD as u64 {
            return Ok(false);
        }
        state.file.read_exact_at(&mut head, state.at).map_err(failed)?;
        let (length, sum): (u64, u64) = whole(&Plain, &head)?;
        if length > left - HEAD as u64 {
            return Ok(false);
        }
        let mut body = vec![0; length as usize];
        state.file.read_exact_at(&mut body, state.at + HEAD as u64).map_err(failed)?;
        // A head of zeros has not arrived: no body is empty.
        if length == 0 || hash(&body) != sum {
            return Ok(false);
        }
        let (pages, again): Task = whole(&Plain, &body)?;
        state.at += HEAD as u64 + length;
        state.ended = pages.is_empty();
        if !state.ended {
            let first = self.files.len();
            state.tasks.push(first..first + pages.len());
            pages.into_iter().for_each(|page| self.files.push(page));
            state.again.extend(again);
        }
        Ok(true)
    }

    /// The places of the pages of task `index`; `None` where there are not so many.
    pub(super) fn get(&self, index: u64) -> Result<Option<Range<usize>>, AppError> {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.until(|state| state.tasks.get(index).cloned())
    }

    /// The same, if it was read.
    pub(super) fn read_already(&self, index: u64) -> Option<Range<usize>> {
        self.lock().tasks.get(usize::try_from(index).ok()?).cloned()
    }

    /// Reads on until the page at `place` is there: a result that another process sent may be of one that was not read here.
    pub(super) fn catch_up(&self, place: u64) -> Result<(), AppError> {
        self.until(|_| (self.files.len() as u64 > place).then_some(())).map(drop)
    }

    /// Of these identifiers those of pages that are done again.
    pub(super) fn again(&self, ids: impl Iterator<Item = i64>) -> Vec<i64> {
        let state = self.lock();
        ids.filter(|id| state.again.contains(id)).collect()
    }
}

fn trouble(path: &Path, what: &str, e: &std::io::Error) -> AppError {
    AppError::new(format!(
        "{}: the list of pages cannot be {what} ({}); the directory of the crawl has to be one that all hosts see",
        show::path(path),
        e.kind()
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(n: u64) -> InputFile {
        InputFile { path: "f".into(), name: format!("http://a/{n}"), bytes: n, modified: 0, encoding: None }
    }

    fn opened(path: &Path, cancel: &Cancel) -> (Arc<Files>, Listed) {
        let files = Files::new(Vec::new());
        (files.clone(), Listed::open(path, files, cancel.clone()).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Whoever reads, at whatever pace, has the same tasks of the same pages.
        #[test]
        fn all_readers_have_the_same_tasks(sizes in prop::collection::vec(1u64..4, 0..9), torn in 0usize..40) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("tasks");
            let mut lister = Lister::new(&path).unwrap();
            let (_, early) = opened(&path, &Cancel::new());
            let mut next = 0;
            for (index, &pages) in (0..).zip(&sizes) {
                prop_assert_eq!(early.read_already(index), None);
                lister.add(&((next..next + pages).map(page).collect(), vec![next as i64])).unwrap();
                let task = next as usize..(next + pages) as usize;
                prop_assert_eq!(early.get(index).unwrap(), Some(task));
                next += pages;
            }
            // Half of a task is none yet.
            let end = lister.end;
            lister.file.write_all_at(&vec![0; torn], end).unwrap();
            let (files, late) = opened(&path, &Cancel::new());
            // Of an empty list that has not ended nothing is known yet.
            if let Some(last) = sizes.len().checked_sub(1) {
                prop_assert!(late.get(last as u64).unwrap().is_some());
            }
            lister.add(&(Vec::new(), Vec::new())).unwrap();
            prop_assert_eq!(late.get(sizes.len() as u64).unwrap(), None);
            prop_assert_eq!(files.len() as u64, next);
            if next > 0 {
                late.catch_up(next - 1).unwrap();
                prop_assert_eq!(late.again([0, -1].into_iter()), vec![0]);
            }
        }
    }

    #[test]
    fn waiting_ends_when_the_run_does() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tasks");
        drop(Lister::new(&path).unwrap());
        let cancel = Cancel::new();
        let (_, listed) = opened(&path, &cancel);
        cancel.cancel();
        assert!(listed.get(0).unwrap_err().to_string().contains("cancelled"));
        let missing = Listed::open(&dir.path().join("none"), Files::new(Vec::new()), cancel);
        assert!(missing.unwrap_err().to_string().contains("all hosts see"));
    }
}
