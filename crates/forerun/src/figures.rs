//! The figures that predictions are made of: the platform's and the job's.

use std::path::Path;

use forerun_apps::{ErasedJob, timed};
use forerun_platform::{Bytes, Host, Input, Machine, Platform, Profile, ReductionProfile, StartUp};

use crate::allocation;
use crate::calibrate::{self, Cache, Origin, for_this_machine};
use crate::cli::{FigureOptions, ShapeOptions};
use crate::commands::Context;
use crate::describe;
use crate::error::{CliError, failed, request};
use crate::execute::{explain, stop_if_interrupted};
use crate::file;
use crate::load::Beside;
use crate::pilot::{Pilot, Purpose, pilot};
use crate::planning::{Facts, plan};
use crate::{storage, text};

/// The application of a profile, given by hand, that holds for whatever job it is given to.
const ANY: &str = "any";

/// The name of this machine's platform.
pub(crate) const THIS: &str = "this";

/// Ranks up to which a plan is asked what tasks to try.
const MOST_TRIED: usize = 4096;

/// What a job is planned from.
#[derive(Debug, Clone)]
pub struct Figures {
    /// The machine.
    pub platform: Platform,
    /// The job's costs.
    pub profile: Profile,
    /// Bytes of the largest task that the costs are from, where that is known.
    pub largest: Option<u64>,
    /// Whether a pilot did some of the tasks.
    pub sampled: bool,
    /// The profile as it was measured or given, without the storage of a described machine: as it is written.
    pub found: Profile,
    /// How busy others are on this machine, if that is known.
    pub beside: Option<Beside>,
}

/// Platform and profile of a job, said as they are found. `possible` looks at what is asked for when the platform is known, before
/// anything is tried.
///
/// # Errors
/// As [`platform`], `possible` and [`profile`].
pub fn of(
    job: &dyn ErasedJob,
    processors: Option<usize>,
    shape: &ShapeOptions,
    options: &FigureOptions,
    possible: impl FnOnce(&Facts, &Platform) -> Result<(), CliError>,
    context: &Context,
) -> Result<Figures, CliError> {
    let console = &context.console;
    let given = given(job.name(), options, context)?;
    if let Some((profile, file)) = given.as_ref().zip(options.profile.as_ref()) {
        has_elements(reduction(profile)?.tried, file, job.least_bytes())?;
    }
    let platform = platform(options.platform.as_deref(), context)?;
    console.note("machine", &describe::platform(&platform))?;
    console.note("job", &format!("{}: {}", job.name(), job.summary()))?;
    possible(&Facts::of(job, None, shape), &platform)?;
    // What the planner makes of such costs; of more ranks than that it takes long to say.
    let few = processors.is_none_or(|p| p <= MOST_TRIED);
    let grain = |costs: &ReductionProfile, largest: u64| {
        let facts = Facts::of(job, Some(largest), shape);
        if !few || !facts.known || facts.nothing_left() {
            return None;
        }
        let planned = plan(&facts, costs, &platform, shape, processors, None, &context.interrupt).ok()?;
        Some(planned.best.plan.grain.bytes)
    };
    let cores = allocation::cores();
    let fixed = processors.is_some_and(|p| p <= cores);
    let workers = processors.unwrap_or(cores).min(cores);
    let slower = 1.0 / platform.hosts.iter().map(Host::free_speed).fold(0.0, f64::max);
    let purpose = Purpose { workers, fixed, slower, grain: &grain };
    let (mut profile, pilot) = profile(job, given, options, &purpose, context)?;
    if pilot.is_none() {
        note_program(&profile, job.program(), context)?;
    }
    let label = if pilot.is_some() { "pilot" } else { "profile" };
    console.note(label, &describe::profile(reduction(&profile)?, pilot.as_ref()))?;
    let found = profile.clone();
    if let Some(storage) = storage::described(&platform, options, context)? {
        storage::in_reduction(&mut profile, job, &platform, storage)?;
    }
    let tried = if pilot.is_some() { workers } else { 0 };
    let largest = Some(reduction(&profile)?.tried as u64).filter(|&bytes| bytes > 0);
    let sampled = pilot.is_some() && largest.is_some();
    let beside = context.beside(options.platform.as_deref(), &platform, tried);
    Ok(Figures { platform, profile, largest, sampled, found, beside })
}

/// Whether a run whose inputs keep coming begins with the first of them: no pilot waits for a sample.
pub fn at_once(options: &FigureOptions, shape: &ShapeOptions) -> bool {
    options.profile.is_some() || shape.strategy.get().is_some()
}

