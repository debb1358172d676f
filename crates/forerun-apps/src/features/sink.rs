//! Where sets of results go: into the database, each as one transaction.

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};
use tempfile::TempDir;

use super::batch::Batch;
use super::files::Ids;
use super::job::FeaturesJob;
use super::store::Connection;
use crate::database::Session;

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
}

/// A database that a sink has used.
pub struct Open {
    pub(super) session: Session<Connection>,
    /// Where the file of a rehearsal lies.
    _scratch: Option<TempDir>,
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
            return Ok(FeatureSink { job, open, ids: job.ids(), rehearsal });
        }
        // All files are new there, and their identifiers are their places.
        let (ids, names) = job.rehearsal_ids();
        let fields = crate::ReductionJob::app(job).fields().names();
        let (database, scratch) = job.database().beside()?;
        let here = database.clone();
        let mut session = Session::new(&database, job.patience(), job.cancel(), move || {
            let mut store = here.made()?;
            store.create(&[], &fields, true)?;
            store.register(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
            Ok(store)
        });
        session.with(|_| Ok(()))?;
        Ok(FeatureSink { job, open: Open { session, _scratch: scratch }, ids, rehearsal })
    }
}

impl Sink<Batch> for FeatureSink<'_> {
    type Out = Open;

    fn accept(&mut self, piece: Piece<Batch>) -> Result<(), AppError> {
        let FeatureSink { job, open, ids, rehearsal } = self;
        let pages = job.pages_of(&piece.value);
        let again = if *rehearsal { Vec::new() } else { job.done_again(&pages) };
        open.session.with(|store| {
            if !pages.is_empty() {
                store.enrol(&pages)?;
            }
            if !again.is_empty() {
                store.forget(&again)?;
            }
            store.put(&piece.value, ids)
        })?;
        if !*rehearsal {
            job.tell(&piece.value);
        }
        Ok(())
    }

    fn close(self) -> Result<Open, AppError> {
        Ok(self.open)
    }
}
