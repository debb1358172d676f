//! Features of documents: noun phrases with their frequency, and the field and offset of each occurrence, in a
//! database (Kuntraruk et al., section V-A).
//!
//! [`FeaturesJob`] is a reduction: a task reads some files, tags their text and collects its noun phrases
//! ([`forerun_text`]) into a [`Batch`]; merging puts batches together; the sink stores each set in one transaction. The
//! tables, and why a run can be killed at any time, are described in `store/mod.rs`. [`Query`] asks a database. The files may be known, or pages that [keep coming](FeaturesJob::follow) from a crawl.
//!
//! A file that cannot be read, is too large or is no text does not end the run: the database says why it was passed
//! over. A file that is no longer in a directory that is named is taken out of the database.

mod batch;
mod coming;
pub mod dictionary;
mod extract;
mod fields;
mod files;
mod gone;
mod handed;
mod inputs;
mod job;
mod listed;
mod model;
mod page;
mod query;
mod ready;
mod sink;
mod store;
mod stores;

use crate::command::show;

pub use self::batch::{Batch, DocumentRecord, FileRecord};
pub use self::extract::Extract;
pub use self::fields::Fields;
pub use self::inputs::{DOCUMENTS, InputFile, Tasks};
pub use self::job::{FeatureOptions, FeaturesJob};
pub use self::model::{VARIABLE as MODEL_VARIABLE, find as find_model};
pub use self::page::Pages;
pub use self::query::{Answer, Query};
pub use self::sink::{FeatureSink, FeatureSinks, Open};
pub use self::store::{Database, Found, Phrase, Totals};
