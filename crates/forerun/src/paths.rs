//! What a command reads and writes: it writes over nothing that it reads, and nothing twice.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use forerun_apps::command::Selection;
use forerun_apps::partial;
use forerun_platform::file::{STANDARD, is_standard_output, unread};

use crate::console::Console;
use crate::error::{CliError, request};
use crate::file::shown;

/// Whether a name that may be another thing's is that of a file that is read.
pub fn is_read(path: &Path) -> bool {
    path == Path::new(STANDARD) || path.is_file()
}

/// The name of an output; the one name of standard output, whatever that was called.
pub fn plain_name(path: PathBuf) -> PathBuf {
    if is_standard_output(&path) { STANDARD.into() } else { path }
}

/// The files of a command.
#[derive(Debug, Default)]
pub struct Paths {
    reads: Vec<PathBuf>,
    /// With the option that names each.
    writes: Vec<(&'static str, PathBuf)>,
    /// What is written when all is read, so that it may be an input.
    replaces: Vec<PathBuf>,
    /// Directories whose files are read.
    searched: Option<Selection>,
    /// Whether a script is written that reads them again.
    script: bool,
}

impl Paths {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds files that are read.
    pub fn reads<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.reads.extend(paths.into_iter().map(|p| p.as_ref().to_path_buf()));
        self
    }

    /// Adds a file that is written, where the option is given.
    pub fn writes(mut self, option: &'static str, path: Option<&Path>) -> Self {
        self.writes.extend(path.map(|p| (option, plain_name(p.to_path_buf()))));
        self
    }

    /// Adds a file that is written, where the option is given, when all inputs are read: it may be one of them.
    pub fn replaces(mut self, option: &'static str, path: Option<&Path>) -> Self {
        self.replaces.extend(path.map(|p| plain_name(p.to_path_buf())));
        self.writes(option, path)
    }

    /// Adds the result of a job, or a list (`option` names it), that goes to standard output, if it does.
    pub fn prints(self, option: &'static str, does: bool) -> Self {
        self.writes(option, does.then_some(Path::new(STANDARD)))
    }

    /// Says which directories are searched for files to read: what is written into one would be an input of the next run.
    pub fn searches(self, selection: Selection) -> Self {
        Paths { searched: Some(selection), ..self }
    }

    /// Says whether a script is written that reads the same files when it runs.
    pub fn for_script(self, script: bool) -> Self {
        Paths { script, ..self }
    }

    /// That a script that is written can read them: to be asked before anything is read.
    ///
    /// # Errors
    /// One that comes once.
    pub fn read_again(&self) -> Result<(), CliError> {
        let once = |path: &&PathBuf| {
            *path == Path::new(STANDARD) || fs::metadata(path).is_ok_and(|is| !is.is_file() && !is.is_dir())
        };
        match self.reads.iter().filter(|_| self.script).find(once) {
            Some(path) => Err(request(format!(
                "--sbatch: the script reads {} when it runs, which has nothing to read then; name a file",
                shown(path)
            ))),
            None => Ok(()),
        }
    }

    /// Looks at them and the console's `--json`, and keeps standard output free where one goes there;
    /// `is_input` says of further files whether they are read.
    ///
    /// # Errors
    /// Two that are the same; one in a directory that is searched.
    pub fn check(self, console: &mut Console, is_input: impl Fn(&Path) -> bool) -> Result<(), CliError> {
        self.apart(console.json(), is_input)?;
        if self.on_stdout(console.json()).next().is_some() {
            console.keep_stdout_free();
        }
        Ok(())
    }

    /// The options whose data goes to standard output.
    fn on_stdout<'a>(&'a self, json: Option<&'a Path>) -> impl Iterator<Item = &'static str> + 'a {
        let all = self.writes.iter().map(|(option, path)| (*option, path.as_path()));
        let all = all.chain(json.map(|path| ("--json", path)));
        all.filter(|(_, path)| *path == Path::new(STANDARD)).map(|(option, _)| option)
    }

    /// That standard output carries one thing at most.
    fn one_on_stdout(&self, json: Option<&Path>) -> Result<(), CliError> {
        let mut all = self.on_stdout(json);
        let (Some(one), Some(other)) = (all.next(), all.next()) else { return Ok(()) };
        // What goes there without being told to is named by what it is.
        let (first, second) =
            if matches!(other, "--out" | "--print-files") { (other, one) } else { (one, other) };
        Err(request(match first {
            "--out" => format!(
                "{second} -: standard output already carries the result; name a file for one of the two, with -o or with {second}"
            ),
            "--print-files" => {
                format!("{second} -: standard output already carries what --print-files prints; name a file")
            }
            _ => format!(
                "{first} - and {second} -: standard output can carry one of the two; name a file for the other"
            ),
        }))
    }

    /// That no two inputs come from standard input: to be asked before anything is read from there.
    ///
    /// # Errors
    /// Two that do.
    pub fn one_from_standard_input(&self) -> Result<(), CliError> {
        self.read_again()?;
        match self.reads.iter().filter(|path| *path == Path::new(STANDARD)).count() {
            0 | 1 => Ok(()),
            _ => Err(request(
                "-: two inputs are to come from standard input, which has one; name a file for the other",
            )),
        }
    }

    /// Looks at them and at where data goes.
    fn apart(&self, json: Option<&Path>, is_input: impl Fn(&Path) -> bool) -> Result<(), CliError> {
        let stdout = Path::new(STANDARD);
        self.one_on_stdout(json)?;
        self.one_from_standard_input()?;
        let reads: HashSet<Identity> =
            self.reads.iter().filter(|p| *p != stdout).filter_map(|p| identity(p)).collect();
        let mut before: Vec<(&str, Identity)> = Vec::new();
        let writes = self.writes.iter().map(|(option, path)| (*option, path.as_path()));
        let writes = writes.chain(json.map(|path| ("--json", path)));
        for (option, path) in writes.filter(|(_, path)| *path != stdout) {
            let refuse =
                |what: String| Err(request(format!("{option} {}: {what}; name another file", shown(path))));
            let id = identity(path);
            if !self.replaces.iter().any(|is| is == path)
                && (id.as_ref().is_some_and(|id| reads.contains(id)) || is_input(path))
            {
                return refuse("that is an input".into());
            }
            // A device has no place.
            let searched =
                self.searched.as_ref().filter(|_| fs::metadata(path).map_or(true, |is| is.is_file()));
            if let Some(dir) = searched.and_then(|s| s.would_find(path)) {
                let dir = shown(dir);
                return refuse(format!(
                    "it is in {dir}, where each file is an input, and would be one of the next run"
                ));
            }
            let Some(id) = id else { continue };
            if let Some((other, _)) = before.iter().find(|(_, other)| *other == id) {
                let what = if *other == "--out" { "the result" } else { other };
                return refuse(format!("{what} goes there"));
            }
            before.push((option, id));
        }
        Ok(())
    }
}

