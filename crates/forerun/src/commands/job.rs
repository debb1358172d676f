//! From a job on the command line to the command that treats it.

use std::path::{Path, PathBuf};

use forerun_apps::command::{Selection, delivery_name};
use forerun_apps::features::{DOCUMENTS, Database};
use forerun_platform::file::is_standard_output;
use forerun_platform::{Profile, Skeleton};

use super::Context;
use super::treat::{Crawls, Treat};
use crate::cli::{JobCommand, LsiJobArgs, ReduceArgs, WithJob};
use crate::error::{CliError, request};
use crate::jobs;
use crate::mpi::Work;
use crate::planning::NOTHING;
use crate::{allocation, figures, file, paths};

/// Treats the job that the command line names.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn of<H: Treat>(job: JobCommand<H>, context: &mut Context) -> Result<(), CliError> {
    match job {
        JobCommand::Sort(WithJob { job, how }) => {
            how.check()?;
            paths::files(&job.input)?;
            if how.is_for_processes() {
                context.here = how.is_here();
                context.ask(Work::sort(&job)?)?;
            }
            how.check_processes(&|| Work::sort(&job))?;
            let beside = job.input.first().map(|first| {
                let mut name = first.clone().into_os_string();
                name.push(".sorted");
                PathBuf::from(name)
            });
            // Of one that only plans, no result is written.
            let out = job.out.as_deref().or(beside.as_deref()).filter(|_| how.gives_result());
            how.paths().reads(&job.input).replaces("--out", out).check(&mut context.console, |_| false)?;
            let ranks = how.processors().unwrap_or_else(allocation::cores);
            context.interrupt.busy(|| {
                let team = jobs::Team { ranks, processes: 1 };
                let job = jobs::sort(&job, team, how.gives_result(), context.interrupt.cancel())?;
                if let Some(why) = out.and_then(|out| file::too_large("--out", out, job.bytes())) {
                    context.console.note("note", &why)?;
                }
                match how.shape().skeleton.get() {
                    Some(Skeleton::Reduction) => how.job(&job, context),
                    _ => how.scatter(&job, context),
                }
            })
        }
        JobCommand::Features(WithJob { job, how }) => {
            how.check()?;
            paths::files(&job.input)?;
            if how.shape().skeleton.get() == Some(Skeleton::ScatterGather) {
                return Err(request(
                    "--skeleton scatter-gather: features are extracted by a reduction; sort can be run so",
                ));
            }
            let seeds = jobs::seeds(&job)?;
            let crawls = match seeds.first() {
                None => None,
                Some(url) => Some(how.crawls().map_err(|why| {
                    request(format!(
                        "{url}: {why}; else fetch pages before (forerun crawl {url} -o DIR) and name DIR/pages"
                    ))
                })?),
            };
            match crawls {
                Some(_) => how.paths(),
                None => {
                    let database =
                        job.db.parse().ok().and_then(|db: Database| db.file().map(Path::to_path_buf));
                    let database = database.filter(|_| how.gives_result());
                    let include = match &job.include[..] {
                        [] => DOCUMENTS.map(String::from).to_vec(),
                        patterns => patterns.to_vec(),
                    };
                    let searched = Selection { paths: job.input.clone(), include };
                    how.paths().reads(&job.input).searches(searched).writes("--db", database.as_deref())
                }
            }
            .check(&mut context.console, |_| false)?;
            jobs::check_features(&job, crawls == Some(Crawls::All), context.interrupt.cancel())?;
            if crawls.is_some() {
                // What is wrong is said before anything is fetched, and what is measured of this machine takes no part of a run's time.
                context.platform = Some(figures::ready("features", how.figures(), context)?);
            }
            if crawls == Some(Crawls::Sample) {
                return context.interrupt.busy(|| {
                    let sample = jobs::sample(&job, &context.interrupt)?;
                    context.console.note("crawl", &sample.crawl.seen())?;
                    if let Some(failed) = &sample.crawl.failed {
                        context.console.note("", failed)?;
                    }
                    let job = jobs::features_of_sample(&job, &sample, context.interrupt.cancel())?;
                    how.job(&job, &Context { sampled: Some(sample.crawl.clone()), ..context.clone() })
                });
            }
            if how.is_for_processes() {
                context.here = how.is_here();
                context.ask(Work::features(&job)?)?;
            }
            how.check_processes(&|| Work::features(&job))?;
            context.interrupt.busy(|| {
                let (job, watch) = jobs::features(&job, how.begins_at_once(), &context.interrupt)?;
                how.job(&job, &Context { crawl: watch, ..context.clone() })
            })
        }
        JobCommand::Reduce(WithJob { job, how }) => reduce(&job, &how, context),
        JobCommand::Lsi(WithJob { job, how }) => lsi(&job, &how, context),
        JobCommand::Tasks(WithJob { job, how }) => {
            how.check()?;
            how.check_costed()?;
            let Some(file) = &how.figures().profile else {
                return Err(request(
                    "tasks are known only by their costs: give them with --profile FILE (forerun predict … \
                     --write-profile FILE writes one to begin with)",
                ));
            };
            how.paths().check(&mut context.console, |_| false)?;
            figures::check_written(how.figures())?;
            // They have no result, so that of none there is nothing to run either, in whatever way.
            if job.count == 0 {
                return Err(request(NOTHING));
            }
            jobs::check_grain(&job, how.shape())?;
            let profile = Profile::load(file).map_err(request)?;
            if how.shape().skeleton.get().is_none() {
                return Err(request(
                    "--skeleton auto: tasks known only by their costs are cut for one of them: ask for reduction and \
                     scatter-gather, and compare",
                ));
            }
            if how.shape().skeleton.get() == Some(Skeleton::ScatterGather) {
                how.scatter_costed(&jobs::blocks(&job, how.shape())?, &profile, context)?;
                return figures::write(&profile, how.figures());
            }
            if how.gives_result() {
                let costs = figures::reduction(&profile)?.clone();
                if how.is_for_processes() {
                    context.here = how.is_here();
                    context.ask(Work::Tasks(job.clone(), Box::new(costs.clone())).in_words()?)?;
                }
                context.profile = Some(profile);
                return context.interrupt.busy(|| {
                    let timed = jobs::timed_tasks(&job, &costs, context.interrupt.cancel())?;
                    jobs::tasks(&job)?.note_without_bytes(&costs, &context.console)?;
                    how.job(&timed, context)
                });
            }
            how.costed(&jobs::tasks(&job)?, &profile, context)?;
            figures::write(&profile, how.figures())
        }
    }
}

