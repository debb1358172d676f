//! Finished tasks and their outputs in a file, so that a run that was killed can be taken up again.
//!
//! ```text
//! file    MAGIC command names sizes times states record*    of the job: a sum of each, to tell what differs in another
//! record  index length sum output        the sum is over all else of the record
//! ```
//!
//! Numbers are of 64 bits, little-endian. A record is in the file when its task is finished, whatever happens to the
//! process then (SIGKILL; of a machine that loses its power the last records may be lost, since it is not waited for the
//! disk). Those of earlier builds begin with another magic and have no `states`; they are read and go on as they are. A record that is not whole or whose sum is wrong is cut off with all that follows, and its task is done again.

use std::collections::BTreeMap;
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

const MAGIC: &[u8; 16] = b"forerun journal3";
/// What those begin with that know nothing of states.
const STATELESS: &[u8; 16] = b"forerun journal2";
/// What journals of all builds begin with.
const ANY: &[u8] = b"forerun journal";
/// Bytes before the first record, where states are not known, and of a record beside its output.
const HEAD: u64 = 56;
const STATELESS_HEAD: u64 = 48;
const RECORD: u64 = 24;
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

/// What tells a job from others: sums of its command, and of its files' names in order, their sizes, when they were changed, and of what
/// only the system sets, which an edit changes that keeps size and time: each file's number and when anything of it last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity([u64; 5]);

impl Identity {
    pub(crate) fn of(command: &str, shell: bool, files: &[InputFile]) -> Identity {
        let [mut asked, mut names, mut sizes, mut times, mut states] = [Sum::new(); 5];
        asked.add(&[u8::from(shell)]);
        asked.add(command.as_bytes());
        for file in files {
            names.add(file.path.as_os_str().as_encoded_bytes());
            names.add(&[0]);
            sizes.add(&file.bytes.to_le_bytes());
            let there = std::fs::metadata(&file.path).ok();
            let state = there
                .as_ref()
                .map_or([0; 3], |there| [there.ino().cast_signed(), there.ctime(), there.ctime_nsec()]);
            state.iter().for_each(|part| states.add(&part.to_le_bytes()));
            let changed = there.and_then(|there| there.modified().ok());
            let since = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
            times.add(&since.map_or(0, |since| since.as_nanos()).to_le_bytes());
        }
        Identity([asked, names, sizes, times, states].map(|sum| sum.0))
    }

    fn head(self) -> [u8; HEAD as usize] {
        let mut head = [0; HEAD as usize];
        head[..16].copy_from_slice(MAGIC);
        for (to, sum) in head[16..].chunks_exact_mut(8).zip(self.0) {
            to.copy_from_slice(&sum.to_le_bytes());
        }
        head
    }

    /// As a journal begins that knows nothing of states.
    fn stateless_head(self) -> [u8; STATELESS_HEAD as usize] {
        let mut head = [0; STATELESS_HEAD as usize];
        head.copy_from_slice(&self.head()[..STATELESS_HEAD as usize]);
        head[..16].copy_from_slice(STATELESS);
        head
    }

