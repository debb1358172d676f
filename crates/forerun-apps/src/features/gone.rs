//! Files of which the database has features, and which are there no longer.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use forerun_skeleton::AppError;

use super::inputs::{InputFile, name};
use super::store::Stored;

/// Of the files that the database has (`stored`, by name) the names of those below the directories among `named` that
/// are no longer there. What is there and only not among the inputs stays, such as files that other patterns chose, and so does what
/// cannot be looked at. Costs a look at each file that is not among the inputs (`found`, by name).
pub(super) fn gone(
    named: &[PathBuf],
    stored: &[Stored],
    found: &[InputFile],
) -> Result<Vec<String>, AppError> {
    let mut gone = Vec::new();
    for root in named.iter().filter(|path| path.is_dir()) {
        let root = below(root)?;
        let first = stored.partition_point(|s| s.name.as_str() < root.as_str());
        let theirs = stored[first..].iter().map(|s| &s.name).take_while(|name| name.starts_with(&root));
        let absent = |name: &&String| {
            found.binary_search_by(|f| f.name.cmp(name)).is_err() && places(name).iter().all(|p| is_gone(p))
        };
        gone.extend(theirs.filter(absent).cloned());
    }
    gone.sort();
    gone.dedup();
    Ok(gone)
}

/// What the names of all files below a directory begin with.
fn below(directory: &Path) -> Result<String, AppError> {
    let mut any = name(&directory.join("a"))?;
    any.pop();
    Ok(any)
}

/// Where a file may be that has this name: bytes that are no text stand in it as `\xNN`.
fn places(name: &str) -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from(name)];
    let mut parts = name.split("\\x");
    let mut bytes: Vec<u8> = parts.next().map_or(Vec::new(), |first| first.as_bytes().to_vec());
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|b| !b.is_ascii()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            None => {
                bytes.extend(b"\\x");
                bytes.extend(part.as_bytes());
            }
        }
    }
    let raw = PathBuf::from(OsString::from_vec(bytes));
    if raw != places[0] {
        places.push(raw);
    }
    places
}

/// Whether nothing is at a path, as far as that can be said.
fn is_gone(path: &Path) -> bool {
    let nothing = |e: &std::io::Error| matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    fs::metadata(path).is_err_and(|e| nothing(&e))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn only_what_is_no_longer_below_a_directory_that_is_named_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &[u8]| dir.path().join(OsStr::from_bytes(name));
        let there: [&[u8]; 4] =
            [b"docs/a.txt", b"docs/sub/not\xff\\x41text", b"docs2/c.txt", b"docs/other.css"];
        let not: [&[u8]; 4] = [b"docs/b.txt", b"docs/a.txt/below", b"docs/sub/no\xfftext", b"docs2/d.txt"];
        for name in there {
            let path = at(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let page = Stored { id: 1, name: "http://a/b".into(), read: None, skipped: false };
        let file = |n: &&[u8]| Stored { name: name(&at(n)).unwrap(), ..page.clone() };
        let stored: Vec<Stored> = there.iter().chain(&not).map(file).chain([page.clone()]).collect();
        let stored = super::super::ready::in_order(stored);
        let of = |named: &[&[u8]]| {
            let named: Vec<PathBuf> = named.iter().map(|n| at(n)).collect();
            let gone = gone(&named, &stored, &[]).unwrap();
            let below = format!("{}/", dir.path().display());
            gone.iter().map(|name| name.replace(&below, "")).collect::<Vec<_>>()
        };
        assert_eq!(of(&[b"docs"]), ["docs/a.txt/below", "docs/b.txt", "docs/sub/no\\xfftext"]);
        assert_eq!(of(&[b"docs/sub", b"docs2/", b"docs2"]), ["docs/sub/no\\xfftext", "docs2/d.txt"]);
        assert_eq!(of(&[b"docs/sub/../../docs2"]), ["docs2/d.txt"]);
        // A file that is named is no source of others, and what is not there is no directory.
        assert_eq!(of(&[b"docs/a.txt", b"docs/b.txt"]), [""; 0]);
    }
}
