//! Extraction of features as a job.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forerun_platform::{Bytes, JoinAt};
use forerun_skeleton::{AppError, Cancel, Codec, Wire as _};
use forerun_text::tagger::{Model, Tagger};

use super::batch::Batch;
use super::extract::{Extract, fields};
use super::inputs::{InputFile, Tasks, find};
use super::sink::{FeatureSinks, Open};
use super::store::{Database, FORMAT, Session, StoreError, Stored, directory_of};
use super::{model, show};
use crate::{Erased, Extent, Job, ReductionJob};

/// Bytes of input that a task takes at most, and a file unless it is named otherwise: what a killed run loses, and
/// what a rank holds.
const LARGEST_TASK: u64 = 32 << 20;

/// What to extract, and into which database.
#[derive(Debug, Clone)]
pub struct FeatureOptions {
    /// Files and directories.
    pub input: Vec<PathBuf>,
    /// Of directories take files that match one of these; none is [`super::DOCUMENTS`].
    pub include: Vec<String>,
    /// The tagger's model; see [`super::find_model`].
    pub model: Option<PathBuf>,
    /// Where the features go.
    pub database: Database,
    /// Files of more bytes are passed over.
    pub largest: u64,
    /// How long a database that went away is waited for.
    pub patience: Duration,
    /// Ends the run early.
    pub cancel: Cancel,
}

/// Files, what was passed over, and the first of these.
#[derive(Debug, Default)]
struct Skipped {
    files: u64,
    first: Option<(String, String)>,
}

/// Reads documents, finds their noun phrases and stores them in a database.
#[derive(Debug)]
pub struct FeaturesJob {
    database: Database,
    app: Extract,
    /// Tells the model.
    model: String,
    patience: Duration,
    cancel: Cancel,
    /// Of how many files those of the job are the ones to do.
    all: usize,
    notes: Vec<String>,
    /// Identifiers of the files in the database, once a run has begun.
    ids: Mutex<Arc<[i64]>>,
    skipped: Mutex<Skipped>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FeaturesJob {
    /// Finds the files, loads the model, and sees which files the database has already: those are not done again
    /// unless they have changed since, or were passed over. Changes nothing in the database.
    ///
    /// # Errors
    /// An input or model that cannot be read; a database that cannot be reached, has other tables, or was made with
    /// another model.
    pub fn open(options: FeatureOptions) -> Result<Self, AppError> {
        let FeatureOptions { input, include, model: asked, database, largest, patience, cancel } = options;
        let (mut files, notes) = find(&input, &include)?;
        if files.is_empty() {
            let also = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
            return Err(AppError::new(format!(
                "there is no document in what was named{also}: name a file, or give --include with a pattern"
            )));
        }
        if let Some(own) = database.file().and_then(|f| f.canonicalize().ok()) {
            files.retain(|f| f.path.canonicalize().map_or(true, |path| path != own));
        }
        if let Some(file) = database.file()
            && !directory_of(file).is_dir()
        {
            let name = show::path(file);
            return Err(AppError::new(format!("{name}: there is no such directory: make it first")));
        }
        let path = model::find(asked.as_deref())?;
        let wrong = |why: String| AppError::new(format!("the model {}: {why}", show::path(&path)));
        let bytes = std::fs::read(&path).map_err(|e| wrong(e.kind().to_string()))?;
        let read = Model::from_bytes(&bytes, &show::path(&path)).map_err(|e| AppError::new(e.to_string()))?;
        let model = model::fingerprint(&bytes);
        let all = files.len();
        let stored = stored(&database, &model)?;
        files.retain(|f| {
            stored.binary_search_by(|s| s.name.cmp(&f.name)).map_or(true, |n| is_due(&stored[n], f))
        });
        let app = Extract::new(Tagger::new(read), files.into(), largest, cancel.clone());
        let (ids, skipped) = (Mutex::new([].into()), Mutex::default());
        Ok(FeaturesJob { database, app, model, patience, cancel, all, notes, ids, skipped })
    }

    /// The files that are to be done.
    pub fn files(&self) -> &[InputFile] {
        self.app.files()
    }

    /// Where features go.
    pub fn database(&self) -> &Database {
        &self.database
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    pub(super) fn ids(&self) -> Arc<[i64]> {
        lock(&self.ids).clone()
    }

    /// Remembers what was passed over.
    pub(super) fn tell(&self, stored: &Batch) {
        let mut skipped = lock(&self.skipped);
        for f in &stored.files {
            let Some(why) = &f.skipped else { continue };
            skipped.files += 1;
            let name = usize::try_from(f.file).ok().and_then(|n| self.files().get(n));
            if let (None, Some(file)) = (&skipped.first, name) {
                skipped.first = Some((show::path(&file.path), why.clone()));
            }
        }
    }

    /// A connection to the database, which has the tables.
    pub(super) fn session(&self) -> Session {
        let model = self.model.clone();
        Session::new(&self.database, self.patience, &self.cancel, move |store| {
            store.create(&model, &fields(), false)
        })
    }

    /// Gives all files their identifiers, and takes out what came of those that are done again.
    fn prepare(&self) -> Result<(), AppError> {
        *lock(&self.skipped) = Skipped::default();
        let names: Vec<&str> = self.files().iter().map(|f| f.name.as_str()).collect();
        let ids = self.session().with(|store| {
            store.register(&names)?;
            let stored = in_order(store.files()?);
            let found = |name: &&str| stored.binary_search_by(|s| s.name.as_str().cmp(name));
            let mine = names.iter().map(found).collect::<Result<Vec<_>, _>>();
            let mine = mine.map_err(|_| StoreError::gone())?;
            let again: Vec<i64> =
                mine.iter().map(|&n| &stored[n]).filter(|s| s.read.is_some()).map(|s| s.id).collect();
            if !again.is_empty() {
                store.forget(&again)?;
            }
            Ok(mine.iter().map(|&n| stored[n].id).collect())
        })?;
        *lock(&self.ids) = ids;
        Ok(())
    }
}

fn in_order(mut stored: Vec<Stored>) -> Vec<Stored> {
    stored.sort_by(|a, b| a.name.cmp(&b.name));
    stored
}

/// Whether a file is to be done though the database knows it.
fn is_due(stored: &Stored, file: &InputFile) -> bool {
    let now = (i64::try_from(file.bytes).unwrap_or(i64::MAX), file.modified);
    stored.skipped || stored.read != Some(now)
}

/// The files that the database has, by name.
fn stored(database: &Database, model: &str) -> Result<Vec<Stored>, AppError> {
    let found = database.look(|store| {
        let Some(format) = store.about("format")? else { return Ok(Vec::new()) };
        if format != FORMAT {
            return Err(StoreError::other_format(&format));
        }
        if store.about("model")?.is_some_and(|other| other != model) {
            return Err(StoreError::other_model());
        }
        store.files()
    })?;
    Ok(in_order(found.unwrap_or_default()))
}

impl Job for FeaturesJob {
    fn name(&self) -> &'static str {
        "features"
    }

    fn summary(&self) -> String {
        let files = show::count(self.files().len() as u64, "file");
        let bytes = Bytes(self.files().iter().map(|f| f.bytes).sum());
        match self.all - self.files().len() {
            0 => format!("{files}, {bytes}"),
            done => format!("{files}, {bytes}; {} in the database already", show::count(done as u64, "file")),
        }
    }

    fn extent(&self) -> Extent {
        let pieces: Vec<u64> = self.files().iter().map(|f| f.bytes).collect();
        let bytes = pieces.iter().sum();
        Extent { bytes, pieces: Some(pieces), min_grain: 1, max_grain: LARGEST_TASK, kept: Vec::new() }
    }

    fn join(&self) -> JoinAt {
        JoinAt::Finish
    }

    /// A server works beside the rank that waits for it.
    fn outside(&self) -> bool {
        self.database.file().is_none()
    }

    /// Only one can write to a file.
    fn one_sink(&self) -> bool {
        self.database.file().is_some()
    }

    fn notes(&self) -> Vec<String> {
        let skipped = lock(&self.skipped);
        let passed = skipped.first.as_ref().map(|(name, why)| {
            let first = if skipped.files == 1 { "" } else { "the first is " };
            let files = show::count(skipped.files, "file");
            format!("passed over {files} ({first}{name}): {why}; the table file has all")
        });
        self.notes.iter().cloned().chain(passed).collect()
    }
}

impl ReductionJob for FeaturesJob {
    type Input = std::ops::Range<usize>;
    type Partial = Batch;
    type App = Extract;
    type Source = Tasks;
    type Left = Open;
    type Sinks<'s> = FeatureSinks<'s>;