    /// In what the job whose journal begins with `found` differs.
    fn differs(self, found: &[u8]) -> String {
        let head = self.head();
        let other = |place: usize| {
            let at = 16 + 8 * place..24 + 8 * place;
            found.get(at.clone()) != Some(&head[at])
        };
        // Of other files, sizes and times are others as well.
        let stateless = found.starts_with(STATELESS);
        let files = match (other(1), other(2), other(3), other(4) && !stateless) {
            (true, ..) => Some("which files there are or their order"),
            (_, true, ..) => Some("the size of a file"),
            (_, _, true, _) => Some("when a file was last changed"),
            (.., true) => {
                Some("a file that was replaced or touched, though its size and its time are the same")
            }
            _ => None,
        };
        let command = other(0).then_some("the command");
        command.into_iter().chain(files).collect::<Vec<_>>().join(" and ")
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
}

impl Journal {
    /// Opens the journal of the job `identity`, of so many tasks; makes it where it is missing or empty.
    ///
    /// # Errors
    /// That it cannot be used, is another job's or no journal, or is in use.
    pub(crate) fn open(path: &Path, identity: Identity, tasks: u64) -> Result<Journal, AppError> {
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
        let mut journal =
            Journal { path: path.into(), end: HEAD, outputs: BTreeMap::new(), known: Vec::new(), file };
        let head = identity.head();
        let mut found = vec![0; length.min(HEAD) as usize];
        journal.file.read_exact_at(&mut found, 0).map_err(failed)?;
        if found.len() < head.len() && head.starts_with(&found)
            || found.len() < STATELESS_HEAD as usize && identity.stateless_head().starts_with(&found)
        {
            // New, or killed in its first moment.
            if let Err(e) = journal.file.write_all_at(&head, 0) {
                // As on a full disk: as it was before, so that nothing is left there of no use.
                let _ = if made { std::fs::remove_file(path) } else { journal.file.set_len(length) };
                return Err(failed(e));
            }
        } else if !found.starts_with(ANY) {
            return Err(refuse("this is no journal; name a new file, or one that --resume wrote"));
        } else if found.starts_with(&identity.stateless_head()) {
            journal.end = STATELESS_HEAD;
            journal.read(length, tasks).map_err(failed)?;
        } else if !found.starts_with(MAGIC) && !found.starts_with(STATELESS) {
            return Err(refuse("the journal is of another version of forerun; name a new file"));
        } else if found != head {
            return Err(refuse(&format!(
                "the journal is of another job: what differs is {}; name a new file",
                identity.differs(&found)
            )));
        } else {
            journal.read(length, tasks).map_err(failed)?;
        }
        journal.file.set_len(journal.end).map_err(failed)?;
        journal.known = journal.outputs.keys().copied().collect();
        Ok(journal)
    }

    /// An empty one on the same file system, for trying out what adding to it costs. It has no name, and is gone when it is dropped;
    /// none where there can be no such file.
    pub(crate) fn rehearsal(&self) -> Option<Journal> {
        let file = partial::unnamed_beside(&self.path).ok()?;
        Some(Journal {
            file,
            path: self.path.clone(),
            end: HEAD,
            outputs: BTreeMap::new(),
            known: Vec::new(),
        })
    }

