//! Whether a file that is read in parts is still the one that was looked at.

use std::ffi::OsString;
use std::fs::{Metadata, metadata};
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forerun_platform::file::shown;
use forerun_skeleton::{AppError, Wire};

/// By how much the system's clock of files is late at most.
const LATE: Duration = Duration::from_millis(10);
/// What there is to do about it.
pub(crate) const LEAVE: &str = "leave the inputs alone until the end of a run";
/// What became of a file of which only the time of its last change of any kind has moved: an edit with the time put back looks like a link that was
/// made and removed again.
const TOUCHED: &str =
    "was touched, or written to and its time put back (only its ctime has moved, which does not tell),";

/// A file as it was when it was looked at: by its size, when it was last written to, which it is, and when the system last changed anything
/// of it, which nobody can put back. Who writes the same again is told so, too: nobody knows that before all is read again. A file that gets
/// another link, owner or permission is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    bytes: u64,
    written: (i64, i64),
    /// Which file it is, on this machine.
    file: (u64, u64),
    changed: (i64, i64),
    /// What else than bytes and times moves `changed`: its links, owners and permissions.
    held: (u64, u64, u64),
}

impl Seen {
    /// As the system says it.
    pub(crate) fn of(is: &Metadata) -> Seen {
        Seen {
            bytes: is.len(),
            written: (is.mtime(), is.mtime_nsec()),
            file: (is.dev(), is.ino()),
            changed: (is.ctime(), is.ctime_nsec()),
            held: (is.nlink(), u64::from(is.uid()) << 32 | u64::from(is.gid()), u64::from(is.mode())),
        }
    }

    /// What became of it, if it is `now` so, as seen by one machine and by one name of the device; else by what all hosts agree on, where what
    /// was last written to before `looked` may be a copy.
    fn became(&self, now: &Seen, looked: Option<(i64, i64)>) -> Option<&'static str> {
        let same = looked.is_none();
        Some(match now.bytes.cmp(&self.bytes) {
            _ if same && now.file != self.file => "was replaced by another file",
            std::cmp::Ordering::Less => "became shorter",
            std::cmp::Ordering::Greater => "became longer",
            _ if now.written != self.written && looked.is_none_or(|looked| now.written > looked) => {
                "was written to"
            }
            _ if same && now.changed != self.changed && now.held == self.held => TOUCHED,
            std::cmp::Ordering::Equal => return None,
        })
    }

    /// That a file at `path` which `is` so now is still as it was seen, in this process.
    ///
    /// # Errors
    /// A sentence that names the file and says what became of it.
    pub(crate) fn check_against(&self, path: &Path, is: &Metadata) -> Result<(), AppError> {
        match self.became(&Seen::of(is), None) {
            None => Ok(()),
            Some(what) => {
                Err(AppError::new(format!("{} {what} while it was being read: {LEAVE}", shown(path))))
            }
        }
    }

    /// The same, of what is at `path` now. A file that is gone was read as it was seen: what is read is checked.
    ///
    /// # Errors
    /// As [`Seen::check_against`]; that it cannot be looked at.
    pub(crate) fn check(&self, path: &Path) -> Result<(), AppError> {
        now(path)?.map_or(Ok(()), |is| self.check_against(path, &is))
    }
}

/// What is at `path` now, if anything is.
fn now(path: &Path) -> Result<Option<Metadata>, AppError> {
    match metadata(path) {
        Ok(is) => Ok(Some(is)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(AppError::new(format!("cannot look at {} again: {e}", shown(path)))),
    }
}

/// Files as one process has seen them, for others that open them themselves: what it planned by and kept is of these files, so that a file that
/// is another by then must not be read.
///
/// On the machine that saw them, and where the device is the same, all is compared. Elsewhere a file system may count files and devices in its
/// own way, and a copy is as good: there, a file has to have the size, and must not have been written to since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenFiles {
    /// The running system that saw them, where it can be told.
    machine: Option<String>,
    /// When that was, in seconds and nanoseconds since 1970.
    looked: (i64, i64),
    files: Vec<(PathBuf, Seen)>,
}

impl SeenFiles {
    /// Looks at the files at `paths`. What is no file or cannot be looked at is left out: whoever opens it says why.
    pub fn look<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        let look = |path: P| {
            let path = path.as_ref();
            let is = metadata(path).ok().filter(Metadata::is_file)?;
            Some((path.to_path_buf(), Seen::of(&is)))
        };
        Self::those(paths.into_iter().filter_map(look).collect())
    }

    /// Those that this process has seen.
    pub(crate) fn those(files: Vec<(PathBuf, Seen)>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(LATE);
        let looked = (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), i64::from(since.subsec_nanos()));
        SeenFiles { machine: machine(), looked, files }
    }

    /// Where they are, and their sizes in bytes.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.files.iter().map(|(path, seen)| (&**path, seen.bytes))
    }

    /// The first that is only of the process that saw it, by its name, as `/dev/stdin` is: other processes have another of this name.
    pub fn own(&self) -> Option<&Path> {
        let own = ["/dev/stdin", "/dev/fd", "/proc/self", "/proc/thread-self"];
        self.files.iter().map(|(path, _)| &**path).find(|path| own.iter().any(|own| path.starts_with(own)))
    }

    /// That all are still as they were seen, for a process that has opened them: what it sees of them from then on is what was seen.
    /// Costs a system call a file.
    ///
    /// # Errors
    /// A sentence that names the first that is not, and says what became of it.
    pub fn check(&self) -> Result<(), AppError> {
        let here = self.machine.is_some() && machine() == self.machine;
        self.files.iter().try_for_each(|(path, seen)| {
            let Some(is) = now(path)? else { return Ok(()) };
            let is = Seen::of(&is);
            let looked = if here && is.file.0 == seen.file.0 { None } else { Some(self.looked) };
            let Some(what) = seen.became(&is, looked) else { return Ok(()) };
            let path = shown(path);
            Err(AppError::new(match here {
                true => format!("{path} {what} while a run on it began: {LEAVE}"),
                false => format!(
                    "{path} on this host is not as it was seen where the run was started (it {what}): {LEAVE}, and have the same on all hosts"
                ),
            }))
        })
    }
}