/// Treats a reduction by external commands.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn reduce<H: Treat>(args: &ReduceArgs, how: &H, context: &mut Context) -> Result<(), CliError> {
    how.check()?;
    if how.shape().skeleton.get() == Some(Skeleton::ScatterGather) {
        return Err(request(
            "--skeleton scatter-gather: external commands run as a reduction; sort can be run so",
        ));
    }
    how.paths().reads(args.files_from.as_deref()).one_from_standard_input()?;
    let (inputs, searched) = jobs::inputs(args, how.can_follow(), how.begins_at_once(), &context.interrupt)?;
    if how.is_for_processes() {
        context.here = how.is_here();
        context.ask_of(&inputs, Work::reduce(args, &inputs)?)?;
    }
    how.check_processes(&|| Work::reduce(args, &inputs))?;
    let to_stdout = args.deliver.is_none() && args.out.as_deref().is_none_or(is_standard_output);
    let list = args.files_from.as_deref();
    let out = args.out.as_deref().filter(|out| !is_standard_output(out) && how.gives_result());
    let into = args.deliver.as_ref().filter(|_| how.gives_result()).map(|dir| dir.join(delivery_name(1)));
    let paths = how.paths().reads(list).searches(searched).writes("--out", out);
    let paths = paths.prints("--out", to_stdout && how.gives_result());
    let paths = paths.writes("--deliver", into.as_deref());
    paths.check(&mut context.console, |path| inputs.find(path).is_some())?;
    for note in inputs.notes() {
        context.console.note("note", note)?;
    }
    context.interrupt.busy(|| {
        let job = jobs::reduce(args, inputs, context.interrupt.cancel())?;
        how.job(&job, context)
    })
}

/// Treats the matching of queries with a model.
///
/// # Errors
/// What is wrong with the request; what failed.
fn lsi<H: Treat>(args: &LsiJobArgs, how: &H, context: &mut Context) -> Result<(), CliError> {
    how.check()?;
    paths::files(&args.input)?;
    if how.is_for_processes() {
        context.here = how.is_here();
        context.ask(Work::lsi(args)?)?;
    }
    how.check_processes(&|| Work::lsi(args))?;
    if how.shape().skeleton.get() == Some(Skeleton::ScatterGather) {
        return Err(request("--skeleton scatter-gather: lsi runs as a reduction; sort can be run so"));
    }
    let to_stdout = args.db.is_none() && args.out.as_deref().is_none_or(is_standard_output);
    let out = args.out.as_deref().filter(|out| !is_standard_output(out) && how.gives_result());
    let paths = how.paths().reads(&args.input).writes("--out", out);
    let paths = paths.prints("--out", to_stdout && how.gives_result());
    paths.check(&mut context.console, |_| false)?;
    context.interrupt.busy(|| {
        let job = jobs::lsi(args, context.interrupt.cancel())?;
        how.job(&job, context)
    })
}
