//! Jobs that are run.

use forerun_apps::{ErasedJob, ScatterGatherJob};
use forerun_platform::{Profile, Way};
use forerun_skeleton::threads::MOST_RANKS;

use super::{Crawls, Treat, check, check_by, of_figures};
use crate::cli::{FigureOptions, RunOptions, ShapeOptions};
use crate::commands::{Context, run};
use crate::error::{CliError, request};
use crate::paths::Paths;
use crate::planning::Facts;
use crate::{figures, mpi, scatter};

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
            mpi::launcher(&self.mpi, self.processors.get())?;
        } else if self.mpi.hostfile.is_some() || self.mpi.mpirun.is_some() {
            return Err(request("--hostfile and --mpirun are of --on mpi: give it, or leave them out"));
        }
        if let Some(ranks) =
            self.processors.get().filter(|&ranks| self.on == Way::Threads && ranks > MOST_RANKS)
        {
            return Err(request(format!(
                "--processors {ranks}: at most {MOST_RANKS} ranks can be run on threads of one machine; more can be \
                 simulated, with --on simulated"
            )));
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

    fn is_here(&self) -> bool {
        self.on == Way::Mpi && mpi::is_here(&self.mpi)
    }

    fn can_follow(&self) -> bool {
        self.on == Way::Threads && self.repeat == 1 && self.by.is_empty()
    }

    fn crawls(&self) -> Result<Crawls, &'static str> {
        match matches!(self.on, Way::Threads | Way::Mpi) && self.repeat == 1 && self.by.is_empty() {
            true => Ok(Crawls::All),
            false => Err(
                "pages are crawled once, on threads or MPI, without --by (`predict` takes a sample of them)",
            ),
        }
    }

    fn begins_at_once(&self) -> bool {
        figures::at_once(&self.figures, &self.shape)
    }

    fn figures(&self) -> &FigureOptions {
        &self.figures
    }

    fn job(&self, job: &dyn ErasedJob, context: &Context) -> Result<(), CliError> {
        run::run(job, self, context)
    }

    fn costed(&self, facts: &Facts, profile: &Profile, context: &Context) -> Result<(), CliError> {
        facts.not_empty()?;
        let costs = figures::reduction(profile)?;
        let platform = facts.of_costed(costs, &self.figures, context)?;
        run::simulated(facts, costs, &platform, self, context)
    }
}
