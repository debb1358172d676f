//! How a job is to be planned, predicted or run.

use std::path::PathBuf;

use clap::Args;
use forerun_platform::{Share, Skeleton, Strategy, Way};

use super::count::{count, number};
use crate::allocation::Allocation;

/// A part of the plan that is pinned, or left to the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pin<T> {
    /// The planner chooses.
    #[default]
    Auto,
    /// It is this.
    To(T),
}

impl<T: Copy> Pin<T> {
    /// The value, where it is pinned.
    pub fn get(self) -> Option<T> {
        match self {
            Pin::Auto => None,
            Pin::To(value) => Some(value),
        }
    }
}

/// Pins parts of the plan; what is not pinned is chosen.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Plan")]
pub struct ShapeOptions {
    /// Pattern: reduction, scatter-gather (of sort and tasks), or auto: the one with the shorter prediction.
    #[arg(long, value_name = "SKELETON", default_value = "reduction", value_parser = skeleton)]
    pub skeleton: Pin<Skeleton>,
    /// Strategy: parallel-pipeline, reduction-tree, master-slave, adaptive, or auto.
    #[arg(long, value_name = "STRATEGY", default_value = "auto", value_parser = strategy)]
    pub strategy: Pin<Strategy>,
    /// Groups of ranks that run side by side on shares of the input; a divisor of the processors.
    #[arg(long, value_name = "N", value_parser = number)]
    pub groups: Option<usize>,
    /// Fan-in of the tree, at least 2: how many results one merge step brings together.
    #[arg(long, value_name = "N", value_parser = number)]
    pub arity: Option<usize>,
    /// Input that a task takes, at most, such as "4 MiB". Without it, no task is planned that is more than 4 times as large as the
    /// largest that was tried (by the pilot, or "tried" of the profile): what larger ones cost, which caches no longer hold, was not seen.
    #[arg(long, value_name = "SIZE")]
    pub grain: Option<String>,
    /// Results that a delivery of the adaptive strategy holds at least.
    #[arg(long, value_name = "N", value_parser = count)]
    pub set: Option<u64>,
    /// Scatter-gather: input that is dealt out at once, at most, such as "1 MiB", in whole elements.
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Scatter-gather: blocks that are read ahead and packets that are written behind, beside the first
    /// rank; 0 to have it read and write itself. Without it, where there is a core for it.
    #[arg(long, value_name = "N", value_parser = number)]
    pub ahead: Option<usize>,
    /// Messages that a rank may be ahead of each receiver.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = number)]
    pub window: usize,
}

/// Where the figures come from.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Figures")]
pub struct FigureOptions {
    /// A platform file (- for standard input) or the name of a shipped platform; without it, this machine.
    #[arg(long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// A profile file (- for standard input); without it, a short pilot run measures the job.
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Write the profile used, to read, edit and use again: with it the same job on the same platform gets the same plan and
    /// makespan. How busy others were during the pilot, by which an interval is wider, is not in it, nor are a platform's figures.
    #[arg(long, value_name = "FILE")]
    pub write_profile: Option<PathBuf>,
}

