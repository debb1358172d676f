//! What `forerun pepa` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What `pepa` takes.
#[derive(Debug, Args)]
pub struct PepaArgs {
    /// What to do with the model.
    #[command(subcommand)]
    pub what: PepaCommand,
}

/// What to do with a model.
#[derive(Debug, Subcommand)]
pub enum PepaCommand {
    /// Say what is wrong with models, and what is probably not meant.
    Check(CheckArgs),
    /// Print a model in its canonical form.
    Fmt(FmtArgs),
    /// Find all states.
    States(StatesArgs),
    /// Throughputs, utilisations and populations in the long run.
    Solve(SolveArgs),
}

/// Whose reading of a model is meant where tools differ.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum DialectArg {
    /// What all mean; refused where they differ.
    #[default]
    Any,
    /// The PEPA Eclipse plug-in.
    Eclipse,
    /// The PEPA Workbench, and PRISM's import.
    Workbench,
    /// The Imperial PEPA compiler.
    Ipc,
}

/// A model and how to read it.
#[derive(Debug, Clone, Args)]
pub struct ModelArgs {
    /// The model.
    #[arg(value_name = "FILE.pepa")]
    pub file: PathBuf,
    /// Read it as this tool does where tools differ.
    #[arg(long, value_enum, default_value_t)]
    pub dialect: DialectArg,
    /// Give a rate another value than the model does; may be given several times.
    #[arg(long = "set", value_name = "RATE=VALUE")]
    pub set: Vec<String>,
}

/// How to find states.
#[derive(Debug, Clone, Args)]
pub struct SpaceArgs {
    /// The most states to be found.
    #[arg(long = "states", value_name = "N", default_value = "1e9")]
    pub limit: String,
    /// Let one state stand for all that differ only in which of several equal components is where.
    #[arg(long)]
    pub aggregate: bool,
    /// Threads that search for states; as many as the machine has cores by default.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// What `check` takes.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The models.
    #[arg(required = true, value_name = "FILE.pepa")]
    pub files: Vec<PathBuf>,
    /// Read them as this tool does where tools differ.
    #[arg(long, value_enum, default_value_t)]
    pub dialect: DialectArg,
    /// End with status 2 on warnings too.
    #[arg(long)]
    pub strict: bool,
}

/// What `fmt` takes.
#[derive(Debug, Args)]
pub struct FmtArgs {
    /// The models.
    #[arg(required = true, value_name = "FILE.pepa")]
    pub files: Vec<PathBuf>,
    /// Read them as this tool does where tools differ.
    #[arg(long, value_enum, default_value_t)]
    pub dialect: DialectArg,
    /// Change the files instead of printing.
    #[arg(short, long)]
    pub write: bool,
    /// Only say which files are not in canonical form; status 1 if there are any.
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
}

/// What `states` takes.
#[derive(Debug, Args)]
pub struct StatesArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to find states.
    #[command(flatten)]
    pub space: SpaceArgs,
    /// Print the first N states.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub list: usize,
}

/// What `solve` takes.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to find states.
    #[command(flatten)]
    pub space: SpaceArgs,
    /// The residual that must be reached: the largest |πQ| over the largest flow.
    #[arg(long, value_name = "R", default_value_t = 1e-10)]
    pub tolerance: f64,
}
