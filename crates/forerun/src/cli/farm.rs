//! The words of jobs that are farms.

use std::path::PathBuf;

use clap::Args;
use forerun_platform::Way;
use forerun_skeleton::farm::Masters;
use serde::{Deserialize, Serialize};

use super::count::{count, number};
use super::options::{MpiOptions, Pin, number_of_processors, processors, way_of_messages, way_of_predicting};

/// How a farm is run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Plan")]
pub struct FarmShape {
    /// Tasks of a message; without it, as many as make messages cost little.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub tasks_per_message: Option<u64>,
    /// Messages of tasks that a processor has at a time; without it, 2 where tasks are short.
    #[arg(long, value_name = "N", value_parser = prefetch)]
    pub prefetch: Option<u64>,
    /// Masters, each with a part of the tasks and of the processors; or dynamic: one, and processors that become masters of
    /// a part of the tasks while theirs make them wait.
    #[arg(long, value_name = "N|dynamic", default_value = "1", value_parser = masters)]
    pub masters: Masters,
    /// How often a task that fails is tried again, on another processor, before the run ends.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = retries)]
    pub retries: u32,
}

/// How a farm is run, and what is written beside its result.
#[derive(Debug, Clone, Args)]
pub struct FarmWays {
    /// Processors that do tasks, or auto: on threads as many as there are cores at most, or more where tasks mostly wait, for a
    /// server or a clock. The master is beside them, and mostly sleeps; with --on mpi it is one of them.
    #[arg(short, long, value_name = "P", default_value = "auto", value_parser = processors, help_heading = "Plan")]
    pub processors: Pin<usize>,
    /// Parts of the plan.
    #[command(flatten)]
    pub shape: FarmShape,
    /// How: threads, or mpi (each rank a process, on one host or many).
    #[arg(long, value_name = "WAY", default_value = "threads", value_parser = way_of_messages)]
    pub on: Way,
    /// With --on mpi: the hosts that the prediction is for, a platform file such as `calibrate --on mpi` writes; without
    /// it, this machine.
    #[arg(long, value_name = "FILE", help_heading = "Figures")]
    pub platform: Option<String>,
    /// Predict the plan by these ways too, analytic, simulated or pepa, and put them among the outcomes.
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', value_parser = way_of_predicting)]
    pub by: Vec<Way>,
    /// MPI.
    #[command(flatten)]
    pub mpi: MpiOptions,
    /// A profile file with a section `[farm]` (- for standard input); without it, a short pilot run measures the job.
    #[arg(long, value_name = "FILE", help_heading = "Figures")]
    pub profile: Option<PathBuf>,
    /// Write the profile used, with a section `[farm]`, to read, edit and use again with --profile.
    #[arg(long, value_name = "FILE", help_heading = "Figures")]
    pub write_profile: Option<PathBuf>,
}

/// What `plan` takes beside a farm.
#[derive(Debug, Clone, Args)]
pub struct FarmPlanOptions {
    /// Processors that do tasks, or auto: on threads as many as there are cores at most, or more where tasks mostly wait, for a
    /// server or a clock. On threads the master is beside them; with --platform it is one of them.
    #[arg(short, long, value_name = "P", default_value = "auto", value_parser = processors, help_heading = "Plan")]
    pub processors: Pin<usize>,
    /// Predict the plan by these ways too: analytic, simulated or pepa.
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', value_parser = way_of_predicting)]
    pub by: Vec<Way>,
    /// Write a Slurm batch script that runs the job as planned.
    #[arg(long, value_name = "FILE")]
    pub sbatch: Option<PathBuf>,
    /// Parts of the plan, and for where.
    #[command(flatten)]
    pub foreseen: Foreseen,
}

/// What `predict` takes beside a farm.
#[derive(Debug, Clone, Args)]
pub struct FarmPredictOptions {
    /// Numbers of processors that do tasks; without it, 1, every power of 2 that the platform has, and all that it has. On
    /// threads the master is beside them; with --platform it is one of them.
    #[arg(short, long, value_name = "P,…", value_delimiter = ',', value_parser = number_of_processors, help_heading = "Plan")]
    pub processors: Vec<usize>,
    /// By what, one or several: analytic (a closed form), simulated (virtual time, also of masters that change), pepa (a process
    /// algebra model with exponential times, of one master).
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', default_value = "analytic", value_parser = way_of_predicting)]
    pub by: Vec<Way>,
    /// Parts of the plan, and for where.
    #[command(flatten)]
    pub foreseen: Foreseen,
}

