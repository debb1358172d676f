//! Finished tasks and their outputs in a file, so that a run that was killed can be taken up again.
//!
//! ```text
//! file    MAGIC command record*                  command: a sum of the job's, to tell it from another
//! record  name state length sum output           sums of the file's name and of the state that it was in, and over all else of the record
//! ```
//!
//! A record holds for the file of that name as long as it is in that state; of several, the last one does. Those of files that are not
//! among the job's are kept, and no matter. Numbers are of 64 bits, little-endian. A record is in the file when its task is finished, whatever happens to the
//! process then (SIGKILL; of a machine that loses its power the last records may be lost, since it is not waited for the
//! disk). A record that is not whole or whose sum is wrong is cut off with all that follows, and its task is done again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use forerun_skeleton::AppError;
use rustix::fs::{FlockOperation, flock};

use super::inputs::InputFile;
use super::output::Output;
use super::scratch::plain;
use super::show;
use crate::partial;

const MAGIC: &[u8; 16] = b"forerun journal4";
/// What journals of all builds begin with.
const ANY: &[u8] = b"forerun journal";
/// Bytes before the first record, and of a record beside its output.
const HEAD: u64 = 24;
const RECORD: u64 = 32;
/// Bytes copied at a time.
const BLOCK: usize = 64 << 10;

/// A sum of bytes that tells whether they are whole: FNV-1a, 64 bits.
#[derive(Debug, Clone, Copy)]
struct Sum(u64);

impl Sum {
    fn new() -> Sum {
        Sum(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// What tells a job from others, a sum of its command, and its tasks from each other and from what they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    command: u64,
    tasks: Vec<Task>,
}

/// What tells a task: sums of its file's name, and of the state that the file is in: its size, when it was changed, and what only the
/// system sets, which an edit changes that keeps both: its number and when anything of it last changed. (The name is in the state as well:
/// of two names with the same sum, one is not taken for the other.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Task {
    name: u64,
    state: u64,
}

impl Identity {
    pub(crate) fn of(command: &str, shell: bool, files: &[InputFile]) -> Identity {
        let mut asked = Sum::new();
        asked.add(&[u8::from(shell)]);
        asked.add(command.as_bytes());
        Identity { command: asked.0, tasks: files.iter().map(Task::of).collect() }
    }

    fn head(&self) -> [u8; HEAD as usize] {
        let mut head = [0; HEAD as usize];
        head[..16].copy_from_slice(MAGIC);
        head[16..].copy_from_slice(&self.command.to_le_bytes());
        head
    }
}

impl Task {
    fn of(file: &InputFile) -> Task {
        let (mut name, mut state) = (Sum::new(), Sum::new());
        name.add(file.path.as_os_str().as_encoded_bytes());
        let there = std::fs::metadata(&file.path).ok();
        let set = there
            .as_ref()
            .map_or([0; 3], |there| [there.ino().cast_signed(), there.ctime(), there.ctime_nsec()]);
        let changed = there.and_then(|there| there.modified().ok());
        let since = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
        state.add(&file.bytes.to_le_bytes());
        state.add(&since.map_or(0, |since| since.as_nanos()).to_le_bytes());
        set.iter().for_each(|part| state.add(&part.to_le_bytes()));
        state.add(file.path.as_os_str().as_encoded_bytes());
        Task { name: name.0, state: state.0 }
    }
}

/// An open journal, which is this run's alone.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// Where the next record goes.
    end: u64,
    /// Where each output is, and its length.
    outputs: BTreeMap<u64, (u64, u64)>,
    /// Those that were there when it was opened.
    known: Vec<u64>,
    /// The job's tasks.
    tasks: Vec<Task>,
    /// Tasks whose outputs were there when it was opened and are of another state of their files.
    changed: BTreeSet<u64>,
    /// Files of other jobs whose outputs it has.
    others: u64,
    damaged: bool,
}

