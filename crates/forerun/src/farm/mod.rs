//! Jobs as farms: a pilot, a plan, a run on threads or by MPI's processes, and how far off it was.

mod foresee;
mod pilot;
mod plan;
mod run;
mod sink;
mod sizes;
mod subset;
mod ways;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use forerun_apps::FarmJob;
use forerun_platform::{Cost, FarmProfile, Input, Platform, Profile, Wait, Way};
use forerun_skeleton::Wire as _;
use forerun_skeleton::farm::{Masters, Shape};
use forerun_skeleton::threads::MOST_RANKS;

use crate::allocation::{self, Allocation};
use crate::cli::{FarmPlanOptions, FarmPredictOptions, FarmWays, Pin};
use crate::commands::Context;
use crate::commands::predict::once;
use crate::commands::run::{Predictions, note_platform};
use crate::error::{CliError, failed, request};
use crate::load::Beside;
use crate::mpi::{self, Work};
use crate::paths::{Paths, is_read};
use crate::{compare, describe, execute, figures, file, sbatch, text};

use self::pilot::{Together, Trying};
use self::plan::{Left, Planned};
#[cfg(feature = "mpi")]
pub(crate) use self::run::{explain, shape};
use self::sizes::Sizes;
#[cfg(feature = "mpi")]
pub(crate) use self::subset::{Deliveries, Subset, deliver};

/// The files that are read and written whatever the job.
pub fn paths(how: &FarmWays, wanted: &Wanted) -> Paths {
    let script = if let Wanted::Plan(script) = wanted { script.as_deref() } else { None };
    let platform = how.platform.as_deref().map(Path::new).filter(|p| is_read(p));
    Paths::new()
        .reads(platform)
        .reads(how.mpi.hostfile.as_deref())
        .reads(how.profile.as_deref())
        .writes("--write-profile", how.write_profile.as_deref())
        .writes("--sbatch", script)
        .for_script(script.is_some())
}

/// The job in words for other processes, where these run it.
///
/// # Errors
/// What cannot be on MPI, or is of MPI only.
pub fn for_processes(
    how: &FarmWays,
    work: impl FnOnce() -> Result<Work, CliError>,
) -> Result<Option<Work>, CliError> {
    if how.on == Way::Mpi {
        mpi::launcher(&how.mpi, how.processors.get())?;
        return work().map(Some);
    }
    match how.mpi.hostfile.is_some() || how.mpi.mpirun.is_some() || how.platform.is_some() {
        true => {
            Err(request("--hostfile, --mpirun and --platform are of --on mpi: give it, or leave them out"))
        }
        false => Ok(None),
    }
}

/// Looks at the script that is to be written, if one is, before anything is tried; `work` says why the job cannot be run by processes.
///
/// # Errors
/// Why there can be no script.
pub fn check_script(
    (how, wanted): (&FarmWays, &Wanted),
    work: impl FnOnce() -> Result<Work, CliError>,
) -> Result<(), CliError> {
    let Wanted::Plan(Some(script)) = wanted else { return Ok(()) };
    file::check("--sbatch", script)?;
    sbatch::check(how.processors.get(), how.platform.as_deref())?;
    match how.on {
        Way::Mpi => work().map(drop).map_err(|why| sbatch::not_on_many(&why)),
        _ => Ok(()),
    }
}

/// What is wanted of a farm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// That it runs.
    Run,
    /// How it would be run, and a script that does, where one is named.
    Plan(Option<PathBuf>),
    /// How long it would take on these numbers of processors; none for those that are usual.
    Predict(Vec<usize>),
}

/// What a command does with a farm.
pub trait Farming: Args {
    /// How it runs or would run.
    fn ways(&self) -> FarmWays;

    /// What is wanted of it.
    fn wanted(&self) -> Wanted;
}

impl Farming for FarmWays {
    fn ways(&self) -> FarmWays {
        self.clone()
    }

    fn wanted(&self) -> Wanted {
        Wanted::Run
    }
}

impl Farming for FarmPlanOptions {
    fn ways(&self) -> FarmWays {
        self.foreseen.ways(self.processors, &self.by)
    }

    fn wanted(&self) -> Wanted {
        Wanted::Plan(self.sbatch.clone())
    }
}

