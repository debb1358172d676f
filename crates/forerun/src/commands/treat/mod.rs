//! What a command does with a job, whatever the job.

mod plan;
mod predict;
mod run;

use std::path::Path;

use clap::{Args, FromArgMatches};
use forerun_apps::{ErasedJob, ScatterGatherJob};
use forerun_platform::{Profile, Skeleton, Way};

use super::Context;
use crate::cli::{FigureOptions, ShapeOptions};
use crate::error::{CliError, request};
use crate::mpi::Work;
use crate::paths::{Paths, is_read};
use crate::planning::Facts;
use crate::{planning, scatter};

/// Which pages of a crawl a command fetches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crawls {
    /// A few.
    Sample,
    /// All of them.
    All,
}

/// What a command does with a job.
pub trait Treat: Args + FromArgMatches {
    /// Processors asked for, where there is one number.
    fn processors(&self) -> Option<usize>;

    /// Looks at what is asked for, before anything is opened, measured or run.
    ///
    /// # Errors
    /// What cannot be.
    fn check(&self) -> Result<(), CliError>;

    /// Looks at what is asked for of tasks of which only the costs are known.
    ///
    /// # Errors
    /// What cannot be.
    fn check_costed(&self) -> Result<(), CliError> {
        Ok(())
    }

    /// Looks at whether the job can be run by processes, where it may have to be; `work` says why not.
    ///
    /// # Errors
    /// Why it cannot be.
    fn check_processes(&self, _work: &dyn Fn() -> Result<Work, CliError>) -> Result<(), CliError> {
        Ok(())
    }

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

    /// Which pages are fetched of a job whose inputs are URLs.
    ///
    /// # Errors
    /// Why none are.
    fn crawls(&self) -> Result<Crawls, &'static str>;

    /// Whether other processes run the job.
    fn is_for_processes(&self) -> bool {
        false
    }

    /// Whether these are all started on this machine.
    fn is_here(&self) -> bool {
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
    let platform = platform.as_deref().map(Path::new).filter(|p| is_read(p));
    Paths::new().reads(platform).reads(profile).writes("--write-profile", write_profile.as_deref())
}

/// That no PEPA model is asked for where there is none.
fn check_by(shape: &ShapeOptions, by: &[Way], model: Option<&Path>) -> Result<(), CliError> {
    let scattered = shape.skeleton.get() == Some(Skeleton::ScatterGather);
    match scattered && (by.contains(&Way::Pepa) || model.is_some()) {
        true => Err(request(scatter::NO_MODEL)),
        false => Ok(()),
    }
}

/// That a sample of a crawl's pages is taken, and no PEPA model is asked for.
fn sampled(by: &[Way]) -> Result<Crawls, &'static str> {
    match by.contains(&Way::Pepa) {
        true => Err(
            "--by pepa: a model has as many tasks as are known, and of a crawl's pages they are not; predict by analytic or \
             simulated",
        ),
        false => Ok(Crawls::Sample),
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
    } else {
        scatter::check_own(shape)?;
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
