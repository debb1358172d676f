//! What the processes of a run are told, and what the first of them answers.

use std::path::{Path, PathBuf};

use forerun_apps::SeenFiles;
use forerun_apps::command::{InputFile, Inputs};
use forerun_apps::features::find_model;
use forerun_mpi::Sample;
use forerun_platform::file::is_standard_output;
use forerun_platform::{Plan, RankTimes, ReductionProfile};
use forerun_skeleton::{AppError, Wire as _};
use serde::{Deserialize, Serialize};

use crate::cli::{
    FarmJobArgs, FeatureArgs, HipArgs, LsiJobArgs, MandelbrotArgs, ReduceArgs, SortArgs, TasksArgs,
};
use crate::error::{CliError, request};

/// A job in words that another process can read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Work {
    /// A sort.
    Sort(SortArgs),
    /// A reduction by commands.
    Reduce(ReduceArgs),
    /// Tasks that take the time that they cost.
    Tasks(TasksArgs, Box<ReductionProfile>),
    /// Features of documents, which are handed over as they were found.
    Features(Box<FeatureArgs>),
    /// Queries and a model.
    Lsi(LsiJobArgs),
    /// A picture of the Mandelbrot set, as a farm.
    Mandelbrot(MandelbrotArgs),
    /// The range of motion of a hip, as a farm.
    Hip(Box<HipArgs>),
    /// A command for each of its files, as a farm.
    Farm(FarmJobArgs),
}

impl Work {
    /// A sort.
    ///
    /// # Errors
    /// What cannot be on MPI.
    pub fn sort(args: &SortArgs) -> Result<Work, CliError> {
        if args.out.as_deref().is_some_and(is_standard_output) {
            return Err(to_a_file());
        }
        Work::Sort(args.clone()).in_words()
    }

    /// A reduction of `inputs`, which every rank takes as they were found here.
    ///
    /// # Errors
    /// What cannot be on MPI.
    pub fn reduce(args: &ReduceArgs, inputs: &Inputs) -> Result<Work, CliError> {
        if args.every.is_some() || args.deliver.is_some() {
            return Err(request(
                "--on mpi: --every and --deliver are of runs on threads: leave them out, or run on threads",
            ));
        }
        if args.out.as_deref().is_none_or(is_standard_output) {
            return Err(to_a_file());
        }
        Work::Reduce(ReduceArgs {
            input: named(inputs),
            include: Vec::new(),
            files_from: None,
            ..args.clone()
        })
        .in_words()
    }

    /// Features of documents.
    ///
    /// # Errors
    /// That there is no model.
    pub fn features(args: &FeatureArgs) -> Result<Work, CliError> {
        // The other hosts are asked for the model that was found here.
        let model = find_model(args.model.as_deref()).map_err(request)?;
        Work::Features(Box::new(FeatureArgs { model: Some(model), ..args.clone() })).in_words()
    }

    /// Queries matched with a model.
    ///
    /// # Errors
    /// What cannot be on MPI.
    pub fn lsi(args: &LsiJobArgs) -> Result<Work, CliError> {
        if args.db.is_none() && args.out.as_deref().is_none_or(is_standard_output) {
            return Err(to_a_file());
        }
        Work::Lsi(args.clone()).in_words()
    }

    /// A farm of a command over `inputs`, which every rank takes as they were found here.
    ///
    /// # Errors
    /// What cannot be on MPI.
    pub fn farm(args: &FarmJobArgs, inputs: &Inputs) -> Result<Work, CliError> {
        if args.out.as_deref().is_none_or(is_standard_output) {
            return Err(to_a_file());
        }
        Work::Farm(FarmJobArgs {
            input: named(inputs),
            include: Vec::new(),
            files_from: None,
            ..args.clone()
        })
        .in_words()
    }

