//! What a job is on the command line: an application with its input.

use std::path::PathBuf;

use clap::Args;
use forerun_apps::command::Every;
use forerun_platform::Seconds;
use serde::{Deserialize, Serialize};

use super::count::count;
use super::crawl::CrawlOptions;

/// The jobs that can be reductions.
#[derive(Debug)]
pub enum JobCommand<H: Args> {
    /// Sort files of numbers.
    Sort(WithJob<SortArgs, H>),
    /// Extract features of documents, noun phrases, into a database.
    Features(WithJob<FeatureArgs, H>),
    /// Reduce files by external commands.
    Reduce(WithJob<ReduceArgs, H>),
    /// Match queries with the documents of a model of latent semantic indexing.
    Lsi(WithJob<LsiJobArgs, H>),
    /// Tasks known only by their costs, as a profile has them; run, they take as much processor time.
    Tasks(WithJob<TasksArgs, H>),
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
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct SortArgs {
    /// Files of numbers, sorted together into one; each is named once.
    #[arg(required = true, value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// Elements: i32, i64, u32, u64, f64 (little-endian), or lines of numbers.
    #[arg(long = "type", value_name = "TYPE", default_value = "i32")]
    pub element: String,
    /// The sorted file (- for standard output), needed for several inputs; without it, FILE.sorted beside
    /// the one FILE. It may be one of the inputs, which it replaces when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Memory to use at most, such as "1 GiB"; without it, half of the machine's, or of what a control group or a limit (ulimit -v) leaves of it.
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Directory for runs that do not fit in memory; without it, beside the output.
    #[arg(long, value_name = "DIR")]
    pub tmp: Option<PathBuf>,
}

/// Where the tagger's model is looked for.
const MODEL: &str = "\
The tagger's model.

Without it, what FORERUN_MODEL names; else models/brown.frtagger in the directory of the executable or one above it, \
or in forerun/ below the directories of data (~/.local/share, /usr/local/share, /usr/share, or what XDG_DATA_HOME and \
XDG_DATA_DIRS name). `forerun tagger train` makes one. A directory with Brill's own LEXICON, LEXICALRULEFILE and \
CONTEXTUALRULEFILE is a model as well.";

/// What `features` takes.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct FeatureArgs {
    /// Files of documents (HTML, XML, SGML collections, plain text), and directories that are searched for such; or
    /// URLs, from which a crawl goes on to other pages, and the run begins while they come (plan and predict fetch a
    /// sample of them).
    #[arg(required = true, value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// The database: FILE or sqlite:FILE, which is made if it is not there, or postgres://USER@HOST/NAME. What it has
    /// already is not done again, unless its file has changed; what it has of files that are no longer in a directory
    /// that is named is taken out.
    #[arg(long, value_name = "ADDRESS")]
    pub db: String,
    /// The tagger's model; without it, the one that is shipped.
    #[arg(long, value_name = "FILE", long_help = MODEL)]
    pub model: Option<PathBuf>,
    /// Which elements are fields of documents, such as title and body, and which are ignored: a file such as
    /// examples/fields.toml. Without it, what is usual in web pages, Reuters-21578 and TREC.
    #[arg(long, value_name = "FILE")]
    pub fields: Option<PathBuf>,
    /// Of directories take only files whose names match, such as '*.html'; can be given more than once. Without
    /// it, *.html, *.htm, *.xhtml, *.xml, *.sgm, *.sgml, *.trec, *.txt and *.md.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Follow links to directories; each directory is read once, so that none leads in a circle.
    #[arg(long)]
    pub follow_links: bool,
    /// A directory may have become empty: take all that came from it out of the database. Without it such a run is
    /// refused, as the directory may only not be mounted.
    #[arg(long)]
    pub allow_empty: bool,
    /// Pass over files that are larger.
    #[arg(long, value_name = "SIZE", default_value = "256 MiB")]
    pub max_file: String,
    /// How long to wait for a database that has gone away.
    #[arg(long, value_name = "TIME", default_value = "60 s")]
    pub patience: String,
    /// The directory of a crawl: its pages and what is known of them; without it, FILE.crawl beside the database FILE, and for
    /// the sample of plan and predict one of which nothing is left.
    #[arg(long, value_name = "DIR", help_heading = "Crawl")]
    pub crawl_dir: Option<PathBuf>,
    /// Where the crawl goes, and how.
    #[command(flatten)]
    pub crawl: CrawlOptions,
}

