//! What the process that found the inputs hands to others that do the work: the files in their order, and the identifiers
//! that the database gave them; or where it lists the pages that keep coming.

use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forerun_skeleton::reduction::Source as _;
use forerun_skeleton::wire::{Plain, whole};
use forerun_skeleton::{AppError, Cancel, Wire};

use super::files::Files;
use super::inputs::InputFile;
use super::job::{FeatureOptions, FeaturesJob, lock};
use super::listed::{Listed, Lister};
use super::page::identifier;
use super::ready;
use crate::ReductionJob as _;
use crate::command::show;
use crate::command::walk::unreadable;

/// How long pages are waited for that are to be a task together with others.
const TOGETHER: Duration = Duration::from_millis(100);

impl Wire for InputFile {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.path.as_os_str().as_bytes().to_vec().encode(out)?;
        self.name.encode(out)?;
        (self.bytes, self.modified).encode(out)?;
        self.encoding.encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let path = OsString::from_vec(Wire::decode(bytes)?).into();
        let name = Wire::decode(bytes)?;
        let (size, modified) = Wire::decode(bytes)?;
        Ok(InputFile { path, name, bytes: size, modified, encoding: Wire::decode(bytes)? })
    }
}

/// What goes to other processes.
pub(super) struct Handed {
    pub(super) files: Vec<InputFile>,
    /// The identifier of each, where they are files.
    pub(super) ids: Vec<i64>,
    /// The list of tasks, where pages come.
    pub(super) list: Option<PathBuf>,
}

impl Wire for Handed {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.files.encode(out)?;
        self.ids.encode(out)?;
        self.list.as_ref().map(|path| path.as_os_str().as_bytes().to_vec()).encode(out)
    }

    fn decode(bytes: &mut &[u8]) -> Result<Self, AppError> {
        let (files, ids, list): (_, _, Option<Vec<u8>>) = Wire::decode(bytes)?;
        Ok(Handed { files, ids, list: list.map(|path| OsString::from_vec(path).into()) })
    }
}

/// Whether the file of an input is there for this process as well.
pub(super) fn check_there(path: &Path) -> Result<(), AppError> {
    match path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(elsewhere(path)),
        Err(e) => Err(unreadable(path, &e)),
    }
}

/// The error of a file that only another process has.
pub(super) fn elsewhere(path: &Path) -> AppError {
    AppError::new(format!(
        "{} is not on this host: inputs must have the same names on all hosts, on a file system that they share",
        show::path(path)
    ))
}

impl FeaturesJob {
    /// The job of `options` in a process that does a part of it, from what the one that found the inputs
    /// [handed over](crate::ReductionJob::hand_over). Loads the model; looks for no files, and not into the database, which
    /// is ready.
    ///
    /// # Errors
    /// A model that cannot be read; an input that this host does not have; bytes that were not handed over.
    pub fn member(options: FeatureOptions, handed: &[u8]) -> Result<Self, AppError> {
        let Handed { files, ids, list } = whole(&Plain, handed)?;
        // All would take long; a file system that is not there is seen at the first.
        if list.is_none() {
            options.input.iter().try_for_each(|path| check_there(path))?;
        }
        let ends = files.first().into_iter().chain(files.last());
        ends.map(|file| &*file.path).try_for_each(check_there)?;
        let (tagger, model) = ready::tagger(options.model.as_deref())?;
        let (first, files, cancel) = (files.len(), Files::new(files), options.cancel.clone());
        let listed = list.map(|path| Listed::open(&path, files.clone(), cancel)).transpose()?;
        let job = Self::with(options, (files, first), (tagger, model));
        Ok(job.of_a_team(ids, listed.map(Arc::new)))
    }

    /// The same where another process found the files and made the database ready, which has given them these identifiers.
    fn of_a_team(mut self, ids: Vec<i64>, listed: Option<Arc<Listed>>) -> Self {
        self.app.end_if_missing();
        (self.member, self.ids, self.listed) = (true, Mutex::new(ids.into()), listed);
        self
    }

    /// The same, that lists its tasks in the file `list` for other processes where pages come.
    #[must_use]
    pub fn listed_in(mut self, list: PathBuf) -> Self {
        self.list = Some(list);
        self
    }

    /// What goes to the other processes, once the database is ready.
    pub(super) fn handed(&self) -> Result<Handed, AppError> {
        if let (Some(list), Some(_)) = (&self.list, &self.coming) {
            // It is to be there when the others look.
            Lister::new(list)?;
            return Ok(Handed { files: Vec::new(), ids: Vec::new(), list: Some(list.clone()) });
        }
        Ok(Handed { files: self.described(0..self.first), ids: lock(&self.ids).to_vec(), list: None })
    }

    /// The files at these places.
    fn described(&self, places: Range<usize>) -> Vec<InputFile> {
        self.files().with(|files| files[places].iter().map(|f| InputFile::clone(f)).collect())
    }

    /// Lists tasks of at most `grain` bytes as pages come, until no more do or `stop` is set; gives their number.
    pub(super) fn list(&self, grain: u64, stop: &Cancel) -> Result<u64, AppError> {
        let (Some(list), Some(coming)) = (&self.list, &self.coming) else { return Ok(0) };
        let mut lister = Lister::open(list)?;
        let known = self.cut_known(grain)?;
        let known = (0..known.len().unwrap_or(0)).map_while(|index| known.get(index).transpose());
        let rest = std::iter::from_fn(|| coming.together(grain, TOGETHER, stop).transpose());
        let mut tasks = 0;
        for task in known.chain(rest) {
            let pages = self.described(task?);
            let again = coming.again(pages.iter().map(|page| identifier(&page.name)));
            lister.add(&(pages, again))?;
            tasks += 1;
        }
        lister.add(&(Vec::new(), Vec::new()))?;
        Ok(tasks)
    }
}
