//! Finds the files below a directory.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use forerun_skeleton::AppError;

use super::glob::Glob;
use super::scratch::plain;
use super::show;

/// What was passed over, and the first of each.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    /// Whether what cannot be read is passed over as well, and does not end the search.
    tolerant: bool,
    /// Links to directories that are to be followed, if they are.
    follow: Option<Follow>,
    special: Seen,
    linked_dirs: Seen,
    broken: Seen,
    unreadable: Seen,
}

/// What is known of links to directories that are followed.
#[derive(Debug, Default)]
struct Follow {
    /// Devices and numbers of the directories that were read: each is read once, so that no link leads in a circle.
    read: HashSet<(u64, u64)>,
    /// Links that are still to be followed, each with the directory that is searched.
    next: VecDeque<(PathBuf, PathBuf)>,
}

#[derive(Debug, Default)]
struct Seen {
    count: u64,
    first: PathBuf,
    /// Why the first could not be read.
    why: String,
}

impl Seen {
    fn note(&mut self, path: &Path) {
        if self.count == 0 {
            self.first = path.to_path_buf();
        }
        self.count += 1;
    }
}

impl Skipped {
    /// Nothing yet; what cannot be read below a directory will be passed over as well. Links to directories are kept for
    /// [`follow`] if `follow` says so.
    pub(crate) fn tolerant(follow: bool) -> Self {
        Skipped { tolerant: true, follow: follow.then(Follow::default), ..Self::default() }
    }

    /// A link to a directory below `root`, which is not entered now.
    fn link(&mut self, path: PathBuf, root: &Path) {
        match &mut self.follow {
            Some(follow) => follow.next.push_back((path, root.to_path_buf())),
            None => self.linked_dirs.note(&path),
        }
    }

    /// Whether a directory is not among those that were read; it is from now on.
    fn is_new(&mut self, dir: &Path) -> bool {
        let Some(follow) = &mut self.follow else { return true };
        // What cannot be looked at cannot be read either, which is said then.
        fs::metadata(dir).map_or(true, |is| follow.read.insert((is.dev(), is.ino())))
    }

    /// A path that is neither a file nor a directory.
    pub(crate) fn special(&mut self, path: &Path) {
        self.special.note(path);
    }

    /// A path below `root` that cannot be read.
    fn unreadable(&mut self, path: &Path, root: &Path, e: &std::io::Error) -> Result<(), AppError> {
        if !self.tolerant {
            // A result of the rest would not tell that it is not of all.
            let (path, why, root) = (show::path(path), plain(e), show::path(root));
            return Err(AppError::new(format!(
                "cannot read the input {path}: {why}; make it readable, or name what is to be read instead of {root}"
            )));
        }
        self.unreadable.note(path);
        if self.unreadable.count == 1 {
            self.unreadable.why = plain(e);
        }
        Ok(())
    }

    /// A sentence for each kind of thing passed over.
    pub(crate) fn notes(&self) -> Vec<String> {
        let Skipped { special, linked_dirs, broken, unreadable, .. } = self;
        let instead = match self.tolerant {
            true => "name the directory itself, or give --follow-links",
            false => "name the directory itself to include it",
        };
        [
            (special, "special file", "special files", "no pipe, socket or device is read"),
            (linked_dirs, "link to a directory", "links to directories", instead),
            (broken, "link that leads nowhere", "links that lead nowhere", "nothing is there"),
            (unreadable, "path that cannot be read", "paths that cannot be read", &unreadable.why),
        ]
        .into_iter()
        .filter(|(seen, ..)| seen.count > 0)
        .map(|(seen, one, many, why)| {
            let things = if seen.count == 1 { one } else { many };
            let first = if seen.count == 1 { "" } else { "the first is " };
            format!("skipped {} {things} ({first}{}): {why}", seen.count, show::path(&seen.first))
        })
        .collect()
    }
}