impl Journal {
    /// Opens the journal of the job `identity`; makes it where it is missing or empty.
    ///
    /// # Errors
    /// That it cannot be used, is of another command or no journal, or is in use.
    pub(crate) fn open(path: &Path, identity: &Identity) -> Result<Journal, AppError> {
        let refuse = |what: &str| AppError::new(format!("--resume {}: {what}", show::path(path)));
        let failed = |e: io::Error| match e.kind() {
            io::ErrorKind::IsADirectory => {
                refuse("it is a directory: name a file, which is made where there is none")
            }
            // The file itself is made.
            io::ErrorKind::NotFound => {
                refuse("there is no such directory: make it, or name a file in another")
            }
            _ => refuse(&format!("the journal cannot be used ({})", plain(&e))),
        };
        if path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return Err(refuse("it is no regular file: name one, which is made where there is none"));
        }
        let made = !path.exists();
        let file =
            File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        // A file system may have no locks.
        if flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(rustix::io::Errno::WOULDBLOCK) {
            return Err(refuse("another run is using this journal"));
        }
        let length = file.metadata().map_err(failed)?.len();
        let mut journal = Journal::empty(file, path, identity.tasks.clone());
        let head = identity.head();
        let mut found = vec![0; length.min(HEAD) as usize];
        journal.file.read_exact_at(&mut found, 0).map_err(failed)?;
        if found.len() < head.len() && head.starts_with(&found) {
            // New, or killed in its first moment.
            if let Err(e) = journal.file.write_all_at(&head, 0) {
                // As on a full disk: as it was before, so that nothing is left there of no use.
                let _ = if made { std::fs::remove_file(path) } else { journal.file.set_len(length) };
                return Err(failed(e));
            }
        } else if !found.starts_with(ANY) {
            return Err(refuse("this is no journal; name a new file, or one that --resume wrote"));
        } else if !found.starts_with(MAGIC) {
            return Err(refuse("the journal is of another version of forerun; name a new file"));
        } else if found != head {
            return Err(refuse("the journal is of another command; name a new file"));
        } else {
            journal.read(length).map_err(failed)?;
        }
        journal.file.set_len(journal.end).map_err(failed)?;
        journal.known = journal.outputs.keys().copied().collect();
        Ok(journal)
    }

    /// An empty one on the same file system, for trying out what adding to it costs. It has no name, and is gone when it is dropped;
    /// none where there can be no such file.
    pub(crate) fn rehearsal(&self) -> Option<Journal> {
        let file = partial::unnamed_beside(&self.path).ok()?;
        Some(Journal::empty(file, &self.path, self.tasks.clone()))
    }

    /// One of these tasks that has no outputs.
    fn empty(file: File, path: &Path, tasks: Vec<Task>) -> Journal {
        Journal {
            file,
            path: path.into(),
            end: HEAD,
            outputs: BTreeMap::new(),
            known: Vec::new(),
            tasks,
            changed: BTreeSet::new(),
            others: 0,
            damaged: false,
        }
    }

    /// Reads records from the end of the head up to the first that is not whole.
    fn read(&mut self, length: u64) -> io::Result<()> {
        let places: HashMap<u64, usize> = self.tasks.iter().map(|task| task.name).zip(0..).collect();
        let mut others = HashSet::new();
        let mut from = io::BufReader::with_capacity(BLOCK, self.file.try_clone()?);
        from.seek(SeekFrom::Start(self.end))?;
        let mut block = vec![0; BLOCK];
        while self.end + RECORD <= length {
            let mut record = [0; RECORD as usize];
            from.read_exact(&mut record)?;
            let [name, state, bytes, sum] = [0, 8, 16, 24]
                .map(|at| u64::from_le_bytes(record[at..].first_chunk().copied().unwrap_or_default()));
            // A record's head is written last: one that is there is of a whole record.
            let is_there = record != [0; RECORD as usize];
            if bytes > length - self.end - RECORD {
                self.damaged = is_there;
                break;
            }
            let mut found = Sum::new();
            found.add(&record[..24]);
            let mut left = bytes;
            while left > 0 {
                let some = &mut block[..left.min(BLOCK as u64) as usize];
                from.read_exact(some)?;
                found.add(some);
                left -= some.len() as u64;
            }
            if found.0 != sum {
                self.damaged = is_there;
                break;
            }
            match places.get(&name) {
                Some(&at) if self.tasks[at].state == state => {
                    self.outputs.insert(at as u64, (self.end + RECORD, bytes));
                    self.changed.remove(&(at as u64));
                }
                Some(&at) => {
                    self.outputs.remove(&(at as u64));
                    self.changed.insert(at as u64);
                }
                None => {
                    others.insert(name);
                }
            }
            self.end += RECORD + bytes;
        }
        self.others = others.len() as u64;
        Ok(())
    }

    /// Tasks that are finished.
    pub(crate) fn len(&self) -> u64 {
        self.outputs.len() as u64
    }

    /// The tasks that were finished when it was opened.
    pub(crate) fn known(&self) -> Vec<u64> {
        self.known.clone()
    }

    /// The tasks whose outputs were there when it was opened, and are of another state of their files.
    pub(crate) fn changed(&self) -> Vec<u64> {
        self.changed.iter().copied().collect()
    }

    /// How many files that are not among the job's it has outputs of.
    pub(crate) fn others(&self) -> u64 {
        self.others
    }

    /// Whether it was cut or damaged when it was opened: what followed there is lost.
    pub(crate) fn damaged(&self) -> bool {
        self.damaged
    }

    /// Whether a task is finished.
    pub(crate) fn has(&self, index: u64) -> bool {
        self.outputs.contains_key(&index)
    }

    /// Adds a finished task.
    ///
    /// # Errors
    /// That it cannot be written.
    pub(crate) fn add(&mut self, index: u64, output: &Output) -> Result<(), AppError> {
        let bytes = output.body.bytes();
        // What is tried out may be of more tasks than there are.
        let task = usize::try_from(index).ok().and_then(|at| self.tasks.get(at));
        let Task { name, state } = task.copied().unwrap_or(Task { name: 0, state: 0 });
        let mut record = [0; RECORD as usize];
        for (to, number) in record.chunks_exact_mut(8).zip([name, state, bytes]) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        let start = self.end + RECORD;
        let mut to = Summed { sum: Sum::new(), to: &self.file };
        to.sum.add(&record[..24]);
        // The head last: before it is there, the record is none.
        let written =
            (&self.file).seek(SeekFrom::Start(start)).and_then(|_| output.copy_to(&mut to)).and_then(|()| {
                record[24..].copy_from_slice(&to.sum.0.to_le_bytes());
                self.file.write_all_at(&record, self.end)
            });
        written.map_err(|e| self.trouble(&e))?;
        self.outputs.insert(index, (start, bytes));
        self.end = start + bytes;
        Ok(())
    }

    /// Copies the output of a task to `to`; says whether it is there.
    ///
    /// # Errors
    /// That it cannot be read or written.
    pub(crate) fn copy_to(&self, index: u64, to: &mut impl Write) -> Result<bool, AppError> {
        let Some(&(mut at, bytes)) = self.outputs.get(&index) else { return Ok(false) };
        let end = at + bytes;
        let mut block = vec![0; BLOCK.min(bytes as usize)];
        while at < end {
            let some = &mut block[..((end - at) as usize).min(BLOCK)];
            self.file.read_exact_at(some, at).map_err(|e| self.trouble(&e))?;
            to.write_all(some).map_err(|e| AppError::new(format!("cannot write outputs: {}", plain(&e))))?;
            at += some.len() as u64;
        }
        Ok(true)
    }

    fn trouble(&self, e: &io::Error) -> AppError {
        AppError::new(format!(
            "--resume {}: the journal cannot be used ({})",
            show::path(&self.path),
            plain(e)
        ))
    }
}

