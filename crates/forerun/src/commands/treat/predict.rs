//! Jobs that are predicted.

use forerun_apps::{ErasedJob, ScatterGatherJob};
use forerun_platform::{Profile, Skeleton};

use super::{Crawls, Treat, check, check_by, of_figures, one_group, sampled};
use crate::cli::{FigureOptions, PredictOptions, ShapeOptions};
use crate::commands::{Context, crawled, predict};
use crate::error::{CliError, request};
use crate::figures::{self, Figures};
use crate::file;
use crate::paths::Paths;
use crate::planning::Facts;
use crate::scatter;

impl Treat for PredictOptions {
    fn paths(&self) -> Paths {
        self.draw.among(of_figures(&self.figures).writes("--write-model", self.write_model.as_deref()))
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
        facts.not_empty()?;
        let costs = scatter::costs_of(profile)?;
        let platform = scatter::of_costed(facts, costs, &self.figures, context)?;
        scatter::predict_costed(facts, costs, &platform, self, context)
    }

    fn processors(&self) -> Option<usize> {
        None
    }

    fn check(&self) -> Result<(), CliError> {
        self.draw.writable()?;
        check_by(&self.shape, &self.by, self.write_model.as_deref())?;
        if let Some(model) = &self.write_model {
            file::check("--write-model", model)?;
            if self.one_number().is_none() {
                return Err(request("--write-model: a model is of one number of processors: give one by -p"));
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

    fn crawls(&self) -> Result<Crawls, &'static str> {
        match self.write_model.is_none() && self.efficiency.is_none() {
            true => sampled(&self.by),
            false => Err("--write-model and --efficiency are of inputs that are there"),
        }
    }

    fn figures(&self) -> &FigureOptions {
        &self.figures
    }

    fn job(&self, job: &dyn ErasedJob, context: &Context) -> Result<(), CliError> {
        let how = &PredictOptions { shape: one_group(job, &self.shape)?, ..self.clone() };
        if let Some(sampled) = &context.sampled {
            return crawled::predict(job, sampled, how, context);
        }
        let Figures { platform, profile, largest, beside, .. } =
            figures::of(job, how.one_number(), &how.shape, &how.figures, predict::possible(how), context)?;
        // What the pilot did is to be done again by the run that is asked about.
        job.forget();
        let facts = Facts::of(job, largest, &how.shape).beside(beside);
        predict::run(&facts, figures::reduction(&profile)?, &platform, how, context)
    }

    fn costed(&self, facts: &Facts, profile: &Profile, context: &Context) -> Result<(), CliError> {
        facts.not_empty()?;
        let costs = figures::reduction(profile)?;
        let platform = facts.of_costed(costs, &self.figures, context)?;
        predict::run(facts, costs, &platform, self, context)
    }
}