/// That none of the inputs of a job is called `-`: that is standard input, which is read once and has no size. (`./-` is the file.)
///
/// # Errors
/// That one is.
pub fn files<P: AsRef<Path>>(named: impl IntoIterator<Item = P>) -> Result<(), CliError> {
    let dash = Path::new(STANDARD);
    match named.into_iter().any(|path| path.as_ref() == dash) {
        true => Err(request(unread(dash, &io::ErrorKind::NotFound.into()))),
        false => Ok(()),
    }
}

/// That no file or directory is named twice on the command line, which is a slip of whoever did. (Of names that a list has, and of
/// files that are in directories as well, [`Inputs::open_once`](forerun_apps::command::Inputs::open_once) says so.)
///
/// # Errors
/// The first that is.
pub fn once(named: &[PathBuf]) -> Result<(), CliError> {
    let mut seen = HashMap::new();
    for path in named {
        let id = match fs::metadata(path) {
            Ok(found) if found.is_file() || found.is_dir() => Identity::There(found.dev(), found.ino()),
            // What has many uses, such as a pipe, is known by its name.
            _ => Identity::At(fs::canonicalize(path).unwrap_or_else(|_| path.clone())),
        };
        let Some(before) = seen.insert(id, path) else { continue };
        let other = match before == path {
            true => String::new(),
            false => format!(", also as {}", shown(before)),
        };
        return Err(request(format!("{} is given twice{other}: name each input once", shown(path))));
    }
    Ok(())
}

/// What tells files apart, whatever they are called.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// One that is there: its device and its number.
    There(u64, u64),
    /// Where one is to be.
    At(PathBuf),
}

/// None of a device or a pipe, which may have many uses.
fn identity(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => None,
        Ok(found) => Some(Identity::There(found.dev(), found.ino())),
        Err(_) => {
            let path = partial::behind(path).ok()?;
            let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(Identity::At(fs::canonicalize(parent).ok()?.join(path.file_name()?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{identity, once};

    #[test]
    fn each_is_named_once() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b, link, hard] = ["a", "b", "c", "d"].map(|name| dir.path().join(name));
        std::fs::write(&a, "x").unwrap();
        std::fs::write(&b, "x").unwrap();
        std::os::unix::fs::symlink(&a, &link).unwrap();
        std::fs::hard_link(&a, &hard).unwrap();
        assert!(once(&[a.clone(), b.clone(), dir.path().join("none")]).is_ok());
        for (other, also) in [(&a, ""), (&link, "also as"), (&hard, "also as")] {
            let refused = once(&[a.clone(), b.clone(), other.clone()]).unwrap_err().to_string();
            assert!(refused.contains("is given twice") && refused.contains(also), "{refused}");
        }
        // A directory has one name more than it is called by.
        let of = [dir.path().to_path_buf(), dir.path().join(".")];
        assert!(once(&of).is_err());
    }

    #[test]
    fn a_file_is_known_by_any_name_and_a_device_by_none() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        let others = ["../".as_ref(), dir.path().file_name().unwrap(), "a".as_ref()];
        let other = dir.path().join(others.iter().collect::<std::path::PathBuf>());
        // Whether it is there or not.
        assert!(identity(&file).is_some());
        assert_eq!(identity(&file), identity(&other));
        std::fs::write(&file, "x").unwrap();
        std::os::unix::fs::symlink(&file, dir.path().join("b")).unwrap();
        std::fs::hard_link(&file, dir.path().join("c")).unwrap();
        assert!(identity(&file).is_some());
        std::os::unix::fs::symlink(dir.path().join("e"), dir.path().join("f")).unwrap();
        assert_eq!(identity(&dir.path().join("e")), identity(&dir.path().join("f")));
        for name in [&other, &dir.path().join("b"), &dir.path().join("c")] {
            assert_eq!(identity(&file), identity(name), "{}", name.display());
        }
        std::fs::write(dir.path().join("d"), "x").unwrap();
        assert_ne!(identity(&file), identity(&dir.path().join("d")));
        assert_eq!(identity(std::path::Path::new("/dev/null")), None);
    }
}
