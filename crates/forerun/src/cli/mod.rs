//! The command line: what can be said.

mod count;
mod crawl;
mod farm;
mod farm_jobs;
pub mod features;
mod job;
pub mod lsi;
pub mod map;
mod model;
mod options;
pub mod pepa;
pub mod tagger;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use count::{count, number};
pub use crawl::{CrawlArgs, CrawlOptions};
pub use farm::{FarmJobArgs, FarmPlanOptions, FarmPredictOptions, FarmShape, FarmWays};
pub use farm_jobs::{AnyJob, AnyJobArgs, Centre, HipArgs, MandelbrotArgs};
pub use job::{FeatureArgs, JobCommand, LsiJobArgs, ReduceArgs, SortArgs, TasksArgs, WithJob};
pub use model::{FarmArgs, ModelArgs, ModelCommand, PacketArgs};
pub use options::{
    DrawOptions, FigureOptions, MpiOptions, Pin, PlanOptions, PredictOptions, RunOptions, ShapeOptions,
};

/// What a command with a job ends its help with: the options that it takes beside the job's, and what a job can also be.
macro_rules! job_help {
    ($command:literal, $options:literal, $farm:literal) => {
        concat!(
            "Options, which `forerun ",
            $command,
            " JOB --help` explains beside the job's own:\n  of sort, features, reduce, lsi and tasks:\n    ",
            $options,
            ",\n    --strategy, --groups, --arity, --grain, --set, --window, --platform, --profile, --write-profile\n  \
             of sort and tasks too: --skeleton, --block, --ahead\n  of farm, mandelbrot and hip: ",
            $farm,
            ",\n    --masters, --tasks-per-message, --prefetch, --retries, --platform, --profile, --write-profile\n\n",
            "\
A JOB can also be a file, here job.toml, in TOML; options after it take precedence over what it
says, and names of files in it are relative to the directory that it is in:
  format = 1
  application = \"sort\"
  input = [\"big.bin\"]
  type = \"i32\"           # any long option of the job or of the command, without its dashes
  strategy = \"adaptive\"
The input of tasks is their number: application = \"tasks\", input = 1000, profile = \"costs.toml\"
The program of a farm is its command: application = \"farm\", command = \"gzip -c {}\", input = \"docs\""
        )
    };
}

/// Reductions to begin with.
const REDUCE_EXAMPLES: &str = "\
Examples:
  words of all files below docs/:
    forerun reduce --map \"awk '{n+=NF}END{print n}' {}\" --merge \"awk '{n+=\\$1}END{print n}'\" docs/
  all lines sorted, in sorted.txt:
    forerun reduce --map 'sort {}' --merge 'sort -m {1} {2}' -o sorted.txt docs/
  how often each word occurs, with a shell for the pipes:
    forerun reduce --shell --include '*.txt' docs/ \\
      --map 'tr -s \"[:space:]\" \"\\n\" | sort | uniq -c' \\
      --merge 'awk \"{n[\\$2] += \\$1} END {for (w in n) print n[w], w}\"'";

/// Farms to begin with.
const FARM_EXAMPLES: &str = "\
Examples:
  checksums of all files below docs/, in their order:
    forerun farm 'sha256sum {}' docs/
  pictures made smaller, with a shell, each tried three times; a killed run is taken up again:
    forerun farm --shell 'convert \"$1\" -resize 50% \"small/${1##*/}\" && echo \"$1\"' \\
      --retries 2 --resume small.journal --include '*.jpg' pictures/
  all that can be done, whichever files fail; the same again does these once they are mended:
    forerun farm -k 'xmllint --noout {}' --resume checked.journal --include '*.xml' feeds/";

/// Outcomes to compare.
const COMPARE_EXAMPLES: &str = "\
Outcomes of one job, input, platform, strategy and number of processors stand in one row: the median
of the runs, and each prediction with its relative error, (predicted - measured) / measured.

Examples:
  forerun predict sort big.bin -p 1,2 --by analytic,simulated --json predicted.json
  forerun run sort big.bin -p 2 --repeat 5 --json ran.json
  forerun compare predicted.json ran.json";

/// Outcomes to show.
const REPORT_EXAMPLES: &str = "\
The page has what `forerun compare` shows, and where the time of the ranks went and who did what
when. It needs no network and no script.

Examples:
  forerun run sort big.bin --by simulated --json ran.json
  forerun report ran.json -o ran.html";

/// Tells how long a parallel job will take, on how many processors and which way, before it is
/// run; then runs it that way and shows how far off it was.
#[derive(Debug, Parser)]
#[command(name = "forerun", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  forerun run sort big.bin                     measure the machine, plan, run, compare
  forerun plan sort big.bin --max-processors 16
  forerun predict sort big.bin -p 1,2,4,8 --by analytic,simulated
  forerun reduce --map \"awk '{n+=NF}END{print n}' {}\" --merge \"awk '{n+=\\$1}END{print n}'\" docs/
  forerun run sort big.bin --json out.json && forerun report out.json -o out.html

Something to try these on:
  forerun generate numbers 1e7 -o big.bin

The exit status is 0 when all was done, 1 when something failed, 2 when the request could not be
met, 128 + N when signal N ended the command. What has no end that is known (a crawl, inputs that
keep coming, map --watch) the first Ctrl-C ends well, with 0.")]
pub struct Cli {
    /// How to say it.
    #[command(flatten)]
    pub say: SayOptions,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// How to say what there is to say.
#[derive(Debug, Clone, Args)]
pub struct SayOptions {
    /// Write what is printed as data, as JSON, to FILE (- for standard output).
    #[arg(long, global = true, value_name = "FILE", display_order = 900)]
    pub json: Option<PathBuf>,

    /// Say less: only results and errors.
    #[arg(short, long, global = true, display_order = 901)]
    pub quiet: bool,
}

/// What the standard library says of text that is no number, and what is expected of one.
const NUMBERS: [(&str, &str); 6] = [
    ("invalid digit found in string", "expected a whole number"),
    ("cannot parse integer from empty string", "expected a whole number"),
    ("number too large to fit in target type", "expected a smaller number"),
    ("number too small to fit in target type", "expected a larger number"),
    ("invalid float literal", "expected a number"),
    ("cannot parse float from empty string", "expected a number"),
];

/// What is wrong with a command line, as one sentence.
pub fn sentence(e: &clap::Error) -> String {
    // The first paragraph says it; of what follows a tip names what may have been meant.
    let text = e.render().to_string();
    let joined = |lines: &mut dyn Iterator<Item = &str>| lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let said = joined(&mut text.lines().take_while(|l| !l.trim().is_empty()));
    // (That a word could be given as a value, after `--`, is not what whoever writes an option means.)
    let mut tips = text.lines().filter_map(|l| l.trim().strip_prefix("tip: "));
    let tip = tips.find(|tip| !tip.starts_with("to pass "));
    let mut said = said.trim_start_matches("error: ").to_string();
    for (theirs, ours) in NUMBERS {
        said = said.replace(theirs, ours);
    }
    match tip {
        Some(tip) => format!("{said}; {tip}"),
        None => said,
    }
}

/// The same, with the command whose help says how it is meant, where there is one.
pub fn sentence_with_help(e: &clap::Error) -> String {
    let text = e.render().to_string();
    let usage = text.lines().find_map(|l| l.trim().strip_prefix("Usage: "));
    let is_word = |word: &&str| !word.starts_with(['-', '<', '[']);
    let command: Vec<&str> = usage.map_or(Vec::new(), |usage| usage.split(' ').take_while(is_word).collect());
    match command.is_empty() {
        true => sentence(e),
        false => format!("{}; see {} --help", sentence(e), command.join(" ")),
    }
}

/// The words of a command line, where a number with a sign after an option is its value, and no option: what is wrong with
/// `--delay -1s` is then said of the delay.
pub fn words(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut options = true;
    for word in given {
        options &= word != "--";
        let number =
            word.as_bytes().strip_prefix(b"-").is_some_and(|n| n.first().is_some_and(u8::is_ascii_digit));
        let before = words.last_mut().filter(|_| options && number).filter(|before| is_option(before));
        match before {
            Some(before) => {
                before.push("=");
                before.push(word);
            }
            None => words.push(word),
        }
    }
    words
}

/// Whether a word is the name of an option and nothing else.
fn is_option(word: &OsString) -> bool {
    let short = |name: &[u8]| name.len() == 1 && name[0].is_ascii_alphabetic();
    let long = |name: &[u8]| name.first().is_some_and(u8::is_ascii_alphabetic) && !name.contains(&b'=');
    let Some(name) = word.as_bytes().strip_prefix(b"-") else { return false };
    name.strip_prefix(b"-").map_or_else(|| short(name), long)
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure this machine and write its platform file.
    Calibrate(CalibrateArgs),
    /// Plan a job, run it, and show how far off the prediction was.
    #[command(after_help = job_help!("run", "--processors, --on, --repeat, --by, --hostfile, --mpirun", "--processors, --on, --by, --hostfile, --mpirun"))]
    Run(AnyJobArgs<RunOptions, FarmWays>),
    /// Choose the way to run a job, and say why.
    #[command(after_help = job_help!("plan", "--max-processors, --processors, --by, --sbatch (not of tasks)", "--processors, --by, --sbatch"))]
    Plan(AnyJobArgs<PlanOptions, FarmPlanOptions>),
    /// Predict a job's time on given numbers of processors.
    #[command(after_help = job_help!("predict", "--processors, --by, --write-model, --efficiency, --csv, --svg", "--processors, --by"))]
    Predict(AnyJobArgs<PredictOptions, FarmPredictOptions>),
    /// Run external commands as the task and the merge of a reduction.
    #[command(after_help = REDUCE_EXAMPLES, mut_args = farm_jobs::only_reduces)]
    Reduce(Box<ReduceCommand>),
    /// Run an external command for each of many files, in parallel.
    #[command(after_help = FARM_EXAMPLES)]
    Farm(Box<WithJob<FarmJobArgs, FarmWays>>),
    /// Put predicted times beside measured ones.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Write outcomes as one self-contained HTML page.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Ask a database of features, which `run features` writes.
    Features(features::FeaturesArgs),
    /// Train and evaluate part-of-speech taggers.
    Tagger(tagger::TaggerArgs),
    /// The source papers' tables and figures, their numbers beside ours.
    Reproduce(ReproduceArgs),
    /// Choose the processor of each stage of a pipeline, by the throughput of PEPA models.
    Map(map::MapArgs),
    /// Index documents by latent semantic indexing, rank them for queries, and measure how good that is.
    Lsi(Box<lsi::LsiArgs>),
    /// Check, solve and simulate models of the process algebra PEPA.
    Pepa(Box<pepa::PepaArgs>),
    /// Fetch the pages of web sites, politely, into a directory.
    Crawl(Box<CrawlArgs>),
    /// List, show or check platform files.
    Platform(PlatformArgs),
    /// Show a model that stands alone: of a pipeline's packets, of a farm.
    Model(ModelArgs),
    /// Make input to try things on.
    Generate(GenerateArgs),
}

/// `forerun reduce` is `forerun run reduce`.
#[derive(Debug, Args)]
pub struct ReduceCommand {
    /// The commands and their input.
    #[command(flatten)]
    pub job: ReduceArgs,
    /// How to run.
    #[command(flatten)]
    pub how: RunOptions,
}

/// What `calibrate` takes.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Every other command measures this machine by itself where it has to. What this measures takes
longer and is surer; it is kept for this machine, or written to FILE.

Examples:
  forerun calibrate
  forerun calibrate --on mpi --hostfile hosts -p 8 -o cluster.toml
  forerun plan sort big.bin --platform cluster.toml

The speed of this machine's cores is 1: speeds are relative to where a job's costs are measured.
To predict for another machine, calibrate it there with --out FILE and give that file to
--platform here: both files hold the time of the same kernel (host.kernel), and the ratio of the
two is the relative speed. Calibrate an idle machine.")]
pub struct CalibrateArgs {
    /// Write the platform file here instead of keeping it for this machine.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Take under 3 seconds, with wider intervals.
    #[arg(long)]
    pub quick: bool,
    /// The directory whose storage is measured.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub storage: PathBuf,
    /// Whose messages: threads, with all that this machine has, or mpi: those between processes, each as a host of its
    /// own, for --platform of `run --on mpi`.
    #[arg(long, value_name = "WAY", default_value = "threads", value_parser = options::way_of_messages)]
    pub on: forerun_platform::Way,
    /// With --on mpi: processes, at least 2; without it, 2.
    #[arg(short, long, value_name = "P", value_parser = number)]
    pub processors: Option<usize>,
    /// With --on mpi: draw every value, and the lines through them, as SVG into FILE.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// MPI.
    #[command(flatten)]
    pub mpi: MpiOptions,
}

/// What `compare` takes.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Files of outcomes, as `--json` writes them.
    #[arg(required = true, value_name = "OUTCOME.json")]
    pub outcomes: Vec<PathBuf>,
    /// Files.
    #[command(flatten)]
    pub draw: DrawOptions,
}

/// What `report` takes.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Files of outcomes, as `--json` writes them.
    #[arg(required = true, value_name = "OUTCOME.json")]
    pub outcomes: Vec<PathBuf>,
    /// The page to write.
    #[arg(short, long, value_name = "FILE.html")]
    pub out: PathBuf,
}

