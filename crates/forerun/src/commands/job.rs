//! From a job on the command line to the command that treats it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, FromArgMatches, Parser};
use forerun_apps::{ErasedJob, ScatterGatherJob};
use forerun_platform::{Profile, Skeleton, Way};

use super::{Context, plan, predict, run};
use crate::cli::{
    FigureOptions, JobArgs, JobCommand, LsiJobArgs, PlanOptions, PredictOptions, ReduceArgs, RunOptions,
    SayOptions, ShapeOptions, WithJob,
};
use crate::error::{CliError, request};
use crate::figures::{self, Figures};
use crate::file;
use crate::jobs;
use crate::mpi::{self, Work};
use crate::paths::Paths;
use crate::planning::Facts;
use crate::{planning, scatter};

/// What a command does with a job.
pub trait Treat: Args + FromArgMatches {
    /// Processors asked for, where there is one number.
    fn processors(&self) -> Option<usize>;

    /// Looks at what is asked for, before anything is opened, measured or run.
    ///
    /// # Errors
    /// What cannot be.
    fn check(&self) -> Result<(), CliError>;

    /// The files that are read and written whatever the job.
    fn paths(&self) -> Paths {
        of_figures(self.figures())
    }

    /// Whether the job gives its result.
    fn gives_result(&self) -> bool {
        false
    }

    /// Whether the job can begin before its inputs are all named.
    fn can_follow(&self) -> bool {
        false
    }

    /// Whether other processes run the job.
    fn is_for_processes(&self) -> bool {
        false
    }

    /// Whether no pilot is needed.
    fn begins_at_once(&self) -> bool {
        false
    }

    /// Where the figures come from.
    fn figures(&self) -> &FigureOptions;

    /// Parts of the plan.
    fn shape(&self) -> &ShapeOptions;

    /// Treats a job that can be run as scatter-gather, as that or by what is predicted to be faster.
    ///
    /// # Errors
    /// What is wrong with the request; what failed.
    fn scatter(&self, job: &dyn ScatterGatherJob, context: &Context) -> Result<(), CliError>;

    /// Treats blocks of which only the costs are known.
    ///
    /// # Errors
    /// What is wrong with the request.
    fn scatter_costed(
        &self,
        facts: &scatter::Facts,
        profile: &Profile,
        context: &Context,
    ) -> Result<(), CliError>;

    /// Treats a job that can be run.
    ///
    /// # Errors
    /// What is wrong with the request; what failed.
    fn job(&self, job: &dyn ErasedJob, context: &Context) -> Result<(), CliError>;

    /// Treats a job of which only the costs are known.
    ///
    /// # Errors
    /// What is wrong with the request.
    fn costed(&self, facts: &Facts, profile: &Profile, context: &Context) -> Result<(), CliError>;
}

fn of_figures(figures: &FigureOptions) -> Paths {
    let FigureOptions { platform, profile, write_profile } = figures;
    let platform = platform.as_deref().map(Path::new).filter(|p| p.is_file());
    Paths::new().reads(platform).reads(profile).writes("--write-profile", write_profile.as_deref())
}

