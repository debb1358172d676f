//! What the process that found the inputs hands to others that do the work: the files in their order, and the identifiers
//! that the database gave them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use forerun_skeleton::wire::{Plain, whole};
use forerun_skeleton::{AppError, Wire};

use super::files::Files;
use super::inputs::InputFile;
use super::job::{FeatureOptions, FeaturesJob};
use super::ready;
use crate::command::show;
use crate::command::walk::unreadable;

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

/// Files, and the identifier of each.
pub(super) type Handed = (Vec<InputFile>, Vec<i64>);

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
        let (files, ids): Handed = whole(&Plain, handed)?;
        // All would take long; a file system that is not there is seen at the first.
        options.input.iter().try_for_each(|path| check_there(path))?;
        let ends = files.first().into_iter().chain(files.last());
        ends.map(|file| &*file.path).try_for_each(check_there)?;
        let (tagger, model) = ready::tagger(options.model.as_deref())?;
        let first = files.len();
        let job = Self::with(options, (Files::new(files), first), (tagger, model));
        Ok(job.of_a_team(ids))
    }
}
