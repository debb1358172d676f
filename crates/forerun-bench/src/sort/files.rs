//! Lines of numbers, from file to file.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{fs, str};

use forerun_apps::sort::{ElementType, SortJob, SortOptions};
use forerun_platform::Strategy;
use forerun_skeleton::reduction::{Reduction, Runner, Shape};
use forerun_skeleton::{Message, Options, Program, Ran, RunError, threads};

use super::random;
use crate::record::Record;
use crate::table::{Contender, Table};

/// Memory that both may use.
const MEMORY: u64 = 1 << 30;

/// Sorts `count` lines in both ways.
pub(super) fn lines(count: usize, rounds: usize, record: &mut Record) -> io::Result<()> {
    let dir = tempfile::tempdir()?;
    let input = dir.path().join("numbers.txt");
    let mut file = io::BufWriter::new(fs::File::create(&input)?);
    for bits in random(2).take(count) {
        writeln!(file, "{}", bits as i32)?;
    }
    file.into_inner().map_err(io::IntoInnerError::into_error)?;

    let (ours, theirs) = (dir.path().join("ours"), dir.path().join("theirs"));
    let version = Command::new("sort").arg("--version").output();
    let version = version.ok().filter(|v| v.status.success()).map(|v| v.stdout);
    let mut contenders = vec![Contender::new("forerun, 2 ranks", || timed(|| reduce(&input, &ours)))];
    match version.as_deref().and_then(|v| str::from_utf8(v).ok()?.lines().next()) {
        Some(version) => {
            let name = format!("{version}, -n --parallel=2");
            contenders.push(Contender::new(name, || timed(|| gnu(&input, &theirs))));
        }
        None => record.note("GNU sort is not here."),
    }
    let rivals = contenders.len() > 1;
    let title = format!("Sort of {count} lines of numbers, from file to file");
    record.add(&Table::measure(title, "ms", rounds, contenders));
    if rivals && fs::read(&ours)? != fs::read(&theirs)? {
        return Err(io::Error::other("the two outputs differ"));
    }
    Ok(())
}

fn timed(sort: impl FnOnce() -> io::Result<()>) -> f64 {
    let begun = Instant::now();
    sort().expect("the sort ends");
    begun.elapsed().as_secs_f64() * 1e3
}

fn gnu(input: &Path, output: &Path) -> io::Result<()> {
    let mut sort = Command::new("sort");
    sort.args(["-n", "--parallel=2", "-S"]).arg(format!("{MEMORY}b")).arg("-o").args([output, input]);
    let status = sort.env("LC_ALL", "C").status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("sort failed")) }
}

fn reduce(input: &Path, output: &Path) -> io::Result<()> {
    let options = SortOptions {
        element: ElementType::Lines,
        output: Some(output.into()),
        memory: MEMORY,
        ranks: 2,
        merge_threads: 2,
        ..SortOptions::default()
    };
    let job = SortJob::open(&[input.into()], options).map_err(io::Error::other)?;
    let source = job.source(job.grain(4));
    let shape = Shape { set: u64::MAX, ..Shape::new(Strategy::Adaptive, 2) };
    let reduction = Reduction::new(&job, &source, &job, shape).map_err(io::Error::other)?;
    let ran = reduction.run(OnThreads).map_err(io::Error::other)?;
    job.finish(ran.outs.into_iter().flatten().collect()).map_err(io::Error::other)?;
    Ok(())
}

struct OnThreads;

impl<M: Message + Send, O: Send> Runner<M, O> for OnThreads {
    type Ran = Ran<O>;

    fn run<P: Program<Msg = M, Out = O> + Sync>(self, program: &P) -> Result<Ran<O>, RunError> {
        threads::run(program, &Options::new(2))
    }
}
