//! Pages that keep coming while the run goes on: a thread takes them as a crawl gives them, and ranks take tasks out of
//! those that wait.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use forerun_skeleton::{AppError, Cancel};

use super::files::Files;
use super::inputs::{InputFile, MOST_FILES};
use super::page::{Pages, identifier};

/// Pages that wait for a task at most; then whoever gives them waits.
const AHEAD: usize = 1024;
/// A task takes at most this part of the pages that wait, so that all ranks get some.
const PART: usize = 8;
/// How often whoever waits looks at the flags.
const TICK: Duration = Duration::from_millis(20);

/// What is to be done about a page.
pub(super) enum Due {
    /// Nothing: the database has it.
    Not,
    /// It is new.
    New,
    /// What the database has of it is taken out first.
    Again,
}

/// Pages on their way to the tasks.
#[derive(Debug)]
pub(super) struct Coming {
    files: Arc<Files>,
    state: Mutex<State>,
    changed: Condvar,
    /// Ends the input: nothing more is taken.
    close: Cancel,
    /// Ends the run.
    cancel: Cancel,
}

#[derive(Debug, Default)]
struct State {
    /// No more will come.
    ended: bool,
    /// Why it ended before its time.
    trouble: Option<AppError>,
    notes: Vec<String>,
    /// Pages that the database has.
    already: usize,
    /// Identifiers of pages that it has and that are done again.
    again: HashSet<i64>,
    /// Whether the number that waits is bounded: not while what is there at the start is gathered.
    bounded: bool,
    /// The place of the first page that is in no task.
    next: usize,
    /// The tasks that were made.
    tasks: Vec<Range<usize>>,
    /// Tasks of what had come at the start that are done although the input was ended: one of a larger number was
    /// given.
    given: u64,
    /// Pages of such tasks that were not done, as it was ended.
    left: usize,
}

impl Coming {
    /// Begins to take pages and to add them to `files`, except those that are not `due`.
    ///
    /// # Errors
    /// That no thread can be started.
    pub(super) fn start(
        files: Arc<Files>,
        pages: Box<dyn Pages>,
        due: impl Fn(&InputFile) -> Due + Send + 'static,
        (close, cancel): (Cancel, Cancel),
    ) -> Result<Arc<Self>, AppError> {
        let (state, changed) = (Mutex::default(), Condvar::new());
        let coming = Arc::new(Coming { files, state, changed, close, cancel });
        let here = coming.clone();
        thread::Builder::new()
            .name("pages".into())
            .spawn(move || here.take(pages, &due))
            .map_err(|e| AppError::new(format!("cannot start a thread to take pages: {e}")))?;
        Ok(coming)
    }

    /// The life of the thread that takes them.
    fn take(&self, mut pages: Box<dyn Pages>, due: &dyn Fn(&InputFile) -> Due) {
        for page in pages.by_ref() {
            if self.is_over() || !self.put(page, due) {
                break;
            }
        }
        let ended = pages.end();
        let mut state = self.lock();
        match ended {
            Ok(notes) => state.notes = notes,
            // Whoever ended the input is not interested in what came after.
            Err(e) if !self.is_over() => state.trouble = Some(e),
            Err(_) => {}
        }
        state.ended = true;
        self.changed.notify_all();
    }

    /// Adds a page where it is due; waits for room. False when no more are wanted.
    fn put(&self, page: InputFile, due: &dyn Fn(&InputFile) -> Due) -> bool {
        let due = due(&page);
        let mut state = self.lock();
        match due {
            Due::Not => {
                state.already += 1;
                return true;
            }
            Due::Again => drop(state.again.insert(identifier(&page.name))),
            Due::New => {}
        }
        while state.bounded && self.files.len() - state.next >= AHEAD && !self.is_over() {
            state = self.wait(state);
        }
        self.files.push(page);
        self.changed.notify_all();
        !self.is_over()
    }

    /// Gathers what comes within `time`, and longer until there is one; says how many there are, and whether that is
    /// all.
    ///
    /// # Errors
    /// Why nothing comes; cancelled.
    pub(super) fn gather(&self, time: Duration) -> Result<(usize, bool), AppError> {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while !(state.ended || self.is_over() || self.files.len() > 0 && Instant::now() >= until) {
            state = self.wait(state);
        }
        if let Some(e) = state.trouble.take() {
            return Err(e);
        }
        self.check(&state)?;
        (state.next, state.bounded) = (self.files.len(), true);
        Ok((state.next, state.ended || self.close.is_cancelled()))
    }