/// Calls `found` for the files below `root` whose names match one of `include` (all, if that is
/// empty), in the byte order of their whole paths.
///
/// Links to files are followed, links to directories are not; [`follow`] does that.
///
/// # Errors
/// That `root` cannot be read, or anything below it unless `skipped` is tolerant; what `found` says.
pub(crate) fn walk(
    root: &Path,
    include: &[Glob],
    skipped: &mut Skipped,
    found: &mut impl FnMut(PathBuf, fs::Metadata) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let names = sorted(root).map_err(|e| unreadable(root, &e))?;
    skipped.is_new(root);
    below(root, (root, names), include, skipped, found)
}

/// Follows the links to directories that [`walk`] met, if `skipped` has them followed, and those behind them. A directory that
/// was read already is not read again: what is found by its own name is not found by that of a link, and no link leads in a circle.
///
/// # Errors
/// As [`walk`].
pub(crate) fn follow(
    include: &[Glob],
    skipped: &mut Skipped,
    found: &mut impl FnMut(PathBuf, fs::Metadata) -> Result<(), AppError>,
) -> Result<(), AppError> {
    while let Some((link, root)) = skipped.follow.as_mut().and_then(|f| f.next.pop_front()) {
        if !skipped.is_new(&link) {
            continue;
        }
        match sorted(&link) {
            Ok(names) => below(&root, (&link, names), include, skipped, found)?,
            Err(e) => skipped.unreadable(&link, &root, &e)?,
        }
    }
    Ok(())
}

/// Finds what is below a directory with these names, by patterns that are of paths below `root`.
fn below(
    root: &Path,
    (start, names): (&Path, Vec<Name>),
    include: &[Glob],
    skipped: &mut Skipped,
    found: &mut impl FnMut(PathBuf, fs::Metadata) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let mut open = vec![names];
    let mut dirs = vec![start.to_path_buf()];
    while let (Some(names), Some(dir)) = (open.last_mut(), dirs.last()) {
        let Some(Name { name, is_link }) = names.pop() else {
            open.pop();
            dirs.pop();
            continue;
        };
        let path = dir.join(&name);
        if name.as_bytes().ends_with(b"/") {
            if !skipped.is_new(&path) && start != root {
                continue;
            }
            match sorted(&path) {
                Ok(names) => {
                    open.push(names);
                    dirs.push(path);
                }
                Err(e) => skipped.unreadable(&path, root, &e)?,
            }
            continue;
        }
        let chosen = include.is_empty()
            || include.iter().any(|glob| {
                let below = path.strip_prefix(root).unwrap_or(&path);
                glob.matches(if glob.path { below.as_os_str().as_bytes() } else { name.as_bytes() })
            });
        // Where a link leads its name does not say.
        if !chosen && !is_link {
            continue;
        }
        match fs::metadata(&path) {
            Ok(m) if m.is_dir() => skipped.link(path, root),
            Ok(_) if !chosen => {}
            Ok(m) if m.is_file() => found(path, m)?,
            Ok(_) => skipped.special.note(&path),
            // Behind it there could be a directory.
            Err(_) if !chosen && skipped.follow.is_none() => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => skipped.broken.note(&path),
            Err(e) => skipped.unreadable(&path, root, &e)?,
        }
    }
    Ok(())
}

/// A name in a directory; those of directories end with a `/`, so that sorting them sorts the paths.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    name: OsString,
    is_link: bool,
}

/// The names in `dir`, in falling order, the next one last.
fn sorted(dir: &Path) -> std::io::Result<Vec<Name>> {
    let list = fs::read_dir(dir)?.map(|entry| -> std::io::Result<Name> {
        let entry = entry?;
        let (mut name, is) = (entry.file_name().into_vec(), entry.file_type()?);
        if is.is_dir() {
            name.push(b'/');
        }
        Ok(Name { name: OsString::from_vec(name), is_link: is.is_symlink() })
    });
    let mut names = list.collect::<Result<Vec<_>, _>>()?;
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names)
}

/// The sentence for an input that cannot be looked at.
pub(crate) fn unreadable(path: &Path, e: &std::io::Error) -> AppError {
    AppError::new(format!("cannot read the input {}: {}", show::path(path), plain(e)))
}