/// Where what is printed goes as well: as a table of data, and as a plot.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Files")]
pub struct DrawOptions {
    /// Write the table as CSV to FILE.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the plot as SVG to FILE.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// How the processes of `--on mpi` are started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "MPI")]
pub struct MpiOptions {
    /// With --on mpi: the hosts, in the form that the launcher reads; without it this host, or those of the
    /// allocation that the command runs in.
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// With --on mpi: what starts the ranks, with options of its own, such as "srun --mpi=pmix"; without it,
    /// the mpirun of the MPI that this program is built with. (Open MPI's, which refuses root, is told to allow it.)
    #[arg(long, value_name = "COMMAND")]
    pub mpirun: Option<String>,
}

/// What `run` takes beside the job.
#[derive(Debug, Clone, Args)]
pub struct RunOptions {
    /// Processors to use, or auto.
    #[arg(short, long, value_name = "P", default_value = "auto", value_parser = processors)]
    pub processors: Pin<usize>,
    /// How: threads, mpi (each rank a process, on one host or many), emulated or simulated.
    #[arg(long, value_name = "WAY", default_value = "threads", value_parser = way_of_running)]
    pub on: Way,
    /// Run so many times; each run is an outcome.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number)]
    pub repeat: usize,
    /// Predict the plan by these ways too, analytic, simulated or pepa, and put them among the outcomes.
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', value_parser = way_of_predicting)]
    pub by: Vec<Way>,
    /// Parts of the plan.
    #[command(flatten)]
    pub shape: ShapeOptions,
    /// Figures.
    #[command(flatten)]
    pub figures: FigureOptions,
    /// MPI.
    #[command(flatten)]
    pub mpi: MpiOptions,
}

/// What `plan` takes beside the job.
#[derive(Debug, Clone, Args)]
pub struct PlanOptions {
    /// Most processors that may be used; without it, all that the platform has.
    #[arg(long, value_name = "P", value_parser = most_processors)]
    pub max_processors: Option<usize>,
    /// Exactly so many processors, or auto.
    #[arg(short, long, value_name = "P", default_value = "auto", value_parser = processors)]
    pub processors: Pin<usize>,
    /// Predict the plan by these ways too: analytic, simulated or pepa.
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', value_parser = way_of_predicting)]
    pub by: Vec<Way>,
    /// Write a Slurm batch script that runs the job as planned.
    #[arg(long, value_name = "FILE")]
    pub sbatch: Option<PathBuf>,
    /// Parts of the plan.
    #[command(flatten)]
    pub shape: ShapeOptions,
    /// Figures.
    #[command(flatten)]
    pub figures: FigureOptions,
}

/// What `predict` takes beside the job.
#[derive(Debug, Clone, Args)]
pub struct PredictOptions {
    /// Numbers of processors; without it, 1, every power of 2 that the platform has, and all that it has.
    #[arg(short, long, value_name = "P,…", value_delimiter = ',', value_parser = number_of_processors)]
    pub processors: Vec<usize>,
    /// By what, one or several: analytic (a closed form), simulated (virtual time), pepa (a process algebra model
    /// with exponential times, solved).
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', default_value = "analytic", value_parser = way_of_predicting)]
    pub by: Vec<Way>,
    /// Write the PEPA model of the job on the one number of processors to FILE, for `forerun pepa`.
    #[arg(long, value_name = "FILE", conflicts_with = "efficiency")]
    pub write_model: Option<PathBuf>,
    /// Instead of times, the least work with which each strategy reaches this efficiency (its isoefficiency
    /// function), such as 0.8 or 80%, in one binary group if --groups, --arity and --set do not say otherwise.
    #[arg(long, value_name = "E", value_parser = efficiency, conflicts_with = "by")]
    pub efficiency: Option<f64>,
    /// Parts of the plan.
    #[command(flatten)]
    pub shape: ShapeOptions,
    /// Figures.
    #[command(flatten)]
    pub figures: FigureOptions,
    /// Files.
    #[command(flatten)]
    pub draw: DrawOptions,
}

impl PredictOptions {
    /// The number of processors, where there is one.
    pub fn one_number(&self) -> Option<usize> {
        let one = self.processors.first().copied();
        one.filter(|one| self.processors.iter().all(|p| p == one))
    }
}

impl RunOptions {
    /// Most processors that may be used where none are asked for: what Slurm has given, inside one of its jobs.
    pub fn most(&self) -> Option<usize> {
        let given = Allocation::here()?;
        match self.on {
            Way::Threads => given.cpus,
            Way::Mpi => given.tasks,
            _ => None,
        }
    }
}

fn skeleton(name: &str) -> Result<Pin<Skeleton>, String> {
    if name == "auto" {
        return Ok(Pin::Auto);
    }
    // A farm's tasks have no merge: none of these jobs is one.
    let known = [Skeleton::Reduction, Skeleton::ScatterGather];
    known
        .into_iter()
        .find(|s| s.name() == name)
        .map(Pin::To)
        .ok_or_else(|| format!("expected auto, {}", known.map(Skeleton::name).join(", ")))
}

fn strategy(name: &str) -> Result<Pin<Strategy>, String> {
    if name == "auto" {
        return Ok(Pin::Auto);
    }
    Strategy::ALL.into_iter().find(|s| s.name() == name).map(Pin::To).ok_or_else(|| {
        let names: Vec<_> = Strategy::ALL.map(Strategy::name).to_vec();
        format!("expected auto, {}", names.join(", "))
    })
}

pub(super) fn processors(text: &str) -> Result<Pin<usize>, String> {
    match text {
        "auto" => Ok(Pin::Auto),
        _ => number_of_processors(text).map(Pin::To).map_err(|e| format!("{e}, or auto")),
    }
}

/// More than any machine has, and few enough to plan for.
const MOST_PROCESSORS: usize = 1 << 22;

pub(super) fn number_of_processors(text: &str) -> Result<usize, String> {
    match number(text) {
        Ok(p @ 1..=MOST_PROCESSORS) => Ok(p),
        _ => Err(format!("expected a number of processors, at least 1 and at most {MOST_PROCESSORS}")),
    }
}

/// As [`number_of_processors`]; that it is at least 1 is looked at with the others.
fn most_processors(text: &str) -> Result<usize, String> {
    if number(text) == Ok(0) { Ok(0) } else { number_of_processors(text) }
}

fn efficiency(text: &str) -> Result<f64, String> {
    match share(text) {
        Some(e) if e > 0.0 && e <= 1.0 => Ok(e),
        _ => Err("expected more than 0 and at most 1, such as 0.8 or 80%".into()),
    }
}

/// A part of something, as a number or in per cent.
pub(super) fn share(text: &str) -> Option<f64> {
    let share = match text.trim().strip_suffix('%') {
        Some(_) => text.parse::<Share>().ok()?.0,
        None => text.trim().parse().ok()?,
    };
    share.is_finite().then_some(share)
}

fn way_of_running(name: &str) -> Result<Way, String> {
    match name {
        "threads" => Ok(Way::Threads),
        "mpi" => Ok(Way::Mpi),
        "emulated" => Ok(Way::Emulated),
        "simulated" => Ok(Way::Simulated),
        _ => Err("expected threads, mpi, emulated or simulated".into()),
    }
}

/// Of what messages are measured.
pub(super) fn way_of_messages(name: &str) -> Result<Way, String> {
    match name {
        "threads" => Ok(Way::Threads),
        "mpi" => Ok(Way::Mpi),
        _ => Err("expected threads or mpi".into()),
    }
}

pub(super) fn way_of_predicting(name: &str) -> Result<Way, String> {
    match name {
        "analytic" => Ok(Way::Analytic),
        "simulated" => Ok(Way::Simulated),
        "pepa" => Ok(Way::Pepa),
        _ => Err("expected analytic, simulated or pepa".into()),
    }
}