    /// Itself, where all names in it can be told to other processes, that of this directory as well.
    ///
    /// # Errors
    /// The name that is no text; a result to standard output.
    pub fn in_words(self) -> Result<Work, CliError> {
        let pictures = match &self {
            Work::Mandelbrot(args) => [Some(&args.out), None],
            Work::Hip(args) => [args.out.as_ref(), args.svg.as_ref()],
            _ => [None, None],
        };
        if pictures.into_iter().flatten().any(|out| is_standard_output(out)) {
            return Err(to_a_file());
        }
        let directory = std::env::current_dir().unwrap_or_default();
        let odd = self.names().into_iter().chain([&*directory]).find(|name| name.to_str().is_none());
        if let Some(name) = odd {
            return Err(request(format!(
                "--on mpi: {name:?} is not UTF-8, and names of files must be text to be told to other processes: rename it, \
                 or run on threads"
            )));
        }
        Ok(self)
    }

    /// The files of its own that each of its ranks reads, as they are now: all but inputs that were found before, and documents, of which each
    /// is read once and noted as it was then.
    pub fn look(&self) -> SeenFiles {
        match self {
            Work::Sort(args) => SeenFiles::look(&args.input),
            Work::Features(args) => SeenFiles::look(args.model.iter().chain(&args.fields)),
            Work::Lsi(args) => SeenFiles::look(&args.input),
            Work::Hip(args) => SeenFiles::look([&args.femur, &args.pelvis]),
            Work::Reduce(_) | Work::Farm(_) | Work::Tasks(..) | Work::Mandelbrot(_) => SeenFiles::default(),
        }
    }

    /// The files that its ranks write.
    pub(super) fn outputs(&self) -> Vec<&Path> {
        let outputs = match self {
            Work::Sort(args) => vec![args.out.as_ref()],
            Work::Reduce(args) => vec![args.out.as_ref()],
            Work::Lsi(args) => vec![args.out.as_ref()],
            Work::Mandelbrot(args) => vec![Some(&args.out)],
            Work::Hip(args) => vec![args.out.as_ref(), args.svg.as_ref()],
            Work::Farm(args) => vec![args.out.as_ref()],
            // No file gets its name from one that is begun.
            Work::Tasks(..) | Work::Features(_) => Vec::new(),
        };
        outputs.into_iter().flatten().map(PathBuf::as_path).collect()
    }

    /// The files that it names.
    fn names(&self) -> Vec<&Path> {
        let (input, others): (&[PathBuf], Vec<&Option<PathBuf>>) = match self {
            Work::Sort(args) => (&args.input, vec![&args.out, &args.tmp]),
            Work::Reduce(args) => (&args.input, vec![&args.out, &args.tmp]),
            Work::Tasks(..) => (&[], Vec::new()),
            Work::Features(args) => (&args.input, vec![&args.model, &args.fields, &args.crawl_dir]),
            Work::Lsi(args) => (&args.input, vec![&args.out]),
            Work::Mandelbrot(args) => (std::slice::from_ref(&args.out), Vec::new()),
            Work::Hip(args) => return hip(args),
            Work::Farm(args) => (&args.input, vec![&args.out, &args.tmp, &args.resume]),
        };
        input.iter().chain(others.into_iter().flatten()).map(PathBuf::as_path).collect()
    }
}

fn hip(args: &HipArgs) -> Vec<&Path> {
    let HipArgs { femur, pelvis, out, svg, .. } = args;
    [femur, pelvis].into_iter().chain(out).chain(svg).map(PathBuf::as_path).collect()
}

/// The files of inputs, as they were found.
fn named(inputs: &Inputs) -> Vec<PathBuf> {
    let named = |file: &InputFile| -> PathBuf { file.path.clone() };
    inputs.files().iter().map(named).collect()
}

fn to_a_file() -> CliError {
    request("--on mpi: the ranks' standard output is not this one: name a file for the result with -o FILE")
}

/// What every process is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Order {
    /// To run a job.
    Job(Box<JobOrder>),
    /// To measure messages, for so many seconds.
    Calibrate {
        /// Seconds that measuring takes at most.
        seconds: f64,
    },
}

