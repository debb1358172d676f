//! Files under names of their own until they are complete, of which none stays that nobody writes any more.
//!
//! Whoever writes one holds a lock on it; the system takes the lock away however the writer ends. So one whose lock
//! can be had is nobody's, even if its process's number is another's by now. Who begins a file removes such from the
//! directory. The names have the host in them, and only its own are looked at: where hosts share a file system, one
//! may not see another's locks.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use forerun_platform::file::takes_bytes;
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;
use tempfile::NamedTempFile;

/// How the names begin.
pub(crate) const PREFIX: &str = ".forerun-";
/// Files that are begun before giving up on having a lock.
const TRIES: usize = 10;
/// Links that are followed one after the other, as the system does.
const LINKS: usize = 40;

/// The directories that this process has looked through: what is left by the dead is removed once, since to look
/// takes time and many files may be begun.
static TIDIED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Begins a file in `directory`, with the permissions `mode` as far as the process's mask leaves them. It is gone when
/// it is dropped, unless [`NamedTempFile::persist`] gives it its name, and after the process was killed with the
/// next file that is begun there.
///
/// Cost: the first time, looking through the directory.
///
/// # Errors
/// The system's.
pub fn begin(directory: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let prefix = prefix();
    if TIDIED.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.to_path_buf()) {
        // Nothing depends on it: what cannot be removed is left.
        let _ = tidy(directory, &prefix);
    }
    for _ in 0..TRIES {
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(".partial")
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(directory)?;
        match file.as_file().try_lock() {
            // Another process may have found it before it was locked, and taken it for a dead one's.
            Ok(()) if file.as_file().metadata()?.nlink() > 0 => return Ok(file),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            // A file system without locks: then nobody takes it for a dead one's either.
            Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
    Err(io::Error::other("other processes remove files that are begun there again and again"))
}

/// A file without a name on the file system of the one at `path`, in its directory; it is gone when it is dropped.
///
/// # Errors
/// The system's.
pub(crate) fn unnamed_beside(path: &Path) -> io::Result<File> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    tempfile::tempfile_in(directory.unwrap_or(Path::new(".")))
}

/// Where a name leads.
#[derive(Debug)]
pub enum Place {
    /// A regular file, there or not, and its directory: replaced at once.
    File {
        /// The file; where the name is a link, that behind it.
        path: PathBuf,
        /// Its directory.
        directory: PathBuf,
    },
    /// Something else (`/dev/null`, a named pipe): written into.
    Special(PathBuf),
}