/// Writes and sums.
struct Summed<'a> {
    sum: Sum,
    to: &'a File,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sum.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::output::{Body, Origin};
    use super::*;
    use crate::seen::Seen;

    /// A job of so many files, each in its state.
    fn job(tasks: u64) -> Identity {
        Identity { command: 7, tasks: (0..tasks).map(|name| Task { name, state: 7 + name }).collect() }
    }

    fn output(bytes: &[u8]) -> Output {
        let path = Path::new("x");
        Output { body: Body::Memory(bytes.to_vec()), origin: Origin::new(0..1, path, path) }
    }

    fn message(result: Result<Journal, AppError>) -> String {
        result.err().map(|e| e.to_string()).unwrap_or_default()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Cut or damaged anywhere, a journal has the tasks before that, whole, and goes on after them.
        #[test]
        fn what_is_whole_is_kept(
            outputs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..12),
            place in any::<prop::sample::Index>(),
            cut in any::<bool>(),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("journal");
            let tasks = outputs.len() as u64;
            let mut ends = Vec::new();
            {
                let mut journal = Journal::open(&path, &job(tasks)).unwrap();
                for (index, bytes) in outputs.iter().enumerate() {
                    journal.add(index as u64, &output(bytes)).unwrap();
                    ends.push(journal.end);
                }
            }
            let mut bytes = std::fs::read(&path).unwrap();
            let at = HEAD as usize + place.index(bytes.len() - HEAD as usize);
            if cut { bytes.truncate(at) } else { bytes[at] ^= 0x55 }
            std::fs::write(&path, &bytes).unwrap();
            let whole = ends.iter().filter(|end| **end <= at as u64).count();
            let mut journal = Journal::open(&path, &job(tasks)).unwrap();
            let begun = at as u64 - if whole == 0 { HEAD } else { ends[whole - 1] };
            // Where not even a head is left of a record, nothing tells that it was there.
            prop_assert_eq!(journal.damaged(), !cut || begun >= RECORD);
            prop_assert_eq!(journal.known(), (0..whole as u64).collect::<Vec<_>>());
            for (index, bytes) in outputs.iter().enumerate().skip(whole) {
                journal.add(index as u64, &output(bytes)).unwrap();
            }
            drop(journal);
            let journal = Journal::open(&path, &job(tasks)).unwrap();
            for (index, bytes) in outputs.iter().enumerate() {
                let mut copy = Vec::new();
                prop_assert!(journal.copy_to(index as u64, &mut copy).unwrap());
                prop_assert_eq!(&copy, bytes);
            }
        }
    }

    /// What an edit that keeps size and time cannot keep.
    #[test]
    fn an_edit_that_keeps_size_and_time_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let (path, journal) = (dir.path().join("file"), dir.path().join("journal"));
        let identity = || {
            let seen = Seen::of(&std::fs::metadata(&path).unwrap());
            Identity::of("cat", false, &[InputFile { path: path.clone(), bytes: 4, seen }])
        };
        std::fs::write(&path, "some").unwrap();
        let (before, time) = (identity(), std::fs::metadata(&path).unwrap().modified().unwrap());
        Journal::open(&journal, &before).unwrap().add(0, &output(b"some")).unwrap();
        assert_eq!(identity(), before, "nothing was done to it");
        // The system's clock of files goes in steps.
        std::thread::sleep(std::time::Duration::from_millis(30));
        std::fs::write(&path, "else").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        let edited = identity();
        let opened = Journal::open(&journal, &edited).unwrap();
        assert_eq!((opened.known(), opened.changed()), (vec![], vec![0]));
        // Another file in its place, of the same size and time.
        std::fs::write(dir.path().join("other"), "some").unwrap();
        let other = File::options().write(true).open(dir.path().join("other")).unwrap();
        other.set_modified(time).unwrap();
        std::fs::rename(dir.path().join("other"), &path).unwrap();
        assert_ne!(identity().tasks, edited.tasks);
    }

    /// Of other files there is nothing to be known, in whatever order: what is done of each is, as long as it is as it was.
    #[test]
    fn each_file_is_told_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let all = job(4);
        let of = |journal: &Journal, index| {
            let mut copy = Vec::new();
            journal.copy_to(index, &mut copy).unwrap().then_some(copy)
        };
        {
            let mut journal = Journal::open(&path, &all).unwrap();
            for (index, bytes) in [(2, b"two"), (0, b"nil"), (1, b"one")] {
                journal.add(index, &output(bytes)).unwrap();
            }
        }
        // One is gone, one is new, one has changed, and they come in another order.
        let mut other =
            Identity { command: 7, tasks: vec![all.tasks[2], Task { name: 9, state: 9 }, all.tasks[1]] };
        other.tasks[2].state += 1;
        let mut journal = Journal::open(&path, &other).unwrap();
        assert_eq!((journal.known(), journal.changed(), journal.others()), (vec![0], vec![2], 1));
        assert_eq!((of(&journal, 0).as_deref(), of(&journal, 2)), (Some(&b"two"[..]), None));
        journal.add(2, &output(b"uno")).unwrap();
        drop(journal);
        let journal = Journal::open(&path, &other).unwrap();
        assert_eq!((journal.known(), journal.changed()), (vec![0, 2], vec![]));
        assert_eq!(of(&journal, 2).as_deref(), Some(&b"uno"[..]));
        drop(journal);
        // The last one holds.
        let journal = Journal::open(&path, &all).unwrap();
        assert_eq!((journal.known(), journal.changed(), journal.others()), (vec![0, 2], vec![1], 0));
    }

    #[test]
    fn journals_of_others_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let journal = Journal::open(&path, &job(3)).unwrap();
        assert!(message(Journal::open(&path, &job(3))).contains("another run is using"));
        drop(journal);
        let other = Identity { command: 8, ..job(3) };
        assert!(message(Journal::open(&path, &other)).contains("of another command; name a new file"));
        std::fs::write(&path, b"forerun journal3\x07\0\0\0\0\0\0\0").unwrap();
        assert!(message(Journal::open(&path, &job(3))).contains("another version"));
        std::fs::write(&path, "a text that is longer than a head").unwrap();
        assert!(message(Journal::open(&path, &job(3))).contains("no journal"));
        std::fs::write(&path, "short").unwrap();
        assert!(message(Journal::open(&path, &job(3))).contains("no journal"));
        assert!(message(Journal::open(dir.path(), &job(3))).contains("it is a directory: name a file"));
        assert!(
            message(Journal::open(&dir.path().join("no/such"), &job(3)))
                .contains("no such directory: make it")
        );
    }
}
