//! What `forerun map` takes.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use forerun_platform::Seconds;

/// What is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Objective {
    /// Most results a second.
    Throughput,
    /// Smallest mean time from an input's transfer until its result arrives, with the pipeline full.
    Latency,
}

/// Reads a number.
fn decimal(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number, such as 2.5".to_string())
}

/// What `map` takes.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("figures").args(["monitor", "monitor_command"]), after_help = "\
A description:
  format = 1
  work = [1, 1, 1]              # of each stage, relative; or: stages = 3
  candidates = \"all\"            # or processors of each stage: [[1, 1, 2], [1, [2, 3], 1]]
  replicas = 1                  # processors that \"all\" gives a stage at most; or a list
  latency = \"100 ms\"            # between processors that no link names
  local = \"0.1 ms\"              # within a processor; also of input and output that are not moved
  input = 1                     # the processors where the input lies and the output belongs,
  output = 1                    # if they must be moved at all

  [[processor]]
  time = \"100 ms\"               # for a stage of work 1 that has the processor to itself
  [[processor]]
  times = [\"0.2 s\", \"1 s\", \"50 ms\"]   # or of each stage

  [[link]]
  between = [1, 2]
  latency = \"1 ms\"

A monitor says what differs now:
  format = 1
  [[processor]]
  number = 2
  speed = 0.4                   # of what is described
  [[link]]
  between = [1, 2]
  latency = \"30 ms\"

Of \"all\" mappings most are never solved: bounds tell that they cannot be among the best, and
mappings that differ only in which of several like processors is where are solved once. A stage on
several processors deals inputs to them in turn.")]
pub struct MapArgs {
    /// The description of stages, processors, links and candidates.
    #[arg(value_name = "DESCRIPTION.toml")]
    pub description: PathBuf,
    /// How many of the best to find and print.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// What is best.
    #[arg(long, value_enum, default_value_t = Objective::Throughput)]
    pub objective: Objective,
    /// Only mappings with at least so many results a second.
    #[arg(long, value_name = "RATE", value_parser = decimal)]
    pub at_least: Option<f64>,
    /// Only mappings with at most such a latency.
    #[arg(long, value_name = "TIME")]
    pub at_most: Option<Seconds>,
    /// Solve every mapping, without bounds.
    #[arg(long)]
    pub exhaustive: bool,
    /// Write the PEPA models of the mappings that are listed into this directory: of all candidates, or of the best of "all".
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
    /// A file with current speeds and latencies.
    #[arg(long, value_name = "FILE")]
    pub monitor: Option<PathBuf>,
    /// A command (for `sh -c`) that prints current speeds and latencies.
    #[arg(long, value_name = "CMD")]
    pub monitor_command: Option<String>,
    /// Go on reading the monitor, and say when another mapping becomes better. Ctrl-C ends it; the exit
    /// status is 0 then, unless --readings are still to come.
    #[arg(long, requires = "figures", conflicts_with = "models")]
    pub watch: bool,
    /// The time between two readings.
    #[arg(long, value_name = "TIME", requires = "watch", default_value = "10 s")]
    pub every: Seconds,
    /// By which share another mapping must be better to be reported.
    #[arg(long, value_name = "SHARE", requires = "watch", default_value_t = 0.05, value_parser = decimal)]
    pub margin: f64,
    /// The mapping that is in use, such as 1,1,2 or 1,2+3,1; without it, the best at the first reading.
    #[arg(long, value_name = "MAPPING", requires = "watch")]
    pub current: Option<String>,
    /// End after so many readings.
    #[arg(long, value_name = "N", requires = "watch")]
    pub readings: Option<u64>,
}