    /// Reads records from the end of the head up to the first that is not whole.
    fn read(&mut self, length: u64, tasks: u64) -> io::Result<()> {
        let mut from = io::BufReader::with_capacity(BLOCK, self.file.try_clone()?);
        from.seek(SeekFrom::Start(self.end))?;
        let mut block = vec![0; BLOCK];
        while self.end + RECORD <= length {
            let mut record = [0; RECORD as usize];
            from.read_exact(&mut record)?;
            let [index, bytes, sum] = [0, 8, 16]
                .map(|at| u64::from_le_bytes(record[at..].first_chunk().copied().unwrap_or_default()));
            if index >= tasks || bytes > length - self.end - RECORD {
                break;
            }
            let mut found = Sum::new();
            found.add(&record[..16]);
            let mut left = bytes;
            while left > 0 {
                let some = &mut block[..left.min(BLOCK as u64) as usize];
                from.read_exact(some)?;
                found.add(some);
                left -= some.len() as u64;
            }
            if found.0 != sum {
                break;
            }
            self.outputs.insert(index, (self.end + RECORD, bytes));
            self.end += RECORD + bytes;
        }
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
        let mut record = [0; RECORD as usize];
        record[..8].copy_from_slice(&index.to_le_bytes());
        record[8..16].copy_from_slice(&bytes.to_le_bytes());
        let start = self.end + RECORD;
        let mut to = Summed { sum: Sum::new(), to: &self.file };
        to.sum.add(&record[..16]);
        // The head last: before it is there, the record is none.
        let written =
            (&self.file).seek(SeekFrom::Start(start)).and_then(|_| output.copy_to(&mut to)).and_then(|()| {
                record[16..].copy_from_slice(&to.sum.0.to_le_bytes());
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

    const SEVEN: Identity = Identity([7; 5]);

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
                let mut journal = Journal::open(&path, SEVEN, tasks).unwrap();
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
            let mut journal = Journal::open(&path, SEVEN, tasks).unwrap();
            prop_assert_eq!(journal.known(), (0..whole as u64).collect::<Vec<_>>());
            for (index, bytes) in outputs.iter().enumerate().skip(whole) {
                journal.add(index as u64, &output(bytes)).unwrap();
            }
            drop(journal);
            let journal = Journal::open(&path, SEVEN, tasks).unwrap();
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
        drop(Journal::open(&journal, before, 1).unwrap());
        assert_eq!(identity(), before, "nothing was done to it");
        // The system's clock of files goes in steps.
        std::thread::sleep(std::time::Duration::from_millis(30));
        std::fs::write(&path, "else").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        let edited = identity();
        assert_eq!((&edited.0[..4], edited.0[4] != before.0[4]), (&before.0[..4], true));
        assert!(message(Journal::open(&journal, edited, 1)).contains("replaced or touched"));
        // Another file in its place, of the same size and time.
        std::fs::write(dir.path().join("other"), "some").unwrap();
        let other = File::options().write(true).open(dir.path().join("other")).unwrap();
        other.set_modified(time).unwrap();
        std::fs::rename(dir.path().join("other"), &path).unwrap();
        assert_ne!(identity().0[4], edited.0[4]);
    }

    /// One of an earlier build has no states: it is told by what it has, and goes on.
    #[test]
    fn journals_without_states_are_read_and_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut bytes = SEVEN.stateless_head().to_vec();
        assert_eq!((&bytes[..16], bytes.len()), (&b"forerun journal2"[..], 48));
        std::fs::write(&path, &bytes).unwrap();
        Journal::open(&path, SEVEN, 3).unwrap().add(1, &output(b"one")).unwrap();
        Journal::open(&path, Identity([7, 7, 7, 7, 8]), 3).unwrap().add(0, &output(b"none")).unwrap();
        let journal = Journal::open(&path, SEVEN, 3).unwrap();
        let mut copy = Vec::new();
        assert!(journal.copy_to(1, &mut copy).unwrap() && journal.copy_to(0, &mut copy).unwrap());
        assert_eq!((journal.known(), &copy[..]), (vec![0, 1], &b"onenone"[..]));
        drop(journal);
        assert!(std::fs::read(&path).unwrap().starts_with(&bytes));
        let said = message(Journal::open(&path, Identity([7, 7, 7, 8, 8]), 3));
        assert!(said.contains("what differs is when a file was last changed;"), "{said}");
        // Killed in its first moment by an earlier build.
        bytes.truncate(30);
        std::fs::write(&path, &bytes).unwrap();
        assert!(Journal::open(&path, SEVEN, 3).unwrap().known().is_empty());
    }

    #[test]
    fn journals_of_others_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let journal = Journal::open(&path, SEVEN, 3).unwrap();
        assert!(message(Journal::open(&path, SEVEN, 3)).contains("another run is using"));
        drop(journal);
        for (other, what) in [
            ([8, 7, 7, 7, 7], "what differs is the command;"),
            ([7, 8, 8, 8, 8], "what differs is which files there are or their order;"),
            ([7, 7, 8, 8, 8], "what differs is the size of a file;"),
            ([7, 7, 7, 8, 8], "what differs is when a file was last changed;"),
            ([7, 7, 7, 7, 8], "what differs is a file that was replaced or touched, though"),
            ([8, 7, 7, 8, 8], "what differs is the command and when a file was last changed;"),
        ] {
            let said = message(Journal::open(&path, Identity(other), 3));
            assert!(said.contains("of another job") && said.contains(what), "{said}");
        }
        std::fs::write(&path, b"forerun journal1\x07\0\0\0\0\0\0\0").unwrap();
        assert!(message(Journal::open(&path, SEVEN, 3)).contains("another version"));
        std::fs::write(&path, "a text that is longer than a head").unwrap();
        assert!(message(Journal::open(&path, SEVEN, 3)).contains("no journal"));
        std::fs::write(&path, "short").unwrap();
        assert!(message(Journal::open(&path, SEVEN, 3)).contains("no journal"));
        assert!(message(Journal::open(dir.path(), SEVEN, 3)).contains("it is a directory: name a file"));
        assert!(
            message(Journal::open(&dir.path().join("no/such"), SEVEN, 3))
                .contains("no such directory: make it")
        );
    }
}
