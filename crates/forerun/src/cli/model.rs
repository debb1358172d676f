//! What `model` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use forerun_platform::{Share, Way};

use super::DrawOptions;
use super::options::share;

const PACKET_FILE: &str = "\
A description of a pipeline, here knn.toml, in TOML; a default is what stands in brackets:
  format = 1
  name = \"knn\"                        # [the file's name]
  communication = \"fixed-frequency\"   # a packet out for every packet in; or \"fixed-size\"
  input = \"108 MB\"
  element = \"12 B\"                    # packets hold whole elements [1 B]
  held = 2                            # packets taken in that a stage holds, for its memory [2]
  link = { per_packet = \"32.6 us\", per_byte = \"10 ns/B\" }  # between all stages [none]

  [[stage]]
  name = \"read\"
  per_packet = \"2.41 us\"              # G [0 s]
  per_byte = \"10 ns/B\"                # g, of what comes in [0 ns/B]
  [[stage]]
  name = \"filter\"
  per_byte = \"54 ns/B\"
  ratio = 0.7585                      # bytes out for a byte in [1]
  memory = \"64 MiB\"                   # for its packets [no limit]
  link = { per_byte = \"1 ns/B\" }      # the link after this stage [the one above]";

const FARM_FILE: &str = "\
A description of a farm, here points.toml, in TOML; a default is what stands in brackets:
  format = 1
  name = \"points\"                     # [the file's name]
  platform = \"osaka-fast-ethernet\"    # a file, a shipped platform, or this machine [this]
  processors = 64                     # [all of the platform's]
  tasks = 1048576
  work = \"200 us\"                     # of a task, on a host of speed 1: the mean
  spread = 0.5                        # its standard deviation, as a part of it [0]
  message = \"8 B\"                     # gives a task out
  answer = \"12 B\"
  prefetch = 2                        # tasks that a slave has at a time [1]";

/// What `model` takes.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// The model.
    #[command(subcommand)]
    pub what: ModelCommand,
}

/// The models there are.
#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// The packet size of a pipeline: the best, those nearly as good, and what is the bottleneck.
    #[command(after_help = PACKET_FILE)]
    Packet(PacketArgs),
    /// A farm of master and slaves: where the master saturates, how many processors and masters are best.
    #[command(after_help = FARM_FILE)]
    Farm(FarmArgs),
}

/// What `model packet` takes.
#[derive(Debug, Args)]
pub struct PacketArgs {
    /// The pipeline's description.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How much longer than the best a makespan may be and still count as nearly as good.
    #[arg(long, value_name = "SHARE", default_value = "1 %", value_parser = within)]
    pub within: Share,
    /// Show these numbers of packets, instead of a curve around the best.
    #[arg(short = 'k', long, value_name = "K,…", value_delimiter = ',',
          value_parser = clap::value_parser!(u64).range(1..))]
    pub packets: Vec<u64>,
    /// Files.
    #[command(flatten)]
    pub draw: DrawOptions,
}

/// What `model farm` takes.
#[derive(Debug, Args)]
pub struct FarmArgs {
    /// The farm's description.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A platform file or the name of a shipped platform, instead of the description's.
    #[arg(long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// Show these numbers of processors with one master, instead of powers of two.
    #[arg(short, long, value_name = "P,…", value_delimiter = ',',
          value_parser = clap::value_parser!(u64).range(2..1 << 20))]
    pub processors: Vec<u64>,
    /// Also by pepa, a process algebra model with exponential times: for each number of processors with one master.
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', default_value = "analytic", value_parser = way)]
    pub by: Vec<Way>,
    /// Write the PEPA model of the farm on the one number of processors to FILE, for `forerun pepa`.
    #[arg(long, value_name = "FILE")]
    pub write_model: Option<PathBuf>,
    /// Files.
    #[command(flatten)]
    pub draw: DrawOptions,
}

fn way(name: &str) -> Result<Way, String> {
    match name {
        "analytic" => Ok(Way::Analytic),
        "pepa" => Ok(Way::Pepa),
        _ => Err("expected analytic or pepa".into()),
    }
}

fn within(text: &str) -> Result<Share, String> {
    match share(text) {
        Some(share) if (0.0..=1.0).contains(&share) => Ok(Share(share)),
        _ => Err("expected a share of at most 100 %, such as 5% or 0.05".into()),
    }
}
