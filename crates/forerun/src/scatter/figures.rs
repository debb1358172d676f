//! What a job is planned from: its costs as scatter-gather, given or measured.

use forerun_apps::ScatterGatherJob;
use forerun_model::scatter_gather::Planned;
use forerun_model::{Speeds, scatter_gather};
use forerun_platform::{Bytes, Platform, Profile, ScatterGatherProfile, Storage};

use super::planning::{self, Facts};
use super::{Coming, calibrate, words};
use crate::cli::{FigureOptions, ShapeOptions};
use crate::commands::Context;
use crate::error::{CliError, request};
use crate::signals::Interrupt;
use crate::{allocation, describe, figures, storage, text};

/// What a job is planned from.
pub(super) struct Costs {
    pub(super) platform: Platform,
    pub(super) costs: ScatterGatherProfile,
    pub(super) facts: Facts,
}

impl Costs {
    /// The best plan ([`planning::plan`]).
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn plan(
        &self,
        shape: &ShapeOptions,
        processors: Option<usize>,
        most: Option<usize>,
        interrupt: &Interrupt,
    ) -> Result<Planned, CliError> {
        planning::plan(&self.facts, &self.costs, &self.platform, shape, processors, most, interrupt)
    }
}

/// Platform, costs and facts of a job, said as they are found.
pub(super) fn costs(
    job: &dyn ScatterGatherJob,
    processors: Option<usize>,
    shape: &ShapeOptions,
    options: &FigureOptions,
    context: &Context,
) -> Result<Costs, CliError> {
    let console = &context.console;
    figures::check_written(options)?;
    let given = options.profile.as_ref().map(|file| Profile::load(file).map_err(request)).transpose()?;
    if let (Some(profile), Some(file)) = (&given, &options.profile) {
        let tried = of_profile(profile)?.tried;
        figures::has_elements(tried.map_or(0.0, |tried| tried.largest), file, job.least_bytes())?;
        figures::of_application(profile, file, job.name())?;
    }
    let platform = figures::platform(options.platform.as_deref(), context)?;
    console.note("machine", &describe::platform(&platform))?;
    console.note("job", &format!("{}: {}", job.name(), job.summary()))?;
    costs_on(job, processors, shape, options, (given, None), platform, context)
}

/// The platform of blocks of which only these costs are known, said with them.
///
/// # Errors
/// What is wrong with the platform.
pub fn of_costed(
    facts: &Facts,
    costs: &ScatterGatherProfile,
    options: &FigureOptions,
    context: &Context,
) -> Result<Platform, CliError> {
    let of = (facts.name.as_str(), facts.given.as_ref());
    figures::of_costed(of, &words::profile(costs, None), options, context)
}

/// Costs and facts of a job on a platform, from the profile that was given or from a pilot. What is written has the costs `beside` too.
pub(super) fn costs_on(
    job: &dyn ScatterGatherJob,
    processors: Option<usize>,
    shape: &ShapeOptions,
    options: &FigureOptions,
    (given, beside): (Option<Profile>, Option<&Profile>),
    mut platform: Platform,
    context: &Context,
) -> Result<Costs, CliError> {
    let Context { console, interrupt, .. } = context;
    let ranks = processors.unwrap_or_else(allocation::cores);
    let block = planning::fitting(&Facts::of(job, ranks, None, shape), shape)?;
    let (profile, found) = match given {
        Some(profile) => (profile, None),
        None => {
            let workers = ranks.min(allocation::cores());
            // As it will be planned: storage goes on beside the ranks where a core is left for it.
            let ahead =
                |ranks| shape.ahead.unwrap_or_else(|| scatter_gather::ahead(ranks, allocation::cores()));
            let coming = Coming { workers, ahead: (ahead(1), ahead(ranks.max(2))), block };
            let found = context
                .piloted
                .time(|| calibrate(job, job.extent().bytes, &coming, interrupt.cancel()))
                .map_err(|e| super::execute::explain(e, interrupt.signal()))?;
            let source =
                format!("a pilot of {} of {}", text::plural(found.blocks as u64, "block"), job.summary());
            let scatter_gather = Some(found.profile.clone());
            let profile = match beside {
                Some(of) => {
                    Profile { source: format!("{}; {source}", of.source), scatter_gather, ..of.clone() }
                }
                None => {
                    Profile { application: job.name().into(), source, scatter_gather, ..Profile::default() }
                }
            };
            (profile, Some(found))
        }
    };
    let mut costs = of_profile(&profile)?.clone();
    let label = if found.is_some() { "pilot" } else { "profile" };
    console.note(label, &words::profile(&costs, found.as_ref()))?;
    figures::write(&profile, options)?;
    if let Some(storage) = storage::described(&platform, options, context)? {
        storage::in_scatter_gather(&mut costs, storage);
    }
    if let (Some(found), Some(storage)) = (&found, &platform.storage) {
        storage::behind_a_pilot(&mut costs, found.from_device, storage);
    }
    if let (Some(storage), Some(memory)) = (&platform.storage, platform.hosts.first().and_then(|h| h.memory))
    {
        let cache = memory.0.saturating_sub(job.memory().unwrap_or(0));
        // Costs are those of a host of speed 1; a device is no faster there.
        let speed = Speeds::of_first_rank(&platform).map_err(request)?;
        costs.spill = costs.spill.map(|spill| spill + speed * back(job.extent().bytes, cache, storage));
    }
    // Here, and where ranks are started from here, the job's own limit holds, of which sorted blocks may have half.
    let (here, from_here) = (options.platform.as_deref().is_none_or(|p| p == "this"), context.work.is_some());
    if (here || from_here)
        && let Some(limit) = job.memory()
    {
        platform.hosts.iter_mut().for_each(|host| host.memory = Some(Bytes(limit)));
    }
    let workers = if found.is_some() { ranks.min(allocation::cores()) } else { 0 };
    let tried = costs.tried;
    let beside = context.beside(options.platform.as_deref(), &platform, workers);
    Ok(Costs { facts: Facts::of(job, ranks, tried, shape).beside(beside), platform, costs })
}

/// Seconds that a byte which was put on the first host's disk takes to come back from the device itself. What is read and written goes through
/// the system's cache as well: where input and result do not fit into `cache` bytes of memory beside the job, neither does what is put
/// on the disk. (That it is written is nothing that anybody waits for.)
fn back(bytes: u64, cache: u64, storage: &Storage) -> f64 {
    if 2 * bytes > cache { 1.0 / storage.read.value.0 } else { 0.0 }
}

/// The scatter-gather part of a profile.
///
/// # Errors
/// That there is none.
pub fn of_profile(profile: &Profile) -> Result<&ScatterGatherProfile, CliError> {
    profile.scatter_gather.as_ref().ok_or_else(|| {
        request(format!(
            "the profile of {} has no costs of scatter-gather: give it a [scatter_gather] section",
            profile.application
        ))
    })
}
