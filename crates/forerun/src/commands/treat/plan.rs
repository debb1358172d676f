//! Jobs that are planned.

use forerun_apps::{ErasedJob, ScatterGatherJob};
use forerun_platform::Profile;

use super::{Crawls, Treat, check, check_by, of_figures, one_group, sampled};
use crate::cli::{FigureOptions, PlanOptions, ShapeOptions};
use crate::commands::{Context, crawled, plan};
use crate::error::{CliError, request};
use crate::figures::{self, Figures};
use crate::file;
use crate::mpi::Work;
use crate::paths::Paths;
use crate::planning::Facts;
use crate::sbatch;
use crate::scatter;

impl Treat for PlanOptions {
    fn paths(&self) -> Paths {
        of_figures(&self.figures).writes("--sbatch", self.sbatch.as_deref()).for_script(self.sbatch.is_some())
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
        facts.not_empty()?;
        let costs = scatter::costs_of(profile)?;
        let platform = scatter::of_costed(facts, costs, &self.figures, context)?;
        scatter::plan_costed(facts, costs, &platform, None, self, context)
    }

    fn processors(&self) -> Option<usize> {
        self.processors.get()
    }

    fn check_costed(&self) -> Result<(), CliError> {
        match self.sbatch {
            Some(_) => Err(sbatch::no_job()),
            None => Ok(()),
        }
    }

    fn check_processes(&self, work: &dyn Fn() -> Result<Work, CliError>) -> Result<(), CliError> {
        if self.sbatch.is_none() {
            return Ok(());
        }
        let many = sbatch::may_be_many(
            self.processors.get().or(self.max_processors),
            self.figures.platform.as_deref(),
        )?;
        match many {
            true => work().map(drop).map_err(|why| sbatch::not_on_many(&why)),
            false => Ok(()),
        }
    }

    fn check(&self) -> Result<(), CliError> {
        if let Some(script) = &self.sbatch {
            file::check("--sbatch", script)?;
            self.paths().read_again()?;
            sbatch::check(self.processors.get(), self.figures.platform.as_deref())?;
        }
        check_by(&self.shape, &self.by, None)?;
        match (self.max_processors, self.processors.get()) {
            (Some(0), _) => return Err(request("--max-processors 0: a job needs at least 1 processor")),
            (Some(most), Some(p)) if p > most => {
                return Err(request(format!(
                    "--processors {p} is more than --max-processors {most}: drop one of the two"
                )));
            }
            (Some(most), _) if self.shape.groups.is_some_and(|groups| groups > most) => {
                return Err(request(format!(
                    "--groups {} is more than --max-processors {most}: each group has at least 1",
                    self.shape.groups.unwrap_or(0)
                )));
            }
            _ => {}
        }
        check(&self.shape, self.processors.get())
    }

    fn crawls(&self) -> Result<Crawls, &'static str> {
        match self.sbatch {
            None => sampled(&self.by),
            Some(_) => Err("--sbatch is of inputs that are there"),
        }
    }

    fn figures(&self) -> &FigureOptions {
        &self.figures
    }

    fn job(&self, job: &dyn ErasedJob, context: &Context) -> Result<(), CliError> {
        let how = &PlanOptions { shape: one_group(job, &self.shape)?, ..self.clone() };
        if let Some(sampled) = &context.sampled {
            return crawled::plan(job, sampled, how, context);
        }
        let Figures { platform, profile, largest, beside, .. } =
            figures::of(job, how.processors.get(), &how.shape, &how.figures, plan::possible(how), context)?;
        // What the pilot did is to be done again by the run that is asked about.
        job.forget();
        let facts = Facts::of(job, largest, &how.shape).beside(beside);
        plan::run(&facts, figures::reduction(&profile)?, &platform, Some(job), how, context)
    }

    fn costed(&self, facts: &Facts, profile: &Profile, context: &Context) -> Result<(), CliError> {
        facts.not_empty()?;
        let costs = figures::reduction(profile)?;
        let platform = facts.of_costed(costs, &self.figures, context)?;
        plan::run(facts, costs, &platform, None, self, context)
    }
}
