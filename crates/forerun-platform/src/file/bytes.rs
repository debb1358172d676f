//! What a file holds, where it may be no regular file.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

/// How long somebody may take to open the other end of a pipe.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);
/// How often it is looked at whether to give up.
pub(super) const TICK: Duration = Duration::from_millis(50);
/// What is no regular file may have no end.
const LONGEST: usize = 256 << 20;

/// The name of standard input where a file is read, and of standard output where one is written.
pub const STANDARD: &str = "-";
/// What standard input and pipes held, by their names: it comes once, whoever asks for it.
static ONCE: Mutex<Vec<(PathBuf, Vec<u8>)>> = Mutex::new(Vec::new());
/// Most bytes that are kept of a pipe: those of a description.
const DESCRIPTION: usize = 1 << 20;

type Ends = Box<dyn Fn() -> bool + Send + Sync>;
static ENDS: OnceLock<Ends> = OnceLock::new();

/// Whether nobody is to be waited for any more.
pub(super) fn ended() -> bool {
    ENDS.get().is_some_and(|ends| ends())
}

/// Ends the waiting of [`bytes()`] and [`stream`](super::stream()) in this process as soon as `ends` says so. The first that is given counts.
pub fn end_waiting_when(ends: impl Fn() -> bool + Send + Sync + 'static) {
    let _ = ENDS.set(Box::new(ends));
}

/// Reads a file, or standard input, which is called `-`. One that is a pipe or a terminal is waited for until its end, so that what a command prints can be a file
/// (`<(…)` in shells), unless nobody opens it to write within some seconds, or [`end_waiting_when`] ends it. A pipe that held up to 1 MiB gives the same
/// when it is asked for again.
///
/// # Errors
/// The system's; a sentence's rest, for [`unread`](super::unread), where a pipe, a socket or a device gives nothing that has an end.
pub fn bytes(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let path = path.as_ref();
    if path == Path::new(STANDARD) {
        return once(path, usize::MAX, standard_input);
    }
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() {
        return fs::read(path);
    }
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if kind.is_socket() {
        return Err(io::Error::other("it is a socket, where a file is expected"));
    }
    let read = || {
        let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
        waited(&file, !kind.is_fifo(), PATIENCE)
    };
    if kind.is_fifo() { once(path, DESCRIPTION, read) } else { read() }
}

/// What came under this name before; else what `read` gives, which is kept if it has at most so many bytes. Who asks meanwhile waits.
fn once(name: &Path, most: usize, read: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    let mut kept = ONCE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, bytes)) = kept.iter().find(|(there, _)| there == name) {
        return Ok(bytes.clone());
    }
    let bytes = read()?;
    if bytes.len() <= most {
        kept.push((name.to_path_buf(), bytes.clone()));
    }
    Ok(bytes)
}

/// Reads standard input to its end.
fn standard_input() -> io::Result<Vec<u8>> {
    let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
    let (from, mut bytes, mut block) = (io::stdin(), Vec::new(), vec![0; 64 << 10]);
    loop {
        if ended() {
            return Err(ErrorKind::Interrupted.into());
        }
        match poll(&mut [PollFd::new(&from, PollFlags::IN)], Some(&tick)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(e) => return Err(e.into()),
        }
        match rustix::io::read(&from, &mut block[..]) {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(&block[..read]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(e) => return Err(e.into()),
        }
        if bytes.len() > LONGEST {
            return Err(io::Error::other("it does not end: name a file"));
        }
    }
    Ok(bytes)
}

/// Reads to the end of what does not block. As long as nobody has opened it to write, a pipe reads as if it had ended.
fn waited(mut file: &File, mut opened: bool, patience: Duration) -> io::Result<Vec<u8>> {
    let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
    let (begin, mut bytes, mut block) = (Instant::now(), Vec::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut block) {
            Ok(0) if opened => return Ok(bytes),
            Ok(0) if begin.elapsed() > patience => {
                return Err(io::Error::other(
                    "it is a pipe that nobody writes to: start what does so before",
                ));
            }
            Ok(0) => {}
            Ok(read) => {
                opened = true;
                bytes.extend_from_slice(&block[..read]);
                if bytes.len() > LONGEST {
                    return Err(io::Error::other("it is no regular file, and does not end: name another"));
                }
                continue;
            }
            Err(e) if e.kind() == ErrorKind::WouldBlock => opened = true,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        if ended() {
            return Err(ErrorKind::Interrupted.into());
        }
        let mut ready = [PollFd::new(&file, PollFlags::IN)];
        // Interrupted, it is looked at once more.
        let _ = poll(&mut ready, Some(&tick));
        opened |= ready[0].revents().contains(PollFlags::HUP);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;
    use std::process::Command;
    use std::thread::{sleep, spawn};

    use super::*;
    use crate::file::unread;

    /// A directory that is gone with it.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let place = std::env::temp_dir().join(format!("forerun-bytes-{name}-{}", std::process::id()));
            fs::create_dir(&place).unwrap();
            Place(place)
        }

        fn pipe(&self) -> PathBuf {
            let pipe = self.0.join("pipe");
            assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            pipe
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_a_command_prints_is_waited_for() {
        for text in [vec![], b"format = 1".to_vec(), vec![b'x'; 300_000]] {
            let place = Place::new(&format!("writer-{}", text.len()));
            let pipe = place.pipe();
            let (to, sent) = (pipe.clone(), text.clone());
            let writer = spawn(move || {
                sleep(Duration::from_millis(150));
                let mut to = File::options().write(true).open(to).unwrap();
                sleep(Duration::from_millis(150));
                let (first, rest) = sent.split_at(sent.len() / 2);
                to.write_all(first).unwrap();
                sleep(Duration::from_millis(150));
                to.write_all(rest).unwrap();
            });
            assert!(bytes(&pipe).unwrap() == text);
            writer.join().unwrap();
            // Nobody writes any more.
            assert!(bytes(&pipe).unwrap() == text);
        }
    }

    #[test]
    fn what_comes_once_is_given_again_unless_it_is_long() {
        let of = |name: &str, bytes: &[u8]| once(Path::new(name), 3, || Ok(bytes.to_vec())).unwrap();
        assert_eq!((of("short", b"abc"), of("short", b"")), (b"abc".to_vec(), b"abc".to_vec()));
        assert_eq!((of("long", b"abcd"), of("long", b"")), (b"abcd".to_vec(), Vec::new()));
        assert!(once(Path::new("wrong"), 3, || Err(ErrorKind::Interrupted.into())).is_err());
        assert_eq!(of("wrong", b"now"), b"now");
    }

    #[test]
    fn what_is_no_file_is_said() {
        let place = Place::new("kinds");
        let said = |path: &Path| unread("f", &bytes(path).unwrap_err());
        assert_eq!(said(&place.0), "f is a directory, where a file is expected");
        assert_eq!(said(&place.0.join("none")), "f does not exist: check its name");
        let socket = place.0.join("socket");
        let _held = UnixListener::bind(&socket).unwrap();
        assert_eq!(said(&socket), "cannot read f: it is a socket, where a file is expected");
        assert_eq!(
            said(Path::new("/dev/zero")),
            "cannot read f: it is no regular file, and does not end: name another"
        );
        assert_eq!(bytes("/dev/null").unwrap(), b"");
        let pipe = place.pipe();
        let begin = Instant::now();
        assert_eq!(
            said(&pipe),
            "cannot read f: it is a pipe that nobody writes to: start what does so before"
        );
        assert!(begin.elapsed() < 4 * PATIENCE);
    }
}
