//! Writing to what may not want anything for a long time.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use forerun_skeleton::Cancel;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::Errno;

/// How often the flag is looked at while nobody reads.
const TICK: Duration = Duration::from_millis(20);
/// What a pipe that has room takes without blocking, in bytes (`PIPE_BUF`, at least on Linux).
const ROOM: usize = 4096;
/// Written at once to a regular file, in bytes.
const BLOCK: usize = 256 << 10;

/// Writes to a file, a pipe or a terminal and gives up when the flag is set, even where nobody reads.
#[derive(Debug)]
pub struct Patient<'a> {
    to: BorrowedFd<'a>,
    cancel: &'a Cancel,
    waits: bool,
}

impl<'a> Patient<'a> {
    /// Writes to `to`.
    pub fn new(to: BorrowedFd<'a>, cancel: &'a Cancel) -> Self {
        let regular = fstat(to).is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile);
        Patient { to, cancel, waits: !regular }
    }
}

fn go_on(cancel: &Cancel) -> io::Result<()> {
    if cancel.is_cancelled() { Err(io::Error::other("the run was cancelled")) } else { Ok(()) }
}

impl io::Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos() as _ };
        loop {
            go_on(self.cancel)?;
            if self.waits {
                match poll(&mut [PollFd::from_borrowed_fd(self.to, PollFlags::OUT)], Some(&tick)) {
                    Ok(0) | Err(Errno::INTR) => continue,
                    Ok(_) => {}
                    Err(e) => return Err(e.into()),
                }
            }
            let most = if self.waits { ROOM } else { BLOCK };
            match rustix::io::write(self.to, &bytes[..bytes.len().min(most)]) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                other => return Ok(other?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens `path`, which is no regular file, to write to it; waits for a reader of a named pipe.
pub(crate) fn open(path: &Path, cancel: &Cancel) -> io::Result<File> {
    if !path.metadata()?.file_type().is_fifo() {
        return File::options().write(true).open(path);
    }
    loop {
        let flags = OFlags::NONBLOCK.bits() as i32;
        match File::options().write(true).custom_flags(flags).open(path) {
            // Nobody has it open to read.
            Err(e) if e.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                go_on(cancel)?;
                sleep(TICK);
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn all_of_it_comes_through_a_pipe() {
        let (mut from, to) = io::pipe().unwrap();
        let sent: Vec<u8> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
        let read = thread::spawn(move || {
            let mut got = Vec::new();
            from.read_to_end(&mut got).map(|_| got)
        });
        Patient::new(to.as_fd(), &Cancel::new()).write_all(&sent).unwrap();
        drop(to);
        assert!(read.join().unwrap().unwrap() == sent);
    }

    #[test]
    fn a_pipe_that_nobody_reads_does_not_hold_it() {
        let (_from, to) = io::pipe().unwrap();
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let setter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            flag.cancel();
        });
        assert!(Patient::new(to.as_fd(), &cancel).write_all(&vec![0; 1 << 20]).is_err());
        setter.join().unwrap();
    }
}