impl Farming for FarmPredictOptions {
    fn ways(&self) -> FarmWays {
        self.foreseen.ways(Pin::default(), &self.by)
    }

    fn wanted(&self) -> Wanted {
        Wanted::Predict(once(&self.processors))
    }
}

/// Runs a job, plans it or predicts it. `after` follows a run.
///
/// # Errors
/// What is wrong with the request; what failed.
pub fn treat<J: FarmJob>(
    job: &J,
    (how, wanted): (&FarmWays, &Wanted),
    after: impl FnOnce() -> Result<(), CliError>,
    context: &Context,
) -> Result<(), CliError> {
    if let Some(file) = &how.write_profile {
        file::check("--write-profile", file)?;
    }
    match wanted {
        Wanted::Run => run(job, how, after, context),
        Wanted::Plan(script) => foresee::plan(job, how, script.as_deref(), context),
        Wanted::Predict(processors) => foresee::predict(job, how, processors, context),
    }
}

/// Runs a job: as much of it as is not done already. `after` follows on threads; on MPI, the first rank has done it.
///
/// # Errors
/// What is wrong with the request; what failed.
fn run<J: FarmJob>(
    job: &J,
    how: &FarmWays,
    after: impl FnOnce() -> Result<(), CliError>,
    context: &Context,
) -> Result<(), CliError> {
    let Context { console, interrupt, work, .. } = context;
    // Of a run on MPI, the first rank gets what the pilot gives.
    let kept = work.is_some().then(Mutex::default);
    // What this host is like under the run is known only where the run is here.
    let elsewhere = how.platform.is_some() || how.mpi.hostfile.is_some() || Allocation::here().is_some();
    let at_once = |team: Team, _| match work.is_some() {
        true if elsewhere => (1, 1),
        true => (team.slaves.min(MOST_RANKS - 1), team.slaves.min(MOST_RANKS - 1)),
        false => (team.slaves.min(MOST_RANKS - 1), widest(how.processors.get(), team)),
    };
    let seen = Seen::of(job, (how, how.processors.get()), at_once, kept.as_ref(), context)?;
    let mut planned = seen.best(how, seen.rest.len() as u64)?;
    console.note("plan", &plan::words(&planned.plan, (seen.all, seen.left)))?;
    // Nobody has to be told of what was planned so, as tasks wait.
    if work.is_none() && how.processors.get().is_some() {
        context.note_shared([planned.plan.processors], &seen.platform)?;
    }
    let plan = &planned.plan;
    if plan.predicted.is_some() || !how.by.is_empty() {
        context.note_beside(seen.beside, [plan.processors])?;
        note_platform(how.on, how.platform.as_deref(), &seen.platform, context)?;
    }
    let predicted = seen.predictions(job, &how.by, &planned, context)?;
    let Seen { platform, rest, input, .. } = seen;
    for outcome in &predicted.outcomes {
        console.note("", &compare::verdict(outcome))?;
    }
    predicted.note(context)?;
    // Where there is no closed form, what another way predicts is what is measured against.
    let plan = &mut planned.plan;
    plan.predicted = plan.predicted.or_else(|| predicted.outcomes.iter().find_map(|o| o.predicted));
    let plan = &*plan;
    let done = match work {
        Some(work) => {
            job.let_go();
            let kept = kept.unwrap_or_default().into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut bytes = Vec::new();
            (rest, kept).encode(&mut bytes).map_err(failed)?;
            let told = mpi::told((work, plan), bytes, &how.mpi, context)?;
            mpi::done(told, plan, (job.name(), Some(input), &platform.name))
        }
        None => {
            let done = run::run((job, input), &rest, plan, &platform, context)?;
            after()?;
            done
        }
    };
    console.note("result", &done.result)?;
    for note in &done.notes {
        console.note("note", note)?;
    }
    console.say("", &compare::verdict(&done.outcome))?;
    let mut outcomes = predicted.outcomes;
    outcomes.push(done.outcome);
    console.data(&outcomes)?;
    execute::stop_if_interrupted(interrupt)
}

