//! The input files of a run, all looked at before anything runs.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forerun_platform::file::unread;
use forerun_skeleton::{AppError, Cancel};
use rustix::fs::{Access, access};

use super::coming::Coming;
use super::glob::Glob;
use super::listing::Names;
use super::once::Named;
use super::show;
use super::walk::{Skipped, unreadable, walk};
use crate::seen::{Seen, SeenFiles};

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

impl Selection {
    /// The directory of `paths` in which a file at `path` would be found if it were there, if there is one.
    pub fn would_find(&self, path: &Path) -> Option<&Path> {
        let path = settled(path)?;
        let name = path.file_name()?.as_bytes();
        let found = |dir: &&Path| {
            let Ok(root) = fs::canonicalize(dir) else { return false };
            // What a file's own name names is taken whatever it is called, and is an input that is there.
            let Some(below) = path.strip_prefix(&root).ok().filter(|b| *b != Path::new("")) else {
                return false;
            };
            let matches = |text: &String| {
                let of =
                    |glob: Glob| glob.matches(if glob.path { below.as_os_str().as_bytes() } else { name });
                Glob::parse(text).is_ok_and(of)
            };
            self.include.is_empty() || self.include.iter().any(matches)
        };
        self.paths.iter().map(PathBuf::as_path).find(found)
    }
}

/// A path by the names that its directories really have, as far as they are there.
fn settled(path: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(path).ok()?;
    let there = whole.ancestors().find_map(|dir| Some((dir, fs::canonicalize(dir).ok()?)));
    there.map(|(dir, real)| match whole.strip_prefix(dir) {
        Ok(rest) if rest != Path::new("") => real.join(rest),
        _ => real,
    })
}

/// An input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Its path, as it was given or found.
    pub path: PathBuf,
    /// Its size in bytes when it was looked at.
    pub bytes: u64,
    /// As it was then.
    pub(crate) seen: Seen,
}

/// The input files in order; clones share them.
#[derive(Debug, Clone)]
pub struct Inputs {
    files: Arc<[InputFile]>,
    bytes: u64,
    notes: Vec<String>,
    coming: Option<Arc<Coming>>,
}

impl Inputs {
    /// Finds and looks at all files of `selection`: as many system calls as there are files,
    /// twice. Directories are read in the byte order of the whole paths (as `LC_ALL=C sort` puts
    /// them), hidden files are included; a file that is found twice is taken twice.
    ///
    /// # Errors
    /// The first path that is missing or cannot be read, a pattern that is none, or that no file
    /// was found.
    pub fn open(selection: &Selection) -> Result<Self, AppError> {
        Self::find_all(selection).map(|(inputs, _)| inputs)
    }

    /// As [`Inputs::open`], where whoever named a file twice (by itself, or by directories that it is in) is told so. Names that a
    /// directory has, or two directories have, of one file are taken as often as they are found.
    ///
    /// # Errors
    /// As [`Inputs::open`]; the first file that is named twice.
    pub fn open_once(selection: &Selection) -> Result<Self, AppError> {
        let (inputs, finder) = Self::find_all(selection)?;
        finder.named().check(|at| &inputs.files[at].path)?;
        Ok(inputs)
    }

    fn find_all(selection: &Selection) -> Result<(Self, Finder), AppError> {
        let mut finder = Finder::new(&selection.include)?;
        let mut files = Vec::new();
        for path in &selection.paths {
            finder.find(path, &mut |file| {
                files.push(file);
                Ok(())
            })?;
        }
        Ok((Self::known(files, selection, finder.notes())?, finder))
    }

    fn known(files: Vec<InputFile>, selection: &Selection, notes: Vec<String>) -> Result<Self, AppError> {
        if files.is_empty() {
            return Err(none_found(selection, &notes));
        }
        let bytes = files.iter().map(|f| f.bytes).sum();
        Ok(Inputs { files: files.into(), bytes, notes, coming: None })
    }

    /// Inputs as another process has seen them, in this one. Their sizes are those that were seen, whatever they are by now: what is cut by
    /// them is the same in all processes.
    ///
    /// # Errors
    /// The first that is not there as a file, or cannot be read.
    pub fn again(seen: &SeenFiles) -> Result<Self, AppError> {
        let again = |(path, bytes): (&Path, u64)| {
            let is = stat(path)?;
            match is.is_file() {
                true => Ok(InputFile { bytes, ..look(path.to_path_buf(), &is)? }),
                false => Err(AppError::new(format!("{} is no file any more", show::path(path)))),
            }
        };
        let files = seen.sizes().map(again).collect::<Result<_, _>>()?;
        Self::known(files, &Selection::default(), Vec::new())
    }

