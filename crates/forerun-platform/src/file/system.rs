//! The system's errors, as sentences say them.

use std::io;
use std::path::Path;

use super::bytes::STANDARD;

/// What stands before the system's number of an error.
const NUMBERED: &str = " (os error ";

/// An error of the system in words, to be said within a sentence that names the file. (What libraries add after the number is a path, too.)
///
/// ```
/// let error = std::io::Error::from_raw_os_error(13);
/// assert_eq!(forerun_platform::file::reason(&error), "permission denied");
/// ```
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let mut chars = text.split(NUMBERED).next().unwrap_or_default().chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// A name as a sentence has it: as it is if that is legible, else quoted and escaped, so that a line stays a line.
///
/// ```
/// use forerun_platform::file::shown;
/// assert_eq!(shown("a b.txt"), "a b.txt");
/// assert_eq!(shown("a\nb"), r#""a\nb""#);
/// ```
pub fn shown(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    match path.to_str() {
        Some(name) if !name.chars().any(char::is_control) => name.to_owned(),
        _ => format!("{path:?}"),
    }
}

/// What sentences call the file of this name.
pub fn named(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    if path == Path::new(STANDARD) { "standard input".into() } else { shown(path) }
}

/// The sentence that the file `path` cannot be read.
///
/// ```
/// let error = std::fs::read("no/such/file").unwrap_err();
/// assert_eq!(forerun_platform::file::unread("no/such/file", &error), "no/such/file does not exist: check its name");
/// ```
pub fn unread(path: impl AsRef<Path>, error: &io::Error) -> String {
    let path = path.as_ref();
    let name = named(path);
    match error.kind() {
        // Not one of those files that are read from there.
        io::ErrorKind::NotFound if path == Path::new(STANDARD) => {
            "- is no file, and this input cannot come from standard input: name a file (./- where it is called so)".into()
        }
        io::ErrorKind::NotFound => format!("{name} does not exist: check its name"),
        io::ErrorKind::IsADirectory => format!("{name} is a directory, where a file is expected"),
        _ => format!("cannot read {name}: {}", reason(error)),
    }
}

/// A sentence without the system's numbers of errors, ` (os error 13)`, which are of no use to a person.
pub fn without_numbers(sentence: &str) -> String {
    let mut parts = sentence.split(NUMBERED);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => plain.push_str(rest),
            _ => plain.extend([NUMBERED, part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_numbers_are_not_said() {
        for (what, said) in [
            ("cannot read a: Permission denied (os error 13)", "cannot read a: Permission denied"),
            ("b: refused (os error 111); then c (os error 2): end", "b: refused; then c: end"),
            ("a file (os error of mine).txt (os error 5)", "a file (os error of mine).txt"),
            ("cut (os error 5", "cut (os error 5"),
            ("", ""),
        ] {
            assert_eq!(without_numbers(what), said);
        }
    }

    #[test]
    fn whatever_keeps_a_file_from_being_read_is_said_without_its_number() {
        for (number, said) in [
            (2, "f does not exist: check its name"),
            (13, "cannot read f: permission denied"),
            (20, "cannot read f: not a directory"),
            (21, "f is a directory, where a file is expected"),
        ] {
            assert_eq!(unread("f", &io::Error::from_raw_os_error(number)), said);
        }
    }
}