    fn app(&self) -> &Extract {
        &self.app
    }

    /// Begins a run: the database is made ready for what it is going to be given.
    fn cut(&self, grain: u64) -> Result<Tasks, AppError> {
        self.prepare()?;
        self.cut_known(grain)
    }

    fn cut_known(&self, grain: u64) -> Result<Tasks, AppError> {
        Ok(Tasks::cut(self.app.files().clone(), grain.min(LARGEST_TASK)))
    }

    fn sinks(&self) -> FeatureSinks<'_> {
        FeatureSinks { job: self, rehearsal: false }
    }

    fn rehearsal_sinks(&self) -> FeatureSinks<'_> {
        FeatureSinks { job: self, rehearsal: true }
    }

    fn finish(&self, mut left: Vec<Open>) -> Result<String, AppError> {
        let session = match left.last_mut() {
            Some(open) => &mut open.session,
            None => &mut self.session(),
        };
        let totals = session.with(|store| {
            store.close()?;
            store.totals()
        })?;
        let (phrases, documents) = (totals.phrases as u64, totals.documents as u64);
        let of = format!("{} of {}", show::count(phrases, "phrase"), show::count(documents, "document"));
        Ok(format!("{of} in {}", self.database))
    }

    fn rehearse_finish(&self, mut left: Vec<Open>) -> Result<Erased, AppError> {
        left.iter_mut().try_for_each(|open| {
            open.session.with(|store| {
                store.close()?;
                store.totals().map(drop)
            })
        })?;
        Ok(Erased::new(left))
    }

    fn codec(&self) -> impl Codec<Batch> + Codec<Open> + Sync {
        Stores(self)
    }

    fn input_name(&self, source: &Tasks, index: u64) -> String {
        source.describe(index)
    }
}

/// Batches as they are; a database that a sink has used is opened anew where it is received, as everything is stored.
struct Stores<'j>(&'j FeaturesJob);

impl Codec<Batch> for Stores<'_> {
    fn encode(&self, batch: &Batch, out: &mut Vec<u8>) -> Result<(), AppError> {
        batch.encode(out)
    }

    fn decode(&self, bytes: &mut &[u8]) -> Result<Batch, AppError> {
        Batch::decode(bytes)
    }
}

impl Codec<Open> for Stores<'_> {
    fn encode(&self, _open: &Open, _out: &mut Vec<u8>) -> Result<(), AppError> {
        Ok(())
    }

    fn decode(&self, _bytes: &mut &[u8]) -> Result<Open, AppError> {
        Ok(Open::new(self.0.session()))
    }
}