/// A job of which a pilot has tried some tasks.
struct Seen {
    platform: Platform,
    /// What was found by the pilot or given, if anything was.
    costs: Option<FarmProfile>,
    /// Tasks that were left before the pilot, those that it has left, and all.
    left: u64,
    rest: Vec<u64>,
    all: u64,
    /// Bytes of the inputs of those that were left before the pilot and of those that it has left, where costs are by the byte.
    sizes: (Vec<u64>, Vec<u64>),
    /// Whether answers are handed on in the order of the tasks.
    in_order: bool,
    /// What was left when the command began.
    input: Input,
    /// How busy others were on this machine until the pilot ended, if that is known.
    beside: Option<Beside>,
    /// What more tasks at a time than cores do to each other.
    together: Together,
}

impl Seen {
    /// Says what the machine and the job are and tries some of the tasks, for a team of so many processors, where that is said, and on a
    /// machine of so many cores as many `at_once` as is said, and up to so many where they mostly wait; their answers are delivered, or kept as bytes where that is asked for.
    ///
    /// # Errors
    /// What is wrong with the request; what failed.
    fn of<J: FarmJob>(
        job: &J,
        (how, processors): (&FarmWays, Option<usize>),
        at_once: impl Fn(Team, usize) -> (usize, usize),
        kept: Option<&Mutex<Vec<u8>>>,
        context: &Context,
    ) -> Result<Seen, CliError> {
        let Context { console, interrupt, .. } = context;
        let given = how.profile.as_deref().map(|file| given(job, file)).transpose()?;
        let platform = figures::platform(how.platform.as_deref(), context)?;
        let team = Team::of(how, processors.unwrap_or_else(|| most(how, &platform)))?;
        console.note("machine", &describe::platform(&platform))?;
        console.note("job", &format!("{}: {}", job.name(), job.summary()))?;
        let all = job.tasks();
        let mut rest: Vec<u64> = (0..all).filter(|&task| !job.is_done(task)).collect();
        let left = rest.len() as u64;
        let bytes = |tasks: &[u64]| tasks.iter().map(|&task| job.bytes(task)).collect::<Vec<u64>>();
        let left_bytes = bytes(&rest);
        let mut input = job.input();
        if left < all {
            let done = format!("{} of {} were finished before", all - left, text::plural(all, "task"));
            console.note("resume", &done)?;
            // Of those that are left, the bytes are not known.
            input = Input { bytes: None, items: Some(left), words: format!("{}; {done}", input.words) };
        }
        let cores = platform.cores();
        let (slaves, widest) = at_once(team, cores);
        let mut together = Together::default();
        let (profile, tried) = match given {
            Some((profile, costs)) => {
                figures::note_program(&profile, job.program(), context)?;
                // Of hand-made ones it is not known what they hold for.
                if profile.source.starts_with(A_PILOT) && profile.source != source(job) {
                    let other = format!(
                        "the profile is of {}, and this job has {}: it holds only if tasks are alike",
                        profile.source,
                        job.summary()
                    );
                    console.note("note", &other)?;
                }
                let mean = Sizes::of(left_bytes.iter().copied()).mean();
                console.note("profile", &pilot::words(&costs, mean))?;
                (Some((profile, costs)), 0)
            }
            None => match pilot::pilot(
                job,
                &mut rest,
                Trying { slaves, widest, cores, on: how.on },
                &how.shape,
                kept,
                interrupt,
            )? {
                Some(found) => {
                    console.note("pilot", &found.words())?;
                    together = found.together;
                    (Some((profile(job, &found.costs), found.costs)), slaves)
                }
                None => (None, 0),
            },
        };
        match (&how.write_profile, &profile) {
            (Some(file), Some((profile, _))) => file::write(file, profile.to_toml().as_bytes())?,
            (Some(file), None) => {
                let none = format!(
                    "nothing is written to {}: of so few tasks no costs are known",
                    file::shown(file)
                );
                console.note("note", &none)?;
            }
            (None, _) => {}
        }
        let costs = profile.map(|(_, costs)| costs);
        let sizes = match &costs {
            Some(costs) if plan::is_by_bytes(costs) => (left_bytes, bytes(&rest)),
            _ => Default::default(),
        };
        let beside = context.beside(how.platform.as_deref(), &platform, tried);
        Ok(Seen {
            platform,
            costs,
            left,
            rest,
            all,
            sizes,
            in_order: job.in_order(),
            input,
            beside,
            together,
        })
    }

