//! Finds the files below a directory.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
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
    special: Seen,
    linked_dirs: Seen,
    broken: Seen,
    unreadable: Seen,
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
    /// Nothing yet; what cannot be read below a directory will be passed over as well.
    pub(crate) fn tolerant() -> Self {
        Skipped { tolerant: true, ..Self::default() }
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
        [
            (special, "special file", "special files", "no pipe, socket or device is read"),
            (
                linked_dirs,
                "link to a directory",
                "links to a directory",
                "name the directory itself to include it",
            ),
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
/// Links to files are followed, links to directories are not.
///
/// # Errors
/// That `root` cannot be read, or anything below it unless `skipped` is tolerant; what `found` says.
pub(crate) fn walk(
    root: &Path,
    include: &[Glob],
    skipped: &mut Skipped,
    found: &mut impl FnMut(PathBuf, fs::Metadata) -> Result<(), AppError>,
) -> Result<(), AppError> {
    // Names, the next one last; directories end with a `/`, so that sorting them sorts the paths.
    let mut open = vec![sorted(root).map_err(|e| unreadable(root, &e))?];
    let mut dirs = vec![root.to_path_buf()];
    while let (Some(names), Some(dir)) = (open.last_mut(), dirs.last()) {
        let Some(name) = names.pop() else {
            open.pop();
            dirs.pop();
            continue;
        };
        let path = dir.join(&name);
        if name.as_bytes().ends_with(b"/") {
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
        if !chosen {
            continue;
        }
        match fs::metadata(&path) {
            Ok(m) if m.is_file() => found(path, m)?,
            Ok(m) if m.is_dir() => skipped.linked_dirs.note(&path),
            Ok(_) => skipped.special.note(&path),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => skipped.broken.note(&path),
            Err(e) => skipped.unreadable(&path, root, &e)?,
        }
    }
    Ok(())
}

/// The names in `dir`, in falling order.
fn sorted(dir: &Path) -> std::io::Result<Vec<OsString>> {
    let list = fs::read_dir(dir)?.map(|entry| -> std::io::Result<OsString> {
        let entry = entry?;
        let mut name = entry.file_name().into_vec();
        if entry.file_type()?.is_dir() {
            name.push(b'/');
        }
        Ok(OsString::from_vec(name))
    });
    let mut names = list.collect::<Result<Vec<_>, _>>()?;
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names)
}

/// The sentence for an input that cannot be looked at.
pub(crate) fn unreadable(path: &Path, e: &std::io::Error) -> AppError {
    AppError::new(format!("cannot read the input {}: {}", show::path(path), plain(e)))
}
