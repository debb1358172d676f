//! The input files, checked, as one long sequence of bytes.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use forerun_platform::file::{shown, unread};
use forerun_skeleton::AppError;

use super::element::ElementType;
use super::positioned;
use crate::seen::Seen;

/// Bytes looked at, in two places, to tell how long lines are.
const SAMPLE: u64 = 64 << 10;

/// The files to be sorted, one after the other.
#[derive(Debug)]
pub(crate) struct Files {
    files: Vec<Input>,
    bytes: u64,
    line_bytes: u64,
}

#[derive(Debug)]
struct Input {
    path: PathBuf,
    /// Where it begins in the sequence.
    start: u64,
    bytes: u64,
    seen: Seen,
}

/// The part of one file that a range of the sequence covers.
#[derive(Debug, Clone)]
pub(crate) struct Segment<'a> {
    pub(crate) path: &'a Path,
    /// Bytes of the file.
    pub(crate) range: Range<u64>,
    seen: Seen,
}

impl Files {
    /// Looks at every file: it must be there, a regular file, readable, and hold whole elements.
    ///
    /// # Errors
    /// A sentence that names the first file that does not.
    pub(crate) fn open(paths: &[PathBuf], element: ElementType) -> Result<Self, AppError> {
        if paths.is_empty() {
            return Err(AppError::new("no input: name files to sort"));
        }
        let mut files = Vec::with_capacity(paths.len());
        let mut bytes = 0;
        let mut seen = HashMap::new();
        for path in paths {
            let is = check(path, element)?;
            let length = is.len();
            // Whatever it is called, as links of both kinds.
            if let Some(before) = seen.insert((is.dev(), is.ino()), path) {
                let name = shown(path);
                let other = match before == path {
                    true => String::new(),
                    false => format!(", also as {}", shown(before)),
                };
                return Err(AppError::new(format!("{name} is given twice{other}: name each input once")));
            }
            files.push(Input { path: path.clone(), start: bytes, bytes: length, seen: Seen::of(&is) });
            bytes += length;
        }
        let mut opened = Files { files, bytes, line_bytes: element.width() };
        if element == ElementType::Lines {
            opened.line_bytes = opened.estimate_line()?;
        }
        Ok(opened)
    }

    /// Bytes of an average line, from the beginning and the middle of the sequence.
    fn estimate_line(&self) -> Result<u64, AppError> {
        let (mut bytes, mut lines) = (0, 0);
        for start in [0, self.bytes / 2] {
            let mut sample = vec![0; SAMPLE.min(self.bytes - start) as usize];
            self.read(start..start + sample.len() as u64, &mut sample)?;
            bytes += sample.len() as u64;
            lines += sample.iter().filter(|&&c| c == b'\n').count() as u64;
        }
        Ok(bytes / lines.max(1))
    }

    /// Bytes of an average line, by a sample: what is planned with, not relied on.
    pub(crate) fn line_bytes(&self) -> u64 {
        self.line_bytes
    }

    /// Bytes of all files together.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of files.
    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    /// The parts of files that make up `range` of the sequence, in order, none of them empty.
    pub(crate) fn segments(&self, range: Range<u64>) -> impl Iterator<Item = Segment<'_>> {
        let first = self.files.partition_point(|f| f.start + f.bytes <= range.start);
        self.files[first..]
            .iter()
            .take_while(move |f| f.start < range.end)
            .map(move |f| {
                let within = range.start.max(f.start) - f.start..range.end.min(f.start + f.bytes) - f.start;
                Segment { path: &f.path, range: within, seen: f.seen }
            })
            .filter(|s| !s.range.is_empty())
    }

    /// Whether a file begins at `at`, or the sequence ends there.
    pub(crate) fn is_boundary(&self, at: u64) -> bool {
        at == self.bytes || self.files.iter().any(|f| f.start == at)
    }

    /// That all files are still as they were when they were looked at.
    ///
    /// # Errors
    /// A sentence that names the first that is not.
    pub(crate) fn unchanged(&self) -> Result<(), AppError> {
        self.files.iter().try_for_each(|file| file.seen.check(&file.path))
    }

    /// Reads `range` of the sequence into `buffer`, which is as long.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub(crate) fn read(&self, range: Range<u64>, buffer: &mut [u8]) -> Result<(), AppError> {
        let mut rest = buffer;
        for segment in self.segments(range) {
            let (now, later) = rest.split_at_mut((segment.range.end - segment.range.start) as usize);
            segment.read(now)?;
            rest = later;
        }
        Ok(())
    }
}

impl Segment<'_> {
    /// Reads all of it into `buffer`, which is as long.
    ///
    /// # Errors
    /// A sentence that names the file: it cannot be read, or is not as it was when it was looked at.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<(), AppError> {
        let file = File::open(self.path).map_err(|e| AppError::new(unread(self.path, &e)))?;
        let read = positioned::read_exact(&file, buffer, self.range.start);
        // Also where that was less than there was: it became shorter.
        let is = file.metadata().map_err(|e| AppError::new(unread(self.path, &e)))?;
        self.seen.check_against(self.path, &is)?;
        read.map_err(|e| AppError::new(unread(self.path, &e)))
    }
}

/// Bytes of the beginning that are looked at, and from how many on they tell: by chance, one in 10²⁰ files of random numbers would look like text.
const TEXT: u64 = 4096;
const TOLD: usize = 16;

/// Whether a file begins like lines of numbers in decimal.
fn looks_like_lines(file: &mut File) -> io::Result<bool> {
    let mut begin = Vec::new();
    file.take(TEXT).read_to_end(&mut begin)?;
    let of_text = |byte: &u8| {
        matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E' | b' ' | b'\t' | b'\r' | b'\n')
    };
    Ok(begin.len() >= TOLD && begin.contains(&b'\n') && begin.iter().all(of_text))
}

fn check(path: &Path, element: ElementType) -> Result<fs::Metadata, AppError> {
    let name = shown(path);
    let failed = |e: io::Error| {
        AppError::new(match e.kind() {
            io::ErrorKind::PermissionDenied => format!("{name} may not be read: its permissions refuse it"),
            _ => unread(path, &e),
        })
    };
    let data = fs::metadata(path).map_err(failed)?;
    if data.is_dir() {
        return Err(AppError::new(format!("{name} is a directory: name the files in it")));
    }
    if !data.is_file() {
        return Err(AppError::new(format!(
            "{name} is not a regular file: copy what it gives to a file first"
        )));
    }
    let mut file = File::open(path).map_err(failed)?;
    if element != ElementType::Lines && looks_like_lines(&mut file).map_err(failed)? {
        return Err(AppError::new(format!(
            "{name} holds text that looks like lines of numbers, not {element} elements of {} bytes: --type lines sorts those",
            element.width()
        )));
    }
    let remainder = data.len() % element.width();
    if remainder != 0 {
        return Err(AppError::new(format!(
            "{name} has {} bytes, which is no whole number of {element} elements of {} bytes \
             ({remainder} left over): it is cut off, or of another type",
            data.len(),
            element.width()
        )));
    }
    Ok(data)
}