/// Treats the job that the command line names.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn of<H: Treat>(args: JobArgs<H>, context: &mut Context) -> Result<(), CliError> {
    match args.job {
        JobCommand::Sort(WithJob { job, how }) => {
            how.check()?;
            if how.is_for_processes() {
                context.work = Some(Work::sort(&job)?);
            }
            let beside = job.input.first().map(|first| {
                let mut name = first.clone().into_os_string();
                name.push(".sorted");
                PathBuf::from(name)
            });
            // Of one that only plans, no result is written.
            let out = job.out.as_deref().or(beside.as_deref()).filter(|_| how.gives_result());
            how.paths().reads(&job.input).replaces("--out", out).check(&mut context.console, |_| false)?;
            let ranks = how.processors().unwrap_or_else(figures::workers);
            context.interrupt.busy(|| {
                let job = jobs::sort(&job, jobs::Team { ranks, processes: 1 }, context.interrupt.cancel())?;
                match how.shape().skeleton.get() {
                    Some(Skeleton::Reduction) => how.job(&job, context),
                    _ => how.scatter(&job, context),
                }
            })
        }
        JobCommand::Features(WithJob { job, how }) => {
            how.check()?;
            not_for_processes("features", &how)?;
            if how.shape().skeleton.get() == Some(Skeleton::ScatterGather) {
                return Err(request(
                    "--skeleton scatter-gather: features are extracted by a reduction; sort can be run so",
                ));
            }
            let seeds = jobs::seeds(&job)?;
            match seeds.first() {
                Some(url) if !how.can_follow() => {
                    return Err(request(format!(
                        "{url}: pages are crawled by `run`, once and on threads, without --by; else fetch them before \
                         (forerun crawl {url} -o DIR) and name DIR/pages"
                    )));
                }
                Some(_) => how.paths(),
                None => how.paths().reads(&job.input),
            }
            .check(&mut context.console, |_| false)?;
            context.interrupt.busy(|| {
                let job = jobs::features(&job, how.begins_at_once(), &context.interrupt)?;
                how.job(&job, context)
            })
        }
        JobCommand::Reduce(WithJob { job, how }) => reduce(&job, &how, context),
        JobCommand::Lsi(WithJob { job, how }) => lsi(&job, &how, context),
        JobCommand::Tasks(WithJob { job, how }) => {
            how.check()?;
            let Some(file) = &how.figures().profile else {
                return Err(request(
                    "tasks are known only by their costs: give them with --profile FILE (forerun predict … \
                     --write-profile FILE writes one to begin with)",
                ));
            };
            how.paths().check(&mut context.console, |_| false)?;
            let profile = Profile::load(file).map_err(request)?;
            if how.shape().skeleton.get().is_none() {
                return Err(request(
                    "--skeleton auto: tasks known only by their costs are cut for one of them: ask for reduction and \
                     scatter-gather, and compare",
                ));
            }
            if how.shape().skeleton.get() == Some(Skeleton::ScatterGather) {
                return how.scatter_costed(&jobs::blocks(&job, how.shape())?, &profile, context);
            }
            if how.gives_result() {
                let costs = figures::reduction(&profile)?.clone();
                if how.is_for_processes() {
                    context.work = Some(Work::Tasks(job.clone(), Box::new(costs.clone())));
                }
                return context.interrupt.busy(|| {
                    let job = jobs::timed_tasks(&job, &costs, context.interrupt.cancel())?;
                    how.job(&job, context)
                });
            }
            how.costed(&jobs::tasks(&job)?, &profile, context)
        }
        JobCommand::File(words) => {
            let Words { say, job } = from_file::<H>(&words)?;
            context.console.also(&say)?;
            of(job, context)
        }
    }
}

/// Refuses what ranks that are processes cannot run yet.
fn not_for_processes<H: Treat>(name: &str, how: &H) -> Result<(), CliError> {
    match how.is_for_processes() {
        true => {
            Err(request(format!("--on mpi: sort and reduce run there, {name} on threads: leave --on out")))
        }
        false => Ok(()),
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
    let inputs = jobs::inputs(args, how.can_follow(), how.begins_at_once(), &context.interrupt)?;
    if how.is_for_processes() {
        context.work = Some(Work::reduce(args, &inputs)?);
    }
    let to_stdout = args.deliver.is_none() && args.out.as_deref().is_none_or(|out| out == Path::new("-"));
    if to_stdout && how.gives_result() {
        context.console.keep_stdout_free()?;
    }
    let list = args.files_from.as_deref().filter(|from| *from != Path::new("-"));
    let out = args.out.as_deref().filter(|out| *out != Path::new("-") && how.gives_result());
    let paths = how.paths().reads(list).writes("--out", out);
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
    not_for_processes("lsi", how)?;
    if how.shape().skeleton.get() == Some(Skeleton::ScatterGather) {
        return Err(request("--skeleton scatter-gather: lsi runs as a reduction; sort can be run so"));
    }
    let to_stdout = args.db.is_none() && args.out.as_deref().is_none_or(|out| out == Path::new("-"));
    if to_stdout && how.gives_result() {
        context.console.keep_stdout_free()?;
    }
    let out = args.out.as_deref().filter(|out| *out != Path::new("-") && how.gives_result());
    let paths = how.paths().reads(&args.input).writes("--out", out);
    paths.check(&mut context.console, |_| false)?;
    context.interrupt.busy(|| {
        let job = jobs::lsi(args, context.interrupt.cancel())?;
        how.job(&job, context)
    })
}

/// A job read as the words of a job file.
#[derive(Debug, Parser)]
#[command(name = "forerun", no_binary_name = true)]
struct Words<H: Args> {
    #[command(flatten)]
    say: SayOptions,
    #[command(flatten)]
    job: JobArgs<H>,
}

fn from_file<H: Treat>(words: &[OsString]) -> Result<Words<H>, CliError> {
    let (file, rest) = words.split_first().ok_or_else(|| request("no job: name one, or a job file"))?;
    let file = Path::new(file);
    let args = match Words::<H>::try_parse_from(jobs::words(file, rest)?) {
        Ok(words) => words,
        Err(e) => return Err(request(format!("{}: {}", file.display(), sentence(&e)))),
    };
    match &args.job.job {
        JobCommand::File(words) => {
            let name = words.first().map(|w| w.to_string_lossy().into_owned()).unwrap_or_default();
            Err(request(format!(
                "{}: there is no application {name:?}: expected sort, features, reduce, lsi or tasks",
                file.display()
            )))
        }
        _ => Ok(args),
    }
}

/// What is wrong with the words that a job file stands for, in terms of the file.
fn sentence(e: &clap::Error) -> String {
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) =
        (e.kind(), e.get(ContextKind::InvalidArg))
    {
        let key = word.trim_start_matches('-');
        return format!(
            "there is no key {key}: expected format, application, input, or a long option of the application \
             or of the command without its dashes"
        );
    }
    // The first paragraph; then come tips for a command line.
    let text = e.render().to_string();
    let lines = text.lines().take_while(|l| !l.trim().is_empty()).map(str::trim);
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_string()
}