    /// Plans so many of its tasks on the number of processors that is asked for, or else on that of which the least time is predicted.
    ///
    /// # Errors
    /// Too few processors; what the model refuses.
    fn best(&self, how: &FarmWays, tasks: u64) -> Result<Planned, CliError> {
        let most = most(how, &self.platform);
        let Pin::Auto = how.processors else {
            return self.plan(how, how.processors.get().unwrap_or(most), tasks);
        };
        let all = self.plan(how, most, tasks)?;
        let Some((predicted, basis)) = all.plan.predicted.as_ref().zip(all.basis.as_ref()) else {
            // Of costs that are not known, only that no more is of use than there are tasks.
            let enough = most.min(usize::try_from(tasks.max(1)).unwrap_or(most));
            let few = self.costs.is_none() && enough < most && Team::of(how, enough).is_ok();
            return if few { self.plan(how, enough, tasks) } else { Ok(all) };
        };
        let mut candidates: Vec<usize> = match most {
            ..=MANY => (1..most).collect(),
            _ => std::iter::successors(Some(1), |p| Some(2 * p)).take_while(|p| *p < most).collect(),
        };
        // Of very many, the number with one master from which on more take longer as well.
        let among = all.plan.farm.is_some_and(|farm| farm.among);
        if let (Some(model), Masters::Fixed(1)) =
            (basis.model.as_ref().filter(|_| most > MANY), how.shape.masters)
        {
            let ranks = model.best_ranks(all.plan.ranks()).map_err(request)?.ranks;
            candidates.push(if among { ranks } else { ranks - 1 });
        }
        let (all_s, all_why) = (predicted.makespan_s, all.plan.reason.clone());
        let (mut best, mut best_s) = (all, all_s);
        for processors in candidates.into_iter().filter(|&p| Team::of(how, p).is_ok()) {
            let other = self.plan(how, processors, tasks)?;
            let seconds = other.plan.predicted.as_ref().map_or(f64::INFINITY, |p| p.makespan_s);
            if (seconds, other.plan.processors) < (best_s, best.plan.processors) {
                (best, best_s) = (other, seconds);
            }
        }
        if let Some((mut wide, why)) = self.wide(how, most, tasks, best_s)? {
            let cores = text::plural(best.plan.processors as u64, "processor");
            wide.plan.reason += &format!("; {why}: {cores} would take {}", text::seconds(best_s));
            return Ok(wide);
        }
        if best.plan.processors < most {
            best.plan.reason += &format!(
                "; {} would take {} ({all_why})",
                text::plural(most as u64, "processor"),
                text::seconds(all_s)
            );
        }
        Ok(best)
    }

