//! `forerun lsi`: latent semantic indexing.

mod build;
mod eval;
mod query;

use forerun_lsi::{Analysis, LsiError, Model, ModelOptions};

use crate::cli::lsi::{IndexOptions, LsiCommand};
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::text::plural;

/// Does what is asked for.
///
/// # Errors
/// What is wrong with the request or a file; what failed.
pub fn run(what: &LsiCommand, context: &mut Context) -> Result<(), CliError> {
    match what {
        LsiCommand::Build(args) => build::run(args, context),
        LsiCommand::Query(args) => query::run(args, context),
        LsiCommand::Eval(args) => eval::run(args, context),
    }
}

fn options(args: &IndexOptions) -> Result<ModelOptions, CliError> {
    if args.threads == Some(0) {
        return Err(request("--threads 0: at least one is needed"));
    }
    let mut options = ModelOptions::new(args.rank);
    options.analysis = Analysis { stop_words: !args.all_words, stem: args.stem };
    options.weighting = args.weighting.into();
    options.least_documents = args.min_documents;
    options.svd.tolerance = args.tolerance;
    options.svd.seed = args.seed;
    if let Some(threads) = args.threads {
        options.svd.threads = threads;
    }
    Ok(options)
}

/// Says where a model has fewer dimensions than were asked for.
fn note_rank(asked: usize, model: &Model, context: &Context) -> Result<(), CliError> {
    let has = model.rank();
    if has == asked {
        return Ok(());
    }
    let documents = plural(model.ids().len() as u64, "document");
    let terms = plural(model.vocabulary().terms().len() as u64, "term");
    context
        .console
        .note("note", &format!("k = {has}, not {asked}: {documents} of {terms} have no more dimensions"))
}

/// A fault of what was given, with the option where it is one's.
fn fault(e: LsiError) -> CliError {
    match e {
        LsiError::NoTerms { documents: 1.., least: 2.. } => {
            request(format!("{e}: --min-documents (2 unless given) allows rarer terms"))
        }
        LsiError::NoTerms { documents: 1.., .. } => {
            request(format!("{e}: what they say has no words, or only such as --all-words keeps"))
        }
        LsiError::Svd(e @ forerun_lsi::svd::SvdError::Rank { .. }) => {
            request(format!("-k (--dimensions, 100 unless given): {e}"))
        }
        other => request(other),
    }
}
