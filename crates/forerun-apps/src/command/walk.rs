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
    special: Seen,
    linked_dirs: Seen,
    broken: Seen,
}

#[derive(Debug, Default)]
struct Seen {
    count: u64,
    first: PathBuf,
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
    /// A path that is neither a file nor a directory.
    pub(crate) fn special(&mut self, path: &Path) {
        self.special.note(path);
    }

    /// A sentence for each kind of thing passed over.
    pub(crate) fn notes(&self) -> Vec<String> {
        [
            (&self.special, "special file", "no pipe, socket or device is read"),
            (&self.linked_dirs, "link to a directory", "name the directory itself to include it"),
            (&self.broken, "link that leads nowhere", "nothing is there"),
        ]
        .into_iter()
        .filter(|(seen, ..)| seen.count > 0)
        .map(|(seen, thing, why)| {
            let things = show::count(seen.count, thing);
            let things = if seen.count == 1 { things } else { plural(seen.count, thing) };
            let first = if seen.count == 1 { "" } else { "the first is " };
            format!("skipped {things} ({first}{}): {why}", show::path(&seen.first))
        })
        .collect()
    }
}

/// `3 links to a directory`: the first word takes the plural.
fn plural(n: u64, thing: &str) -> String {
    match thing.strip_prefix("link ") {
        Some(rest) => format!("{n} links {rest}"),
        None => show::count(n, thing),
    }
}

/// Calls `found` for the files below `root` whose names match one of `include` (all, if that is
/// empty), in the byte order of their whole paths.
///
/// Links to files are followed, links to directories are not.
pub(crate) fn walk(
    root: &Path,
    include: &[Glob],
    skipped: &mut Skipped,
    found: &mut impl FnMut(PathBuf, fs::Metadata) -> Result<(), AppError>,
) -> Result<(), AppError> {
    // Names, the next one last; directories end with a `/`, so that sorting them sorts the paths.
    let mut open = vec![sorted(root)?];
    let mut dirs = vec![root.to_path_buf()];
    while let (Some(names), Some(dir)) = (open.last_mut(), dirs.last()) {
        let Some(name) = names.pop() else {
            open.pop();
            dirs.pop();
            continue;
        };
        let path = dir.join(&name);
        if name.as_bytes().ends_with(b"/") {
            open.push(sorted(&path)?);
            dirs.push(path);
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
            Err(e) => return Err(unreadable(&path, &e)),
        }
    }
    Ok(())
}

/// The names in `dir`, in falling order.
fn sorted(dir: &Path) -> Result<Vec<OsString>, AppError> {
    let list = || -> std::io::Result<Vec<OsString>> {
        fs::read_dir(dir)?
            .map(|entry| {
                let entry = entry?;
                let mut name = entry.file_name().into_vec();
                if entry.file_type()?.is_dir() {
                    name.push(b'/');
                }
                Ok(OsString::from_vec(name))
            })
            .collect()
    };
    let mut names = list().map_err(|e| unreadable(dir, &e))?;
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names)
}

/// The sentence for an input that cannot be looked at.
pub(crate) fn unreadable(path: &Path, e: &std::io::Error) -> AppError {
    AppError::new(format!("cannot read the input {}: {}", show::path(path), plain(e)))
}
