//! Extraction of features as a job.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forerun_platform::{Bytes, Input, JoinAt};
use forerun_skeleton::{AppError, Cancel, Codec, Wire as _};
use forerun_text::tagger::Tagger;

use super::batch::Batch;
use super::coming::{Coming, Due};
use super::extract::Extract;
use super::fields::Fields;
use super::files::Files;
use super::gone::{Gone, gone};
use super::inputs::{InputFile, Tasks, find};
use super::listed::Listed;
use super::page::Pages;
use super::ready::{due, in_order, prepared};
use super::show;
use super::sink::{FeatureSinks, Open};
use super::store::{Connection, Database, LOG, StoreError};
use super::stores::Stores;
use crate::database::Session;
use crate::{Erased, Extent, Job, ReductionJob};

/// Bytes of input that a task takes at most, and a file unless it is named otherwise: what a killed run loses, and
/// what a rank holds.
const LARGEST_TASK: u64 = 32 << 20;

/// What to extract, and into which database.
#[derive(Debug, Clone)]
pub struct FeatureOptions {
    /// Files and directories; none where pages come.
    pub input: Vec<PathBuf>,
    /// Of directories take files that match one of these; none is [`super::DOCUMENTS`].
    pub include: Vec<String>,
    /// Whether links to directories are followed; each directory is read once.
    pub follow_links: bool,
    /// Whether a directory may have become empty, so that all that came from it is taken out of the database.
    pub allow_empty: bool,
    /// Which elements are fields.
    pub fields: Fields,
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
    pub(super) app: Extract,
    /// Tells the model.
    model: String,
    patience: Duration,
    cancel: Cancel,
    /// How many files are known from the start.
    pub(super) first: usize,
    /// How many others the database had then.
    pub(super) already: usize,
    /// What it has of files that are there no longer.
    gone: Gone,
    notes: Vec<String>,
    /// Where pages come from, of a job whose inputs are pages.
    pub(super) coming: Option<Arc<Coming>>,
    /// Whether more may come than are known.
    pub(super) open: bool,
    /// Whether its pages are a sample, which is not run.
    pub(super) sampled: bool,
    /// Whether another process found the files and made the database ready.
    pub(super) member: bool,
    /// Where the tasks are listed of pages that another process takes.
    pub(super) listed: Option<Arc<Listed>>,
    /// Where they are to be listed for other processes.
    pub(super) list: Option<PathBuf>,
    /// Identifiers of the files in the database, once a run has begun.
    pub(super) ids: Mutex<Arc<[i64]>>,
    skipped: Mutex<Skipped>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FeaturesJob {
    /// Finds the files, loads the model, and sees which files the database has already: those are not done again
    /// unless they have changed since, or were passed over. What it has of files that are no longer in a directory that
    /// is named, a run takes out. Changes nothing in the database.
    ///
    /// # Errors
    /// An input or model that cannot be read; a database that cannot be reached, has other tables, or was made with
    /// another model; a directory that became empty, unless it may be.
    pub fn open(options: FeatureOptions) -> Result<Self, AppError> {
        let (mut files, notes) = find(&options.input, &options.include, options.follow_links)?;
        let (tagger, model, stored) = prepared(&options)?;
        let gone = gone(&options.input, &stored, &files)?;
        if let (Some((directory, came)), false) = (gone.emptied.first(), options.allow_empty) {
            let (directory, came) = (show::path(directory), show::count(*came as u64, "file"));
            return Err(AppError::new(format!(
                "there is no document in {directory} any more, and {} has what {came} gave that had been there: see whether it is \
                 mounted; if nothing is to be there, --allow-empty takes that out",
                options.database
            )));
        }
        if files.is_empty() && gone.emptied.is_empty() {
            let also = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
            return Err(AppError::new(format!(
                "there is no document in what was named{also}: name a file, or give --include with a pattern"
            )));
        }
        if let Some(own) = options.database.file().and_then(|f| f.canonicalize().ok()) {
            files.retain(|f| f.path.canonicalize().map_or(true, |path| path != own));
        }
        let all = files.len();
        files.retain(|f| matches!(due(&stored, f), Due::New | Due::Again));
        let first = files.len();
        let mut job = Self::with(options, (Files::new(files), first), (tagger, model));
        (job.already, job.gone, job.notes) = (all - first, gone, notes);
        Ok(job)
    }

    /// As [`FeaturesJob::open`], for pages that keep coming while the job runs. Those that come within `time`, or the
    /// first one, are known from the start. Setting `close` ends the input where it is.
    ///
    /// # Errors
    /// As [`FeaturesJob::open`]; why there is no page.
    pub fn follow(
        options: FeatureOptions,
        pages: impl FnOnce() -> Result<Box<dyn Pages>, AppError>,
        time: Duration,
        close: &Cancel,
    ) -> Result<Self, AppError> {
        let (tagger, model, stored) = prepared(&options)?;
        let files = Files::new(Vec::new());
        let due = move |page: &InputFile| due(&stored, page);
        let flags = (close.clone(), options.cancel.clone());
        let coming = Coming::start(files.clone(), pages()?, due, flags)?;
        let (first, all) = coming.gather(time)?;
        let mut job = Self::with(options, (files, first), (tagger, model));
        (job.already, job.open, job.coming) = (coming.already(), !all, Some(coming));
        Ok(job)
    }

    pub(super) fn with(
        options: FeatureOptions,
        (files, first): (Arc<Files>, usize),
        (tagger, model): (Tagger, String),
    ) -> Self {
        let FeatureOptions { database, fields, largest, patience, cancel, .. } = options;
        let app = Extract::new((tagger, fields), files, largest, cancel.clone());
        FeaturesJob {
            database,
            app,
            model,
            patience,
            cancel,
            first,
            already: 0,
            gone: Gone::default(),
            notes: Vec::new(),
            coming: None,
            open: false,
            sampled: false,
            member: false,
            listed: None,
            list: None,
            ids: Mutex::new([].into()),
            skipped: Mutex::default(),
        }
    }

    /// How many files are to be done, as far as they are known before the run.
    pub fn known(&self) -> usize {
        self.first
    }

    pub(super) fn files(&self) -> &Files {
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

    /// The names of the files that were known from the start.
    pub(super) fn names(&self) -> Vec<String> {
        self.files().with(|files| files[..self.first].iter().map(|f| f.name.clone()).collect())
    }

    /// Remembers what was passed over.
    pub(super) fn tell(&self, stored: &Batch) {
        let mut skipped = lock(&self.skipped);
        for f in &stored.files {
            let Some(why) = &f.skipped else { continue };
            skipped.files += 1;
            let file = usize::try_from(f.file).ok().and_then(|n| self.files().get(n));
            if let (None, Some(file)) = (&skipped.first, file) {
                skipped.first = Some((file.shown(), why.clone()));
            }
        }
    }

    /// That of all files at least one was read, by this run or one before, which left `documents` in the database: a rank on MPI knows no
    /// more. (Of pages, those that were fetched are a result, too.)
    fn something_read(&self, documents: u64) -> Result<(), AppError> {
        let (skipped, (taken, already)) = (lock(&self.skipped), self.came());
        let none = !self.is_of_pages() && documents == 0 && already == 0 && skipped.files >= taken;
        let Some((name, why)) = skipped.first.as_ref().filter(|_| none) else { return Ok(()) };
        Err(AppError::new(match skipped.files {
            1 => format!("the one file was passed over ({name}): {why}"),
            files => format!("all {files} files were passed over (the first is {name}): {why}"),
        }))
    }

    /// Whether the log of a database in a file may have to be written back before the run ends: what comes of documents takes less
    /// room than they do.
    pub(super) fn fills_a_log(&self) -> bool {
        self.open || self.sizes().iter().sum::<u64>() > LOG
    }

    /// So many files, or pages, in words.
    fn count(&self, n: usize) -> String {
        show::count(n as u64, if self.is_of_pages() { "page" } else { "file" })
    }

    /// Bytes of the files that were known from the start.
    fn bytes(&self) -> u64 {
        self.sizes().iter().sum()
    }

    /// The sizes of the files that were known from the start.
    fn sizes(&self) -> Vec<u64> {
        self.files().with(|files| files[..self.first].iter().map(|f| f.bytes).collect())
    }

    /// A connection to the database, which has the tables.
    pub(super) fn session(&self) -> Session<Connection> {
        let (model, fields) = (self.model.clone(), self.app.fields().clone());
        let database = self.database.clone();
        Session::new(&self.database, self.patience, &self.cancel, move || {
            let mut store = database.made()?;
            let about = [("model", &*model), ("fields", &*fields.fingerprint())];
            store.create(&about, &fields.names(), false)?;
            Ok(store)
        })
    }

    /// Gives all files their identifiers, and takes out what came of those that are known and done again, and those that
    /// are gone.
    fn prepare(&self) -> Result<(), AppError> {
        *lock(&self.skipped) = Skipped::default();
        let names = self.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let given = self.coming.is_none();
        let ids = self.session().with(|store| {
            if given {
                store.register(&names)?;
            }
            let stored = in_order(store.files()?);
            let found = |name: &&str| stored.binary_search_by(|s| s.name.as_str().cmp(name)).ok();
            let mine: Vec<usize> = names.iter().filter_map(found).collect();
            if given && mine.len() < names.len() {
                return Err(StoreError::gone());
            }
            let again: Vec<i64> =
                mine.iter().map(|&n| &stored[n]).filter(|s| s.read.is_some()).map(|s| s.id).collect();
            if !again.is_empty() {
                store.forget(&again)?;
            }
            let gone: Vec<i64> =
                self.gone.names.iter().filter_map(|n| found(&&**n)).map(|n| stored[n].id).collect();
            if !gone.is_empty() {
                store.remove(&gone)?;
            }
            Ok(mine.iter().map(|&n| stored[n].id).collect())
        })?;
        *lock(&self.ids) = ids;
        Ok(())
    }
}

impl Job for FeaturesJob {
    fn name(&self) -> &'static str {
        "features"
    }

    fn summary(&self) -> String {
        let count = |n: usize| self.count(n);
        let more = if self.open { " so far, and more to come" } else { "" };
        let known = format!("{}, {}{more}", count(self.first), Bytes(self.bytes()));
        let already = match self.already {
            0 => known,
            done => format!("{known}; {} in the database already", count(done)),
        };
        match self.gone.names.len() {
            0 => already,
            gone => format!("{already}; {} to be taken out of it, as no longer there", count(gone)),
        }
    }

    fn extent(&self) -> Extent {
        let pieces = self.sizes();
        let bytes = pieces.iter().sum();
        Extent {
            bytes,
            pieces: Some(pieces),
            min_grain: 1,
            max_grain: LARGEST_TASK,
            kept: Vec::new(),
            breaks: Vec::new(),
        }
    }

    /// What of it is not in the database already.
    fn input(&self) -> Option<Input> {
        if self.open {
            return None;
        }
        let bytes = self.bytes();
        let words = format!("{}, {}", self.count(self.first), Bytes(bytes));
        Some(Input { bytes: Some(bytes), items: Some(self.first as u64), words })
    }

    fn first_sizes(&self) -> Option<Vec<u64>> {
        self.open.then(|| self.sizes())
    }

    fn came(&self) -> (u64, u64) {
        let (taken, already) = match &self.coming {
            Some(coming) if self.open => (coming.taken(), coming.already()),
            _ => (self.first, self.already),
        };
        (taken as u64, already as u64)
    }

    fn reads_files(&self) -> bool {
        true
    }

    fn join(&self) -> JoinAt {
        JoinAt::Finish
    }

    fn stores_rows(&self) -> bool {
        true
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
        let coming = self.coming.as_ref().map_or(Vec::new(), |coming| coming.notes());
        let files = |names: &[String]| {
            let first = if names.len() == 1 { "" } else { "the first is " };
            names.first().map(|name| (show::count(names.len() as u64, "file"), format!("{first}{name}")))
        };
        let gone = files(&self.gone.names)
            .map(|(files, which)| format!("took {files} out of the database, as no longer there ({which})"));
        let unknown = files(&self.gone.unknown).map(|(files, which)| {
            format!(
                "left {files} in the database ({which}): a link that leads there cannot be followed, or a directory not be looked into"
            )
        });
        self.notes.iter().cloned().chain(gone).chain(unknown).chain(coming).chain(passed).collect()
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
        if !self.member {
            self.prepare()?;
        }
        let coming = self.coming.as_ref().filter(|_| self.open);
        let known = self.cut_known(grain)?;
        Ok(match &self.listed {
            Some(_) => known.then_listed(self.listed.as_ref()),
            None => known.then_coming(coming, grain.min(LARGEST_TASK)),
        })
    }

    fn cut_known(&self, grain: u64) -> Result<Tasks, AppError> {
        Ok(Tasks::cut(self.app.files().clone(), self.first, grain.min(LARGEST_TASK)))
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
        self.something_read(documents)?;
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

    /// Begins a run: the database is made ready, and the files go with the identifiers that it gives them.
    fn hand_over(&self, out: &mut Vec<u8>) -> Result<(), AppError> {
        self.prepare()?;
        self.handed()?.encode(out)
    }

    fn list_tasks(&self, grain: u64, stop: &Cancel) -> Result<u64, AppError> {
        self.list(grain.min(LARGEST_TASK), stop)
    }

    fn input_name(&self, source: &Tasks, index: u64) -> String {
        source.describe(index)
    }
}
