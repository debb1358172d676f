//! Where outputs go one after the other, while a run goes on.

use std::fs::File;
use std::io::{self, PipeWriter, Write};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use forerun_platform::file;
use forerun_skeleton::{AppError, Cancel};
use rustix::fs::{FileType, fstat};
use tempfile::NamedTempFile;

use super::destination::Destination;
use super::output::Output;
use super::patient::Patient;
use super::scratch::plain;
use super::show;
use crate::partial;

const NULL: &str = "/dev/null";

/// Standard output, or a file that gets its name when it is complete.
#[derive(Debug)]
pub(crate) struct Stream {
    to: To,
    cancel: Cancel,
    bytes: u64,
}

#[derive(Debug)]
enum To {
    StandardOutput,
    Special(file::Stream, PathBuf),
    File(NamedTempFile, PathBuf),
    /// A file without a name, or a pipe that is read at once, for trying out what writing costs.
    Tried(File),
    TriedPipe(PipeWriter),
    /// It was finished, or is another process's.
    Nowhere,
}

impl Stream {
    /// Opens it; standard output for none.
    ///
    /// # Errors
    /// That it cannot be written.
    pub(crate) fn open(path: Option<&Path>, cancel: Cancel) -> Result<Self, AppError> {
        let to = match Destination::open(path)? {
            Destination::StandardOutput => To::StandardOutput,
            Destination::Special(path) => {
                let file = file::stream(&path, || cancel.is_cancelled());
                let file = file.map_err(|e| trouble(&show::path(&path), &e))?;
                To::Special(file, path)
            }
            Destination::File(path) => {
                let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let made = partial::begin(dir, 0o666);
                To::File(made.map_err(|e| trouble(&show::path(&path), &e))?, path)
            }
        };
        Ok(Stream { to, cancel, bytes: 0 })
    }

    /// One that nothing is written to.
    pub(crate) fn nowhere(cancel: Cancel) -> Self {
        Stream { to: To::Nowhere, cancel, bytes: 0 }
    }

    /// One to try out what writing costs, of which nothing is left when it is dropped: a file without a name on the same file system, or a
    /// pipe that is read at once. None where there is nothing of the kind, as for terminals.
    pub(crate) fn rehearsal(&self) -> Option<Stream> {
        let to = match &self.to {
            To::File(_, path) => To::Tried(partial::unnamed_beside(path).ok()?),
            To::StandardOutput => tried(io::stdout().as_fd())?,
            To::Special(file, _) => tried(file.as_fd())?,
            To::Tried(_) | To::TriedPipe(_) | To::Nowhere => return None,
        };
        Some(Stream { to, cancel: self.cancel.clone(), bytes: 0 })
    }

    /// Writes an output.
    ///
    /// # Errors
    /// That it cannot be written; that the run is cancelled while nobody reads.
    pub(crate) fn write(&mut self, output: &Output) -> Result<(), AppError> {
        output.copy_to(self).map_err(|e| trouble(&self.place(), &e))
    }

    /// Ends it; gives the bytes written and where they are.
    ///
    /// # Errors
    /// That the file cannot be given its name.
    pub(crate) fn finish(&mut self) -> Result<(u64, String), AppError> {
        let place = self.place();
        if let To::File(file, path) = std::mem::replace(&mut self.to, To::Nowhere) {
            // A result that is replaced keeps its permissions.
            let kept = std::fs::metadata(&path).map(|m| file.as_file().set_permissions(m.permissions()));
            kept.unwrap_or(Ok(())).map_err(|e| trouble(&place, &e))?;
            file.persist(&path).map_err(|e| trouble(&place, &e.error))?;
        }
        Ok((self.bytes, place))
    }

    /// Whether it goes to what is there and no regular file, a pipe or a device.
    pub(super) fn is_special(&self) -> bool {
        matches!(self.to, To::Special(..))
    }

    /// Whether it goes to standard output.
    pub(super) fn is_standard(&self) -> bool {
        matches!(self.to, To::StandardOutput)
    }

    fn place(&self) -> String {
        match &self.to {
            To::StandardOutput | To::Nowhere => "standard output".into(),
            To::Tried(_) | To::TriedPipe(_) => "what is tried".into(),
            To::Special(_, path) | To::File(_, path) => show::path(path),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &self.to {
            To::StandardOutput => Patient::new(io::stdout().as_fd(), &self.cancel).write(bytes),
            To::Special(file, _) => Patient::new(file.as_fd(), &self.cancel).write(bytes),
            To::File(file, _) => Patient::new(file.as_file().as_fd(), &self.cancel).write(bytes),
            To::Tried(file) => Patient::new(file.as_fd(), &self.cancel).write(bytes),
            To::TriedPipe(pipe) => Patient::new(pipe.as_fd(), &self.cancel).write(bytes),
            To::Nowhere => Err(io::Error::other("it is finished")),
        }?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is like an open file that is not ours, where that can be had.
fn tried(open: BorrowedFd<'_>) -> Option<To> {
    match FileType::from_raw_mode(fstat(open).ok()?.st_mode) {
        FileType::RegularFile => {
            // Where it was removed, the name has words after it; its directory is the same.
            let path = std::fs::read_link(format!("/proc/self/fd/{}", open.as_raw_fd())).ok()?;
            Some(To::Tried(partial::unnamed_beside(&path).ok()?))
        }
        FileType::Fifo | FileType::Socket => {
            let (mut from, to) = io::pipe().ok()?;
            std::thread::Builder::new().spawn(move || io::copy(&mut from, &mut io::sink())).ok()?;
            Some(To::TriedPipe(to))
        }
        // Where all that is written is forgotten, there is nothing to be kept from.
        FileType::CharacterDevice if is_null(open) => {
            File::options().write(true).open(NULL).ok().map(To::Tried)
        }
        _ => None,
    }
}

fn is_null(open: BorrowedFd<'_>) -> bool {
    let device = |metadata: rustix::fs::Stat| metadata.st_rdev;
    let null = rustix::fs::stat(NULL).map(device);
    null.is_ok_and(|null| fstat(open).map(device) == Ok(null))
}

fn trouble(place: &str, e: &io::Error) -> AppError {
    AppError::new(format!("cannot write {place}: {}", plain(e)))
}
