//! What is looked at before a job begins: the model, and what the database has already.

use std::path::Path;

use forerun_skeleton::AppError;
use forerun_text::tagger::{Model, Tagger};

use super::coming::Due;
use super::fields::USUAL;
use super::inputs::InputFile;
use super::job::FeatureOptions;
use super::model;
use super::store::{Database, FORMAT, StoreError, Stored};

/// Loads the tagger: it, what tells its model, and what the database has, by name.
pub(super) fn prepared(options: &FeatureOptions) -> Result<(Tagger, String, Vec<Stored>), AppError> {
    options.database.check()?;
    let (tagger, model) = tagger(options.model.as_deref())?;
    let stored = stored(&options.database, &model, &options.fields.fingerprint())?;
    Ok((tagger, model, stored))
}

/// The tagger of the model that is asked for, and what tells the model.
pub(super) fn tagger(asked: Option<&Path>) -> Result<(Tagger, String), AppError> {
    let path = model::find(asked)?;
    let read = Model::load(&path).map_err(|e| AppError::new(format!("the tagger's model: {e}")))?;
    let model = model::fingerprint(&read.to_bytes());
    Ok((Tagger::new(read), model))
}

/// By name.
pub(super) fn in_order(mut stored: Vec<Stored>) -> Vec<Stored> {
    stored.sort_by(|a, b| a.name.cmp(&b.name));
    stored
}

/// What is to be done about a file of which the database may know.
pub(super) fn due(stored: &[Stored], file: &InputFile) -> Due {
    let Ok(place) = stored.binary_search_by(|s| s.name.cmp(&file.name)) else { return Due::New };
    let Stored { read, skipped, .. } = &stored[place];
    let now = (i64::try_from(file.bytes).unwrap_or(i64::MAX), file.modified);
    match read {
        None => Due::New,
        Some(read) if *read == now && !skipped => Due::Not,
        Some(_) => Due::Again,
    }
}

/// The files that the database has, by name.
fn stored(database: &Database, model: &str, fields: &str) -> Result<Vec<Stored>, AppError> {
    let found = database.look(|store| {
        let Some(format) = store.about("format")? else { return Ok(Vec::new()) };
        if format != FORMAT {
            return Err(StoreError::other_format(&format));
        }
        if store.about("model")?.is_some_and(|other| other != model) {
            return Err(StoreError::other_model());
        }
        // Databases made before there was a choice say nothing of it.
        if store.about("fields")?.as_deref().unwrap_or(USUAL) != fields {
            return Err(StoreError::other_fields());
        }
        store.files()
    })?;
    Ok(in_order(found.unwrap_or_default()))
}