    /// Whether task `index` of those made of what had come at the start is still to be done: not if the input was ended
    /// before it or one after it was asked for. Where it was ended before any was, while a pilot ran, all of them are.
    /// `from` gives how many pages the tasks from one on have.
    pub(super) fn takes(&self, index: u64, from: impl FnOnce(usize) -> usize) -> bool {
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

    /// The places of the pages of task `index` of those made of what comes, of at most `grain` bytes or one page; waits
    /// for it. `None` where there are not so many.
    pub(super) fn get(&self, index: u64, grain: u64) -> Result<Option<Range<usize>>, AppError> {
        let mut state = self.lock();
        loop {
            if let Some(task) = usize::try_from(index).ok().and_then(|n| state.tasks.get(n)) {
                return Ok(Some(task.clone()));
            }
            self.check(&state)?;
            let wait = self.files.len() - state.next;
            if self.close.is_cancelled() || (state.ended && wait == 0) {
                return Ok(None);
            }
            if wait == 0 {
                state = self.wait(state);
            } else {
                let (taken, _) = self.fitting(state.next, wait.div_ceil(PART).min(MOST_FILES), grain);
                self.make(&mut state, taken);
            }
        }
    }

    /// The places of the pages that come next, as a task of at most `grain` bytes or one page: when there are so many, or they
    /// have been waited for for so long. `None` where no more come, or `stop` is set.
    pub(super) fn together(
        &self,
        grain: u64,
        patience: Duration,
        stop: &Cancel,
    ) -> Result<Option<Range<usize>>, AppError> {
        let mut state = self.lock();
        let mut until = None;
        loop {
            self.check(&state)?;
            let wait = self.files.len() - state.next;
            if stop.is_cancelled() || self.close.is_cancelled() || (state.ended && wait == 0) {
                return Ok(None);
            }
            if wait > 0 {
                let until = *until.get_or_insert_with(|| Instant::now() + patience);
                let (taken, bytes) = self.fitting(state.next, wait.min(MOST_FILES), grain);
                let full = bytes >= grain || taken < wait;
                if full || state.ended || Instant::now() >= until {
                    return Ok(Some(self.make(&mut state, taken)));
                }
            }
            state = self.wait(state);
        }
    }

    /// How many of the next `most` pages are within `grain` bytes, at least one, and their bytes.
    fn fitting(&self, first: usize, most: usize, grain: u64) -> (usize, u64) {
        self.files.with(|files| {
            let mut bytes = 0;
            let fits = |file: &&Arc<InputFile>| {
                bytes + file.bytes <= grain && {
                    bytes += file.bytes;
                    true
                }
            };
            let taken = files[first..first + most].iter().take_while(fits).count();
            if taken == 0 { (1, files[first].bytes) } else { (taken, bytes) }
        })
    }

    /// Makes a task of so many pages.
    fn make(&self, state: &mut State, pages: usize) -> Range<usize> {
        let task = state.next..state.next + pages;
        state.next = task.end;
        state.tasks.push(task.clone());
        self.changed.notify_all();
        task
    }

    /// The places of the pages of task `index`, once it was made.
    pub(super) fn made(&self, index: u64) -> Option<Range<usize>> {
        self.lock().tasks.get(usize::try_from(index).ok()?).cloned()
    }

    /// Of these identifiers those of pages that are done again.
    pub(super) fn again(&self, ids: impl Iterator<Item = i64>) -> Vec<i64> {
        let state = self.lock();
        ids.filter(|id| state.again.contains(id)).collect()
    }

    /// Pages that are in a task, so far.
    pub(super) fn taken(&self) -> usize {
        self.lock().next
    }

    /// Pages that the database has, so far.
    pub(super) fn already(&self) -> usize {
        self.lock().already
    }

    /// Sentences about where the pages came from, once it ended, and about what was not taken.
    pub(super) fn notes(&self) -> Vec<String> {
        let state = self.lock();
        let mut notes = state.notes.clone();
        let left = self.files.len() - state.next + state.left;
        if left > 0 && self.close.is_cancelled() {
            let left = super::show::count(left as u64, "page");
            notes.push(format!("{left} had come and not been taken when the input was ended"));
        }
        notes
    }

    fn check(&self, state: &State) -> Result<(), AppError> {
        if self.cancel.is_cancelled() {
            return Err(AppError::new("the run was cancelled"));
        }
        match &state.trouble {
            Some(e) if self.files.len() == state.next => Err(e.clone()),
            _ => Ok(()),
        }
    }

    fn is_over(&self) -> bool {
        self.close.is_cancelled() || self.cancel.is_cancelled()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is whole before anything in it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Sender};

    use super::*;

    struct Site(mpsc::IntoIter<InputFile>, Result<Vec<String>, AppError>);

    impl Iterator for Site {
        type Item = InputFile;

        fn next(&mut self) -> Option<InputFile> {
            self.0.next()
        }
    }

    impl Pages for Site {
        fn end(self: Box<Self>) -> Result<Vec<String>, AppError> {
            self.1
        }
    }

    fn page(n: u64) -> InputFile {
        InputFile {
            path: "f".into(),
            name: format!("http://a/{n}"),
            bytes: n % 7,
            modified: 0,
            encoding: None,
        }
    }

    fn coming(end: Result<Vec<String>, AppError>, close: &Cancel) -> (Sender<InputFile>, Arc<Coming>) {
        let due = |page: &InputFile| match page.name.as_str() {
            "http://a/3" => Due::Not,
            "http://a/4" => Due::Again,
            _ => Due::New,
        };
        let (to, from) = mpsc::channel();
        let site = Box::new(Site(from.into_iter(), end));
        let files = Files::new(Vec::new());
        (to, Coming::start(files, site, due, (close.clone(), Cancel::new())).unwrap())
    }

    #[test]
    fn every_page_that_is_due_is_in_one_task() {
        let count = 3 * AHEAD as u64;
        let (to, coming) = coming(Ok(vec!["done".into()]), &Cancel::new());
        to.send(page(0)).unwrap();
        assert_eq!(coming.gather(Duration::ZERO), Ok((1, false)));
        (1..count).for_each(|n| to.send(page(n)).unwrap());
        drop(to);
        let mut next = 1;
        for index in 0.. {
            let Some(task) = coming.get(index, 20).unwrap() else { break };
            assert_eq!(task.start, next);
            let bytes: u64 = coming.files.with(|files| files[task.clone()].iter().map(|f| f.bytes).sum());
            assert!(bytes <= 20 || task.len() == 1);
            assert!(coming.files.len() - task.end <= AHEAD);
            next = task.end;
        }
        assert_eq!(next as u64, count - 1);
        assert_eq!((coming.already(), coming.notes()), (1, vec!["done".to_owned()]));
        let id = |n: u64| identifier(&format!("http://a/{n}"));
        assert_eq!(coming.again([id(2), id(4)].into_iter()), [id(4)]);
    }

    #[test]
    fn an_input_that_is_ended_gives_no_task_but_those_before_one_that_was_given() {
        let close = Cancel::new();
        let (to, coming) = coming(Ok(Vec::new()), &close);
        (0..20).for_each(|n| to.send(page(n)).unwrap());
        assert!(coming.gather(Duration::ZERO).unwrap().0 > 0);
        let from = |task: usize| 20 - 5 * task;
        assert!(coming.takes(1, from));
        assert_eq!(coming.notes(), Vec::<String>::new());
        close.cancel();
        assert_eq!((coming.takes(0, from), coming.takes(3, from)), (true, false));
        assert_eq!(coming.get(0, 1), Ok(None));
    }

    /// A signal in the pilot ends the input before the run has asked for anything.
    #[test]
    fn what_had_come_is_taken_where_the_input_ends_before_the_run_begins() {
        let close = Cancel::new();
        let (to, coming) = coming(Ok(Vec::new()), &close);
        (0..20).for_each(|n| to.send(page(n)).unwrap());
        assert!(coming.gather(Duration::ZERO).unwrap().0 > 0);
        close.cancel();
        assert!((0..9).all(|index| coming.takes(index, |_| unreachable!("all are taken"))));
        assert_eq!(coming.get(0, 1), Ok(None));
    }

    #[test]
    fn why_nothing_comes_is_said() {
        let (to, coming) = coming(Err(AppError::new("no page")), &Cancel::new());
        drop(to);
        assert_eq!(coming.gather(Duration::ZERO).unwrap_err().to_string(), "no page");
    }
}