/// What happens where names keep coming.
const FILES_FROM: &str = "\
Read names of inputs, one a line or each ended by a NUL, from FILE (- for standard input).

From a pipe (find, inotifywait, a program of yours) the run begins while names keep coming. What \
comes in the first second is the sample that the pilot measures; with --profile or with --strategy \
there is no pilot, and it begins at the first name. The number of inputs is not known then, so tasks \
a second are predicted and compared instead of a time. Whoever writes the names waits when the run \
is 4096 files behind. Results of the last few names may wait in the ranks until more names come; \
-p 1 delivers each at once.

Ctrl-C (or SIGTERM) ends such an input: what was taken is finished, the result is written, and the \
exit status is 0; a second one gives up, and no result is written. A name that is missing or cannot be read ends the run, \
as does one that names the result.

With --split-lines, --by, --repeat, or another way than threads, all names are read before the \
run begins.";

/// Reads how often the result is written: a time, or a count.
fn every(text: &str) -> Result<Every, String> {
    let wrong = || "expected a time such as \"10 s\", or a number of deliveries, at least 1".to_string();
    if let Ok(deliveries) = count(text) {
        return if deliveries > 0 { Ok(Every::Deliveries(deliveries)) } else { Err(wrong()) };
    }
    let seconds: Seconds = text.parse().map_err(|_| wrong())?;
    let time = std::time::Duration::try_from_secs_f64(seconds.0).map_err(|_| wrong())?;
    if time.is_zero() { Err(wrong()) } else { Ok(Every::Time(time)) }
}

/// What `reduce` takes.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct ReduceArgs {
    /// Files, and directories whose files are taken in the order of their names; each is named once.
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
    /// Read names of inputs, one a line or each ended by a NUL, from FILE (- for standard input). From a
    /// pipe, the run begins while names keep coming.
    #[arg(long, value_name = "FILE", long_help = FILES_FROM)]
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
    /// Write the result as it grows too: so long after the last time, such as "10 s", or after so many
    /// deliveries. Whoever reads FILE finds a whole result at any time.
    #[arg(long, value_name = "TIME|N", value_parser = every, requires = "out")]
    #[serde(skip)]
    pub every: Option<Every>,
    /// Write each delivery to a file of its own in DIR, 00000001 and so on, and no result of all: every
    /// step of a parallel-pipeline, every set of the adaptive strategy.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "every"])]
    pub deliver: Option<PathBuf>,
    /// Directory for temporary files; without it, $TMPDIR or /tmp.
    #[arg(long, value_name = "DIR")]
    pub tmp: Option<PathBuf>,
}

/// What `lsi` takes.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct LsiJobArgs {
    /// The model, as `forerun lsi build` wrote it, and the queries: a file in the SMART form, or with one a line.
    #[arg(required = true, num_args = 2, value_names = ["MODEL", "QUERIES"])]
    pub input: Vec<PathBuf>,
    /// Documents for each query.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = super::count::number)]
    pub top: usize,
    /// The ranked lists, in the form of TREC's run files; without it, standard output.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Put the ranked lists into a database instead: FILE or sqlite:FILE, which is made if it is not there, or
    /// postgres://USER@HOST/NAME. The lists of these queries replace those that it has of them.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "out")]
    pub db: Option<String>,
    /// How long to wait for a database that has gone away.
    #[arg(long, value_name = "TIME", default_value = "60 s", requires = "db")]
    pub patience: String,
}

/// What `tasks` takes.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct TasksArgs {
    /// Number of tasks (in a job file, input = 1000).
    #[arg(value_name = "COUNT", value_parser = count)]
    pub count: u64,
    /// Input of a task, such as "5 kB".
    #[arg(long, value_name = "SIZE", default_value = "0 B")]
    pub size: String,
    /// The merge minds in which order results come.
    #[arg(long)]
    pub ordered: bool,
}
