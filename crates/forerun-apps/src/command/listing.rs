//! A list of input files, read from a file.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use forerun_skeleton::AppError;

use super::scratch::plain;
use super::show;

/// Reads a list of paths from the file `from`, or from standard input if that is `-`.
///
/// # Errors
/// That it cannot be read, with its name.
pub fn read_list(from: &Path) -> Result<Vec<PathBuf>, AppError> {
    let mut text = Vec::new();
    let (name, read) = if from == Path::new("-") {
        ("standard input".to_owned(), io::stdin().lock().read_to_end(&mut text))
    } else {
        (show::path(from), File::open(from).and_then(|mut f| f.read_to_end(&mut text)))
    };
    read.map_err(|e| AppError::new(format!("cannot read the list of inputs from {name}: {}", plain(&e))))?;
    Ok(split_list(&text))
}

/// The paths in `text`: each ended by a NUL if there is one in it (`find -print0`), else by a line
/// end. Empty ones are left out.
pub fn split_list(text: &[u8]) -> Vec<PathBuf> {
    let end = if text.contains(&0) { 0 } else { b'\n' };
    text.split(|&b| b == end)
        .filter(|name| !name.is_empty())
        .map(|name| OsString::from_vec(name.to_vec()).into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_or_nuls_end_a_name() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(split_list(b"a b\n\n./c\nd"), paths(&["a b", "./c", "d"]));
        assert_eq!(split_list(b"a\nb\0c\r\0\0"), paths(&["a\nb", "c\r"]));
        assert_eq!(split_list(b""), paths(&[]));
    }
}