/// That no PEPA model is asked for where there is none.
fn check_by(shape: &ShapeOptions, by: &[Way], model: Option<&Path>) -> Result<(), CliError> {
    let scattered = shape.skeleton.get() == Some(Skeleton::ScatterGather);
    match scattered && (by.contains(&Way::Pepa) || model.is_some()) {
        true => Err(request(scatter::NO_MODEL)),
        false => Ok(()),
    }
}

/// Looks at what is pinned.
fn check(shape: &ShapeOptions, processors: Option<usize>) -> Result<(), CliError> {
    if shape.skeleton.get() == Some(Skeleton::ScatterGather) {
        scatter::check(shape)?;
    } else if shape.skeleton.get() == Some(Skeleton::Reduction)
        && (shape.block.is_some() || shape.ahead.is_some())
    {
        return Err(request(
            "--block and --ahead are of --skeleton scatter-gather: give it, or leave them out",
        ));
    }
    planning::check(shape, processors)
}

/// Asks for one group of ranks where the job has one sink.
///
/// # Errors
/// That more are pinned.
pub(super) fn one_group(job: &dyn ErasedJob, shape: &ShapeOptions) -> Result<ShapeOptions, CliError> {
    match shape.groups {
        Some(groups @ 2..) if job.one_sink() => Err(request(format!(
            "--groups {groups}: all deliveries of this job go to one place, from one group (--every, --deliver, a \
             database in one file); drop one of the two"
        ))),
        _ if job.one_sink() => Ok(ShapeOptions { groups: Some(1), ..shape.clone() }),
        _ => Ok(shape.clone()),
    }
}

impl Treat for RunOptions {
    fn shape(&self) -> &ShapeOptions {
        &self.shape
    }

    fn scatter(&self, job: &dyn ScatterGatherJob, context: &Context) -> Result<(), CliError> {
        match self.shape.skeleton.get() {
            None => scatter::auto_run(job, self, context),
            Some(_) => scatter::run_job(job, self, context),
        }
    }

    fn scatter_costed(
        &self,
        facts: &scatter::Facts,
        profile: &Profile,
        context: &Context,
    ) -> Result<(), CliError> {
        scatter::run_costed(facts, profile, self, context)
    }

    fn paths(&self) -> Paths {
        of_figures(&self.figures).reads(self.mpi.hostfile.as_deref())
    }

    fn processors(&self) -> Option<usize> {
        self.processors.get()
    }

    fn check(&self) -> Result<(), CliError> {
        if self.repeat == 0 {
            return Err(request("--repeat 0: a job is run at least once"));
        }
        if self.on == Way::Mpi {
            mpi::launcher(&self.mpi)?;
        } else if self.mpi.hostfile.is_some() || self.mpi.mpirun.is_some() {
            return Err(request("--hostfile and --mpirun are of --on mpi: give it, or leave them out"));
        }
        check_by(&self.shape, &self.by, None)?;
        check(&self.shape, self.processors.get())
    }

    fn gives_result(&self) -> bool {
        self.on != Way::Simulated
    }

    fn is_for_processes(&self) -> bool {
        self.on == Way::Mpi
    }

    fn can_follow(&self) -> bool {
        self.on == Way::Threads && self.repeat == 1 && self.by.is_empty()
    }

    fn begins_at_once(&self) -> bool {
        self.figures.profile.is_some() || self.shape.strategy.get().is_some()
    }

    fn figures(&self) -> &FigureOptions {
        &self.figures
    }

    fn job(&self, job: &dyn ErasedJob, context: &Context) -> Result<(), CliError> {
        run::run(job, self, context)
    }

    fn costed(&self, facts: &Facts, profile: &Profile, context: &Context) -> Result<(), CliError> {
        run::simulated(facts, profile, self, context)
    }
}

impl Treat for PlanOptions {
    fn paths(&self) -> Paths {
        of_figures(&self.figures).writes("--sbatch", self.sbatch.as_deref())
    }

