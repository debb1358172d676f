//! `forerun lsi build`.

use std::time::Instant;

use forerun_lsi::Model;
use forerun_lsi::collection::smart;
use forerun_platform::Bytes;
use serde::Serialize;

use super::{fault, note_rank, options};
use crate::cli::lsi::BuildArgs;
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::execute::stop_if_interrupted;
use crate::file;
use crate::paths::{self, Paths};
use crate::text::{plural, seconds};

/// What `--json` gets.
#[derive(Debug, Serialize)]
struct Built {
    documents: usize,
    terms: usize,
    weighting: &'static str,
    dimensions: usize,
    singular_values: Vec<f64>,
    build_s: f64,
    model_bytes: usize,
}

/// Indexes documents and writes the model.
///
/// # Errors
/// What is wrong with the documents or the options; a file that cannot be written.
pub(super) fn run(args: &BuildArgs, context: &mut Context) -> Result<(), CliError> {
    paths::files(&args.documents)?;
    paths::once(&args.documents)?;
    let paths = Paths::new().reads(&args.documents).writes("--out", Some(&args.out));
    paths.check(&mut context.console, |_| false)?;
    file::check("--out", &args.out)?;
    let options = options(&args.index)?;
    let mut documents = Vec::new();
    for path in &args.documents {
        documents.extend(smart::documents(path, smart::FIELDS).map_err(request)?);
    }
    let begin = Instant::now();
    let model = context.interrupt.busy(|| Model::build(&documents, &options).map_err(fault))?;
    let build_s = begin.elapsed().as_secs_f64();
    stop_if_interrupted(&context.interrupt)?;
    note_rank(options.svd.rank, &model, context)?;
    let bytes = model.to_bytes().map_err(request)?;
    file::write(&args.out, &bytes)?;
    let built = Built {
        documents: model.ids().len(),
        terms: model.vocabulary().terms().len(),
        weighting: model.weighting().name(),
        dimensions: model.rank(),
        singular_values: model.values().to_vec(),
        build_s,
        model_bytes: bytes.len(),
    };
    let console = &context.console;
    console.say(
        "model",
        &format!(
            "{} × {}, {}, k = {}, in {}; {} in {}",
            plural(built.documents as u64, "document"),
            plural(built.terms as u64, "term"),
            built.weighting,
            built.dimensions,
            seconds(build_s),
            Bytes(bytes.len() as u64),
            file::shown(&args.out)
        ),
    )?;
    console.data(&built)
}