/// Looks at what the figures of the application `name` come from, before there is a job of it: the platform.
///
/// # Errors
/// As [`of`], but for the pilot.
pub fn ready(name: &str, options: &FigureOptions, context: &Context) -> Result<Platform, CliError> {
    given(name, options, context)?;
    platform(options.platform.as_deref(), context)
}

/// The profile that is given for the application `name`, if one is.
fn given(name: &str, options: &FigureOptions, context: &Context) -> Result<Option<Profile>, CliError> {
    check_written(options)?;
    let given = match (&context.profile, &options.profile) {
        (Some(profile), _) => Some(profile.clone()),
        (None, Some(file)) => Some(Profile::load(file).map_err(request)?),
        (None, None) => None,
    };
    if let (Some(profile), Some(file)) = (&given, &options.profile) {
        reduction(profile)?;
        of_application(profile, file, name)?;
    }
    Ok(given)
}

/// That a profile has the costs of the application `name`, or of any; tasks of which nothing is known but their costs may have those of
/// whatever application.
///
/// # Errors
/// That it has those of another.
pub(crate) fn of_application(profile: &Profile, file: &Path, name: &str) -> Result<(), CliError> {
    if name == timed::NAME || [name, ANY].contains(&profile.application.as_str()) {
        return Ok(());
    }
    Err(request(format!(
        "--profile {}: it has the costs of {:?}, and this job is {name:?}; give a profile of that (or, if the \
         costs do hold for it, write application = {ANY:?} in the file)",
        file::shown(file),
        profile.application,
    )))
}

/// That the largest task that was measured has an element of the job.
///
/// # Errors
/// That it has none.
pub(crate) fn has_elements(tried: f64, file: &Path, element: u64) -> Result<(), CliError> {
    if tried <= 0.0 || tried >= element as f64 {
        return Ok(());
    }
    Err(request(format!(
        "--profile {}: \"tried\" is {}, which is less than an element of this job, {}: give the size of the largest task that \
         was measured, or leave it out",
        file::shown(file),
        Bytes(tried as u64),
        Bytes(element),
    )))
}

/// Says that a profile that was given is of other programs than a job's.
///
/// # Errors
/// Where it cannot be written.
pub(crate) fn note_program(
    profile: &Profile,
    program: Option<String>,
    context: &Context,
) -> Result<(), CliError> {
    let Some((of, own)) = profile.program.as_ref().zip(program).filter(|(of, own)| *of != own) else {
        return Ok(());
    };
    let other = format!(
        "the profile has the costs of {of:?}, and this job runs {own:?}: they hold only if both cost the same"
    );
    context.console.note("note", &other)
}

/// The platform that `spec` names; without one, or for `this`, the machine this runs on, as it
/// was calibrated before or is now. Where the job is to run on MPI, starting the ranks takes nothing of its time.
///
/// # Errors
/// What is wrong with the file, or that there is no such platform; interrupted.
pub fn platform(spec: Option<&str>, context: &Context) -> Result<Platform, CliError> {
    let platform = known(spec, context)?;
    Ok(if context.work.is_some() { of_started(platform) } else { platform })
}

/// The platform for ranks that are started before the clock is: a run on MPI takes from where all of its processes begin the pattern.
fn of_started(mut platform: Platform) -> Platform {
    platform.network.start_up = Some(StartUp::default());
    platform
}

/// The platform that `spec` names, or that is known already.
fn known(spec: Option<&str>, context: &Context) -> Result<Platform, CliError> {
    if let Some(platform) = &context.platform {
        return Ok(platform.clone());
    }
    let (platform, origin) = found_from(spec, context)?;
    // Of this machine, what is in doubt is said when it is measured, and again whenever what was kept is used.
    if let Some(doubt) = platform.doubt.as_ref().filter(|_| origin != Origin::Fresh) {
        context.console.note("note", &format!("the figures of {} may be off: {doubt}", platform.name))?;
    }
    Ok(platform)
}

/// The platform of tasks that are known only by their costs, which `costs` says in a line; says it and what they are, as of any job.
///
/// # Errors
/// As [`platform`].
pub fn of_costed(
    (name, given): (&str, Option<&Input>),
    costs: &str,
    options: &FigureOptions,
    context: &Context,
) -> Result<Platform, CliError> {
    let platform = platform(options.platform.as_deref(), context)?;
    let words = given.map_or("", |given| given.words.as_str());
    context.console.note("machine", &describe::platform(&platform))?;
    context.console.note("job", &format!("{name}: {words}, known by their costs"))?;
    context.console.note("profile", costs)?;
    Ok(platform)
}

