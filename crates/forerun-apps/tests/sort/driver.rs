//! A sequential reduction: tasks, a tree of merges per set, the sink; and the same by scatter-gather.

use std::path::PathBuf;

use forerun_apps::sort::{ElementType, Finished, Run, SortJob, SortOptions};
use forerun_apps::{Erased, ScatterGatherJob, Together};
use forerun_platform::Grain;
use forerun_skeleton::reduction::{Piece, Reduce, Sink, Sinks, Source};
use forerun_skeleton::scatter_gather::{Scatter, Shape};
use forerun_skeleton::threads::{self, ReadAhead, WriteBehind};
use forerun_skeleton::{AppError, Options, RunError};

/// How the tasks are combined.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    /// Number of tasks.
    pub tasks: u64,
    /// Results merged at once, at least 2.
    pub arity: usize,
    /// Results in a delivery.
    pub set: usize,
}

impl Way {
    /// Two tasks, one merge, as on two ranks.
    pub(crate) const TWO: Way = Way { tasks: 2, arity: 2, set: 2 };
}

/// Sorts as a reduction and, on several ranks, by scatter-gather, which must come to the same; returns
/// what the end says.
pub(crate) fn sort(inputs: &[PathBuf], options: SortOptions, way: &Way) -> Result<Finished, AppError> {
    let scattered = scattered(inputs, &options, way);
    let reduced = reduced(inputs, options, way);
    match (&reduced, scattered) {
        (Ok(finished), Ok(bytes)) => {
            assert!(std::fs::read(&finished.path).expect("an output") == bytes, "{way:?} differs");
        }
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        (one, other) => panic!("{one:?}, but {:?} by scatter-gather", other.map(|bytes| bytes.len())),
    }
    reduced
}

/// Sorts by scatter-gather into a directory of its own and returns the output.
fn scattered(inputs: &[PathBuf], options: &SortOptions, way: &Way) -> Result<Vec<u8>, AppError> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let output = directory.path().join("out");
    let ranks = way.arity - 1;
    let options = SortOptions { output: Some(output.clone()), ranks, ..options.clone() };
    let job = SortJob::open(inputs, options)?;
    let (least, most) = job.blocks(ranks, 2);
    let block = job.bytes().div_ceil(way.tasks).clamp(least, most);
    let written = on_threads(&job, block, ranks, way.set % 3)?;
    job.conclude(written)?;
    let names = names(directory.path());
    assert_eq!(names, ["out"]);
    Ok(std::fs::read(output).expect("an output"))
}

/// Runs scatter-gather, to before its end.
pub(crate) fn on_threads(job: &SortJob, block: u64, ranks: usize, ahead: usize) -> Result<Erased, AppError> {
    let Together { app, source, sinks, .. } = &job.together(block);
    let options = Options { window: 2, ..Options::new(ranks) };
    let shape = Shape::new(ranks);
    let ran = if ahead == 0 {
        let scatter = Scatter::new(app, source, sinks, shape).expect("a shape");
        threads::run(&scatter, &options)
    } else {
        std::thread::scope(|scope| {
            let source = ReadAhead::start(scope, source, ahead).expect("a thread");
            let sinks = WriteBehind::new(scope, sinks, ahead);
            let scatter = Scatter::new(app, &source, &sinks, shape).expect("a shape");
            threads::run(&scatter, &options)
        })
    };
    match ran {
        Ok(ran) => Ok(ran.outs.into_iter().flatten().next().expect("the first rank's")),
        Err(RunError::Failed(failure)) => Err(AppError::new(failure.message)),
        Err(other) => panic!("{other}"),
    }
}

fn reduced(inputs: &[PathBuf], options: SortOptions, way: &Way) -> Result<Finished, AppError> {
    let job = SortJob::open(inputs, options)?;
    let source = job.source(Grain { tasks: Some(way.tasks), bytes: u64::MAX });
    let mut sink = job.open(0)?;
    let mut level = Vec::new();
    for index in 0.. {
        let input = source.get(index)?;
        let last = input.is_none();
        if let Some(input) = input {
            level.push(job.task(index, input)?);
        }
        if level.len() == way.set || (last && !level.is_empty()) {
            let results = level.len() as u64;
            let value = merge(&job, std::mem::take(&mut level), way.arity)?;
            sink.accept(Piece { value, first: index, results })?;
        }
        if last {
            break;
        }
    }
    job.finish(vec![sink.close()?])
}

fn merge(job: &SortJob, mut level: Vec<Run>, arity: usize) -> Result<Run, AppError> {
    while level.len() > 1 {
        let mut next = Vec::new();
        let mut runs = level.into_iter().peekable();
        while let Some(first) = runs.next() {
            let mut value = first;
            for other in runs.by_ref().take(arity - 1) {
                value = job.merge(value, other)?;
            }
            next.push(value);
        }
        level = next;
    }
    level.pop().ok_or_else(|| AppError::new("nothing to merge"))
}

/// Options for a type of element and an amount of memory, the rest as it is by default.
pub(crate) fn options(element: ElementType, memory: u64) -> SortOptions {
    SortOptions { element, memory, ..SortOptions::default() }
}

/// Names of the files in a directory, hidden ones too.
pub(crate) fn names(directory: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
