//! Task results that are there before the run.

use std::collections::BTreeMap;
use std::sync::Mutex;

use forerun_skeleton::Message;

use super::cut::Extent;
use super::output::Output;

/// Results of tasks that a pilot ran, kept so that no map command need run twice on the same input.
///
/// A map command may have effects beside its output, and a second run then has them twice. What a
/// pilot gives to [`keep`](Done::keep) is taken by the run instead, if the run has a task with the same
/// extent: pass [`extents`](Done::extents) to [`Tasks::cut`](super::Tasks::cut) to make sure that it has.
#[derive(Debug, Default)]
pub struct Done(Mutex<BTreeMap<Extent, Output>>);

impl Done {
    /// Keeps the result of the task on `extent`, in the place of any on a part of it.
    pub fn keep(&self, extent: Extent, output: Output) {
        let mut kept = self.lock();
        kept.retain(|part, _| !extent.covers(part));
        kept.insert(extent, output);
    }

    /// Takes the result of the task on `extent`, if it is kept.
    pub fn take(&self, extent: &Extent) -> Option<Output> {
        self.lock().remove(extent)
    }

    /// Whether the result of the task on `extent` is kept.
    pub fn has(&self, extent: &Extent) -> bool {
        self.lock().contains_key(extent)
    }

    /// Bytes of the results that are kept in memory.
    pub fn in_memory(&self) -> u64 {
        self.lock().values().filter(|o| o.in_memory()).map(Message::bytes).sum()
    }

    /// The extents whose results are kept, sorted.
    pub fn extents(&self) -> Vec<Extent> {
        self.lock().keys().copied().collect()
    }

    /// Takes all of them, in order.
    pub(crate) fn take_all(&self) -> BTreeMap<Extent, Output> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Extent, Output>> {
        // No change can panic half way.
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}
