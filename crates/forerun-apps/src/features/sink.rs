//! Where sets of results go: into the database, as many in one transaction as come within a moment.
//!
//! A table is touched wherever a phrase of a set belongs, and what a transaction writes is whole pages of it: of many small sets
//! that is many times what one large set writes. So sets are merged until some time has passed since the last
//! transaction, or until they are many bytes. One that comes after a longer while is stored at once.

use std::time::{Duration, Instant};

use forerun_skeleton::reduction::{Piece, Sink, Sinks};
use forerun_skeleton::{AppError, Message as _};

use super::batch::Batch;
use super::files::Ids;
use super::job::FeaturesJob;
use super::store::Connection;
use crate::command::leftover::Locked;
use crate::database::Session;

/// Sets that come this soon after a transaction wait for the next.
const MOMENT: Duration = Duration::from_millis(250);
/// Bytes of sets that wait at most.
const MOST: u64 = 8 << 20;

/// Opens a connection for each group of ranks.
#[derive(Debug)]
pub struct FeatureSinks<'j> {
    pub(super) job: &'j FeaturesJob,
    /// Whether what they take is thrown away.
    pub(super) rehearsal: bool,
}

/// Stores what it is given.
pub struct FeatureSink<'j> {
    job: &'j FeaturesJob,
    open: Open,
    ids: Ids,
    rehearsal: bool,
    /// Sets that wait, and their bytes.
    waiting: Vec<Batch>,
    bytes: u64,
    /// When the last transaction ended.
    stored: Option<Instant>,
}

/// A database that a sink has used.
pub struct Open {
    pub(super) session: Session<Connection>,
    /// Where the file of a rehearsal lies.
    _scratch: Option<Locked>,
}

impl Open {
    /// A database that no rehearsal uses.
    pub(super) fn new(session: Session<Connection>) -> Self {
        Open { session, _scratch: None }
    }
}

impl<'j> Sinks<Batch> for FeatureSinks<'j> {
    type Sink = FeatureSink<'j>;

    fn open(&self, _group: usize) -> Result<FeatureSink<'j>, AppError> {
        let FeatureSinks { job, rehearsal } = *self;
        if !rehearsal {
            let open = Open::new(job.session());
            return Ok(FeatureSink::new(job, open, job.ids(), rehearsal));
        }
        // All files are new there, and their identifiers are their places.
        let (ids, names) = job.rehearsal_ids();
        let fields = crate::ReductionJob::app(job).fields().names();
        let (database, scratch) = job.database().beside()?;
        let mut session = Session::new(job.database(), job.patience(), job.cancel(), move || {
            let mut store = database.made()?;
            store.create(&[], &fields, true)?;
            store.register(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
            Ok(store)
        });
        // What was written to make it is no part of what a long run does. In the log it is what the finish of a short one has to
        // write back at the least.
        session.with(|store| if job.fills_a_log() { store.close() } else { Ok(()) })?;
        Ok(FeatureSink::new(job, Open { session, _scratch: scratch }, ids, rehearsal))
    }
}

impl<'j> FeatureSink<'j> {
    fn new(job: &'j FeaturesJob, open: Open, ids: Ids, rehearsal: bool) -> Self {
        FeatureSink { job, open, ids, rehearsal, waiting: Vec::new(), bytes: 0, stored: None }
    }

    /// Stores what waits.
    fn store(&mut self) -> Result<(), AppError> {
        let Some(set) = merged(std::mem::take(&mut self.waiting)) else { return Ok(()) };
        self.bytes = 0;
        let FeatureSink { job, open, ids, rehearsal, .. } = self;
        let pages = job.pages_of(&set)?;
        let again = if *rehearsal { Vec::new() } else { job.done_again(&pages) };
        open.session.with(|store| {
            if !pages.is_empty() {
                store.enrol(&pages)?;
            }
            if !again.is_empty() {
                store.forget(&again)?;
            }
            store.put(&set, ids)
        })?;
        if !*rehearsal {
            job.tell(&set);
        }
        self.stored = Some(Instant::now());
        Ok(())
    }
}

/// Sets as one: neighbours first, so that each byte is merged as often as the number of sets has binary digits.
fn merged(mut sets: Vec<Batch>) -> Option<Batch> {
    while sets.len() > 1 {
        let mut left = sets.into_iter();
        let mut half = Vec::new();
        while let Some(set) = left.next() {
            half.push(match left.next() {
                Some(next) => set.merge(next),
                None => set,
            });
        }
        sets = half;
    }
    sets.pop()
}

impl Sink<Batch> for FeatureSink<'_> {
    type Out = Open;

    fn accept(&mut self, piece: Piece<Batch>) -> Result<(), AppError> {
        self.bytes += piece.value.bytes();
        self.waiting.push(piece.value);
        let soon = self.stored.is_some_and(|stored| stored.elapsed() < MOMENT);
        if soon && self.bytes < MOST { Ok(()) } else { self.store() }
    }

    fn close(mut self) -> Result<Open, AppError> {
        self.store()?;
        if self.rehearsal && self.job.fills_a_log() {
            // In such a run what is written ahead goes to its place time and again, not only at the end.
            self.open.session.with(|store| store.close())?;
        }
        Ok(self.open)
    }
}
