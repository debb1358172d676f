//! Files that commands write beside a job's own result: looked at before a long run, and whole
//! under their names or not there.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use forerun_apps::partial::{self, Place};
use forerun_platform::Bytes;
pub(crate) use forerun_platform::file::shown;
use forerun_platform::file::{Stream, hold, is_standard_output, stream};
use rustix::fs::{Access, access};

use crate::error::{CliError, failed, reason, request};

/// What a file has at least that is begun to see whether one can be: a block of most file systems, in bytes.
const A_BLOCK: usize = 4096;
/// A full disk, as a sentence's rest.
const NO_SPACE: &str = "no space is left there; make some, or name another file";

/// Where a name leads; none for standard output.
fn place(path: &Path) -> io::Result<Option<Place>> {
    if is_standard_output(path) { Ok(None) } else { partial::place(path).map(Some) }
}

/// Whether a file can be written at `path`, which `option` names: asked before a run, so that a
/// long one does not end in an error that was there from the start.
///
/// # Errors
/// A bad request that says what is in the way.
pub fn check(option: &str, path: &Path) -> Result<(), CliError> {
    let refuse = |why: String| {
        request(format!(
            "{option} {}: cannot be written ({why}); name a file in a directory you may write to",
            shown(path)
        ))
    };
    partial::may_be_replaced(path, reason)
        .map_err(|why| request(format!("{option} {}: {why}", shown(path))))?;
    match place(path).map_err(|e| refuse(reason(&e)))? {
        Some(Place::File { path: _, directory }) if !directory.is_dir() => {
            Err(refuse(format!("there is no directory {}", shown(directory))))
        }
        // What the system lets be done is known when it is done: rights, a file system that is not written to, a full disk.
        Some(Place::File { path: _, directory }) => begun(&directory).map_err(|e| match is_full(&e) {
            true => request(format!("{option} {}: cannot be written: {NO_SPACE}", shown(path))),
            false => refuse(reason(&e)),
        }),
        None => Ok(()),
        Some(Place::Special(path)) => {
            access(&path, Access::WRITE_OK).map_err(|e| refuse(reason(&e.into())))?;
            hold(&path).map_err(|e| refuse(reason(&e)))
        }
    }
}

/// Begins a file in a directory, of which nothing is left: it has a block, which a full disk has no room for.
fn begun(directory: &Path) -> io::Result<()> {
    let mut file = {
        let mut unfinished = unfinished();
        let file = partial::begin(directory, 0o600)?;
        unfinished.push(file.path().to_path_buf());
        file
    };
    let _listed = Listed(file.path().to_path_buf());
    file.as_file_mut().write_all(&[0; A_BLOCK])
}

fn is_full(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Whether files can be written into a directory, which `option` names and which need not be there yet, nor those
/// that it lies in.
///
/// # Errors
/// A bad request that says what is in the way.
pub fn check_directory(option: &str, path: &Path) -> Result<(), CliError> {
    let refuse = |why: String| {
        let path = shown(path);
        request(format!(
            "{option} {path}: nothing can be written there ({why}); name a directory you may write to"
        ))
    };
    let here = Path::new(".");
    let there = path.ancestors().map(|p| if p == Path::new("") { here } else { p }).find(|p| p.exists());
    let there = there.unwrap_or(here);
    if !there.is_dir() {
        return Err(refuse(format!("{} is no directory", shown(there))));
    }
    access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|e| refuse(reason(&e.into())))
}

/// Bytes that are free where `path` is to be written; `None` where no file is made, or the system does not say: writing tells.
fn free(path: &Path) -> Option<u64> {
    let Ok(Some(Place::File { path: _, directory })) = place(path) else { return None };
    let room = rustix::fs::statvfs(&directory).ok()?;
    Some(room.f_bavail.saturating_mul(room.f_frsize))
}

