//! Writing to what may not want anything for a long time.

use std::io;
use std::os::fd::BorrowedFd;

use forerun_platform::file::write_some;
use forerun_skeleton::Cancel;
use rustix::fs::{FileType, fstat};

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

impl io::Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_some(self.to, self.waits, bytes, || self.cancel.is_cancelled())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