/// What tells this running system from others, also from itself before it was started anew.
fn machine() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

impl Wire for SeenFiles {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.machine.encode(out)?;
        self.looked.encode(out)?;
        self.files.len().encode(out)?;
        self.files.iter().try_for_each(|(path, seen)| {
            let Seen { bytes, written, file, changed, held } = *seen;
            path.as_os_str().as_bytes().to_vec().encode(out)?;
            ((bytes, file, held), (written, changed)).encode(out)
        })
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let (machine, looked) = (Wire::decode(bytes)?, Wire::decode(bytes)?);
        let count: usize = Wire::decode(bytes)?;
        let one = |_| {
            let path = OsString::from_vec(Wire::decode(bytes)?).into();
            let ((size, file, held), (written, changed)) = Wire::decode(bytes)?;
            Ok((path, Seen { bytes: size, written, file, changed, held }))
        };
        Ok(SeenFiles { machine, looked, files: (0..count).map(one).collect::<Result<_, AppError>>()? })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::thread::sleep;

    use forerun_skeleton::wire::{Plain, whole};

    use super::*;

    /// Writes a file anew, which is 100 s old, in a directory.
    fn old(path: &Path, bytes: &str) -> Seen {
        fs::write(path, bytes).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(100)).unwrap();
        // The system's clock of files goes in steps.
        sleep(Duration::from_millis(30));
        Seen::of(&fs::metadata(path).unwrap())
    }

    /// Writes to a file and puts its time back.
    fn edit(path: &Path, bytes: &str) {
        let time = fs::metadata(path).unwrap().modified().unwrap();
        fs::write(path, bytes).unwrap();
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn what_became_of_a_file_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let said = |seen: &Seen| seen.check(&path).err().map(|e| e.to_string()).unwrap_or_default();
        let file = old(&path, "some");
        assert_eq!(said(&file), "");
        fs::hard_link(&path, dir.path().join("link")).unwrap();
        assert_eq!(said(&file), "", "another name is no change");
        let file = old(&path, "some");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(said(&file), "", "nor are other permissions");
        for (bytes, what) in
            [("more of it", "became longer"), ("so", "became shorter"), ("some", "was written to")]
        {
            let file = old(&path, "some");
            fs::write(&path, bytes).unwrap();
            let said = said(&file);
            assert!(said.contains(&format!("file {what} while it was being read")), "{said}");
        }
        let file = old(&path, "some");
        edit(&path, "else");
        assert!(
            said(&file).contains("file was touched, or written to and its time put back"),
            "{}",
            said(&file)
        );
        // What only moves the same time cannot be told from it, and is not called an edit.
        let file = old(&path, "some");
        fs::hard_link(&path, dir.path().join("short")).unwrap();
        fs::remove_file(dir.path().join("short")).unwrap();
        let told = said(&file);
        assert!(told.contains("does not tell), while it was being read: leave the inputs alone"), "{told}");
        let file = old(&path, "some");
        fs::write(dir.path().join("other"), "some").unwrap();
        fs::rename(dir.path().join("other"), &path).unwrap();
        assert!(said(&file).contains("was replaced by another file"));
        fs::remove_file(&path).unwrap();
        assert_eq!(said(&file), "");
    }

    /// What other processes are told goes there and back, and says what became of each file; of other machines only what all hosts agree on.
    #[test]
    fn what_became_of_files_is_said_to_other_processes() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| dir.path().join(name));
        let look = || {
            for path in [&one, &two] {
                old(path, "some");
            }
            let looked = SeenFiles::look([&one, &two, &dir.path().join("none"), &dir.path().into()]);
            let mut bytes = Vec::new();
            looked.encode(&mut bytes).unwrap();
            let told: SeenFiles = whole(&Plain, &bytes).unwrap();
            assert_eq!(told, looked);
            assert_eq!(told.sizes().collect::<Vec<_>>(), [(&*one, 4), (&*two, 4)]);
            told
        };
        let elsewhere = |files: &SeenFiles| {
            let mut files = files.clone();
            files.machine = Some("another".into());
            for (_, seen) in &mut files.files {
                (seen.file, seen.changed) = ((1, 1), (1, 1));
            }
            files
        };
        let said = |files: &SeenFiles| files.check().err().map(|e| e.to_string()).unwrap_or_default();
        let files = look();
        assert_eq!((said(&files), said(&elsewhere(&files))), (String::new(), String::new()));
        fs::write(&two, "more of it").unwrap();
        assert!(
            said(&files).contains("two became longer while a run on it began: leave"),
            "{}",
            said(&files)
        );
        let there = said(&elsewhere(&files));
        assert!(
            there.contains("two on this host is not as it was seen") && there.contains("(it became longer)")
        );
        let files = look();
        edit(&one, "else");
        assert!(
            said(&files).contains("one was touched, or written to and its time put back"),
            "{}",
            said(&files)
        );
        assert_eq!(said(&elsewhere(&files)), "", "nobody can tell there");
        let files = look();
        old(&two, "copy");
        assert_eq!(said(&elsewhere(&files)), "", "a copy that was made before has a time of its own");
        fs::write(&two, "else").unwrap();
        assert!(said(&elsewhere(&files)).contains("(it was written to)"), "{}", said(&elsewhere(&files)));
    }
}