    /// The files as they were seen, for other processes.
    pub fn seen(&self) -> SeenFiles {
        SeenFiles::those(self.files.iter().map(|file| (file.path.clone(), file.seen)).collect())
    }

    /// The files of `selection` and then those that `names` names, which may keep coming while the run
    /// goes on. What comes within `time` is known at once, and is everything where the names end within it;
    /// else at least `least` files are waited for. Setting `close` ends the input where it is then: what
    /// was not taken is left. Setting `cancel` ends the wait.
    ///
    /// What keeps coming is taken as often as it is named: it may be another file by then.
    ///
    /// # Errors
    /// As [`Inputs::open_once`], where everything comes at once; else as [`Inputs::open`], for what does.
    pub fn follow(
        selection: &Selection,
        names: Names,
        (time, least): (Duration, usize),
        close: &Cancel,
        cancel: &Cancel,
    ) -> Result<Self, AppError> {
        let coming = Coming::start(selection, names, close.clone(), cancel.clone())?;
        let (files, all) = coming.gather(time, least)?;
        if all {
            return Self::known(files, selection, coming.notes());
        }
        let bytes = files.iter().map(|f| f.bytes).sum();
        Ok(Inputs { files: files.into(), bytes, notes: Vec::new(), coming: Some(coming) })
    }

    /// Whether more may come than [`Inputs::files`].
    pub fn keep_coming(&self) -> bool {
        self.coming.is_some()
    }

    pub(crate) fn coming(&self) -> Option<&Arc<Coming>> {
        self.coming.as_ref()
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

    /// The file that `path` names, if it is among them by this or another name: a result written there would replace it.
    pub fn find(&self, path: &Path) -> Option<&InputFile> {
        let real = fs::canonicalize(path).ok()?;
        let (name, is) = (real.file_name()?, fs::metadata(&real).ok()?);
        let several = is.nlink() > 1;
        self.files.iter().find(|f| {
            (several || f.path.file_name() == Some(name) || f.path.is_symlink()) && is_same(&f.path, &is)
        })
    }

    pub(crate) fn shared(&self) -> Arc<[InputFile]> {
        self.files.clone()
    }
}

/// Whether two names are of one file that is there.
pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    fs::metadata(other).is_ok_and(|is| is_same(one, &is))
}

fn is_same(one: &Path, is: &fs::Metadata) -> bool {
    fs::metadata(one).is_ok_and(|one| (one.dev(), one.ino()) == (is.dev(), is.ino()))
}

/// Finds the files that paths name.
#[derive(Debug)]
pub(crate) struct Finder {
    include: Vec<Glob>,
    skipped: Skipped,
    named: Named,
}

impl Finder {
    /// Takes of directories what matches one of `include`.
    pub(crate) fn new(include: &[String]) -> Result<Self, AppError> {
        let include = include.iter().map(|text| Glob::parse(text)).collect::<Result<Vec<_>, _>>()?;
        Ok(Finder { include, skipped: Skipped::default(), named: Named::default() })
    }

    /// Calls `found` for the files that `path` names.
    pub(crate) fn find(
        &mut self,
        path: &Path,
        found: &mut impl FnMut(InputFile) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        if path.as_os_str().is_empty() {
            return Err(AppError::new("an input has an empty name: give a file or a directory"));
        }
        let is = stat(path)?;
        if is.is_dir() {
            let root: Arc<Path> = path.into();
            walk(path, &self.include, &mut self.skipped, &mut |path, is| {
                self.named.add(&is, Some(&root));
                found(look(path, &is)?)
            })?;
        } else if is.is_file() {
            self.named.add(&is, None);
            found(look(path.to_path_buf(), &is)?)?;
        } else {
            self.skipped.special(path);
        }
        Ok(())
    }

    /// Who named the files found so far.
    pub(crate) fn named(&self) -> &Named {
        &self.named
    }

    /// Forgets who named the files found so far.
    pub(crate) fn forget_names(&mut self) {
        self.named = Named::default();
    }

    /// Sentences about what was passed over.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.skipped.notes()
    }
}

fn stat(path: &Path) -> Result<fs::Metadata, AppError> {
    fs::metadata(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => AppError::new(unread(show::path(path), &e)),
        _ => unreadable(path, &e),
    })
}

fn look(path: PathBuf, found: &fs::Metadata) -> Result<InputFile, AppError> {
    access(&path, Access::READ_OK).map_err(|e| unreadable(&path, &e.into()))?;
    Ok(InputFile { path, bytes: found.len(), seen: Seen::of(found) })
}

fn none_found(selection: &Selection, notes: &[String]) -> AppError {
    let within = match selection.paths.as_slice() {
        [] => return AppError::new("no input: name files or directories"),
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