    /// Plans so many of its tasks on more processors than there are cores, where tasks wait so much that this is much shorter than `best_s`, and says
    /// why.
    ///
    /// # Errors
    /// What the model refuses.
    fn wide(
        &self,
        how: &FarmWays,
        cores: usize,
        tasks: u64,
        best_s: f64,
    ) -> Result<Option<(Planned, String)>, CliError> {
        let Some(costs) = self.costs.as_ref().filter(|_| how.on == Way::Threads && how.platform.is_none())
        else {
            return Ok(None);
        };
        // What waits beside others that are busy may wait for these, and they would do no more for more.
        let tried = match self.beside.is_some_and(|beside| beside.note(cores).is_some()) {
            true => self.together.most.min(self.together.tried.saturating_mul(BESIDE_OTHERS)),
            false => self.together.most,
        };
        let wanted = usize::try_from(tasks).unwrap_or(usize::MAX).min(MOST_RANKS / 2).min(tried);
        let (most, lacks) = allocation::room_for_programs(wanted, self.together.memory);
        let numbers = std::iter::successors(Some(cores + 1), |p| Some((p + 1).max(p * 6 / 5)));
        let numbers = numbers.take_while(|p| *p < most).chain((most > cores).then_some(most));
        let mut found: Vec<(Planned, f64)> = Vec::new();
        for processors in numbers.filter(|&p| Team::of(how, p).is_ok()) {
            let planned = self.plan(how, processors, tasks)?;
            if let Some(seconds) = planned.plan.predicted.as_ref().map(|p| p.makespan_s) {
                found.push((planned, seconds));
            }
        }
        let least_s = found.iter().map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min);
        // No more than it takes.
        let Some((wide, _)) = found.into_iter().find(|(_, seconds)| *seconds <= least_s * AS_GOOD) else {
            return Ok(None);
        };
        if least_s > WORTH * best_s {
            return Ok(None);
        }
        let mean = Sizes::of(self.sizes.0.iter().copied()).mean();
        let waits = costs.task.waits().seconds(mean, 1.0) / costs.task.seconds(mean, 1.0);
        let mut why = format!("tasks wait for {} of their time, which takes no core", text::share(waits));
        if wide.plan.processors == most && (most as u64) < tasks {
            why += &match lacks {
                Some(of) => format!(", and more would take too much of the {of} that there are"),
                None => ", and more were too many to tell of by those that were tried at a time".into(),
            };
        }
        Ok(Some((wide, why)))
    }

    /// Plans so many of its tasks on so many processors.
    ///
    /// # Errors
    /// Too few processors; what the model refuses.
    fn plan(&self, how: &FarmWays, processors: usize, tasks: u64) -> Result<Planned, CliError> {
        let team = Team::of(how, processors)?;
        // What the pilot did is handed on in the run, where it waits there for what is before it.
        let waiting = if self.in_order && tasks > 0 { self.left.saturating_sub(tasks) } else { 0 };
        let more = 1.0 + waiting as f64 / tasks.max(1) as f64;
        let mut costs = self.costs.as_ref().map(|of| FarmProfile { sink: of.sink.times(more), ..of.clone() });
        if let Some(FarmProfile { task, .. }) = &mut costs
            && processors > self.platform.cores()
            && task.wait != Wait::default()
        {
            // How many wait as those do that were tried, nobody knows.
            let beyond = (processors as f64 / self.together.tried.max(1) as f64).max(1.0);
            task.error = task.error.hypot(SHARED).hypot(DOUBLED * beyond.log2());
        }
        let costs = costs.as_ref();
        let hosts = how.platform.is_some().then_some(&self.platform);
        let sizes = if tasks == self.left { &self.sizes.0 } else { &self.sizes.1 };
        let left = Left { tasks, all: self.all, sizes, each_s: self.together.each_s };
        let mut planned = plan::plan(costs, &left, (team, how.on), (&self.platform, hosts), &how.shape)?;
        if let Some(beside) = self.beside {
            beside.widen(&mut planned.plan.predicted, processors);
        }
        Ok(planned)
    }

    /// What ways predict of a plan.
    ///
    /// # Errors
    /// Where virtual time cannot say, or a PEPA model has no solution; interrupted.
    fn predictions<J: FarmJob>(
        &self,
        job: &J,
        by: &[Way],
        planned: &Planned,
        context: &Context,
    ) -> Result<Predictions, CliError> {
        let mut found = ways::predictions((job, &self.input), by, planned, &self.platform, context)?;
        // In the closed form's it is already.
        if let Some(beside) = self.beside {
            for outcome in found.outcomes.iter_mut().filter(|o| o.way != Way::Analytic) {
                beside.widen(&mut outcome.predicted, planned.plan.processors);
            }
        }
        Ok(found)
    }
}

/// More processors than cores are worth it where they take less than this part of the time, and fewer are as good that take no more than
/// so many times the least.
const WORTH: f64 = 0.9;
const AS_GOOD: f64 = 1.03;
/// So many times as many tasks at a time as were tried are planned beside others that are busy.
const BESIDE_OTHERS: usize = 2;
/// By how much a prediction is less sure for each doubling of the tasks at a time that were tried, as a relative deviation.
const DOUBLED: f64 = 0.1;
/// The same where those that work share cores with those that wait, which take turns now and then.
const SHARED: f64 = 0.07;

/// How many tasks at a time a pilot may try where they mostly wait: as many as are to be done so, or may be where that is not said.
fn widest(processors: Option<usize>, team: Team) -> usize {
    match processors {
        None => allocation::room_for_programs(MOST_AT_ONCE, PROGRAM).0.max(team.slaves),
        Some(_) => team.slaves.min(MOST_RANKS - 1),
    }
}

/// Programs that a pilot tries at a time at most, and bytes of memory that each is thought to have.
const MOST_AT_ONCE: usize = 128;
const PROGRAM: u64 = 32 << 20;

