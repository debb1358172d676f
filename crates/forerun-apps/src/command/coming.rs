//! Inputs whose names keep coming while the run goes on: from a pipe, a few at a time or without end.
//!
//! A thread reads names, looks at each file as [`Inputs::open`](super::Inputs::open) does, and puts it into a
//! queue that holds a bounded number, so that whoever writes the names waits for the run. Ranks take
//! tasks out of it: as many files as are there, up to the grain, so that none waits for a task to fill.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use forerun_skeleton::{AppError, Cancel};

use super::argument;
use super::cut::{self, Extent, Grain, ROOM};
use super::inputs::{Finder, InputFile, Selection, same_file};
use super::listing::Names;
use super::show;

/// Files that are looked at before a task takes them, at most.
const AHEAD: usize = 4096;
/// A task takes at most this part of the files that wait, so that all ranks get some.
const PART: usize = 8;
/// How often whoever waits looks at the flags.
const TICK: Duration = Duration::from_millis(20);

/// Files on their way from a list to the tasks.
#[derive(Debug)]
pub(crate) struct Coming {
    state: Mutex<State>,
    changed: Condvar,
    /// Ends the input: nothing more is taken.
    close: Cancel,
    /// End the run.
    cancel: Cancel,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<InputFile>,
    /// No more will come.
    ended: bool,
    /// What was wrong with the list or a file in it.
    trouble: Option<AppError>,
    notes: Vec<String>,
    /// Where the result goes: no file that comes may be that.
    outputs: Vec<std::path::PathBuf>,
    /// Whether the queue may be full: not while what is there at the start is gathered.
    bounded: bool,
    /// The place of the queue's first file among all inputs.
    next: usize,
    /// The number of the next task to be made.
    tasks: u64,
    /// Tasks of what had come at the start that may be asked for although the input was ended: one of a
    /// larger number was given.
    given: u64,
    /// Files of such tasks that were not done, as it was ended.
    left: usize,
    /// Tasks that were made and that their rank has not asked for.
    waiting: BTreeMap<u64, Extent>,
    /// Files of the tasks that are not done, by the place of their first.
    open: BTreeMap<usize, (u64, Vec<InputFile>)>,
}

impl Coming {
    /// Starts to read: first the paths of `selection`, then `names`. Setting `close` ends the input where
    /// it is, setting `cancel` the run.
    ///
    /// # Errors
    /// A pattern that is none; that no thread can be started.
    pub(crate) fn start(
        selection: &Selection,
        names: Names,
        close: Cancel,
        cancel: Cancel,
    ) -> Result<Arc<Self>, AppError> {
        let finder = Finder::new(&selection.include)?;
        let coming = Arc::new(Coming { state: Mutex::default(), changed: Condvar::new(), close, cancel });
        let (here, paths) = (coming.clone(), selection.paths.clone());
        thread::Builder::new()
            .name("names".into())
            .spawn(move || here.read(finder, &paths, names))
            .map_err(|e| AppError::new(format!("cannot start a thread to read names: {e}")))?;
        Ok(coming)
    }

    /// The life of the thread that reads.
    fn read(&self, mut finder: Finder, paths: &[std::path::PathBuf], mut names: Names) {
        let mut all = || -> Result<(), AppError> {
            for path in paths {
                finder.find(path, &mut |file| self.put(file))?;
            }
            while let Some(path) = names.next()? {
                finder.find(&path, &mut |file| self.put(file))?;
                // Of what keeps coming without end, not everything is remembered.
                if self.lock().bounded {
                    finder.forget_names();
                }
            }
            Ok(())
        };
        let mut trouble = all().err();
        let mut state = self.lock();
        if trouble.is_none() && !state.bounded {
            trouble = finder.named().check(|at| &state.queue[at].path).err();
        }
        state.notes = finder.notes();
        // Whoever ended the input is not interested in what came after.
        state.trouble = trouble.filter(|_| !self.is_over());
        state.ended = true;
        self.changed.notify_all();
    }

    /// Adds a file; waits for room.
    fn put(&self, file: InputFile) -> Result<(), AppError> {
        let mut state = self.lock();
        while state.bounded && state.queue.len() >= AHEAD && !self.is_over() {
            state = self.wait(state);
        }
        if self.is_over() {
            return Err(AppError::new("the input was ended"));
        }
        if let Some(output) = state.outputs.iter().find(|output| same_file(output, &file.path)) {
            return Err(AppError::new(format!(
                "the input {} is where the result goes: name another file, out of the way of the inputs",
                show::path(output)
            )));
        }
        state.queue.push_back(file);
        self.changed.notify_all();
        Ok(())
    }

