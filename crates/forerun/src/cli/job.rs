//! What a job is on the command line: an application with its input, or a job file.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// A job and how it is to be treated.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "JOB", subcommand_help_heading = "Jobs")]
pub struct JobArgs<H: Args> {
    /// The job.
    #[command(subcommand)]
    pub job: JobCommand<H>,
}

/// The jobs there are.
#[derive(Debug, Subcommand)]
pub enum JobCommand<H: Args> {
    /// Sort files of numbers.
    Sort(WithJob<SortArgs, H>),
    /// Reduce files by external commands.
    Reduce(WithJob<ReduceArgs, H>),
    /// Tasks known only by their costs, as a profile has them; to plan, predict and simulate.
    Tasks(WithJob<TasksArgs, H>),
    /// A job file: TOML with `application`, `input` and any of the application's options.
    #[command(external_subcommand)]
    File(Vec<OsString>),
}

/// An application's arguments and those of the command.
#[derive(Debug, Args)]
pub struct WithJob<J: Args, H: Args> {
    /// The application's.
    #[command(flatten)]
    pub job: J,
    /// The command's.
    #[command(flatten)]
    pub how: H,
}

/// What `sort` takes.
#[derive(Debug, Clone, Args)]
pub struct SortArgs {
    /// Files of numbers, sorted together into one.
    #[arg(required = true, value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// Elements: i32, i64, u32, u64, f64 (little-endian), or lines of numbers.
    #[arg(long = "type", value_name = "TYPE", default_value = "i32")]
    pub element: String,
    /// The sorted file, needed for several inputs; without it, FILE.sorted beside the one FILE.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Memory to use at most, such as "1 GiB"; without it, half of the machine's.
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Directory for runs that do not fit in memory; without it, beside the output.
    #[arg(long, value_name = "DIR")]
    pub tmp: Option<PathBuf>,
}

/// What `reduce` takes.
#[derive(Debug, Clone, Args)]
pub struct ReduceArgs {
    /// Files, and directories whose files are taken in the order of their names.
    #[arg(value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// Command of a task, such as 'sort {}': a `{}` in it stands for the names of the task's files;
    /// without, their contents come on standard input, one after the other (the last line of a file
    /// that does not end it runs into the first of the next).
    #[arg(long, value_name = "COMMAND")]
    pub map: String,
    /// Command that merges two results, such as 'sort -m {1} {2}': `{1}` and `{2}` stand for the
    /// names of files that hold them; without, both come on standard input, one after the other.
    #[arg(long, value_name = "COMMAND")]
    pub merge: String,
    /// Run the commands by `sh -c`: names of files are "$@" there (of a merge "$1" and "$2"), and
    /// contents come on standard input too.
    #[arg(long)]
    pub shell: bool,
    /// The merge does not mind in which order results come; without, they come in the order of
    /// the files.
    #[arg(long)]
    pub commutative: bool,
    /// Read names of inputs, one a line, from FILE (- for standard input).
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Of directories take only files whose names match, such as '*.html'; can be given more than
    /// once.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Cut large files at line ends; pieces come on standard input.
    #[arg(long)]
    pub split_lines: bool,
    /// Kill a command that takes longer, such as "30 s", and end the run.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// End the run when a command writes more, such as "1 GiB".
    #[arg(long, value_name = "SIZE")]
    pub max_output: Option<String>,
    /// The result; without it, standard output.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Directory for temporary files; without it, $TMPDIR or /tmp.
    #[arg(long, value_name = "DIR")]
    pub tmp: Option<PathBuf>,
}

/// What `tasks` takes.
#[derive(Debug, Clone, Args)]
pub struct TasksArgs {
    /// Number of tasks.
    #[arg(value_name = "COUNT")]
    pub count: u64,
    /// Input of a task, such as "5 kB".
    #[arg(long, value_name = "SIZE", default_value = "0 B")]
    pub size: String,
    /// The merge minds in which order results come.
    #[arg(long)]
    pub ordered: bool,
}
