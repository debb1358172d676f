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
    /// Populations and throughputs at times from the beginning on.
    Transient(TransientArgs),
    /// How long it takes from one action to another: distribution, density, quantiles.
    Passage(PassageArgs),
    /// Populations of very many components, by differential equations.
    Fluid(FluidArgs),
    /// Estimate throughputs and populations by simulation.
    Simulate(SimulateArgs),
    /// Solve a model for many values of its rates and sizes.
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepArgs),
    /// Write the chain or the model for other programs.
    Export(ExportArgs),
}

/// Sweeps to begin with.
const SWEEP_EXAMPLES: &str = "\
Examples:
  forerun pepa sweep model.pepa --over r=0.5,1,2 --csv out.csv
  forerun pepa sweep model.pepa --over clients=10:100:10 --measure request \\
    --measure 'W = Waiting / request'";

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
    /// Also find how few states behave the same (ordinary lumping that keeps every action's rate).
    #[arg(long)]
    pub lump: bool,
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
    /// Also the value of an expression over throughputs and populations, such as 'W = Waiting / request' or
    /// 'cost = 2 * Busy + 0.1 * serve'; may be given several times.
    #[arg(long, value_name = "[NAME =] EXPRESSION")]
    pub measure: Vec<String>,
    /// Also how long components stay in these local states, by Little's law; may be given several times.
    #[arg(long, value_name = "STATE,STATE…", value_delimiter = ',')]
    pub response: Vec<String>,
}

/// Which times to look at.
#[derive(Debug, Clone, Args)]
pub struct TimesArgs {
    /// The last time.
    #[arg(long, value_name = "T")]
    pub until: f64,
    /// How many times, evenly apart, after time 0.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub points: usize,
    /// Write all columns as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// What `transient` takes.
#[derive(Debug, Args)]
pub struct TransientArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to find states.
    #[command(flatten)]
    pub space: SpaceArgs,
    /// When to look.
    #[command(flatten)]
    pub times: TimesArgs,
    /// The probability that may be left out.
    #[arg(long, value_name = "E", default_value_t = 1e-9)]
    pub epsilon: f64,
}

/// What `passage` takes.
#[derive(Debug, Args)]
pub struct PassageArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to find states.
    #[command(flatten)]
    pub space: SpaceArgs,
    /// The action that begins it, as it happens in the long run; without it, it begins in the initial state.
    #[arg(long, value_name = "ACTION")]
    pub from: Option<String>,
    /// The action that ends it.
    #[arg(long, value_name = "ACTION")]
    pub to: String,
    /// When to look.
    #[command(flatten)]
    pub times: TimesArgs,
    /// Shares of all passages whose longest time is wanted [default: 0.5,0.9,0.95,0.99].
    #[arg(long, value_name = "P,P…", value_delimiter = ',', hide_default_value = true,
        default_values_t = [0.5, 0.9, 0.95, 0.99])]
    pub quantiles: Vec<f64>,
}

/// What `fluid` takes.
#[derive(Debug, Args)]
pub struct FluidArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// When to look.
    #[command(flatten)]
    pub times: TimesArgs,
    /// The error of a step, relative to populations.
    #[arg(long, value_name = "E", default_value_t = 1e-8)]
    pub tolerance: f64,
}

/// What `simulate` takes.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How long each replication is, in the model's time.
    #[arg(long, alias = "time", value_name = "T")]
    pub until: f64,
    /// Independent replications.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub replications: usize,
    /// What is left out at the beginning, in the model's time; found by White's rule by default.
    #[arg(long, value_name = "T")]
    pub warm_up: Option<f64>,
    /// Confidence of the intervals.
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    pub confidence: f64,
    /// The same seed gives the same result.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; as many as the machine has cores by default.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// What `sweep` takes.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to find states.
    #[command(flatten)]
    pub space: SpaceArgs,
    /// A rate and its values, as from:to:count or one by one; all combinations if given several times.
    #[arg(long, required = true, value_name = "RATE=VALUES")]
    pub over: Vec<String>,
    /// What to know of each: an action, a local state or an expression of them; all throughputs by default.
    #[arg(long, value_name = "[NAME =] EXPRESSION")]
    pub measure: Vec<String>,
    /// The residual that must be reached.
    #[arg(long, value_name = "R", default_value_t = 1e-10)]
    pub tolerance: f64,
    /// Write the table as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the measures over the first rate, a line for each combination of the others.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// What can be written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ExportAs {
    /// The generator, in Matrix Market's coordinate format.
    Mtx,
    /// The transitions as a graph for Graphviz.
    Dot,
    /// The states and their long-run probabilities.
    States,
    /// The transitions, a line each.
    Transitions,
    /// A model for PRISM with the same chain.
    Prism,
}

/// What `export` takes.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// How to find states.
    #[command(flatten)]
    pub space: SpaceArgs,
    /// What to write.
    #[arg(long = "as", value_enum, value_name = "WHAT")]
    pub what: ExportAs,
    /// The file to write; - for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
}