    fn shape(&self) -> &ShapeOptions {
        &self.shape
    }

    fn scatter(&self, job: &dyn ScatterGatherJob, context: &Context) -> Result<(), CliError> {
        match self.shape.skeleton.get() {
            None => scatter::auto_plan(job, self, context),
            Some(_) => scatter::plan_job(job, self, context),
        }
    }

    fn scatter_costed(
        &self,
        facts: &scatter::Facts,
        profile: &Profile,
        context: &Context,
    ) -> Result<(), CliError> {
        let platform = figures::platform(self.figures.platform.as_deref(), context)?;
        let costs = scatter::costs_of(profile)?;
        scatter::plan_costed(facts, costs, &platform, self, context)
    }

    fn processors(&self) -> Option<usize> {
        self.processors.get()
    }

    fn check(&self) -> Result<(), CliError> {
        if let Some(script) = &self.sbatch {
            file::check("--sbatch", script)?;
        }
        check_by(&self.shape, &self.by, None)?;
        match (self.max_processors, self.processors.get()) {
            (Some(0), _) => return Err(request("--max-processors 0: a job needs at least 1 processor")),
            (Some(most), Some(p)) if p > most => {
                return Err(request(format!(
                    "--processors {p} is more than --max-processors {most}: drop one of the two"
                )));
            }
            _ => {}
        }
        check(&self.shape, self.processors.get())
    }

    fn figures(&self) -> &FigureOptions {
        &self.figures
    }

    fn job(&self, job: &dyn ErasedJob, context: &Context) -> Result<(), CliError> {
        let how = &PlanOptions { shape: one_group(job, &self.shape)?, ..self.clone() };
        let Figures { platform, profile, largest } =
            figures::of(job, how.processors.get(), &how.figures, context)?;
        let facts = Facts::of(job, largest, &how.shape);
        plan::run(&facts, figures::reduction(&profile)?, &platform, how, context)
    }

    fn costed(&self, facts: &Facts, profile: &Profile, context: &Context) -> Result<(), CliError> {
        if self.sbatch.is_some() {
            return Err(request(
                "--sbatch: tasks known only by their costs cannot be run; give sort or reduce",
            ));
        }
        let platform = figures::platform(self.figures.platform.as_deref(), context)?;
        plan::run(facts, figures::reduction(profile)?, &platform, self, context)
    }
}

impl Treat for PredictOptions {
    fn paths(&self) -> Paths {
        of_figures(&self.figures).writes("--model", self.model.as_deref())
    }

    fn shape(&self) -> &ShapeOptions {
        &self.shape
    }

    fn scatter(&self, job: &dyn ScatterGatherJob, context: &Context) -> Result<(), CliError> {
        match self.shape.skeleton.get() {
            None => scatter::auto_predict(job, self, context),
            Some(_) => scatter::predict_job(job, self, context),
        }
    }

    fn scatter_costed(
        &self,
        facts: &scatter::Facts,
        profile: &Profile,
        context: &Context,
    ) -> Result<(), CliError> {
        let platform = figures::platform(self.figures.platform.as_deref(), context)?;
        let costs = scatter::costs_of(profile)?;
        scatter::predict_costed(facts, costs, &platform, self, context)
    }

    fn processors(&self) -> Option<usize> {
        None
    }

    fn check(&self) -> Result<(), CliError> {
        self.draw.writable()?;
        check_by(&self.shape, &self.by, self.model.as_deref())?;
        if let Some(model) = &self.model {
            file::check("--model", model)?;
            if self.processors.len() != 1 {
                return Err(request("--model: a model is of one number of processors: give one by -p"));
            }
        }
        if self.efficiency.is_some() && self.shape.skeleton.get() != Some(Skeleton::Reduction) {
            return Err(request("--efficiency is of reductions: leave out --skeleton"));
        }
        for &p in &self.processors {
            check(&self.shape, Some(p))?;
        }
        check(&self.shape, None)
    }

    fn figures(&self) -> &FigureOptions {
        &self.figures
    }

    fn job(&self, job: &dyn ErasedJob, context: &Context) -> Result<(), CliError> {
        let how = &PredictOptions { shape: one_group(job, &self.shape)?, ..self.clone() };
        let Figures { platform, profile, largest } = figures::of(job, None, &how.figures, context)?;
        let facts = Facts::of(job, largest, &how.shape);
        predict::run(&facts, figures::reduction(&profile)?, &platform, how, context)
    }

    fn costed(&self, facts: &Facts, profile: &Profile, context: &Context) -> Result<(), CliError> {
        let platform = figures::platform(self.figures.platform.as_deref(), context)?;
        predict::run(facts, figures::reduction(profile)?, &platform, self, context)
    }
}
