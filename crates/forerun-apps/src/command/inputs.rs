//! The input files of a run, all looked at before anything runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forerun_skeleton::AppError;
use rustix::fs::{Access, access};

use super::glob::Glob;
use super::show;
use super::walk::{Skipped, unreadable, walk};

/// What to take as inputs.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Files, and directories whose files are taken, all the way down.
    pub paths: Vec<PathBuf>,
    /// Patterns (`*.html`, `api/**`) one of which a file found in a directory must match, by its name, or
    /// where the pattern has a `/` by its path below that directory; none takes all. A file in
    /// `paths` is taken whatever its name.
    pub include: Vec<String>,
}

/// An input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Its path, as it was given or found.
    pub path: PathBuf,
    /// Its size in bytes when it was looked at.
    pub bytes: u64,
}

/// The input files in order; clones share them.
#[derive(Debug, Clone)]
pub struct Inputs {
    files: Arc<[InputFile]>,
    bytes: u64,
    notes: Vec<String>,
}

impl Inputs {
    /// Finds and looks at all files of `selection`: as many system calls as there are files,
    /// twice. Directories are read in the byte order of the whole paths (as `LC_ALL=C sort` puts
    /// them), hidden files are included; a file named twice is taken twice.
    ///
    /// # Errors
    /// The first path that is missing or cannot be read, a pattern that is none, or that no file
    /// was found.
    pub fn open(selection: &Selection) -> Result<Self, AppError> {
        let include =
            selection.include.iter().map(|text| Glob::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let mut files = Vec::new();
        let mut skipped = Skipped::default();
        for path in &selection.paths {
            if path.as_os_str().is_empty() {
                return Err(AppError::new("an input has an empty name: give a file or a directory"));
            }
            let found = fs::metadata(path).map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => {
                    AppError::new(format!("the input {} does not exist: check its name", show::path(path)))
                }
                _ => unreadable(path, &e),
            })?;
            if found.is_dir() {
                walk(path, &include, &mut skipped, &mut |path, found| take(&mut files, path, &found))?;
            } else if found.is_file() {
                take(&mut files, path.clone(), &found)?;
            } else {
                skipped.special(path);
            }
        }
        if files.is_empty() {
            return Err(none_found(selection, &skipped.notes()));
        }
        let bytes = files.iter().map(|f| f.bytes).sum();
        Ok(Inputs { files: files.into(), bytes, notes: skipped.notes() })
    }

    /// The files, in order.
    pub fn files(&self) -> &[InputFile] {
        &self.files
    }

    /// Their sizes together.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Sentences about what was passed over.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The file that `path` names, if it is among them: a result written there would replace it.
    pub fn find(&self, path: &Path) -> Option<&InputFile> {
        let same = fs::canonicalize(path).ok()?;
        let name = same.file_name()?;
        self.files.iter().find(|f| {
            (f.path.file_name() == Some(name) || f.path.is_symlink())
                && fs::canonicalize(&f.path).is_ok_and(|p| p == same)
        })
    }

    pub(crate) fn shared(&self) -> Arc<[InputFile]> {
        self.files.clone()
    }
}

fn take(files: &mut Vec<InputFile>, path: PathBuf, found: &fs::Metadata) -> Result<(), AppError> {
    access(&path, Access::READ_OK).map_err(|e| unreadable(&path, &e.into()))?;
    files.push(InputFile { path, bytes: found.len() });
    Ok(())
}

fn none_found(selection: &Selection, notes: &[String]) -> AppError {
    let within = match selection.paths.as_slice() {
        [] => return AppError::new("no input was given: name files or directories"),
        [one] => show::path(one),
        more => format!("the {} paths that were named", more.len()),
    };
    let matching = match selection.include.as_slice() {
        [] => String::new(),
        patterns => format!(" that matches {}", patterns.join(" or ")),
    };
    let also = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    AppError::new(format!("there is no file{matching} in {within}{also}"))
}
