//! Where sets of results go: into the database, each as one transaction.

use std::sync::Arc;

use forerun_skeleton::AppError;
use forerun_skeleton::reduction::{Piece, Sink, Sinks};
use tempfile::TempDir;

use super::batch::Batch;
use super::extract::fields;
use super::job::FeaturesJob;
use super::store::{Database, Session, directory_of};

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
    ids: Arc<[i64]>,
    rehearsal: bool,
}

/// A database that a sink has used.
pub struct Open {
    pub(super) session: Session,
    /// Where the file of a rehearsal lies.
    _scratch: Option<TempDir>,
}

impl Open {
    /// A database that no rehearsal uses.
    pub(super) fn new(session: Session) -> Self {
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
        let ids = (1..=job.files().len() as i64).collect();
        let names: Vec<String> = job.files().iter().map(|f| f.name.clone()).collect();
        let (database, scratch) = match job.database() {
            Database::Sqlite(path) => {
                let made = tempfile::Builder::new().prefix(".forerun-").tempdir_in(directory_of(path));
                let made = made.map_err(|e| {
                    AppError::new(format!("cannot write beside the database {}: {e}", job.database()))
                })?;
                (Database::Sqlite(made.path().join("rehearsal.db")), Some(made))
            }
            server @ Database::Postgres(_) => (server.clone(), None),
        };
        let mut session = Session::new(&database, job.patience(), job.cancel(), move |store| {
            store.create("", &fields(), true)?;
            store.register(&names.iter().map(String::as_str).collect::<Vec<_>>())
        });
        session.with(|_| Ok(()))?;
        Ok(FeatureSink { job, open: Open { session, _scratch: scratch }, ids, rehearsal })
    }
}

impl Sink<Batch> for FeatureSink<'_> {
    type Out = Open;

    fn accept(&mut self, piece: Piece<Batch>) -> Result<(), AppError> {
        let FeatureSink { job, open, ids, rehearsal } = self;
        open.session.with(|store| store.put(&piece.value, ids))?;
        if !*rehearsal {
            job.tell(&piece.value);
        }
        Ok(())
    }

    fn close(self) -> Result<Open, AppError> {
        Ok(self.open)
    }
}