/// Of a farm that is not run: parts of its plan, and for where it is.
#[derive(Debug, Clone, Args)]
pub struct Foreseen {
    /// Parts of the plan.
    #[command(flatten)]
    pub shape: FarmShape,
    /// The hosts of a run on MPI, a platform file such as `calibrate --on mpi` writes; without it, threads of this machine.
    #[arg(long, value_name = "FILE", help_heading = "Figures")]
    pub platform: Option<String>,
    /// A profile file with a section `[farm]` (- for standard input); without it, a short pilot run measures the job.
    #[arg(long, value_name = "FILE", help_heading = "Figures")]
    pub profile: Option<PathBuf>,
    /// Write the profile used, with a section `[farm]`, to read, edit and use again with --profile.
    #[arg(long, value_name = "FILE", help_heading = "Figures")]
    pub write_profile: Option<PathBuf>,
}

impl Foreseen {
    /// The ways of a run like it on so many processors, predicted by these.
    pub fn ways(&self, processors: Pin<usize>, by: &[Way]) -> FarmWays {
        let on = if self.platform.is_some() { Way::Mpi } else { Way::Threads };
        let Foreseen { shape, platform, profile, write_profile } = self.clone();
        let (by, mpi) = (by.to_vec(), MpiOptions::default());
        FarmWays { processors, shape, on, platform, by, mpi, profile, write_profile }
    }
}

fn positive(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("expected at least 1".into()),
        n => Ok(n),
    }
}

fn masters(text: &str) -> Result<Masters, String> {
    match text {
        "dynamic" => Ok(Masters::Dynamic),
        _ => match number(text) {
            Ok(masters @ 1..) => Ok(Masters::Fixed(masters)),
            _ => Err("expected dynamic, or a number of masters, at least 1".into()),
        },
    }
}

fn prefetch(text: &str) -> Result<u64, String> {
    match count(text)? {
        n @ 1..=1024 => Ok(n),
        _ => Err("expected 1 to 1024".into()),
    }
}

fn retries(text: &str) -> Result<u32, String> {
    match number(text)? {
        n @ 0..=1000 => Ok(n as u32),
        _ => Err("expected 0 to 1000".into()),
    }
}

/// A command, its files, and where outputs go.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct FarmJobArgs {
    /// Command of a task, such as 'gzip -c {}': `{}` in it stands for the task's file; without, its content comes
    /// on standard input. What it writes to standard output is the task's output.
    #[arg(value_name = "COMMAND")]
    pub command: String,
    /// Files, a task each, and directories whose files are taken in the order of their names; each is named once.
    #[arg(value_name = "FILE")]
    pub input: Vec<PathBuf>,
    /// Run the command by `sh -c`: the file's name is "$1" there, and its content comes on standard input too.
    #[arg(long)]
    pub shell: bool,
    /// Read names of files, one a line or each ended by a NUL, from FILE (- for standard input).
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Of directories take only files whose names match, such as '*.html'; can be given more than once.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Write outputs as they come, each in one piece, rather than in the order of the files.
    #[arg(long)]
    pub unordered: bool,
    /// Keep finished tasks and their outputs in JOURNAL; where it has some, of a run that was killed or failed, these are
    /// not done again as long as the files are as they were, and all outputs are written. Delete it when it has served.
    #[arg(long, value_name = "JOURNAL")]
    pub resume: Option<PathBuf>,
    /// Kill a command that takes longer, such as "30 s"; the task has failed.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
    /// A task that writes more, such as "1 GiB", has failed.
    #[arg(long, value_name = "SIZE")]
    pub max_output: Option<String>,
    /// Where outputs go, one after the other; without it, standard output. FILE is there when all are.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Directory for temporary files; without it, $TMPDIR or /tmp.
    #[arg(long, value_name = "DIR")]
    pub tmp: Option<PathBuf>,
}
