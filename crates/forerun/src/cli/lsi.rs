//! What `forerun lsi` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use forerun_lsi::Weighting;

use super::DrawOptions;

/// What `lsi` takes.
#[derive(Debug, Args)]
pub struct LsiArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: LsiCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum LsiCommand {
    /// Index documents: make a model and save it.
    Build(BuildArgs),
    /// Rank the documents of a model for queries.
    Query(QueryArgs),
    /// Measure how good the rankings of a test collection are.
    Eval(EvalArgs),
}

/// How terms are weighted.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum WeightingArg {
    /// (1 + ln f) · idf, as scikit-learn's with sublinear_tf.
    TfIdf,
    /// f · idf, as scikit-learn's by default.
    TfIdfRaw,
    /// ln(1 + f) · (1 − the entropy of the term).
    LogEntropy,
}

impl From<WeightingArg> for Weighting {
    fn from(arg: WeightingArg) -> Weighting {
        match arg {
            WeightingArg::TfIdf => Weighting::TfIdf,
            WeightingArg::TfIdfRaw => Weighting::TfIdfRaw,
            WeightingArg::LogEntropy => Weighting::LogEntropy,
        }
    }
}

/// How documents are indexed.
#[derive(Debug, Clone, Args)]
pub struct IndexOptions {
    /// Dimensions; as many as there are documents or terms, where those are fewer.
    #[arg(short = 'k', long = "dimensions", value_name = "K", default_value_t = 100, value_parser = super::count::some)]
    pub rank: usize,
    /// How terms are weighted.
    #[arg(long, value_enum, default_value = "tf-idf")]
    pub weighting: WeightingArg,
    /// Take word stems for words.
    #[arg(long)]
    pub stem: bool,
    /// Keep English function words.
    #[arg(long)]
    pub all_words: bool,
    /// Leave out terms in fewer documents.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub min_documents: u32,
    /// The residual that every singular triplet must reach, relative to its value.
    #[arg(long, value_name = "R", default_value_t = 1e-4)]
    pub tolerance: f64,
    /// The same seed gives the same model.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; as many as the machine has cores by default.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// What `build` takes.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Documents in the SMART form (.I, .T, .W), each file named once; titles and words are indexed.
    #[arg(required = true, value_name = "FILE")]
    pub documents: Vec<PathBuf>,
    /// The model to write.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// How.
    #[command(flatten)]
    pub index: IndexOptions,
}

/// What `query` takes.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// The model, as `build` wrote it.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Queries, each one argument.
    #[arg(value_name = "QUERY", required_unless_present = "file")]
    pub queries: Vec<String>,
    /// Queries of a file too: in the SMART form, or one a line.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Documents for each.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
}

/// What `eval` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
The directory has the files of a collection in the SMART form: NAME.all, NAME.qry, NAME.rel, in
capitals or not, or as Cranfield's (cran.all.1400, cran.qry, cranqrel).

Examples:
  forerun lsi eval --collection med DIR
  forerun lsi eval --collection cranfield DIR -k 200 --weighting log-entropy --svg curve.svg")]
pub struct EvalArgs {
    /// Where the collection is.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// What its files' names begin with, such as med or cranfield.
    #[arg(long, value_name = "NAME")]
    pub collection: String,
    /// How.
    #[command(flatten)]
    pub index: IndexOptions,
    /// Files.
    #[command(flatten)]
    pub draw: DrawOptions,
}
