//! Where the one result goes.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use forerun_platform::file;
use forerun_skeleton::{AppError, Cancel};
use rustix::fs::{Access, access};

use super::output::Output;
use super::patient::Patient;
use super::scratch::plain;
use super::show;
use crate::partial;

/// A file, or standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Standard output.
    StandardOutput,
    /// A file, replaced at once when the result is complete.
    File(PathBuf),
    /// Something that is no regular file (`/dev/null`, a named pipe), written into.
    Special(PathBuf),
}

impl Destination {
    /// The destination that `-o path` names, standard output for none and for `-`; checked, so that
    /// a long run does not end in an error that was there from the start.
    ///
    /// # Errors
    /// That the path is a directory, a socket, a pipe that nobody reads or a file that may not be written to, or its directory is missing or cannot be written to.
    pub fn open(path: Option<&Path>) -> Result<Self, AppError> {
        let Some(path) = path.filter(|p| !file::is_standard_output(p)) else {
            return Ok(Destination::StandardOutput);
        };
        let refuse = |what: &str| Err(AppError::new(format!("cannot write {}: {what}", show::path(path))));
        // The file behind a link is what is to be replaced, not the link; any other keeps the name that it was given.
        let path = match partial::behind(path) {
            Ok(target) if path.is_symlink() => target,
            Ok(_) => path.to_path_buf(),
            Err(e) => return refuse(&plain(&e)),
        };
        match fs::metadata(&path) {
            Ok(m) if m.is_dir() => return refuse("it is a directory; name a file"),
            Ok(m) if !m.is_file() => {
                let can = file::takes_bytes(m.file_type());
                let can = can.and_then(|()| Ok(access(&path, Access::WRITE_OK)?));
                return match can.and_then(|()| file::hold(&path)) {
                    Ok(()) => Ok(Destination::Special(path)),
                    Err(e) => refuse(&plain(&e)),
                };
            }
            _ => {}
        }
        if let Err(why) = partial::may_be_replaced(&path, plain) {
            return refuse(&why);
        }
        let dir = parent(&path);
        if !dir.is_dir() {
            return refuse(&format!("the directory {} does not exist; make it first", show::path(dir)));
        }
        if access(dir, Access::WRITE_OK | Access::EXEC_OK).is_err() {
            return refuse(&format!("the directory {} cannot be written to", show::path(dir)));
        }
        if path.file_name().is_none() {
            return refuse("it has no file name");
        }
        Ok(Destination::File(path))
    }

    /// Writes `output`, or nothing for `None`. A file has the whole content or, after an error,
    /// is as it was.
    ///
    /// # Errors
    /// That it cannot be written, with its name and the reason; that `cancel` was set.
    pub fn write(&self, output: Option<&Output>, cancel: &Cancel) -> Result<(), AppError> {
        let written = match self {
            Destination::StandardOutput => copy(output, io::stdout().as_fd(), cancel),
            Destination::File(path) => replace(path, output, cancel),
            Destination::Special(path) => file::stream(path, || cancel.is_cancelled())
                .and_then(|file| copy(output, file.as_fd(), cancel)),
        };
        written.map_err(|e| {
            let name = match self {
                Destination::StandardOutput => "standard output".to_owned(),
                Destination::File(path) | Destination::Special(path) => show::path(path),
            };
            AppError::new(format!("cannot write the result to {name}: {}", plain(&e)))
        })
    }

    /// Does with `output` what [`Destination::write`] does, to try out what it costs: into a file without a name beside the one that is to be
    /// written, which is gone when it is dropped, and else to where all is lost.
    ///
    /// # Errors
    /// That it cannot be written, with the reason; that `cancel` was set.
    pub fn rehearse(&self, output: Option<&Output>, cancel: &Cancel) -> Result<Option<File>, AppError> {
        let Destination::File(path) = self else {
            return Destination::Special("/dev/null".into()).write(output, cancel).map(|()| None);
        };
        let tried = || -> io::Result<File> {
            let file = partial::unnamed_beside(path)?;
            copy(output, file.as_fd(), cancel)?;
            Ok(file)
        };
        let beside =
            |e| AppError::new(format!("cannot write a result beside {}: {}", show::path(path), plain(&e)));
        tried().map(Some).map_err(beside)
    }

    /// Bytes of the file that is replaced.
    pub fn replaces(&self) -> u64 {
        match self {
            Destination::File(path) => fs::metadata(path).map_or(0, |file| file.len()),
            _ => 0,
        }
    }
}

fn copy(output: Option<&Output>, to: BorrowedFd<'_>, cancel: &Cancel) -> io::Result<()> {
    output.map_or(Ok(()), |output| output.copy_to(&mut Patient::new(to, cancel)))
}

fn replace(path: &Path, output: Option<&Output>, cancel: &Cancel) -> io::Result<()> {
    let mode = fs::metadata(path).map_or(0o666, |m| m.permissions().mode() & 0o777);
    let file = partial::begin(parent(path), mode)?;
    copy(output, file.as_file().as_fd(), cancel)?;
    file.persist(path)?;
    Ok(())
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}
