//! What `forerun map` takes.

use std::path::PathBuf;

use clap::Args;

/// What `map` takes.
#[derive(Debug, Args)]
#[command(after_help = "\
A description:
  format = 1
  work = [1, 1, 1]              # of each stage, relative; or: stages = 3
  candidates = [[1, 1, 2], [1, 2, 3]]   # the processor of each stage; or: candidates = \"all\"
  latency = \"100 ms\"            # between processors that no link names
  local = \"0.1 ms\"              # within a processor; also of input and output that are not moved
  input = 1                     # the processors where the input lies and the output belongs,
  output = 1                    # if they must be moved at all

  [[processor]]
  time = \"100 ms\"               # for a stage of work 1 that has the processor to itself
  [[processor]]
  time = \"0.2 s\"
  [[processor]]
  time = \"1 s\"

  [[link]]
  between = [1, 2]
  latency = \"1 ms\"")]
pub struct MapArgs {
    /// The description of stages, processors, links and candidates.
    #[arg(value_name = "DESCRIPTION.toml")]
    pub description: PathBuf,
    /// How many of the best to print.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Write the PEPA model of every candidate into this directory.
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
}