/// The same without a word on how sure its figures are.
///
/// # Errors
/// As [`platform`].
pub fn found(spec: Option<&str>, context: &Context) -> Result<Platform, CliError> {
    found_from(spec, context).map(|(platform, _)| platform)
}

/// The same, with whether it was measured just now.
fn found_from(spec: Option<&str>, context: &Context) -> Result<(Platform, Origin), CliError> {
    let spec = match spec {
        None | Some(THIS) => return this_machine(context),
        Some(spec) => spec,
    };
    let platform = Platform::resolve(spec).map_err(request)?;
    // Speeds are relative to where profiles are measured: here, where both machines were.
    let here = Cache::of_user().and_then(|cache| cache.cached(&Machine::here()).ok().flatten());
    Ok((here.map_or(platform.clone(), |here| platform.relative_to(&here)), Origin::Cached))
}

fn this_machine(context: &Context) -> Result<(Platform, Origin), CliError> {
    let Context { console, interrupt, .. } = context;
    let bar = console.bar(Some(100), "calibrate");
    let progress = |_: &str, part: f64| bar.set_position((part * 100.0) as u64);
    let options = calibrate::Options { quick: true, ..calibrate::Options::default() };
    let found = interrupt.busy(|| {
        for_this_machine(Cache::of_user().as_ref(), &options, &progress, interrupt.cancel()).map_err(failed)
    });
    bar.finish_and_clear();
    let found = found?;
    stop_if_interrupted(interrupt)?;
    for note in &found.notes {
        console.note("note", note)?;
    }
    if found.origin == Origin::Fresh {
        // Where it could not be kept, a note has said so.
        let kept = if found.notes.is_empty() { ", and is known from now on" } else { "" };
        console.note("calibrate", &format!("this machine was measured{kept}"))?;
    }
    Ok((found.platform, found.origin))
}

/// The costs of a reduction: those given, else what a pilot finds for its purpose, and the pilot.
///
/// # Errors
/// What is wrong with the file; what failed in the pilot.
pub fn profile(
    job: &dyn ErasedJob,
    given: Option<Profile>,
    options: &FigureOptions,
    purpose: &Purpose<'_>,
    context: &Context,
) -> Result<(Profile, Option<Pilot>), CliError> {
    let (profile, pilot) = match given {
        Some(profile) => (profile, None),
        None => {
            let interrupt = &context.interrupt;
            let found = context.piloted.time(|| pilot(job, purpose, interrupt.cancel()));
            let found = found.map_err(|e| explain(None, e, interrupt.signal()))?;
            let source =
                format!("a pilot of {} of {}", text::plural(found.tasks as u64, "task"), job.summary());
            let reduction = Some(found.profile.clone());
            let (application, program) = (job.name().into(), job.program());
            (Profile { application, source, program, reduction, ..Profile::default() }, Some(found))
        }
    };
    write(&profile, options)?;
    Ok((profile, pilot))
}

/// Looks at whether the profile can be written, where that is asked for.
///
/// # Errors
/// What is in the way.
pub(crate) fn check_written(options: &FigureOptions) -> Result<(), CliError> {
    options.write_profile.as_ref().map_or(Ok(()), |file| file::check("--write-profile", file))
}

/// Writes the profile that is used, where that is asked for.
///
/// # Errors
/// Where it cannot be written.
pub(crate) fn write(profile: &Profile, options: &FigureOptions) -> Result<(), CliError> {
    options.write_profile.as_ref().map_or(Ok(()), |file| file::write(file, profile.to_toml().as_bytes()))
}

/// The reduction's part of a profile.
///
/// # Errors
/// That there is none.
pub fn reduction(profile: &Profile) -> Result<&ReductionProfile, CliError> {
    profile.reduction.as_ref().ok_or_else(|| {
        request(format!(
            "the profile of {} has no costs of a reduction: give it a [reduction] section",
            profile.application
        ))
    })
}

#[cfg(test)]
mod tests {
    use forerun_model::reduction::start_up;
    use forerun_platform::{Host, Measured, Network, Platform, Seconds, StartUp};

    use super::of_started;

    #[test]
    fn ranks_that_are_started_before_the_clock_take_none_of_its_time() {
        let a_second = Measured::stated(Seconds(1.0));
        let stated = Some(StartUp { base: a_second, per_rank: a_second });
        for network in [
            Network { start_up: stated, ..Network::default() },
            // Each woken, where it is not stated.
            Network { wake_up: a_second, start_up: None, ..Network::default() },
        ] {
            let platform = Platform::new("p", vec![Host::new("h", 1, 4)], network);
            assert!(start_up(4, &platform) >= 2.0);
            assert_eq!(start_up(4, &of_started(platform)), 0.0);
        }
    }
}
