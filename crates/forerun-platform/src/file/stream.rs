//! Writing to what is no regular file.

use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::bytes::{PATIENCE, STANDARD, TICK, ended};

/// What a pipe that has room takes without blocking, in bytes (`PIPE_BUF`, at least on Linux).
const ROOM: usize = 4096;
/// Written at once to a regular file, in bytes.
const BLOCK: usize = 256 << 10;

/// Pipes that are held open for what is written to them later.
static HELD: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

/// Whether a name stands for standard output: [`STANDARD`], or what the system calls it. What is written there goes on from where that is,
/// and replaces no file that it leads to.
pub fn is_standard_output(path: &Path) -> bool {
    [STANDARD, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// That what is there can be an output: a file that is replaced, or a pipe, a terminal or another device that takes bytes as they come.
///
/// # Errors
/// A sentence's rest, of a directory, a socket or a disk.
pub fn takes_bytes(kind: FileType) -> io::Result<()> {
    match kind {
        _ if kind.is_dir() => Err(io::Error::other("it is a directory")),
        _ if kind.is_socket() => Err(io::Error::other("it is a socket, where a file is expected")),
        _ if kind.is_block_device() => Err(io::Error::other("it is a disk, where a file is expected")),
        _ => Ok(()),
    }
}

/// What takes bytes as they come. Writing to it ends, with an error, where nobody takes them and
/// [`end_waiting_when`](super::end_waiting_when) says so.
#[derive(Debug)]
pub struct Stream {
    file: File,
    waits: bool,
}

impl Stream {
    /// Standard output: what is written goes on from where that is.
    ///
    /// # Errors
    /// The system's, where it has no room for another open file.
    pub fn standard_output() -> io::Result<Stream> {
        Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?).into())
    }
}

impl From<File> for Stream {
    fn from(file: File) -> Stream {
        let waits = !file.metadata().is_ok_and(|of| of.is_file());
        Stream { file, waits }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_some(&self.file, self.waits, bytes, || false)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes some of `bytes`; where `to` may not want any for a long time, it waits until it does, or `ends` or
/// [`end_waiting_when`](super::end_waiting_when) ends that.
///
/// # Errors
/// The system's; a sentence's rest, where waiting was ended (no error that is to be tried again).
pub fn write_some(to: impl AsFd, waits: bool, bytes: &[u8], ends: impl Fn() -> bool) -> io::Result<usize> {
    let to = to.as_fd();
    let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
    loop {
        if ends() || waits && ended() {
            return Err(io::Error::other("the run was cancelled"));
        }
        if waits {
            match poll(&mut [PollFd::from_borrowed_fd(to, PollFlags::OUT)], Some(&tick)) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(e) => return Err(e.into()),
            }
        }
        match rustix::io::write(to, &bytes[..bytes.len().min(if waits { ROOM } else { BLOCK })]) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            other => return Ok(other?),
        }
    }
}

/// Holds what is no regular file open for a later [`stream`] if it is a pipe, so that it is known before a long run whether anybody reads it.
///
/// # Errors
/// As [`stream`].
pub fn hold(path: &Path) -> io::Result<()> {
    let held = |held: &[(PathBuf, File)]| held.iter().any(|(there, _)| there == path);
    if !fs::metadata(path)?.file_type().is_fifo() || held(&lock()) {
        return Ok(());
    }
    let file = opened(path, PATIENCE, || false)?;
    lock().push((path.to_path_buf(), file));
    Ok(())
}

/// Opens what is there and no regular file, to write to it. A pipe is waited for until somebody reads it, for some seconds, unless `ends` or
/// [`end_waiting_when`](super::end_waiting_when) ends that; one that is held ([`hold`]) is there at once.
///
/// # Errors
/// The system's; a sentence's rest, where nobody reads a pipe, or of what takes no bytes ([`takes_bytes`]).
pub fn stream(path: &Path, ends: impl Fn() -> bool) -> io::Result<Stream> {
    let held = {
        let mut held = lock();
        let at = held.iter().position(|(there, _)| there == path);
        at.map(|at| held.swap_remove(at).1)
    };
    held.map_or_else(|| opened(path, PATIENCE, ends), Ok).map(Stream::from)
}

fn lock() -> std::sync::MutexGuard<'static, Vec<(PathBuf, File)>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn opened(path: &Path, patience: Duration, ends: impl Fn() -> bool) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    takes_bytes(kind)?;
    if !kind.is_fifo() {
        return File::options().write(true).open(path);
    }
    let begin = Instant::now();
    loop {
        match File::options().write(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path) {
            // Nobody has it open to read.
            Err(e) if e.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {}
            Err(e) => return Err(e),
            Ok(file) => {
                fcntl_setfl(&file, fcntl_getfl(&file)?.difference(OFlags::NONBLOCK))?;
                return Ok(file);
            }
        }
        if ended() || ends() {
            return Err(ErrorKind::Interrupted.into());
        }
        if begin.elapsed() > patience {
            return Err(io::Error::other("it is a pipe that nobody reads: start what does so before"));
        }
        sleep(TICK);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::UnixListener;
    use std::process::Command;
    use std::thread::spawn;

    use super::*;

    fn pipe(dir: &Path) -> PathBuf {
        let pipe = dir.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        pipe
    }

    /// A directory that is gone with it.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let place = std::env::temp_dir().join(format!("forerun-stream-{name}-{}", std::process::id()));
            fs::create_dir(&place).unwrap();
            Place(place)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_pipe_is_waited_for_until_it_is_read_and_no_longer() {
        let place = Place::new("patience");
        let pipe = pipe(&place.0);
        let refused = |e: io::Error| e.to_string();
        let begin = Instant::now();
        let why = refused(opened(&pipe, Duration::from_millis(100), || false).unwrap_err());
        assert_eq!(why, "it is a pipe that nobody reads: start what does so before");
        assert!(begin.elapsed() < PATIENCE);
        let stopped = opened(&pipe, PATIENCE, || true).unwrap_err();
        assert_eq!(stopped.kind(), ErrorKind::Interrupted);
        for held in [false, true] {
            let from = pipe.clone();
            let reader = spawn(move || {
                sleep(Duration::from_millis(150));
                let mut read = Vec::new();
                File::open(from).unwrap().read_to_end(&mut read).unwrap();
                read.len()
            });
            if held {
                hold(&pipe).unwrap();
                hold(&pipe).unwrap();
            }
            // More than a pipe has room for.
            stream(&pipe, || false).unwrap().write_all(&vec![b'x'; 300_000]).unwrap();
            assert_eq!(reader.join().unwrap(), 300_000);
        }
    }

    #[test]
    fn what_takes_no_bytes_is_said() {
        let place = Place::new("kinds");
        let socket = place.0.join("socket");
        let _held = UnixListener::bind(&socket).unwrap();
        let why = |path: &Path| stream(path, || false).unwrap_err().to_string();
        assert_eq!(why(&socket), "it is a socket, where a file is expected");
        assert_eq!(why(&place.0), "it is a directory");
        hold(Path::new("/dev/null")).unwrap();
        stream(Path::new("/dev/null"), || false).unwrap().write_all(b"gone").unwrap();
    }
}
