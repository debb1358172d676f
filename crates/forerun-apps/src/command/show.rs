//! Names and texts from outside, as they are shown in a sentence.

use std::fmt::Write as _;
use std::path::Path;

/// Last lines of standard error that are shown.
const LINES: usize = 3;
/// Characters of them that are shown.
const CHARACTERS: usize = 600;

/// The name as it is if that is legible, else quoted and escaped.
pub(crate) fn path(path: &Path) -> String {
    match path.to_str() {
        Some("") => format!("{path:?}"),
        _ => forerun_platform::file::shown(path),
    }
}

/// The last lines of what a process said on standard error, on one line; empty if it said nothing.
pub(crate) fn last_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let mut lines: Vec<&str> =
        text.lines().rev().map(str::trim).filter(|l| !l.is_empty()).take(LINES).collect();
    lines.reverse();
    let mut shown = String::new();
    for c in lines.join("; ").chars().take(CHARACTERS) {
        if c.is_control() {
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// `1 file`, `2 files`.
pub(crate) fn count(n: u64, thing: &str) -> String {
    one_or_many(n, thing, &format!("{thing}s"))
}

/// `1 query`, `2 queries`.
pub(crate) fn one_or_many(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn odd_names_are_legible() {
        assert_eq!(path(Path::new("a b/ü.txt")), "a b/ü.txt");
        assert_eq!(path(Path::new("a\nb")), "\"a\\nb\"");
        assert_eq!(path(Path::new(OsStr::from_bytes(b"a\xff"))), "\"a\\xFF\"");
    }

    #[test]
    fn only_the_last_lines_of_standard_error_are_shown() {
        assert_eq!(last_lines(b"one\ntwo\n\nthree\n  four\x07\n"), "two; three; four\\u{7}");
        assert_eq!(last_lines(b"\n\n"), "");
    }
}