/// What `reproduce` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
What is printed in the papers, which model gives ours and with which constants stands in study
files. To try other constants, copy the folder studies/ of the repository, edit a file and give
the copy to --studies.

Examples:
  forerun reproduce --list
  forerun reproduce kuntraruk-table-1
  forerun reproduce --all --json all.json --csv all.csv --svg all.svg")]
pub struct ReproduceArgs {
    /// Names of entries, as --list shows them.
    #[arg(value_name = "NAME", conflicts_with_all = ["all", "list", "models"])]
    pub names: Vec<String>,
    /// List the entries.
    #[arg(long, conflicts_with_all = ["all", "models"])]
    pub list: bool,
    /// All entries, and what they come to.
    #[arg(long, conflicts_with = "models")]
    pub all: bool,
    /// List the models that study files can name, with their parameters.
    #[arg(long)]
    pub models: bool,
    /// Take the study files of DIR instead of those that are compiled in.
    #[arg(long, value_name = "DIR")]
    pub studies: Option<PathBuf>,
    /// Files.
    #[command(flatten)]
    pub draw: DrawOptions,
}

/// What `platform` takes.
#[derive(Debug, Args)]
pub struct PlatformArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: PlatformCommand,
}

/// What to do with platforms.
#[derive(Debug, Subcommand)]
pub enum PlatformCommand {
    /// List the platforms that come with forerun.
    List,
    /// Print a platform as a file: a shipped one, a file, or `this` machine as calibrated.
    Show {
        /// A shipped platform's name, a file, or `this`.
        platform: String,
    },
    /// Read platform files and say what is wrong with them.
    Check {
        /// The files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// What `generate` takes.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// What to make.
    #[command(subcommand)]
    pub what: GenerateCommand,
}

/// What can be made.
#[derive(Debug, Subcommand)]
pub enum GenerateCommand {
    /// A file of random little-endian numbers, for `sort`.
    Numbers {
        /// How many, such as 1000000, 1e8 or 100M.
        #[arg(value_parser = count)]
        count: u64,
        /// The file to write.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
        /// Element type: i32, i64, u32, u64 or f64.
        #[arg(long = "type", value_name = "TYPE", default_value = "i32")]
        element: String,
        /// Seed of the generator: the same seed gives the same file.
        #[arg(long, default_value_t = 1, value_parser = count)]
        seed: u64,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    /// No two options of a command have one name, whoever adds them to it.
    #[test]
    fn every_command_can_be_read() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn a_number_with_a_sign_is_the_value_of_the_option_before_it() {
        let words = |line: &str| {
            let words = super::words(line.split(' ').map(Into::into));
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for (given, taken) in [
            ("f run --delay -1s x", "f run --delay=-1s x"),
            ("f -p -1 --pages -5", "f -p=-1 --pages=-5"),
            ("f --at=1 -5 x -5 -pq -5 - -5", "f --at=1 -5 x -5 -pq -5 - -5"),
            ("f --delay -s --quiet", "f --delay -s --quiet"),
            ("f --x -- --y -5", "f --x -- --y -5"),
        ] {
            assert_eq!(words(given), taken);
        }
    }

    /// An option that a command has not is no file that begins with dashes.
    #[test]
    fn no_tip_is_to_take_an_option_for_a_value() {
        use clap::Parser as _;
        let said = |line: &str| super::sentence(&super::Cli::try_parse_from(line.split(' ')).unwrap_err());
        let timeout = said("forerun run sort x --timeout");
        assert!(timeout.contains("--timeout") && !timeout.contains("as a value"), "{timeout}");
        assert!(said("forerun run sort x --procesors 3").contains("'--processors'"));
    }

    /// Text that is printed as it stands has lines that fit: a longer one would be broken, and the rest stand alone.
    #[test]
    fn no_line_of_a_help_is_broken() {
        let mut commands = vec![super::Cli::command()];
        let mut seen = 0;
        while let Some(command) = commands.pop() {
            for help in [command.get_after_help(), command.get_after_long_help()].into_iter().flatten() {
                let help = help.to_string();
                let lines: Vec<&str> = help.lines().collect();
                let stands = |n: Option<usize>| {
                    n.and_then(|n| lines.get(n)).is_some_and(|l| !l.is_empty() && !l.starts_with(' '))
                };
                for (n, line) in lines.iter().enumerate() {
                    // A paragraph that is one line is for the terminal to break.
                    let alone = !line.starts_with(' ') && !stands(n.checked_sub(1)) && !stands(Some(n + 1));
                    assert!(alone || line.chars().count() <= 100, "{}: {line}", command.get_name());
                    seen += 1;
                }
            }
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(seen > 50, "{seen}");
    }

    /// What a command takes whatever the job is in its own help too.
    #[test]
    fn the_help_of_a_command_names_every_option_that_all_jobs_take() {
        let cli = super::Cli::command();
        for name in ["run", "plan", "predict"] {
            let command = cli.find_subcommand(name).unwrap();
            let help = command.get_after_help().unwrap().to_string();
            let takes = |job: &str, long: &str| {
                command.find_subcommand(job).unwrap().get_arguments().any(|a| a.get_long() == Some(long))
            };
            let sort = command.find_subcommand("sort").unwrap();
            let longs = sort.get_arguments().filter_map(|a| a.get_long());
            let common: Vec<&str> = longs.filter(|l| takes("reduce", l) && takes("tasks", l)).collect();
            assert!(common.len() > 8, "{common:?}");
            for long in common {
                assert!(help.contains(&format!("--{long}")), "{name}: --{long} is not in: {help}");
            }
        }
    }
}
