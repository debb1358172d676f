//! Files of documents, and how they are cut into tasks.

use std::fs::Metadata;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::Source;

use super::coming::Coming;
use super::files::Files;
use super::listed::Listed;
use crate::command::glob::Glob;
use crate::command::show;
use crate::command::walk::{Skipped, follow, unreadable, walk};

/// Names of files that directories are searched for, unless others are asked for.
pub const DOCUMENTS: [&str; 9] =
    ["*.html", "*.htm", "*.xhtml", "*.xml", "*.sgm", "*.sgml", "*.trec", "*.txt", "*.md"];
/// Files that one task takes at most.
pub(super) const MOST_FILES: usize = 4096;

/// A file of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is called in the database: its absolute path, bytes that are no text as `\xNN`; or a page's URL.
    pub name: String,
    /// Its size in bytes when it was looked at.
    pub bytes: u64,
    /// When it had been changed last, in nanoseconds since 1970; 0 where that is not known.
    pub modified: i64,
    /// The encoding that a page's server states.
    pub encoding: Option<String>,
}

impl InputFile {
    /// What a person knows it by: a page's URL, else the path as it was given.
    pub(super) fn shown(&self) -> String {
        if self.is_page() { self.name.clone() } else { show::path(&self.path) }
    }

    /// Whether it is a page: its name is a URL and no absolute path.
    pub(super) fn is_page(&self) -> bool {
        !self.name.starts_with('/')
    }
}

/// When a file was changed last, in nanoseconds since 1970; 0 where that is not known.
pub(super) fn modified(of: &Metadata) -> i64 {
    let since = of.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    since.and_then(|d| i64::try_from(d.as_nanos()).ok()).unwrap_or(0)
}

/// Finds the files that `paths` name: files whatever their names, and of directories, all the way down, those that
/// match one of `include` (none is [`DOCUMENTS`]), in the order of their names; links to directories are followed if
/// `links`. Each is taken once. Gives sentences about
/// what was passed over, too, such as directories below those that cannot be read.
///
/// # Errors
/// A path that is missing or cannot be read, a pattern that is none.
pub(super) fn find(
    paths: &[PathBuf],
    include: &[String],
    links: bool,
) -> Result<(Vec<InputFile>, Vec<String>), AppError> {
    let include: Vec<Glob> = match include {
        [] => DOCUMENTS.iter().map(|text| Glob::parse(text)).collect::<Result<_, _>>()?,
        patterns => patterns.iter().map(|text| Glob::parse(text)).collect::<Result<_, _>>()?,
    };
    let mut skipped = Skipped::tolerant(links);
    let mut files = Vec::new();
    let mut found = |path: PathBuf, is: Metadata| {
        let name = name(&path)?;
        files.push(InputFile { path, name, bytes: is.len(), modified: modified(&is), encoding: None });
        Ok(())
    };
    for path in paths {
        let is = std::fs::metadata(path).map_err(|e| unreadable(path, &e))?;
        match () {
            () if is.is_dir() => walk(path, &include, &mut skipped, &mut found)?,
            () if is.is_file() => found(path.clone(), is)?,
            () => skipped.special(path),
        }
    }
    follow(&include, &mut skipped, &mut found)?;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files.dedup_by(|a, b| a.name == b.name);
    Ok((files, skipped.notes()))
}

/// What a file is called in the database.
pub(super) fn name(path: &Path) -> Result<String, AppError> {
    let mut whole = std::path::absolute(path).map_err(|e| unreadable(path, &e))?;
    if whole.components().any(|part| part == Component::ParentDir)
        && let (Some(directory), Some(file)) = (whole.parent(), whole.file_name())
    {
        // One file has one name, by whatever way it was come to.
        whole = directory.canonicalize().map_err(|e| unreadable(path, &e))?.join(file);
    }
    let mut name = String::new();
    for chunk in whole.as_os_str().as_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|b| name.push_str(&format!("\\x{b:02x}")));
    }
    Ok(name)
}

/// Files cut into tasks of some consecutive ones, and those that keep coming; clones share them.
#[derive(Debug, Clone)]
pub struct Tasks {
    files: Arc<Files>,
    tasks: Arc<[Range<usize>]>,
    then: Option<Then>,
}

/// What comes after the tasks that are known from the start.
#[derive(Debug, Clone)]
enum Then {
    /// Tasks of at most so many bytes, made of what comes.
    Coming(Arc<Coming>, u64),
    /// Tasks that another process makes of it.
    Listed(Arc<Listed>),
}

impl Tasks {
    /// Cuts the first so many files into tasks of at most `grain` bytes, or of one file.
    pub(super) fn cut(files: Arc<Files>, first: usize, grain: u64) -> Self {
        let mut tasks: Vec<Range<usize>> = Vec::new();
        let mut bytes = 0;
        files.with(|files| {
            for (n, file) in files[..first].iter().enumerate() {
                match tasks.last_mut() {
                    Some(task) if bytes + file.bytes <= grain && task.len() < MOST_FILES => {
                        task.end = n + 1;
                        bytes += file.bytes;
                    }
                    _ => {
                        tasks.push(n..n + 1);
                        bytes = file.bytes;
                    }
                }
            }
        });
        Tasks { files, tasks: tasks.into(), then: None }
    }

    /// These tasks, and after them tasks of at most `grain` bytes made of what comes, if anything does.
    pub(super) fn then_coming(self, coming: Option<&Arc<Coming>>, grain: u64) -> Self {
        Tasks { then: coming.map(|coming| Then::Coming(coming.clone(), grain)), ..self }
    }

