//! A list of input files, read from a file or a pipe.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use forerun_platform::file::unread;
use forerun_skeleton::AppError;
use rustix::fs::{FileType, fstat};

use super::scratch::plain;
use super::show;

/// Bytes read at a time.
const BLOCK: usize = 64 << 10;
/// Longest name: far longer than any system takes.
const LONGEST: usize = 1 << 20;

/// Reads a list of paths from the file `from`, or from standard input if that is `-`.
///
/// # Errors
/// That it cannot be read, with its name.
pub fn read_list(from: &Path) -> Result<Vec<PathBuf>, AppError> {
    let mut names = Names::open(from)?;
    let mut all = Vec::new();
    while let Some(name) = names.next()? {
        all.push(name);
    }
    Ok(all)
}

/// Whether the names in `from` may keep coming: it is a pipe, a socket or a terminal, not a regular file.
pub fn keeps_coming(from: &Path) -> bool {
    if from == Path::new("-") {
        let regular = |s: rustix::fs::Stat| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile;
        return !fstat(io::stdin()).is_ok_and(regular);
    }
    std::fs::metadata(from).is_ok_and(|m| m.file_type().is_fifo() || m.file_type().is_socket())
}

/// The names in a list, one after the other: each ended by a NUL if the first block read has one
/// (`find -print0`), else by a line end. Empty ones are left out.
pub struct Names {
    from: String,
    read: Box<dyn Read + Send>,
    block: Vec<u8>,
    /// What is read and not yet given: from here to the end of `block`.
    at: usize,
    end: Option<u8>,
    over: bool,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("from", &self.from).finish_non_exhaustive()
    }
}

impl Names {
    /// The names in the file `from`, or on standard input if that is `-`.
    ///
    /// # Errors
    /// That it cannot be opened, with its name.
    pub fn open(from: &Path) -> Result<Self, AppError> {
        if from == Path::new("-") {
            return Ok(Names::of("standard input".into(), Box::new(io::stdin())));
        }
        let name = show::path(from);
        let file = File::open(from).map_err(|e| unreadable(&name, &e))?;
        Ok(Names::of(name, Box::new(file)))
    }

    fn of(from: String, read: Box<dyn Read + Send>) -> Self {
        Names { from, read, block: Vec::new(), at: 0, end: None, over: false }
    }

    /// The next name; waits for it.
    ///
    /// # Errors
    /// That the list cannot be read, or is none, with its name.
    #[expect(clippy::should_implement_trait, reason = "each step can fail, and the error ends it")]
    pub fn next(&mut self) -> Result<Option<PathBuf>, AppError> {
        let mut looked = 0;
        loop {
            let rest = &self.block[self.at..];
            let end = self.end.unwrap_or(b'\n');
            let found = rest[looked..].iter().position(|&b| b == end).map(|i| looked + i);
            if found.is_none() && !self.over {
                looked = rest.len();
                self.more()?;
                continue;
            }
            let length = found.unwrap_or(rest.len());
            let name = rest[..length].to_vec();
            self.at = (self.at + length + 1).min(self.block.len());
            looked = 0;
            if end != 0 && name.contains(&0) {
                return Err(AppError::new(format!(
                    "the list of inputs from {} has a NUL in a line, but its first names end with line ends: \
                     end all of them the same way",
                    self.from
                )));
            }
            if !name.is_empty() {
                return Ok(Some(OsString::from_vec(name).into()));
            }
            if found.is_none() {
                return Ok(None);
            }
        }
    }

    /// Reads what is there, at least a byte.
    fn more(&mut self) -> Result<(), AppError> {
        self.block.drain(..self.at);
        self.at = 0;
        if self.block.len() > LONGEST {
            return Err(AppError::new(format!(
                "the list of inputs from {} has a name of more than {LONGEST} bytes: expected one name a line",
                self.from
            )));
        }
        let held = self.block.len();
        self.block.resize(held + BLOCK, 0);
        let read = loop {
            match self.read.read(&mut self.block[held..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let read = read.map_err(|e| unreadable(&self.from, &e))?;
        self.block.truncate(held + read);
        self.over = read == 0;
        if self.end.is_none() && read > 0 {
            self.end = Some(if self.block.contains(&0) { 0 } else { b'\n' });
        }
        Ok(())
    }
}

fn unreadable(name: &str, e: &io::Error) -> AppError {
    if e.kind() == io::ErrorKind::NotFound {
        return AppError::new(unread(name, e));
    }
    AppError::new(format!("cannot read the list of inputs from {name}: {}", plain(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes a few at a time.
    struct Dribble(Vec<u8>, usize);

    impl Read for Dribble {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(to.len());
            to[..n].copy_from_slice(&self.0[..n]);
            self.0.drain(..n);
            Ok(n)
        }
    }

    fn names(text: &[u8], step: usize) -> Result<Vec<PathBuf>, AppError> {
        let mut names = Names::of("a list".into(), Box::new(Dribble(text.to_vec(), step)));
        let mut all = Vec::new();
        while let Some(name) = names.next()? {
            all.push(name);
        }
        Ok(all)
    }

    #[test]
    fn lines_or_nuls_end_a_name_however_they_come() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        for step in [1, 2, 3, 100] {
            assert_eq!(names(b"a b\n\n./c\nd", step).unwrap(), paths(&["a b", "./c", "d"]));
            assert_eq!(names(b"", step).unwrap(), paths(&[]));
            assert_eq!(names(b"\n\n", step).unwrap(), paths(&[]));
        }
        assert_eq!(names(b"a\nb\0c\r\0\0", 100).unwrap(), paths(&["a\nb", "c\r"]));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert!(names(b"a\nb\0c\n", 2).unwrap_err().to_string().contains("NUL"));
        let long = names(&vec![b'x'; 2 * LONGEST], BLOCK).unwrap_err().to_string();
        assert!(long.contains("a list") && long.contains("one name a line"), "{long}");
    }
}
