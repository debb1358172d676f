//! What `tagger` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What `tagger` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A corpus is a directory or zip archive of files of word/tag, as the Brown corpus is distributed.
Every tenth file, in the order of their names, is held out: train does not learn from it, eval
counts on it.

Examples:
  forerun tagger train brown.zip -o brown.frtagger
  forerun tagger eval brown.zip --model brown.frtagger")]
pub struct TaggerArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: TaggerCommand,
}

/// What to do with taggers.
#[derive(Debug, Subcommand)]
pub enum TaggerCommand {
    /// Learn a model from a tagged corpus, and say how accurate it is on files that it has not seen.
    Train {
        /// The corpus.
        #[arg(value_name = "CORPUS")]
        corpus: PathBuf,
        /// The model's file.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
        /// Learn from all files, and hold out none.
        #[arg(long)]
        all: bool,
    },
    /// How accurate a model is on the held-out files of a tagged corpus.
    Eval {
        /// The corpus.
        #[arg(value_name = "CORPUS")]
        corpus: PathBuf,
        /// The tagger's model, or a directory with Brill's own LEXICON, LEXICALRULEFILE and CONTEXTUALRULEFILE; without
        /// it, the one that is shipped.
        #[arg(long, value_name = "FILE")]
        model: Option<PathBuf>,
        /// Count on all files.
        #[arg(long)]
        all: bool,
    },
}