    /// These tasks, and after them those that another process lists.
    pub(super) fn then_listed(self, listed: Option<&Arc<Listed>>) -> Self {
        Tasks { then: listed.map(|listed| Then::Listed(listed.clone())), ..self }
    }

    /// The files of a task that is known, or was made of what came.
    fn task(&self, index: u64) -> Option<Range<usize>> {
        let known = self.tasks.get(usize::try_from(index).ok()?).cloned();
        known.or_else(|| match self.then.as_ref()? {
            Then::Coming(coming, _) => coming.made(index - self.tasks.len() as u64),
            Then::Listed(listed) => listed.read_already(index - self.tasks.len() as u64),
        })
    }

    /// Files of the tasks from `task` on, of those that are known.
    fn files_from(&self, task: usize) -> usize {
        self.tasks.get(task..).unwrap_or_default().iter().map(Range::len).sum()
    }

    /// The files of a task, for a message.
    pub(super) fn describe(&self, index: u64) -> String {
        let first = |task: &Range<usize>| self.files.get(task.start);
        let Some((task, file)) = self.task(index).and_then(|t| first(&t).map(|f| (t, f))) else {
            return String::new();
        };
        let first = file.shown();
        if task.len() == 1 { first } else { format!("{first} and {} more", task.len() - 1) }
    }
}

impl Source for Tasks {
    /// The places of the files.
    type Input = Range<usize>;

    fn len(&self) -> Option<u64> {
        self.then.is_none().then_some(self.tasks.len() as u64)
    }

    fn bytes(&self, index: u64) -> u64 {
        let sum = |task: Range<usize>| self.files.with(|files| files[task].iter().map(|f| f.bytes).sum());
        self.task(index).map_or(0, sum)
    }

    fn get(&self, index: u64) -> Result<Option<Range<usize>>, AppError> {
        let known = self.tasks.len() as u64;
        match &self.then {
            Some(Then::Coming(coming, grain)) if index >= known => coming.get(index - known, *grain),
            Some(Then::Coming(coming, _)) if !coming.takes(index, |task| self.files_from(task)) => Ok(None),
            Some(Then::Listed(listed)) if index >= known => listed.get(index - known),
            _ => Ok(self.task(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_file_is_in_one_task_and_tasks_keep_to_the_grain(
            sizes in prop::collection::vec(0u64..50, 0..100),
            grain in 0u64..200,
        ) {
            let file = |bytes| InputFile { path: "f".into(), name: "f".into(), bytes, modified: 0, encoding: None };
            let files: Vec<InputFile> = sizes.iter().map(|&b| file(b)).collect();
            let tasks = Tasks::cut(Files::new(files), sizes.len(), grain);
            let mut next = 0;
            for n in 0..tasks.len().unwrap() {
                let task = tasks.get(n).unwrap().unwrap();
                prop_assert_eq!(task.start, next);
                prop_assert!(task.len() == 1 || tasks.bytes(n) <= grain);
                next = task.end;
            }
            prop_assert_eq!(next, sizes.len());
            prop_assert!(tasks.get(tasks.len().unwrap()).unwrap().is_none());
        }
    }

    #[test]
    fn directories_give_documents_once_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a.html", "style.css", "sub/c.sgm"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let names = |include: &[&str]| {
            let include: Vec<String> = include.iter().map(|s| (*s).to_owned()).collect();
            let paths = [dir.path().to_owned(), dir.path().join("b.txt")];
            let (files, _) = find(&paths, &include, false).unwrap();
            let names = files.iter().map(|f| f.path.strip_prefix(dir.path()).unwrap().display().to_string());
            names.collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), ["a.html", "b.txt", "sub/c.sgm"]);
        assert_eq!(names(&["*.css"]), ["b.txt", "style.css"]);
        // One file is one file, whatever way it is come to.
        let roundabout = [dir.path().to_owned(), dir.path().join("sub/../sub")];
        let (files, _) = find(&roundabout, &[], false).unwrap();
        assert_eq!(files.len(), 3, "{files:?}");
        assert!(find(&[dir.path().join("none")], &[], false).unwrap_err().to_string().contains("none"));
    }

    #[test]
    fn what_cannot_be_read_below_a_directory_is_passed_over_and_said() {
        use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.txt"), "x").unwrap();
        std::fs::write(dir.path().join("z.txt"), "x").unwrap();
        std::os::unix::fs::symlink("loop.txt", dir.path().join("loop.txt")).unwrap();
        // Names that are too long together: nobody can read what is there, root included.
        let directory = OFlags::DIRECTORY | OFlags::RDONLY;
        let mut at = openat(CWD, dir.path(), directory, Mode::empty()).unwrap();
        for _ in 0..20 {
            let name = "d".repeat(250);
            mkdirat(&at, &name, Mode::RWXU).unwrap();
            at = openat(&at, &name, directory, Mode::empty()).unwrap();
        }
        let (files, notes) = find(&[dir.path().to_owned()], &[], false).unwrap();
        let names: Vec<&str> = files.iter().map(|f| &f.name[f.name.len() - 5..]).collect();
        assert_eq!(names, ["a.txt", "z.txt"]);
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(note.starts_with("skipped 2 paths that cannot be read (the first is "), "{note}");
        assert!(note.ends_with("): File name too long"), "{note}");
    }
}
