//! Files of which the database has features, and which are there no longer.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use forerun_skeleton::AppError;

use super::inputs::{InputFile, name};
use super::store::Stored;

/// What a database has of files that are not among the inputs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Gone {
    /// The names of those that are no longer there.
    pub(super) names: Vec<String>,
    /// The names of those of which that cannot be said, as what leads to them cannot be followed.
    pub(super) unknown: Vec<String>,
    /// Directories that hold nothing of what came from them any more, and no other document, and how many files
    /// came from each.
    pub(super) emptied: Vec<(PathBuf, usize)>,
}

/// Tells of the files that the database has (`stored`, by name) from below the directories among `named` which are no longer
/// there. What is there and only not among the inputs is of neither kind, such as files that other patterns chose. Costs a look at
/// each file that is not among the inputs (`found`, by name).
pub(super) fn gone(named: &[PathBuf], stored: &[Stored], found: &[InputFile]) -> Result<Gone, AppError> {
    let mut gone = Gone::default();
    for directory in named.iter().filter(|path| path.is_dir()) {
        let root = below(directory)?;
        let first = stored.partition_point(|s| s.name.as_str() < root.as_str());
        let theirs = stored[first..].iter().map(|s| &s.name).take_while(|name| name.starts_with(&root));
        let is_input = |name: &&String| found.binary_search_by(|f| f.name.cmp(name)).is_ok();
        let mut empty = !found.iter().any(|file| file.name.starts_with(&root));
        let before = gone.names.len();
        for name in theirs.filter(|name| !is_input(name)) {
            match places(name).iter().map(|place| Is::at(place)).max() {
                Some(Is::There) => empty = false,
                Some(Is::Unknown) => gone.unknown.push(name.clone()),
                Some(Is::Gone) | None => gone.names.push(name.clone()),
            }
        }
        if empty && gone.names.len() > before {
            gone.emptied.push((directory.clone(), gone.names.len() - before));
        }
    }
    for names in [&mut gone.names, &mut gone.unknown] {
        names.sort();
        names.dedup();
    }
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

/// Whether something is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Is {
    /// Nothing is, and the directory in which it would be can be looked into, or is gone as well.
    Gone,
    /// A link on the way leads nowhere, or a directory cannot be looked into.
    Unknown,
    /// Something is.
    There,
}

impl Is {
    /// Looks at a path, and where nothing is at those that lead there.
    fn at(path: &Path) -> Is {
        if fs::metadata(path).is_ok() {
            return Is::There;
        }
        // Nothing can be there where the way ends at something else than a link that cannot be followed.
        for part in path.ancestors() {
            match fs::symlink_metadata(part) {
                Ok(_) => return if fs::metadata(part).is_ok() { Is::Gone } else { Is::Unknown },
                // A name that no file can have is that of bytes which are no text.
                Err(e) if matches!(e.kind(), NotFound | NotADirectory | InvalidFilename) => {}
                Err(_) => return Is::Unknown,
            }
        }
        Is::Unknown
    }
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
            let gone = gone(&named, &stored, &[]).unwrap().names;
            let below = format!("{}/", dir.path().display());
            gone.iter().map(|name| name.replace(&below, "")).collect::<Vec<_>>()
        };
        assert_eq!(of(&[b"docs"]), ["docs/a.txt/below", "docs/b.txt", "docs/sub/no\\xfftext"]);
        assert_eq!(of(&[b"docs/sub", b"docs2/", b"docs2"]), ["docs/sub/no\\xfftext", "docs2/d.txt"]);
        assert_eq!(of(&[b"docs/sub/../../docs2"]), ["docs2/d.txt"]);
        // A file that is named is no source of others, and what is not there is no directory.
        assert_eq!(of(&[b"docs/a.txt", b"docs/b.txt"]), [""; 0]);
    }

    #[test]
    fn what_is_behind_something_that_cannot_be_followed_is_not_said_to_be_gone() {
        let dir = tempfile::tempdir().unwrap();
        let docs = dir.path().join("docs");
        fs::create_dir_all(docs.join("sub")).unwrap();
        let link = |name: &str, to: &str| std::os::unix::fs::symlink(to, docs.join(name)).unwrap();
        link("nowhere", "../unmounted");
        link("circle", "circle");
        link("sub/deep", "../nowhere/deep");
        link("file.txt", "nowhere/file.txt");
        link("there", "sub");
        let long = "x".repeat(300);
        let unknown = ["nowhere/a.txt", "circle/a/b.txt", "sub/deep/a.txt", "file.txt"];
        let names = ["there/a.txt", "there/none/a.txt", "sub/a.txt", &*long];
        let file =
            |n: &&str| Stored { id: 1, name: name(&docs.join(n)).unwrap(), read: None, skipped: false };
        let stored = super::super::ready::in_order(unknown.iter().chain(&names).map(file).collect());
        let told = gone(std::slice::from_ref(&docs), &stored, &[]).unwrap();
        let sorted = |names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(|n| file(n).name).collect();
            names.sort();
            names
        };
        let emptied = vec![(docs.clone(), 4)];
        assert_eq!(told, Gone { names: sorted(&names), unknown: sorted(&unknown), emptied });
    }

    #[test]
    fn a_directory_is_empty_when_nothing_is_left_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("empty")).unwrap();
        fs::create_dir_all(at("docs")).unwrap();
        let stored = |names: &[&str]| {
            let of = |n: &&str| Stored { id: 1, name: name(&at(n)).unwrap(), read: None, skipped: false };
            super::super::ready::in_order(names.iter().map(of).collect())
        };
        let emptied = |stored: &[Stored], found: &[InputFile]| {
            gone(&[at("empty"), at("docs")], stored, found).unwrap().emptied
        };
        let both = stored(&["empty/a.txt", "empty/b.txt", "docs/a.txt"]);
        assert_eq!(emptied(&both, &[]), [(at("empty"), 2), (at("docs"), 1)]);
        let new = InputFile {
            path: at("docs/new.txt"),
            name: name(&at("docs/new.txt")).unwrap(),
            bytes: 1,
            modified: 0,
            encoding: None,
        };
        assert_eq!(emptied(&both, &[new]), [(at("empty"), 2)]);
        // What other patterns chose and what is still there tells that the directory is.
        fs::write(at("empty/b.txt"), "x").unwrap();
        assert_eq!(emptied(&both, &[]), [(at("docs"), 1)]);
        assert_eq!(emptied(&stored(&["docs2/a.txt"]), &[]), []);
    }
}