/// A job, and how it is run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JobOrder {
    /// The job.
    pub work: Work,
    /// How it is run.
    pub plan: Plan,
    /// The directory that names of files are relative to.
    pub directory: PathBuf,
    /// The files that it is of, as the launching process saw them before it read any.
    #[serde(skip)]
    pub seen: SeenFiles,
    /// What the launching process has found and kept: see [`ReductionJob::hand_over`](forerun_apps::ReductionJob::hand_over).
    #[serde(skip)]
    pub kept: Vec<u8>,
}

impl Order {
    /// Its form as bytes.
    ///
    /// # Errors
    /// That a name is no text.
    pub fn encode(&self) -> Result<Vec<u8>, AppError> {
        let json = serde_json::to_string(self).map_err(|e| {
            AppError::new(format!("names of files must be text to be told to other processes: {e}"))
        })?;
        let mut bytes = Vec::new();
        json.encode(&mut bytes)?;
        if let Order::Job(job) = self {
            job.seen.encode(&mut bytes)?;
            bytes.extend_from_slice(&job.kept);
        }
        Ok(bytes)
    }

    /// Reads what [`Order::encode`] wrote.
    ///
    /// # Errors
    /// That the bytes are no order of this build.
    pub fn decode(mut bytes: &[u8]) -> Result<Order, AppError> {
        let json = String::decode(&mut bytes)?;
        let mut order: Order = serde_json::from_str(&json)
            .map_err(|e| AppError::new(format!("the launching process is another build of forerun: {e}")))?;
        if let Order::Job(job) = &mut order {
            job.seen = SeenFiles::decode(&mut bytes)?;
            job.kept = bytes.to_vec();
        }
        Ok(order)
    }
}

/// What the first rank says in the end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Report {
    /// It ran.
    Done(Box<Told>),
    /// Messages were measured: every value, in the order in which they were.
    Measured(Vec<Sample>),
    /// It failed: exit status 1.
    Failed(String),
    /// The request cannot be met: exit status 2.
    Refused(String),
}

/// What a run came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Told {
    /// Where the ranks' time went.
    pub ranks: Vec<RankTimes>,
    /// Seconds from where all ranks begin the pattern to the end of the last.
    pub ranks_s: f64,
    /// Seconds of the finish after that, what groups send for it included.
    pub finish_s: f64,
    /// The rank that finished.
    pub finisher: usize,
    /// Tasks, or blocks.
    pub tasks: u64,
    /// What the job says of its result.
    pub result: String,
    /// What a person should know.
    pub notes: Vec<String>,
    /// Which tasks of a farm were given up, where it went on without them: why the run has failed in the end.
    pub missing: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use forerun_platform::{Grain, Strategy};

    use super::*;

    #[test]
    fn an_order_goes_there_and_back() {
        let args = SortArgs {
            input: vec!["a b".into()],
            element: "i64".into(),
            out: Some("é".into()),
            memory: None,
            tmp: None,
        };
        let grain = Grain { tasks: Some(3), bytes: 4096 };
        let plan = Plan { groups: 2, set: 3, window: 4, ..Plan::new(Strategy::Adaptive, 4, grain) };
        let order = Order::Job(Box::new(JobOrder {
            work: Work::sort(&args).expect("a file"),
            plan,
            directory: "/somewhere".into(),
            seen: SeenFiles::look(["Cargo.toml"]),
            kept: vec![1, 2, 3],
        }));
        let again = Order::decode(&order.encode().expect("text")).expect("an order");
        assert_eq!(format!("{again:?}"), format!("{order:?}"));
        let odd = std::ffi::OsStr::from_bytes(b"a\xff\x1b");
        let said = Work::sort(&SortArgs { input: vec![odd.into()], ..args.clone() })
            .expect_err("no text")
            .to_string();
        assert!(said.contains(r#""a\xFF\u{1b}""#), "{said}");
        assert!(Work::sort(&SortArgs { out: Some("-".into()), ..args }).is_err());
        assert!(Order::decode(b"\x02\0\0\0\0\0\0\0{}").is_err());
    }
}
