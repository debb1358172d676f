//! That no file is taken twice because it was named twice: by itself, in a list, or by directories that it is in.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forerun_skeleton::AppError;

use super::show;

/// Who named the files that were found, in the order of the files. 32 bytes a file.
#[derive(Debug, Default)]
pub(crate) struct Named {
    files: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// Its device and its number there.
    id: (u64, u64),
    /// The directory that was named, where the file itself was not.
    root: Option<Arc<Path>>,
}

impl Named {
    /// The next file, found in the directory `root` or named itself.
    pub(crate) fn add(&mut self, is: &Metadata, root: Option<&Arc<Path>>) {
        self.files.push(Entry { id: (is.dev(), is.ino()), root: root.cloned() });
    }

    /// That each was named once, whatever it is called; `path` gives a file's.
    ///
    /// A directory may have several names of one file (links of both kinds), and two directories one each: these are taken as often as
    /// they are found. But a file that is named itself is named once, and so is a name in directories of which one is in the other.
    ///
    /// Costs O(n log n) for n files, and a look at the directory of those that have several names.
    ///
    /// # Errors
    /// The first that was named twice.
    pub(crate) fn check<'p>(&self, path: impl Fn(usize) -> &'p Path) -> Result<(), AppError> {
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_unstable_by_key(|&at| (self.files[at].id, at));
        let same = order.chunk_by(|&a, &b| self.files[a].id == self.files[b].id);
        let twice = same.filter(|same| same.len() > 1).filter_map(|same| self.twice(same, &path));
        match twice.min_by_key(|(_, again)| *again) {
            Some((before, again)) => Err(self.sentence((path(before), before), (path(again), again))),
            None => Ok(()),
        }
    }

    /// Of the names of one file, two of which one is too many.
    fn twice<'p>(&self, same: &[usize], path: impl Fn(usize) -> &'p Path) -> Option<(usize, usize)> {
        if same.iter().any(|&at| self.files[at].root.is_none()) {
            // By themselves or in a directory: the first, and the first that it is named again with.
            let named = |at: usize| self.files[at].root.is_none();
            let again = same[1..].iter().copied().find(|&at| named(at) || named(same[0]));
            return again.map(|again| (same[0], again));
        }
        let mut seen = HashMap::new();
        same.iter().find_map(|&at| seen.insert(settled(path(at)), at).map(|before| (before, at)))
    }

    fn sentence(&self, (before, b): (&Path, usize), (again, a): (&Path, usize)) -> AppError {
        let shown = |path: &Path| show::path(path);
        let (name, how) = match (&self.files[b].root, &self.files[a].root) {
            (None, None) if before == again => (again, String::new()),
            (None, None) => (again, format!(", also as {}", shown(before))),
            (Some(root), None) => (again, format!(", also in {}", shown(root))),
            (None, Some(root)) => (before, format!(", also in {}", shown(root))),
            (Some(one), Some(other)) => (again, format!(", in {} and in {}", shown(one), shown(other))),
        };
        AppError::new(format!("{} is given twice{how}: name each input once", shown(name)))
    }
}

/// A name in the directory where it really is; where the name is a link, it stays one.
fn settled(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (fs::canonicalize(parent), path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path.to_path_buf(),
    }
}