/// Up to how many processors each number is tried, where none is asked for.
const MANY: usize = 64;

/// Most processors that there are where none are asked for: the cores of the machine or of the hosts that are named, or what Slurm has
/// given.
fn most(how: &FarmWays, platform: &Platform) -> usize {
    let given = Allocation::here().and_then(|given| given.tasks);
    match (how.on, how.platform.is_some()) {
        (Way::Mpi, true) => given.unwrap_or(usize::MAX).min(platform.cores()),
        (Way::Mpi, false) => given.unwrap_or_else(allocation::cores),
        _ => allocation::cores(),
    }
}

/// How many do tasks, and how many hand them out.
#[derive(Debug, Clone, Copy)]
struct Team {
    slaves: usize,
    /// None where the one rank does all.
    masters: usize,
    dynamic: bool,
}

impl Team {
    /// Those of so many processors.
    ///
    /// # Errors
    /// Too many, or too few.
    fn of(how: &FarmWays, processors: usize) -> Result<Team, CliError> {
        let dynamic = how.shape.masters == Masters::Dynamic;
        let masters = if let Masters::Fixed(masters) = how.shape.masters { masters } else { 1 };
        let alone = processors == 1 && masters == 1;
        let (slaves, masters) = match how.on {
            _ if alone => (1, 0),
            // The masters are among the processes.
            Way::Mpi => (processors.saturating_sub(masters), masters),
            _ => (processors, masters),
        };
        let ranks = slaves + masters;
        if !alone && slaves < masters {
            let (who, there) = match how.on {
                Way::Mpi => {
                    let left = if slaves == 1 { "1 is".into() } else { format!("{slaves} are") };
                    ("rank", format!("of {} {left} left", text::plural(processors as u64, "rank")))
                }
                _ => ("processor", format!("--processors gives {slaves}")),
            };
            return Err(request(format!(
                "--masters {masters}: each needs a {who} that does its tasks, and {there}: ask for fewer masters, or for more \
                 processors"
            )));
        }
        if how.on == Way::Threads && ranks > MOST_RANKS {
            return Err(request(format!(
                "--processors {slaves}: at most {} do tasks, each on a thread, beside what hands them out",
                MOST_RANKS.saturating_sub(masters)
            )));
        }
        let masters_asked = if dynamic { Masters::Dynamic } else { Masters::Fixed(masters.max(1)) };
        Shape { masters: masters_asked, ..Shape::new(ranks) }.check().map_err(request)?;
        Ok(Team { slaves, masters, dynamic })
    }
}

/// The profile in a file, and its costs of a farm.
///
/// # Errors
/// What is wrong with the file; that it has no such costs, or those of another job.
fn given<J: FarmJob>(job: &J, file: &Path) -> Result<(Profile, FarmProfile), CliError> {
    let profile = Profile::load(file).map_err(request)?;
    let wrong = |what: &str| request(format!("--profile {}: {what}", file::shown(file)));
    let Some(mut costs) = profile.farm.clone() else {
        return Err(wrong(
            "it has no costs of a farm: give it a [farm] section, such as --write-profile writes of this job",
        ));
    };
    figures::of_application(&profile, file, job.name())?;
    let Cost { fixed, per_byte, per_result, wait, .. } = &mut costs.task;
    if (*per_byte > 0.0 || wait.per_byte > 0.0) && (0..job.tasks()).all(|task| job.bytes(task) == 0) {
        return Err(wrong(
            "this job's tasks are charged by the task, not by the byte: give \"task\" as one time (fixed)",
        ));
    }
    // A task has one result.
    *fixed += std::mem::take(per_result);
    wait.fixed += std::mem::take(&mut wait.per_result);
    Ok((profile, costs))
}

/// How the source of a profile begins that a pilot found.
const A_PILOT: &str = "a pilot of ";

fn source<J: FarmJob>(job: &J) -> String {
    format!("{A_PILOT}{}", job.summary())
}

fn profile<J: FarmJob>(job: &J, costs: &FarmProfile) -> Profile {
    let (source, application, program) = (source(job), job.name().into(), job.program());
    Profile { application, source, program, farm: Some(costs.clone()), ..Profile::default() }
}