/// That a result of `bytes` has no room where `path` is, beside what is there, if it has none. A file system that compresses
/// may have room nevertheless.
pub fn too_large(option: &str, path: &Path, bytes: u64) -> Option<String> {
    let free = free(path).filter(|free| *free < bytes)?;
    Some(format!(
        "{option} {}: the result takes {}, and {} are free there: a run fails at its end unless there is more by then",
        shown(path),
        Bytes(bytes),
        Bytes(free)
    ))
}

/// Whether `bytes` (`None`: more than any file can have) fit where `path` is to be written, which `option`
/// names, beside what is there: asked before much is written.
///
/// # Errors
/// A bad request that says how much is free.
pub fn check_room(option: &str, path: &Path, bytes: Option<u64>) -> Result<(), CliError> {
    let Some(free) = free(path) else { return Ok(()) };
    let needs = match bytes {
        Some(bytes) if bytes <= free => return Ok(()),
        Some(bytes) => Bytes(bytes).to_string(),
        None => "more than any file can hold".into(),
    };
    Err(request(format!(
        "{option} {}: {needs} would be written, and {} are free there; ask for less, or name a file elsewhere",
        shown(path),
        Bytes(free)
    )))
}

/// Writes `bytes` to `path`: readers find what was there before, or all of it.
///
/// # Errors
/// A failed run that names the file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    replace(path, |file| file.write_all(bytes).map(|()| true)).map(drop).map_err(|e| unwritten(path, &e))
}

/// The error for a file that could not be written.
pub fn unwritten(path: &Path, e: &io::Error) -> CliError {
    // By whatever name it is called, one rule holds where nobody reads it any more.
    let name = if is_standard_output(path) { "standard output".into() } else { shown(path) };
    let why = if is_full(e) { NO_SPACE.into() } else { reason(e) };
    failed(format!("{name} could not be written: {why}"))
}

/// Replaces a file by what `fill` writes, if that gives true; gives what `fill` gave.
///
/// # Errors
/// The system's; then, as where `fill` gives false, the file is as it was.
pub fn replace(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<bool>) -> io::Result<bool> {
    let (path, directory) = match place(path)? {
        Some(Place::Special(path)) => return fill(&mut stream(&path, || false)?),
        None => return fill(&mut Stream::standard_output()?),
        Some(Place::File { path, directory }) => (path, directory),
    };
    let mode = fs::metadata(&path).map_or(0o666, |m| m.permissions().mode() & 0o777);
    let (mut file, _listed) = {
        let mut unfinished = unfinished();
        let file = partial::begin(&directory, mode)?;
        unfinished.push(file.path().to_path_buf());
        let listed = Listed(file.path().to_path_buf());
        (file, listed)
    };
    let whole = fill(file.as_file_mut())?;
    if whole {
        file.persist(&path).map_err(|e| e.error)?;
    }
    Ok(whole)
}

/// The files that are being written under other names than their own.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is in the list while this lives.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

/// Removes the files that are being written, before the process ends in the middle of that. No other is begun while the
/// list is held.
pub fn put_away() -> impl Sized {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        let _ = fs::remove_file(path);
    }
    unfinished
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;
    use std::path::Path;

    use super::{check, replace, write};

    #[test]
    fn a_file_is_replaced_whole_or_left_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        write(&file, b"one").unwrap();
        let broken = replace(&file, |f| {
            f.write_all(b"tw")?;
            Err(io::Error::other("broken"))
        });
        assert!(broken.is_err());
        assert!(!replace(&file, |f| f.write_all(b"tw").map(|()| false)).unwrap());
        assert_eq!(fs::read(&file).unwrap(), b"one");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("a"), dir.path().join("b"));
        fs::write(&file, "one").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"two").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"two");
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    fn what_is_in_the_way_is_said_before() {
        let dir = tempfile::tempdir().unwrap();
        let said = |path: &Path| check("--json", path).unwrap_err().to_string();
        assert!(said(dir.path()).contains("it is a directory"));
        assert!(said(&dir.path().join("no/a")).contains("there is no directory"));
        assert!(said(Path::new("/")).starts_with("--json /: "));
        check("--json", &dir.path().join("a")).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