    /// Gathers what comes within `time`, longer while there are fewer than `least` files; gives it, and
    /// whether that is all there is.
    ///
    /// # Errors
    /// What is wrong with the list or a file in it; cancelled.
    pub(crate) fn gather(&self, time: Duration, least: usize) -> Result<(Vec<InputFile>, bool), AppError> {
        let mut until = Instant::now() + time;
        let mut state = self.lock();
        while !state.ended && !self.is_over() {
            if state.queue.len() < least {
                until = until.max(Instant::now() + time.min(SETTLE));
            } else if Instant::now() >= until {
                break;
            }
            state = self.wait(state);
        }
        if let Some(e) = state.trouble.take() {
            return Err(e);
        }
        self.check(&state)?;
        let files: Vec<_> = state.queue.drain(..).collect();
        state.next = files.len();
        state.bounded = true;
        let all = state.ended || self.close.is_cancelled();
        Ok((files, all))
    }

    /// Whether task `index` of those made of what had come at the start is still to be done: not if the
    /// input was ended before it or one after it was asked for. Where it was ended before any was, while a pilot ran, all of them are.
    /// `from` gives how many files the tasks from one on have.
    pub(crate) fn takes(&self, index: u64, from: impl FnOnce(usize) -> usize) -> bool {
        let mut state = self.lock();
        if !self.close.is_cancelled() {
            state.given = state.given.max(index + 1);
        } else if state.given == 0 {
            // A result of nothing would take the place of an older one.
            state.given = u64::MAX;
        }
        let takes = index < state.given;
        if !takes {
            state.left = from(usize::try_from(state.given).unwrap_or(usize::MAX));
        }
        takes
    }

    /// Task `index` of those that are made of what comes; waits for it. `None` where there are not so many.
    pub(crate) fn get(&self, index: u64, grain: Grain) -> Result<Option<Extent>, AppError> {
        let mut state = self.lock();
        loop {
            if let Some(extent) = state.waiting.remove(&index) {
                return Ok(Some(extent));
            }
            self.check(&state)?;
            if self.close.is_cancelled() || (state.ended && state.queue.is_empty()) {
                return Ok(None);
            }
            if state.queue.is_empty() {
                state = self.wait(state);
            } else {
                state.make(grain);
                self.changed.notify_all();
            }
        }
    }

    /// The files of a task that is not done.
    pub(crate) fn files(&self, extent: &Extent) -> Vec<InputFile> {
        self.lock().open.get(&extent.first).map_or_else(Vec::new, |(_, files)| files.clone())
    }

    /// Forgets the files of a task that is done.
    pub(crate) fn done(&self, extent: &Extent) {
        self.lock().open.remove(&extent.first);
    }

    /// The files of task `index`, for messages, while it is not done.
    pub(crate) fn describe(&self, index: u64) -> Option<String> {
        let state = self.lock();
        let (_, files) = state.open.values().find(|(task, _)| *task == index)?;
        files.first().map(|f| cut::names(&f.path, files.len()))
    }

    /// Refuses files that are one of `outputs`.
    pub(crate) fn keep_from(&self, outputs: &[&Path]) {
        self.lock().outputs.extend(outputs.iter().map(|p| p.to_path_buf()));
    }

    /// Sentences about what was passed over, or not taken.
    pub(crate) fn notes(&self) -> Vec<String> {
        let state = self.lock();
        let mut notes = state.notes.clone();
        let left = state.queue.len() + state.left;
        if left > 0 && self.close.is_cancelled() {
            let left = show::count(left as u64, "file");
            notes.push(format!("{left} had been named and not been taken when the input was ended"));
        }
        notes
    }

    fn check(&self, state: &State) -> Result<(), AppError> {
        if self.cancel.is_cancelled() {
            return Err(AppError::new("the run was cancelled"));
        }
        match &state.trouble {
            Some(e) if state.queue.is_empty() => Err(e.clone()),
            _ => Ok(()),
        }
    }

    fn is_over(&self) -> bool {
        self.close.is_cancelled() || self.cancel.is_cancelled()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is whole before anything in it can panic.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, TICK).unwrap_or_else(|e| e.into_inner()).0
    }
}

/// What is gathered once the first file has come.
const SETTLE: Duration = Duration::from_millis(200);

impl State {
    /// Makes the next task of what waits.
    fn make(&mut self, grain: Grain) {
        let most = grain.files.min(self.queue.len().div_ceil(PART)).max(1);
        let (mut files, mut bytes, mut room) = (Vec::new(), 0u64, 0);
        while let Some(file) = self.queue.front() {
            let more = (bytes.saturating_add(file.bytes), room + argument::room(&file.path));
            if !files.is_empty() && (files.len() >= most || more.0 > grain.bytes || more.1 > ROOM) {
                break;
            }
            (bytes, room) = more;
            files.extend(self.queue.pop_front());
        }
        let extent = Extent { first: self.next, start: 0, files: files.len(), bytes, piece: false };
        self.next += files.len();
        self.open.insert(extent.first, (self.tasks, files));
        self.waiting.insert(self.tasks, extent);
        self.tasks += 1;
    }
}