/// The file behind `path`: where that is a link, what it leads to, whether that is there or not (as `>` of a shell and `sort -o` take
/// it). The name of what is there has no links in it; that of what is no file stays as it is.
///
/// # Errors
/// That links lead in a circle; the system's.
pub fn behind(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    let mut end = path.to_path_buf();
    // What is there without a name, as a pipe that is open, has a link that names nothing.
    if fs::metadata(path).is_ok() {
        return Ok(end);
    }
    for _ in 0..LINKS {
        match fs::read_link(&end) {
            Ok(to) => end = end.parent().unwrap_or(Path::new("")).join(to),
            // No link, or nothing.
            Err(_) => return Ok(end),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// Where `path` leads. A link stays a link: what it points to is replaced, or made.
///
/// # Errors
/// That it is a directory, a socket or a disk, or no name of a file; the system's.
pub fn place(path: &Path) -> io::Result<Place> {
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") && !path.exists() {
        return Err(io::Error::other("it is a directory's name, and there is none"));
    }
    let path = behind(path)?;
    match fs::metadata(&path) {
        Ok(found) if !found.is_file() => {
            return takes_bytes(found.file_type()).map(|()| Place::Special(path));
        }
        _ => {}
    }
    if path.file_name().is_none() {
        return Err(io::Error::other("it has no file name"));
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    Ok(Place::File { path, directory })
}

/// That what is at `path`, where that is a regular file, may be written to by this process. To get another file in its place takes only the
/// directory's permission; but who takes the permission to write from a file, or has it from somebody else, wants it to stay.
///
/// # Errors
/// That it may not, in words that follow the path and a colon, as `say` says the system's reason. What cannot be told is no error.
pub fn may_be_replaced(path: &Path, say: impl Fn(&io::Error) -> String) -> Result<(), String> {
    if !fs::metadata(path).is_ok_and(|is| is.is_file()) {
        return Ok(());
    }
    match accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS) {
        Err(e @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => {
            Err(format!("it is there and may not be written to ({}); name another file", say(&e.into())))
        }
        _ => Ok(()),
    }
}

/// How the names of this host's files begin.
fn prefix() -> String {
    let host = rustix::system::uname();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
    format!("{PREFIX}{}-", host.nodename().to_string_lossy().chars().map(plain).collect::<String>())
}

/// Removes what processes of this host that were killed left beside the file at `path`; where there is no file to be, nothing. What
/// cannot be removed is left.
///
/// Cost: looking through the directory.
pub fn put_away(path: &Path) {
    if let Ok(Place::File { directory, .. }) = place(path) {
        let _ = tidy(&directory, &prefix());
    }
}

/// Removes the files of `directory` that nobody holds.
fn tidy(directory: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(directory)?.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        if ours && entry.file_type().is_ok_and(|t| t.is_file()) {
            let Ok(file) = File::open(entry.path()) else { continue };
            if file.try_lock().is_ok() {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn names(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn what_the_dead_left_is_removed_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let dead = [at(&format!("{}abc.partial", prefix())), at(&format!("{}abc.partial.tried", prefix()))];
        let others = [at(".forerun-another.host-abc.partial"), at("result"), at(".forerun-notes")];
        for path in dead.iter().chain(&others) {
            fs::write(path, "half").unwrap();
        }
        // One that is being written, as if by another process.
        let living = begin(directory.path(), 0o666).unwrap();
        assert!(dead.iter().all(|path| !path.exists()) && others.iter().all(|path| path.exists()));
        tidy(directory.path(), &prefix()).unwrap();
        assert!(living.path().exists());
        put_away(&at("another result"));
        assert!(living.path().exists());
        // Killed: nobody removes it, and its lock is gone.
        let (file, path) = living.keep().unwrap();
        drop(file);
        put_away(Path::new("/dev/null"));
        assert!(path.exists());
        put_away(&at("another result"));
        assert!(!path.exists());
        assert_eq!(names(directory.path()), others.len());
    }

    #[test]
    fn a_result_is_nobody_s_to_remove() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = begin(directory.path(), 0o600).unwrap();
        file.write_all(b"all").unwrap();
        file.persist(directory.path().join("result")).unwrap();
        drop(begin(directory.path(), 0o600).unwrap());
        tidy(directory.path(), &prefix()).unwrap();
        assert_eq!(fs::read(directory.path().join("result")).unwrap(), b"all");
        assert_eq!(names(directory.path()), 1);
    }

    #[test]
    fn a_link_to_what_is_not_there_leads_there() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let real = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir(at("in")).unwrap();
        for (link, to) in [("one", "in/file"), ("two", "one"), ("in/up", "../file"), ("round", "round")] {
            std::os::unix::fs::symlink(to, at(link)).unwrap();
        }
        let leads = |name: &str| behind(&at(name)).unwrap();
        assert_eq!([leads("one"), leads("two")], [at("in/file"), at("in/file")]);
        assert_eq!(leads("in/up"), at("in/../file"));
        assert_eq!(leads("none"), at("none"));
        assert!(behind(&at("round")).is_err());
        let Place::File { directory, .. } = place(&at("two")).unwrap() else { panic!("a file") };
        assert_eq!(directory, at("in"));
        fs::write(at("in/file"), "x").unwrap();
        assert_eq!([leads("one"), leads("two")], [real.join("in/file"), real.join("in/file")]);
    }

    /// However many begin and look at once, none loses a file that it writes.
    #[test]
    fn nobody_loses_a_file_to_another() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let file = begin(directory.path(), 0o600).unwrap();
                        tidy(directory.path(), &prefix()).unwrap();
                        assert!(file.path().exists());
                    }
                });
            }
        });
        assert_eq!(names(directory.path()), 0);
    }
}
