//! Reading lines: where they begin, and which of them are not numbers.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::ops::Range;
use std::path::Path;

use forerun_platform::file::shown;
use forerun_skeleton::{AppError, memory};

use super::number;
use super::run::{Lines, Record};
use crate::seen::LEAVE;
use crate::sort::files::{Files, Segment};

/// A longer line, in bytes, is taken for something else than a number.
const LONGEST: u64 = 64 << 10;
/// Bytes looked at in one go for the end of a line.
const LOOK: u64 = 256;
/// Starts of lines are kept in 32 bits.
const LARGEST: u64 = 1 << 31;

/// The first place at or after `at` where a line begins (or the sequence ends).
///
/// # Errors
/// The file cannot be read, or there is no end of a line within 64 KiB.
fn line_start(files: &Files, at: u64) -> Result<u64, AppError> {
    if files.is_boundary(at) {
        return Ok(at);
    }
    // A line begins at `at` if a newline is right before it.
    let mut from = at - 1;
    let Some(segment) = files.segments(from..files.bytes()).next() else { return Ok(at) };
    let end = from + segment.range.end - segment.range.start;
    while from < end {
        let mut look = vec![0; LOOK.min(end - from) as usize];
        files.read(from..from + look.len() as u64, &mut look)?;
        if let Some(n) = look.iter().position(|&c| c == b'\n') {
            return Ok(from + n as u64 + 1);
        }
        from += look.len() as u64;
        if from - at > LONGEST {
            return Err(first_wrong(files, at));
        }
    }
    Ok(end)
}

/// The lines that begin in `range`: from where to where they are.
pub(super) fn whole(files: &Files, range: Range<u64>) -> Result<Range<u64>, AppError> {
    Ok(line_start(files, range.start)?..line_start(files, range.end)?)
}

/// Sorts the lines of `range`, which is one of [`whole`] lines; `None` if that takes more than
/// `room` bytes. `fetch` puts what a segment holds into a buffer of its length; segments come in
/// their order.
pub(super) fn sort(
    files: &Files,
    range: Range<u64>,
    room: u64,
    mut fetch: impl FnMut(&Segment<'_>, &mut [u8]) -> Result<(), AppError>,
) -> Result<Option<Lines>, AppError> {
    let bytes = range.end - range.start;
    if bytes >= LARGEST || 2 * bytes > room {
        return Ok(None);
    }
    let end = range.end;
    let mut text = memory::room(bytes as usize + 1)?;
    let mut records = Vec::new();
    for segment in files.segments(range) {
        let start = text.len();
        text.resize(start + (segment.range.end - segment.range.start) as usize, 0);
        fetch(&segment, &mut text[start..])?;
        if text.last() != Some(&b'\n') {
            text.push(b'\n');
        }
        let lines = text[start..].iter().filter(|&&c| c == b'\n').count();
        if 2 * text.len() as u64 + Lines::PER_LINE * (records.len() + lines) as u64 > room {
            return Ok(None);
        }
        memory::reserve(&mut records, lines)?;
        let mut at = start;
        for line in text[start..].split_inclusive(|&c| c == b'\n') {
            let body = &line[..line.len() - 1];
            match number::key(body) {
                Some(key) if (body.len() as u64) < LONGEST => {
                    records.push(Record { key, start: at as u32, length: body.len() as u32 });
                }
                _ => return Err(first_wrong(files, end)),
            }
            at += line.len();
        }
    }
    Lines::sort(&text, records).map(Some)
}

/// The error for the first line that is no number, of all that begin before `end`: whichever piece of the input has shown
/// that there is one.
fn first_wrong(files: &Files, end: u64) -> AppError {
    for segment in files.segments(0..end) {
        match wrong_in(&segment) {
            Ok(None) => {}
            Ok(Some(error)) => return error,
            Err(e) => return AppError::new(format!("cannot read {}: {e}", shown(segment.path))),
        }
    }
    AppError::new(format!("an input was changed while it was being read: {LEAVE}"))
}

/// The error for the first line that is no number, of those that begin in a segment from the beginning of a file on.
fn wrong_in(segment: &Segment<'_>) -> io::Result<Option<AppError>> {
    let name = shown(segment.path);
    let mut file = BufReader::with_capacity(1 << 16, File::open(segment.path)?);
    let (mut at, mut line) = (0, Vec::new());
    for count in 1u64.. {
        line.clear();
        let read = file.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line)?;
        if at >= segment.range.end || read == 0 {
            break;
        }
        at += read as u64;
        let body = line.strip_suffix(b"\n").unwrap_or(&line);
        if body.len() as u64 >= LONGEST {
            return Ok(Some(AppError::of_input(format!(
                "{name}:{count}: the line is longer than 64 KiB: expected one number a line"
            ))));
        }
        if number::key(body).is_none() {
            return Ok(Some(bad_line(segment.path, count, body)));
        }
    }
    Ok(None)
}

fn bad_line(path: &Path, line: u64, body: &[u8]) -> AppError {
    let name = shown(path);
    let found = body.trim_ascii();
    AppError::of_input(if found.is_empty() {
        format!("{name}:{line}: the line is blank: expected one number a line; remove the line")
    } else {
        let shown: String = String::from_utf8_lossy(found).chars().take(40).collect();
        format!("{name}:{line}: {shown:?} is not a decimal number: expected one such as -12 or 3.50 a line")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::ElementType;
    use crate::sort::sorted::Sorted as _;

    #[test]
    fn every_line_begins_in_exactly_one_piece() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let paths = [directory.path().join("a"), directory.path().join("b"), directory.path().join("c")];
        let texts = ["1\n-22\n333", "", "4\n55555\n6\n"];
        for (path, text) in paths.iter().zip(texts) {
            std::fs::write(path, text).expect("written");
        }
        let files = Files::open(&paths, ElementType::Lines).expect("good files");
        let starts: Vec<u64> =
            (0..=files.bytes()).map(|at| line_start(&files, at).expect("readable")).collect();
        assert_eq!(starts, [0, 2, 2, 6, 6, 6, 6, 9, 9, 9, 11, 11, 17, 17, 17, 17, 17, 17, 19, 19]);
        let whole = Lines::read(&files, 0..files.bytes(), u64::MAX).expect("good lines").expect("room");
        assert_eq!(whole.text, b"-22\n1\n4\n6\n333\n55555\n");
    }
}
