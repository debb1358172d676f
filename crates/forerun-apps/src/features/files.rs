//! The files of a job.

use std::sync::{Arc, PoisonError, RwLock};

use super::inputs::InputFile;
use super::page;
use super::store::StoreError;

/// The files of a job in order: all that there are, or those that came so far. What is in it stays where it is.
#[derive(Debug, Default)]
pub(super) struct Files(RwLock<Vec<Arc<InputFile>>>);

impl Files {
    /// These files.
    pub(super) fn new(files: Vec<InputFile>) -> Arc<Self> {
        Arc::new(Files(RwLock::new(files.into_iter().map(Arc::new).collect())))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.with(<[_]>::len)
    }

    /// A file by its place.
    pub(super) fn get(&self, place: usize) -> Option<Arc<InputFile>> {
        self.with(|files| files.get(place).cloned())
    }

    /// Looks at all of them.
    pub(super) fn with<T>(&self, look: impl FnOnce(&[Arc<InputFile>]) -> T) -> T {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds one at the end.
    pub(super) fn push(&self, file: InputFile) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(file));
    }
}

/// The identifiers that files have in the database.
#[derive(Debug, Clone)]
pub(super) enum Ids {
    /// By their places, as the database gave them.
    Given(Arc<[i64]>),
    /// Those of pages, which follow from their names.
    Pages(Arc<Files>),
}

impl Ids {
    /// The identifier of a file of the input.
    pub(super) fn of(&self, file: u64) -> Result<i64, StoreError> {
        let place = usize::try_from(file).ok();
        let found = match self {
            Ids::Given(ids) => place.and_then(|n| ids.get(n).copied()),
            Ids::Pages(files) => place.and_then(|n| files.get(n)).map(|f| page::identifier(&f.name)),
        };
        found.ok_or_else(|| StoreError::new("a result is of a file that is not among the inputs"))
    }
}
